import { nearestName } from '../model/nearest-name.ts';
import { printable } from '../model/printable.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import type { Millis } from '../model/time.ts';
import { unknownOutput } from '../signals/named-outputs.ts';
import type { OrderDrafts } from './order-draft.ts';
import type { ParamDeclarations, ParamValues } from './params.ts';
import type { Frozen, PlainData } from './state.ts';

/** What a strategy holds of a symbol, as estimates to decide with; the books keep the exact figures. */
export interface PositionView {
  /** Signed shares held; 0 when flat. */
  readonly quantity: number;
  /**
   * Average cost per share in the security's currency; 0 when flat. NaN where the venue did not state what shares cost that were
   * held before the bot; purchases do not change that until the position is flat.
   */
  readonly averageCost: number;
  /** Shares that open buy orders may still add. */
  readonly openBuys: number;
  /** Shares that open sell orders may still take away. */
  readonly openSells: number;
}

/** Plain data about one symbol at the moment of asking. */
export interface SymbolSnapshot {
  readonly position: PositionView;
  /** Close of the newest closed bar, or the latest quote if none closed yet; NaN before either. */
  readonly lastPrice: number;
  readonly lotSize: number;
  /** Values of the strategy's own series at the newest closed bar, by name; NaN before warm-up. */
  readonly values: Readonly<Record<string, number>>;
}

/** Plain data that is sent to the strategy's process, taken when the strategy is called. */
export interface ContextSnapshot {
  readonly now: Millis;
  /** Cash plus positions at mark, in the account's currency. */
  readonly equity: number;
  /** Cash by currency with every trade and dividend counted, nothing set aside; absent: none is known. */
  readonly cash?: Readonly<Record<string, number>>;
  readonly symbols: Readonly<Record<string, SymbolSnapshot>>;
}

/** What a hook may read: the past up to now, and nothing that changes by reading it. */
export interface StrategyContext<
  P extends ParamDeclarations = ParamDeclarations,
  S extends PlainData | undefined = PlainData | undefined,
> {
  readonly params: ParamValues<P>;
  /** Market time, epoch milliseconds. */
  readonly now: Millis;
  readonly equity: number;
  /** The symbols of the config, in its order. */
  readonly symbols: readonly SecuritySymbol[];
  readonly orders: OrderDrafts;
  /** What the strategy remembers; undefined when it declares no `state`. A hook changes it by returning `{ state, orders }`. */
  readonly state: Frozen<S>;
  /** Of one of `symbols`, as the functions below; throws RangeError for another. */
  position(symbol: SecuritySymbol): PositionView;
  /** Cash in a currency such as `USD`, every trade and dividend counted; 0 for one that the account has none of. */
  cash(currency: string): number;
  /** Newest known price of a symbol; NaN before the first. */
  lastPrice(symbol: SecuritySymbol): number;
  /**
   * Value of one of the strategy's own series, a signal's direction; NaN before warm-up. Throws RangeError for a name that its
   * `signals` does not have.
   */
  value(symbol: SecuritySymbol, name: string): number;
}

/** Throws RangeError for a symbol that a strategy does not trade: it would be flat, and without a price, for ever. */
export function unknownSymbol(symbol: string, symbols: readonly string[]): never {
  const suggestion = typeof symbol === 'string' ? nearestName(symbol, symbols) : undefined;
  const guess = suggestion === undefined ? '' : `, did you mean "${suggestion}"?`;
  throw new RangeError(
    `"${printable(String(symbol))}" is none of the symbols of this strategy (${symbols.join(', ')})${guess}`,
  );
}

/** Dresses a snapshot as the context that hooks see. */
export function contextOf<P extends ParamDeclarations>(
  snapshot: ContextSnapshot,
  own: {
    readonly params: ParamValues<P>;
    readonly symbols: readonly SecuritySymbol[];
    readonly orders: OrderDrafts;
    readonly state?: PlainData | undefined;
  },
): StrategyContext<P> {
  const seen = (symbol: SecuritySymbol): SymbolSnapshot =>
    (Object.hasOwn(snapshot.symbols, symbol) ? snapshot.symbols[symbol] : undefined) ??
    unknownSymbol(symbol, own.symbols);
  return {
    params: own.params,
    now: snapshot.now,
    equity: snapshot.equity,
    symbols: own.symbols,
    orders: own.orders,
    state: own.state,
    // A copy each time, as the snapshot is shared with later events.
    position: (symbol) => ({ ...seen(symbol).position }),
    cash: (currency) => snapshot.cash?.[currency] ?? 0,
    lastPrice: (symbol) => seen(symbol).lastPrice,
    value: (symbol, name) => valueIn(seen(symbol).values, name),
  };
}

/** Nothing of another name: it is NaN at every bar, and no comparison with it ever holds. */
function valueIn(values: SymbolSnapshot['values'], name: string): number {
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  return value === undefined ? unknownOutput(name, Object.keys(values)) : value;
}
