import { z } from 'zod';
import { omitUndefined } from '../../model/omit-undefined.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import type { Millis } from '../../model/time.ts';
import * as field from './parameter-fields.ts';
import { defined, secondsText, type WireParameters } from './parameter-fields.ts';
import * as answer from './response-fields.ts';

/** Currency of the account's sums; default: the account's own. */
export interface AccountQuery {
  readonly currency?: string;
}

export interface CashFlowQuery {
  readonly from: Millis;
  readonly to: Millis;
  /** 1 cash, 2 stock, 3 fund. */
  readonly businessType?: number;
  readonly symbol?: SecuritySymbol;
  readonly page?: number;
  readonly size?: number;
}

/** No symbols means all positions. */
export interface PositionsQuery {
  readonly symbols: readonly SecuritySymbol[];
}

/** Query of GET /v1/asset/account. @see docs/wire-protocol.md, "Calls" */
export const account = z
  .object({ currency: field.optional(field.currency) })
  .transform((query): AccountQuery => defined(query));

/**
 * Query of GET /v1/asset/cashflow. One official client sends `start_at` and `end_at`, and business type 0 for all.
 * @see docs/wire-protocol.md, "Calls"
 */
export const cashFlow = z
  .preprocess(
    usualNames,
    z.object({
      start_time: field.required(field.instant),
      end_time: field.required(field.instant),
      business_type: field.optional(field.integer(0, 3)),
      symbol: field.optional(field.symbol),
      page: field.optional(field.integer(1, 1_000_000)),
      size: field.optional(field.integer(1, 10_000)),
    }),
  )
  .transform(
    (query): CashFlowQuery =>
      defined({
        from: query.start_time,
        to: query.end_time,
        businessType: query.business_type === 0 ? undefined : query.business_type,
        symbol: query.symbol,
        page: query.page,
        size: query.size,
      }),
  );

function usualNames(query: unknown): unknown {
  if (typeof query !== 'object' || query === null) return query;
  const { start_at: from, end_at: to, ...named } = query as Readonly<Record<string, unknown>>;
  return {
    ...omitUndefined({ start_time: from, end_time: to }),
    ...named,
  };
}

/** Query of GET /v1/asset/stock. @see docs/wire-protocol.md, "Calls" */
export const positions = z
  .object({ symbol: field.repeated(field.symbol, 500) })
  .transform((query): PositionsQuery => ({ symbols: query.symbol }));

/** Query of GET /v1/asset/fund, whose symbols are ISINs. @see docs/wire-protocol.md, "Calls" */
export const funds = z
  .object({ symbol: field.repeated(field.text(32), 500) })
  .transform((query) => ({ isins: query.symbol }));

/** Query of GET /v1/risk/margin-ratio. @see docs/wire-protocol.md, "Calls" */
export const marginRatio = z
  .object({ symbol: field.required(field.symbol) })
  .transform((query) => ({ symbol: query.symbol }));

export const writeAccount = (query: AccountQuery): WireParameters => defined({ currency: query.currency });

export const writePositionsQuery = (query: PositionsQuery): WireParameters => ({ symbol: query.symbols });

export const writeFunds = (query: { readonly isins: readonly string[] }): WireParameters => ({
  symbol: query.isins,
});

export const writeMarginRatio = (query: { readonly symbol: SecuritySymbol }): WireParameters => ({
  symbol: query.symbol,
});

export function writeCashFlow(query: CashFlowQuery): WireParameters {
  return defined({
    start_time: secondsText(query.from),
    end_time: secondsText(query.to),
    business_type: query.businessType,
    symbol: query.symbol,
    page: query.page,
    size: query.size,
  });
}

const cashInfo = z.looseObject({
  currency: answer.required,
  withdraw_cash: answer.text,
  available_cash: answer.required,
  frozen_cash: answer.text,
  settling_cash: answer.text,
});

const frozenFee = z.looseObject({ currency: answer.required, frozen_transaction_fee: answer.required });

const wireBalance = z.looseObject({
  total_cash: answer.required,
  max_finance_amount: answer.text,
  remaining_finance_amount: answer.text,
  risk_level: answer.text,
  margin_call: answer.text,
  currency: answer.required,
  net_assets: answer.required,
  init_margin: answer.text,
  maintenance_margin: answer.text,
  buy_power: answer.required,
  cash_infos: answer.list(cashInfo),
  frozen_transaction_fees: answer.list(frozenFee),
});
export type WireBalance = z.output<typeof wireBalance>;

export const accountResponse = z.looseObject({ list: z.array(wireBalance) });

/** One cash movement. Trust the sign of `balance`, not `direction`. */
const cashFlowRow = z.looseObject({
  transaction_flow_name: answer.text,
  direction: answer.smallInteger,
  business_type: answer.smallInteger,
  balance: answer.required,
  currency: answer.required,
  business_time: answer.required,
  symbol: answer.text,
  description: answer.text,
});

export const cashFlowResponse = z.looseObject({ list: answer.list(cashFlowRow) });

export const wirePosition = z.looseObject({
  symbol: answer.required,
  symbol_name: answer.text,
  currency: answer.required,
  market: answer.text,
  quantity: answer.required,
  available_quantity: answer.required,
  cost_price: answer.text,
  init_quantity: answer.text,
});

/** `data` of the stock positions, by account channel. */
export const positionsResponse = z.looseObject({
  list: answer.list(z.looseObject({ account_channel: answer.text, stock_info: answer.rows })),
});

const fund = z.looseObject({
  symbol: answer.required,
  symbol_name: answer.text,
  currency: answer.text,
  holding_units: answer.text,
  current_net_asset_value: answer.text,
  cost_net_asset_value: answer.text,
  net_asset_value_day: answer.text,
});

export const fundsResponse = z.looseObject({
  list: answer.list(z.looseObject({ account_channel: answer.text, fund_info: answer.list(fund) })),
});

/** `data` of the margin ratio; fractions: 0.1 means 10 %. */
export const marginRatioResponse = z.looseObject({
  im_factor: answer.required,
  mm_factor: answer.required,
  fm_factor: answer.required,
});
