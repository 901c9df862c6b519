import type { AccountBalance, BuyLimit, Position } from '../../model/account.ts';
import { type Decimal, ZERO } from '../../model/decimal.ts';
import type { MarginFactors } from '../../model/security.ts';
import { marketOf, type SecuritySymbol } from '../../model/symbol.ts';
import { parseShape, readResponse } from '../request.ts';
import { type WireBalance, wirePosition } from '../schemas/asset.ts';
import { WireError } from '../wire-error.ts';
import { type ReadRows, readRows } from './rows.ts';
import * as value from './values.ts';

/**
 * Parses `data` of the account: usually one balance, in the requested currency. Throws WireError for invalid figures.
 */
export function readAccountBalances(data: unknown): readonly AccountBalance[] {
  return readResponse('account', data).list.map(readBalance);
}

function readBalance(wire: WireBalance): AccountBalance {
  return {
    currency: wire.currency,
    equity: value.readDecimal(wire.net_assets, 'net_assets'),
    totalCash: value.readDecimal(wire.total_cash, 'total_cash'),
    initMargin: absentAsZero(wire.init_margin, 'init_margin'),
    maintenanceMargin: absentAsZero(wire.maintenance_margin, 'maintenance_margin'),
    buyPower: value.readDecimal(wire.buy_power, 'buy_power'),
    marginCall: absentAsZero(wire.margin_call, 'margin_call'),
    riskLevel: readRiskLevel(wire.risk_level),
    maxFinance: absentAsZero(wire.max_finance_amount, 'max_finance_amount'),
    remainingFinance: absentAsZero(wire.remaining_finance_amount, 'remaining_finance_amount'),
    cash: wire.cash_infos.map((cash) => ({
      currency: cash.currency,
      available: value.readDecimal(cash.available_cash, 'available_cash'),
      frozen: absentAsZero(cash.frozen_cash, 'frozen_cash'),
      settling: absentAsZero(cash.settling_cash, 'settling_cash'),
      withdrawable: absentAsZero(cash.withdraw_cash, 'withdraw_cash'),
    })),
    frozenFees: wire.frozen_transaction_fees.map((fee) => ({
      currency: fee.currency,
      amount: value.readDecimal(fee.frozen_transaction_fee, 'frozen_transaction_fee'),
    })),
  };
}

/** Parses a figure that the venue leaves empty if it is 0: margin in use, frozen cash, credit. */
function absentAsZero(text: string, field: string): Decimal {
  return value.readOptionalDecimal(text, field) ?? ZERO;
}

/** Parses 0 (safe) to 3 (danger); an empty text is an ungraded account, which the venue treats as safe. */
function readRiskLevel(text: string): number {
  if (/^[0-3]?$/.test(text)) return Number(text);
  throw new WireError('unknown-value', `Cannot read risk_level: want 0 to 3, saw "${text}"`);
}

export function writeAccountBalances(balances: readonly AccountBalance[]) {
  return {
    list: balances.map((balance) => ({
      total_cash: value.writeMoney(balance.totalCash),
      max_finance_amount: value.writeMoney(balance.maxFinance),
      remaining_finance_amount: value.writeMoney(balance.remainingFinance),
      risk_level: String(balance.riskLevel),
      margin_call: balance.marginCall.toFixed(),
      currency: balance.currency,
      net_assets: value.writeMoney(balance.equity),
      init_margin: value.writeMoney(balance.initMargin),
      maintenance_margin: value.writeMoney(balance.maintenanceMargin),
      buy_power: value.writeMoney(balance.buyPower),
      cash_infos: balance.cash.map((cash) => ({
        currency: cash.currency,
        withdraw_cash: value.writeMoney(cash.withdrawable),
        available_cash: value.writeMoney(cash.available),
        frozen_cash: value.writeMoney(cash.frozen),
        settling_cash: value.writeMoney(cash.settling),
      })),
      frozen_transaction_fees: balance.frozenFees.map((fee) => ({
        currency: fee.currency,
        frozen_transaction_fee: value.writeMoney(fee.amount),
      })),
    })),
  };
}

/** Account channel of our venue's positions: a paper account. */
export const PAPER_CHANNEL = 'lb_papertrading';

/** Parses `data` of the stock positions, all channels in one list; invalid rows are reported, not thrown. */
export function readPositions(data: unknown): ReadRows<Position> & { readonly channels: readonly string[] } {
  const { list } = readResponse('positions', data);
  const rows = list.flatMap((channel) => channel.stock_info);
  return { ...readRows(rows, readPosition), channels: list.map((channel) => channel.account_channel) };
}

function readPosition(raw: unknown): Position {
  const row = parseShape(wirePosition, raw, 'a position');
  return {
    symbol: value.readSymbol(row.symbol, 'symbol'),
    currency: row.currency,
    quantity: value.readDecimal(row.quantity, 'quantity'),
    available: value.readDecimal(row.available_quantity, 'available_quantity'),
    averageCost: value.readOptionalDecimal(row.cost_price, 'cost_price'),
    initial: absentAsZero(row.init_quantity, 'init_quantity'),
  };
}

/**
 * Formats `data` of the stock positions as one channel, even without positions. `nameOf` returns the name in the
 * requested language.
 */
export function writePositions(
  positions: readonly Position[],
  facts: { readonly channel: string; readonly nameOf: (symbol: SecuritySymbol) => string },
) {
  const stockInfo = positions.map((position) => ({
    symbol: position.symbol,
    symbol_name: facts.nameOf(position.symbol),
    currency: position.currency,
    market: marketOf(position.symbol),
    quantity: position.quantity.toFixed(),
    available_quantity: position.available.toFixed(),
    cost_price: value.writeOptional(position.averageCost),
    init_quantity: position.initial.toFixed(),
  }));
  return { list: [{ account_channel: facts.channel, stock_info: stockInfo }] };
}

/** Parses `data` of the buy-limit estimate. An empty figure is 0: the venue offers no quantity. */
export function readBuyLimit(data: unknown): BuyLimit {
  const answer = readResponse('buyLimit', data);
  return {
    cash: value.readCumulative(answer.cash_max_qty, 'cash_max_qty'),
    margin: value.readCumulative(answer.margin_max_qty, 'margin_max_qty'),
  };
}

export function writeBuyLimit(limit: BuyLimit) {
  return { cash_max_qty: limit.cash.toFixed(), margin_max_qty: limit.margin.toFixed() };
}

/** Parses `data` of the margin ratio. Throws WireError for a missing or negative factor. */
export function readMarginFactors(data: unknown): MarginFactors {
  const answer = readResponse('marginRatio', data);
  return {
    initial: value.readCumulative(answer.im_factor, 'im_factor'),
    maintenance: value.readCumulative(answer.mm_factor, 'mm_factor'),
    forced: value.readCumulative(answer.fm_factor, 'fm_factor'),
  };
}

export function writeMarginFactors(factors: MarginFactors) {
  return {
    im_factor: factors.initial.toFixed(),
    mm_factor: factors.maintenance.toFixed(),
    fm_factor: factors.forced.toFixed(),
  };
}
