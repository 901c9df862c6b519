import { nearestName } from '../model/nearest-name.ts';
import { printable } from '../model/printable.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import type { Millis } from '../model/time.ts';
import { unknownOutput } from '../signals/named-outputs.ts';
import type { OrderDrafts } from './order-draft.ts';
import type { ParamDeclarations, ParamValues } from './params.ts';
import { type SecurityFigures, type SecurityFunctions, securityFunctions } from './security-figures.ts';
import type { Frozen, PlainData } from './state.ts';

/** A strategy's position in one symbol, as float64 estimates. The exact figures stay in the books. */
export interface PositionView {
  /** Signed quantity in shares; 0 when flat. */
  readonly quantity: number;
  /**
   * Average cost per share in the security's currency; 0 when flat. NaN if the position existed before the bot and
   * the venue did not state its cost; it stays NaN until the position is flat.
   */
  readonly averageCost: number;
  /** Shares that open buy orders may still buy. */
  readonly openBuys: number;
  /** Shares that open sell orders may still sell. */
  readonly openSells: number;
}

/** Data of one symbol at the time of the call. */
export interface SymbolSnapshot {
  readonly position: PositionView;
  /** Close of the newest closed bar, or the latest quote if none closed yet; NaN before either. */
  readonly lastPrice: number;
  readonly security: SecurityFigures;
  /** Values of the strategy's own series at the newest closed bar, by name; NaN during warm-up. */
  readonly values: Readonly<Record<string, number>>;
}

/** Data that is sent to the strategy's process when a hook is called. */
export interface ContextSnapshot {
  readonly now: Millis;
  /** Cash plus the market value of positions, in the account's currency. */
  readonly equity: number;
  /**
   * Cash by currency, including unsettled trades and dividends; nothing is deducted for open orders. Absent if not
   * known.
   */
  readonly cash?: Readonly<Record<string, number>>;
  readonly symbols: Readonly<Record<string, SymbolSnapshot>>;
}

/** What a hook may read: data up to now. Reading has no side effects. */
export interface StrategyContext<
  P extends ParamDeclarations = ParamDeclarations,
  S extends PlainData | undefined = PlainData | undefined,
> extends SecurityFunctions {
  readonly params: ParamValues<P>;
  /** Market time, epoch milliseconds. */
  readonly now: Millis;
  readonly equity: number;
  /** The symbols of the config, in its order. */
  readonly symbols: readonly SecuritySymbol[];
  readonly orders: OrderDrafts;
  /** The strategy's state; undefined if it declares none. A hook changes it by returning `{ state, orders }`. */
  readonly state: Frozen<S>;
  /** Position in one of `symbols`; throws RangeError for any other symbol, as the functions below do. */
  position(symbol: SecuritySymbol): PositionView;
  /**
   * Cash in a currency such as `USD`, including unsettled trades and dividends; 0 for a currency that the account
   * does not have.
   */
  cash(currency: string): number;
  /** Newest price of a symbol; NaN before the first. */
  lastPrice(symbol: SecuritySymbol): number;
  /**
   * Value of one of the strategy's own series, or the direction of a signal; NaN during warm-up. Throws RangeError
   * for a name that `signals` does not return.
   */
  value(symbol: SecuritySymbol, name: string): number;
}

/**
 * Throws RangeError for a symbol that the strategy does not trade: otherwise it would stay flat and without a price
 * for ever.
 */
export function unknownSymbol(symbol: string, symbols: readonly string[]): never {
  const suggestion = typeof symbol === 'string' ? nearestName(symbol, symbols) : undefined;
  const guess = suggestion === undefined ? '' : `, did you mean "${suggestion}"?`;
  throw new RangeError(
    `"${printable(String(symbol))}" is none of the symbols of this strategy (${symbols.join(', ')})${guess}`,
  );
}

/** Wraps a snapshot in the context that hooks receive. */
export function contextOf<P extends ParamDeclarations>(
  snapshot: ContextSnapshot,
  own: {
    readonly params: ParamValues<P>;
    readonly symbols: readonly SecuritySymbol[];
    readonly orders: OrderDrafts;
    readonly state?: PlainData | undefined;
  },
): StrategyContext<P> {
  const snapshotOf = (symbol: SecuritySymbol): SymbolSnapshot =>
    (Object.hasOwn(snapshot.symbols, symbol) ? snapshot.symbols[symbol] : undefined) ??
    unknownSymbol(symbol, own.symbols);
  const { lotSize, tickSize, roundToTick, sharesFor } = securityFunctions(
    (symbol) => snapshotOf(symbol).security,
    snapshot.now,
  );
  return {
    params: own.params,
    now: snapshot.now,
    equity: snapshot.equity,
    symbols: own.symbols,
    orders: own.orders,
    state: own.state,
    // Copies it each time, because later events share the snapshot.
    position: (symbol) => ({ ...snapshotOf(symbol).position }),
    cash: (currency) => snapshot.cash?.[currency] ?? 0,
    lastPrice: (symbol) => snapshotOf(symbol).lastPrice,
    value: (symbol, name) => valueIn(snapshotOf(symbol).values, name),
    lotSize,
    tickSize,
    roundToTick,
    sharesFor,
  };
}

/** Throws for an unknown name: it would be NaN at every bar, and no comparison with it would ever be true. */
function valueIn(values: SymbolSnapshot['values'], name: string): number {
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  return value === undefined ? unknownOutput(name, Object.keys(values)) : value;
}
