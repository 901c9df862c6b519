import { dayOf } from '../markets/sessions.ts';
import { onTick, type TickDirection, tickOf } from '../markets/ticks.ts';
import { doubleOfDecimal } from '../model/amount.ts';
import type { Security, SecurityKind } from '../model/security.ts';
import { marketOf, type SecuritySymbol } from '../model/symbol.ts';
import type { Millis } from '../model/time.ts';
import { type Numeric, toDecimal } from './numeric.ts';

/** Facts of a security for prices and quantities, as plain data. */
export interface SecurityFigures {
  /** Shares per lot. */
  readonly lotSize: number;
  readonly kind: SecurityKind;
  /** The security's own tick size; absent if it follows its market's. */
  readonly tick?: number;
  /** Account currency per unit of the security's currency; NaN if the rate is not known. */
  readonly rate: number;
}

/** Functions of the context for the prices and quantities that orders may have. */
export interface SecurityFunctions {
  /** Shares per lot; the quantity of an order is a multiple of it. Below 1 if fractions trade. */
  lotSize(symbol: SecuritySymbol): number;
  /** Tick size of the market at a price, in the security's currency; NaN if the price is no number. */
  tickSize(symbol: SecuritySymbol, price: Numeric): number;
  /**
   * The nearest price on a tick, or the next one `down` or `up`; at least one tick. NaN if the price is no number.
   * A buy limit is rounded `down` and a sell limit `up` to be no worse than the price.
   */
  roundToTick(symbol: SecuritySymbol, price: Numeric, direction?: TickDirection): number;
  /**
   * Shares in whole lots, rounded down, for an amount of the account's currency at so much per share in the security's
   * currency: its price for an amount to spend, the distance of the stop for an amount to lose. 0 if that is less than
   * a lot, or a figure is missing or not above 0.
   */
  sharesFor(symbol: SecuritySymbol, amount: Numeric, perShare: Numeric): number;
}

/** Returns the figures of a security; `rate` is that of its currency. */
export function figuresOf({ lotSize, kind, tick }: Security, rate: number): SecurityFigures {
  return tick === undefined ? { lotSize, kind, rate } : { lotSize, kind, rate, tick: doubleOfDecimal(tick) };
}

/** Creates the functions at one time; `seen` returns the figures of a symbol, or throws if it is not traded. */
export function securityFunctions(
  seen: (symbol: SecuritySymbol) => SecurityFigures,
  now: Millis,
): SecurityFunctions {
  const own = (symbol: SecuritySymbol) => {
    const { kind, tick } = seen(symbol);
    return tick === undefined ? { symbol, kind } : { symbol, kind, tick: toDecimal(tick) };
  };
  return {
    lotSize: (symbol) => seen(symbol).lotSize,
    tickSize: (symbol, price) => {
      const [security, exact] = [own(symbol), toDecimal(price)];
      if (exact === undefined) return Number.NaN;
      return doubleOfDecimal(tickOf(security, exact, dayOf(marketOf(symbol), now)));
    },
    roundToTick: (symbol, price, direction = 'nearest') => {
      if (!DIRECTIONS.includes(direction))
        throw new RangeError(`roundToTick wants "${DIRECTIONS.join('", "')}", not "${String(direction)}"`);
      const [security, exact] = [own(symbol), toDecimal(price)];
      if (exact === undefined) return Number.NaN;
      return doubleOfDecimal(onTick(security, exact, { day: dayOf(marketOf(symbol), now), direction }));
    },
    sharesFor: (symbol, amount, perShare) => {
      const { lotSize, rate } = seen(symbol);
      const [whole, each, into] = [toDecimal(amount), toDecimal(perShare), toDecimal(rate as Numeric)];
      if (whole === undefined || each === undefined || into === undefined) return 0;
      if (!(whole.gt(0) && each.gt(0) && into.gt(0))) return 0;
      return whole.div(each.times(into)).div(lotSize).trunc().times(lotSize).toNumber();
    },
  };
}

const DIRECTIONS: readonly TickDirection[] = ['down', 'up', 'nearest'];
