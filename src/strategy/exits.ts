import type { ExitDistance, ExitLevel, Exits } from '../model/algorithm.ts';
import type { Decimal, Price } from '../model/decimal.ts';
import { omitUndefined } from '../model/omit-undefined.ts';
import type { Side } from '../model/order.ts';
import { type Numeric, toDecimal } from './numeric.ts';

/** A distance from a price: an amount in the security's currency, or percent (1 is 1 %). */
export type DistanceTerms = { readonly amount: Numeric } | { readonly percent: Numeric };

/** An exit price: absolute, or a distance from the average entry price. */
export type LevelTerms = Numeric | DistanceTerms;

/** When and at which price a position is closed. The exits can be combined; the first that is reached applies. */
export interface ExitTerms {
  /** Stop-loss: closes the position at the market. */
  readonly stop?: LevelTerms;
  /** Take-profit: closes the position with a limit order. */
  readonly target?: LevelTerms;
  /** Trailing stop at this distance from the best price; the venue follows the price. */
  readonly trail?: DistanceTerms;
  /** Gain at the close of a bar after which the stop moves to the entry price. */
  readonly breakEven?: DistanceTerms;
  /** Closes the position at the market this many minutes after its first fill, in market time. */
  readonly afterMinutes?: number;
  /** Closes the position at the market this many minutes before its regular session ends, also on half days. */
  readonly beforeCloseMinutes?: number;
}

/** Exits with exact figures, or the reason why they are invalid. */
export type ReadExits =
  | { readonly kind: 'exits'; readonly exits: Exits }
  | { readonly kind: 'problem'; readonly problem: string };

const MINUTE_MS = 60_000;

/** Reads the exits of a position opened on `side`; every figure, and every resulting price, must be above zero. */
export function readExits(terms: ExitTerms, side: Side): ReadExits {
  const { stop, target, trail, breakEven } = terms;
  const read = {
    stop: levelOf(stop),
    target: levelOf(target),
    trail: distanceOf(trail),
    breakEven: distanceOf(breakEven),
  };
  for (const name of LEVELS)
    if (read[name] === 'wrong') return problem(`exit "${name}" is not a figure above zero`);
  for (const name of side === 'buy' ? DOWN_OF_BUYS : DOWN_OF_SALES) {
    const level = read[name];
    if (typeof level === 'object' && level.kind === 'percent' && level.percent.gte(100))
      return problem(`exit "${name}" is ${level.percent} % down, want less than 100`);
  }
  for (const name of TIMES) {
    const minutes = terms[name];
    if (minutes !== undefined && !(Number.isFinite(minutes) && minutes > 0))
      return problem(`exit "${name}" is ${minutes}, want minutes above zero`);
  }
  const exits = omitUndefined({
    stop: sound(read.stop),
    target: sound(read.target),
    trail: sound(read.trail),
    breakEven: sound(read.breakEven),
    afterMs: times(terms.afterMinutes),
    beforeCloseMs: times(terms.beforeCloseMinutes),
  });
  return { kind: 'exits', exits };
}

/** What is known of the price of an entry when its exits are read. */
export interface EntryPrices {
  readonly side: Side;
  /** Undefined for an entry at the market. */
  readonly limit: Price | undefined;
  /** The price at which the order is triggered; the newest price if it is sent at once. Undefined if not known. */
  readonly from: Price | undefined;
}

/**
 * Describes exits that would close the position as soon as it is open: a stop that is not a loss, a target that is
 * not a gain. An entry fills at its limit or better; a limit beyond the newest price, and an entry at the market, fill
 * at about that price. Exactly that price is allowed at the market, as the fill may be on either side of it.
 */
export function wrongSideProblem(
  { stop, target }: Exits,
  { side, limit, from }: EntryPrices,
): string | undefined {
  const price = limit ?? from;
  if (price === undefined) return undefined;
  const isBuy = side === 'buy';
  const isBeyond = (one: Price, than: Price): boolean => (isBuy ? one.gt(than) : one.lt(than));
  const [loss, gain] = isBuy ? ['below', 'above'] : ['above', 'below'];
  const entry = `the ${limit === undefined ? 'price' : 'limit'} ${price} at which the position is ${isBuy ? 'bought' : 'sold short'}: it would be closed at once`;
  const isStopWrong = (at: Price): boolean =>
    limit === undefined ? isBeyond(at, price) : !isBeyond(price, at);
  const isTargetWrong = (at: Price): boolean =>
    limit === undefined
      ? isBeyond(price, at)
      : !isBeyond(at, limit) && (from === undefined || !isBeyond(at, from));
  if (stop?.kind === 'price' && isStopWrong(stop.price))
    return `exit "stop" at ${stop.price} is not ${loss} ${entry}`;
  if (target?.kind === 'price' && isTargetWrong(target.price))
    return `exit "target" at ${target.price} is not ${gain} ${entry}`;
  return undefined;
}

const LEVELS = ['stop', 'target', 'trail', 'breakEven'] as const;
/** Exits below the entry price of a long position; those of a short position are above it. */
const DOWN_OF_BUYS = ['stop', 'trail'] as const;
const DOWN_OF_SALES = ['target', 'breakEven'] as const;
const TIMES = ['afterMinutes', 'beforeCloseMinutes'] as const;

function problem(what: string): ReadExits {
  return { kind: 'problem', problem: what };
}

function times(minutes: number | undefined): number | undefined {
  return minutes === undefined ? undefined : Math.round(minutes * MINUTE_MS);
}

function sound<T>(read: T | 'wrong' | undefined): T | undefined {
  return read === 'wrong' ? undefined : read;
}

function isAboveZero(figure: Decimal | undefined): figure is Decimal {
  return figure?.isPositive() === true && !figure.isZero();
}

function levelOf(terms: LevelTerms | undefined): ExitLevel | 'wrong' | undefined {
  if (typeof terms === 'object' && ('amount' in terms || 'percent' in terms)) return distanceOf(terms);
  const price = terms === undefined ? undefined : toDecimal(terms);
  if (terms === undefined) return undefined;
  return isAboveZero(price) ? { kind: 'price', price } : 'wrong';
}

function distanceOf(terms: DistanceTerms | undefined): ExitDistance | 'wrong' | undefined {
  if (terms === undefined) return undefined;
  if ('amount' in terms) {
    const amount = toDecimal(terms.amount);
    return isAboveZero(amount) ? { kind: 'amount', amount } : 'wrong';
  }
  const percent = toDecimal(terms.percent);
  return isAboveZero(percent) ? { kind: 'percent', percent } : 'wrong';
}
