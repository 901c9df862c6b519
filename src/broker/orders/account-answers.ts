import { type CashPosting, type CashPostingKind, MOVE_NAMES } from '../../model/cash-posting.ts';
import type { Decimal } from '../../model/decimal.ts';
import type { Currency } from '../../model/money.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import type { Millis } from '../../model/time.ts';
import * as value from '../../wire/mapper/values.ts';
import { readResponse } from '../../wire/request.ts';
import { WireError } from '../../wire/wire-error.ts';

/** One movement of cash; negative for payments. */
export interface CashMovement {
  readonly name: string;
  readonly kind: 'cash' | 'stock' | 'fund';
  readonly amount: Decimal;
  readonly currency: Currency;
  readonly time: Millis;
  /** Undefined if it belongs to no security. */
  readonly symbol: SecuritySymbol | undefined;
  readonly description: string;
}

/** Units of a fund. Figures that the venue leaves empty are undefined. */
export interface FundPosition {
  readonly isin: string;
  readonly name: string;
  readonly currency: Currency;
  readonly units: Decimal | undefined;
  readonly netAssetValue: Decimal | undefined;
  readonly costNetAssetValue: Decimal | undefined;
  /** When the net asset value was stated. */
  readonly valuedAt: Millis | undefined;
}

/** A watched security. */
export interface WatchedSecurity {
  readonly symbol: SecuritySymbol;
  readonly name: string;
  /** Price when it was added; undefined if there was none. */
  readonly watchedPrice: Decimal | undefined;
  readonly watchedAt: Millis | undefined;
  readonly isPinned: boolean;
}

/** A group of the watchlist, in the user's order. */
export interface WatchGroup {
  readonly id: string;
  readonly name: string;
  readonly securities: readonly WatchedSecurity[];
}

/** A security of a list; only the name in the requested language is set. */
export interface NamedSecurity {
  readonly symbol: SecuritySymbol;
  readonly name: string;
}

const BUSINESS: ReadonlyMap<number, CashMovement['kind']> = new Map([
  [1, 'cash'],
  [2, 'stock'],
  [3, 'fund'],
]);

/** Readers of `data`; all throw WireError and name what cannot be read. @see docs/wire-protocol.md, "Calls" */
export function readCashFlow(data: unknown): readonly CashMovement[] {
  return readResponse('cashFlow', data).list.map((row) => ({
    name: row.transaction_flow_name,
    kind: kindOf(row.business_type),
    amount: value.readDecimal(row.balance, 'balance'),
    currency: row.currency,
    time: value.readSeconds(row.business_time, 'business_time'),
    symbol: row.symbol === '' ? undefined : value.readSymbol(row.symbol, 'symbol'),
    description: row.description,
  }));
}

/** The rows of a cash flow that are interest and fees for borrowed shares. */
export function readCashPostings(data: unknown): readonly CashPosting[] {
  return readCashFlow(data).flatMap(({ name, amount, currency, time, symbol }): readonly CashPosting[] => {
    const kind = MOVE_KINDS.get(name);
    if (kind === undefined) return [];
    return [{ kind, amount, currency, at: time, ...omitUndefined({ symbol }) }];
  });
}

const MOVE_KINDS: ReadonlyMap<string, CashPostingKind> = new Map(
  (Object.keys(MOVE_NAMES) as CashPostingKind[]).map((kind) => [MOVE_NAMES[kind], kind]),
);

function kindOf(type: number): CashMovement['kind'] {
  const kind = BUSINESS.get(type);
  if (kind === undefined) throw new WireError('unknown-value', `Cannot read business_type ${type}`);
  return kind;
}

export function readFunds(data: unknown): readonly FundPosition[] {
  return readResponse('funds', data)
    .list.flatMap((channel) => channel.fund_info)
    .map((row) => ({
      isin: row.symbol,
      name: row.symbol_name,
      currency: row.currency,
      units: value.readOptionalDecimal(row.holding_units, 'holding_units'),
      netAssetValue: value.readOptionalDecimal(row.current_net_asset_value, 'current_net_asset_value'),
      costNetAssetValue: value.readOptionalDecimal(row.cost_net_asset_value, 'cost_net_asset_value'),
      valuedAt: value.readOptionalSeconds(row.net_asset_value_day, 'net_asset_value_day'),
    }));
}

export function readWatchGroups(data: unknown): readonly WatchGroup[] {
  return readResponse('watchlistGroups', data).groups.map((group) => ({
    id: group.id,
    name: group.name,
    securities: group.securities.map((row) => ({
      symbol: value.readSymbol(row.symbol, 'symbol'),
      name: row.name,
      watchedPrice: value.readOptionalDecimal(row.watched_price, 'watched_price'),
      watchedAt: value.readOptionalSeconds(row.watched_at, 'watched_at'),
      isPinned: row.is_pinned,
    })),
  }));
}

export function readSecurityList(data: unknown): readonly NamedSecurity[] {
  return readResponse('securityList', data).list.map((row) => ({
    symbol: value.readSymbol(row.symbol, 'symbol'),
    name: [row.name_en, row.name_cn, row.name_hk].find((name) => name !== '') ?? '',
  }));
}
