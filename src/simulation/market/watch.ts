import type { SessionKind } from '../../markets/day-hours.ts';
import { REGULAR_KINDS } from '../../markets/trading-sessions.ts';
import { amountOfDouble, compare, decimalOfDouble, doubleOfDecimal, toAmount } from '../../model/amount.ts';
import type { BarColumns } from '../../model/bar.ts';
import type { Decimal, Price } from '../../model/decimal.ts';
import type { Side } from '../../model/order.ts';
import { MINUTE_MS } from '../../model/time.ts';
import { PRINTS_PER_BAR } from './prints.ts';
import { barOf, NO_PRINT, type PrintIndex, stepOf, type Tape } from './tape.ts';

/** A price and the direction from which the market must reach it; any price reaches `any`. */
export interface Level {
  readonly direction: 'up' | 'down' | 'any';
  readonly price: Price;
  /** True if a print must be beyond the price, not just at it. */
  readonly through?: boolean;
}

/** Distance of a trailing stop: an amount of currency, or a ratio of the price (0.01 is 1 %). */
export type TrailDistance =
  | { readonly kind: 'amount'; readonly amount: Decimal }
  | { readonly kind: 'ratio'; readonly ratio: Decimal };

/** The condition of a conditional order. `hits` prints within one minute must meet it (at least 1). */
export type Watch = { readonly kind: 'level'; readonly level: Level; readonly hits: number } | Trail;

/** A stop that follows the best price at a distance. */
export interface Trail {
  readonly kind: 'trail';
  readonly side: Side;
  readonly distance: TrailDistance;
  /** Last price when tracking began; undefined before the first print. */
  readonly anchor: number | undefined;
  /** Tracking begins once this level is reached. */
  readonly monitor: Level | undefined;
  readonly hits: number;
}

export interface TriggerPrint {
  readonly index: PrintIndex;
  readonly price: Price;
}

/** A level as a double. `isInclusive` is true if a print at exactly that double reaches the level. */
export interface Bound {
  readonly direction: Level['direction'];
  readonly price: number;
  readonly isInclusive: boolean;
}

/** True if a print at `price` reaches the level; exact, by the shortest decimal text of the double. */
export function reaches(price: number, level: Level): boolean {
  const bound = doubleOfDecimal(level.price);
  switch (level.direction) {
    case 'any':
      return true;
    case 'down':
      return (
        price < bound ||
        (price === bound && isWithin(decimalOfDouble(price).comparedTo(level.price), -1, level))
      );
    case 'up':
      return (
        price > bound ||
        (price === bound && isWithin(decimalOfDouble(price).comparedTo(level.price), 1, level))
      );
  }
}

/** True if a print on that side of the level (0: at it) reaches it. */
function isWithin(side: number, wanted: 1 | -1, { through = false }: Level): boolean {
  return side === wanted || (side === 0 && !through);
}

/**
 * Returns the first print from `from` on that reaches the level, in bars of these sessions that open before `until`;
 * NO_PRINT if none does.
 */
export function firstReaching(
  tape: Tape,
  from: PrintIndex,
  until: number,
  level: Level,
  kinds: readonly SessionKind[] = REGULAR_KINDS,
): PrintIndex {
  return firstWithin(tape, from, until, boundOf(level), kinds);
}

export function boundOf(level: Level): Bound {
  const { direction } = level;
  const price = doubleOfDecimal(level.price);
  if (direction === 'any') return { direction, price, isInclusive: true };
  const side = compare(amountOfDouble(price), toAmount(level.price));
  return { direction, price, isInclusive: isWithin(side, direction === 'down' ? -1 : 1, level) };
}

/** Like `reaches`, for a level in doubles. */
export function isWithinBound(price: number, { direction, price: bound, isInclusive }: Bound): boolean {
  if (direction === 'any' || (price === bound && isInclusive)) return true;
  return direction === 'down' ? price < bound : price > bound;
}

/** Like `firstReaching`, for a level in doubles. */
export function firstWithin(
  tape: Tape,
  from: PrintIndex,
  until: number,
  bound: Bound,
  kinds: readonly SessionKind[] = REGULAR_KINDS,
): PrintIndex {
  if (from === NO_PRINT) return NO_PRINT;
  let bar = nextReachingBar(tape.columns, barOf(from), until, bound);
  while (bar >= 0) {
    if (tape.trades(bar, kinds)) {
      const end = (bar + 1) * PRINTS_PER_BAR;
      for (let index = Math.max(from, bar * PRINTS_PER_BAR + tape.firstStep(bar)); index < end; index += 1)
        if (isWithinBound(tape.price(index), bound)) return index;
    }
    bar = nextReachingBar(tape.columns, bar + 1, until, bound);
  }
  return NO_PRINT;
}

/**
 * Returns the first bar from `from` on whose range reaches the bound; -1 if none does. A tight loop, because orders may
 * work for many bars.
 */
function nextReachingBar(
  { time, length, low, high }: BarColumns,
  from: number,
  until: number,
  bound: Bound,
): number {
  const { direction, price } = bound;
  if (direction === 'any') return from < length && (time[from] as number) < until ? from : -1;
  if (direction === 'down') {
    for (let bar = from; bar < length && (time[bar] as number) < until; bar += 1)
      if (!((low[bar] as number) > price)) return bar;
  } else {
    for (let bar = from; bar < length && (time[bar] as number) < until; bar += 1)
      if (!((high[bar] as number) < price)) return bar;
  }
  return -1;
}

/**
 * Returns when and at what price prints from `from` on meet the condition, in bars of these sessions that open before
 * `until`. With `close`, a trail follows the extremes of a bar only at its close tick.
 */
export function firstTrigger(
  tape: Tape,
  from: PrintIndex,
  until: number,
  watch: Watch,
  kinds: readonly SessionKind[] = REGULAR_KINDS,
  trails: 'tick' | 'close' = 'tick',
): TriggerPrint | undefined {
  if (watch.kind === 'trail')
    return firstTrailTrigger(tape, { from, until, kinds }, watch, trails === 'close' && !tape.isLive);
  const { level, hits } = watch;
  if (hits === 1) return firstLevelTrigger(tape, { from, until, kinds }, level, boundOf(level));
  const recent = new RecentHits(hits);
  let index = firstReaching(tape, from, until, level, kinds);
  while (index !== NO_PRINT) {
    if (recent.addAndCheck(tape.time(index))) return triggerAt(tape, index, level);
    index = firstReaching(tape, tape.next(index), until, level, kinds);
  }
  return undefined;
}

/** Returns the first print that meets a level with a precomputed `bound`; undefined if none does. */
export function firstLevelTrigger(
  tape: Tape,
  { from, until, kinds }: PrintRange,
  level: Level,
  bound: Bound,
): TriggerPrint | undefined {
  const index = firstWithin(tape, from, until, bound, kinds);
  if (index === NO_PRINT) return undefined;
  const isCrossed = stepOf(index) > 0 && !isWithinBound(tape.price(index - 1), bound);
  return { index, price: isCrossed ? level.price : decimalOfDouble(tape.price(index)) };
}

/**
 * The market moves continuously to every print of a bar but the first. A level is met at its own price if the previous
 * print had not reached it; after a gap, or if the market was already beyond it, at the print's price.
 */
function triggerAt(tape: Tape, index: PrintIndex, level: Level): TriggerPrint {
  const travelled = stepOf(index) > 0 && !reaches(tape.price(index - 1), level);
  return { index, price: travelled ? level.price : decimalOfDouble(tape.price(index)) };
}

/**
 * The prints that an order can match: from `from` on, in bars that open before `until`, in the sessions that it trades
 * in.
 */
interface PrintRange {
  readonly from: PrintIndex;
  readonly until: number;
  readonly kinds: readonly SessionKind[];
}

function trackingStart(tape: Tape, { from, until, kinds }: PrintRange, { monitor }: Trail): PrintIndex {
  return monitor === undefined ? from : firstReaching(tape, from, until, monitor, kinds);
}

function isBetter(price: number, best: number | undefined, { side }: Trail): boolean {
  return best === undefined || (side === 'sell' ? price > best : price < best);
}

/**
 * With `atClose`, the extremes of a bar move the stop only at its close tick, which then meets it at the tick's own
 * price. The order of the extremes is unknown: a stop that followed one within the bar would fill too favourably.
 */
function firstTrailTrigger(
  tape: Tape,
  range: PrintRange,
  watch: Trail,
  atClose: boolean,
): TriggerPrint | undefined {
  const { until, kinds } = range;
  const start = trackingStart(tape, range, watch);
  const recent = new RecentHits(watch.hits);
  const isAhead = aheadOfStop(watch);
  let best = watch.monitor === undefined ? watch.anchor : undefined;
  /** The stop behind `best`, computed lazily: a price that improves `best` cannot meet it. */
  let stop: { readonly level: Level; readonly bound: Bound } | undefined;
  let extreme: number | undefined;
  for (let index = start; index !== NO_PRINT; index = tape.next(index)) {
    const bar = barOf(index);
    const step = stepOf(index);
    if ((tape.columns.time[bar] as number) >= until) return undefined;
    if (!tape.trades(bar, kinds)) continue;
    if (step === 0 && best !== undefined) {
      const bestOfBar = bestAfter(tape.columns, bar, best, watch);
      // The stop behind the best price of the bar is tighter than every earlier stop.
      if (isAhead(nearestOf(tape.columns, bar, watch), bestOfBar)) {
        if (bestOfBar !== best) stop = undefined;
        best = bestOfBar;
        index += PRINTS_PER_BAR - 1;
        continue;
      }
    }
    const price = tape.price(index);
    const moves = atClose && step === 3 && extreme !== undefined && isBetter(extreme, best, watch);
    if (moves && extreme !== undefined) {
      best = extreme;
      stop = undefined;
    }
    if (best !== undefined && !isBetter(price, best, watch) && !isAhead(price, best)) {
      stop ??= boundedStop(best, watch);
      if (isWithinBound(price, stop.bound) && recent.addAndCheck(tape.time(index)))
        return moves ? { index, price: decimalOfDouble(price) } : triggerAt(tape, index, stop.level);
    }
    if (atClose && (step === 1 || step === 2)) {
      if (step === 1 || isBetter(price, extreme, watch)) extreme = price;
    } else if (isBetter(price, best, watch)) {
      best = price;
      stop = undefined;
    }
    if (step === 0 || step === 3) extreme = undefined;
  }
  return undefined;
}

function bestAfter(
  { open, high, low, close }: BarColumns,
  bar: number,
  best: number,
  { side }: Trail,
): number {
  return side === 'sell'
    ? Math.max(best, open[bar] as number, high[bar] as number, low[bar] as number, close[bar] as number)
    : Math.min(best, open[bar] as number, high[bar] as number, low[bar] as number, close[bar] as number);
}

/** Returns the price of a bar nearest to the stop of a trail. */
function nearestOf({ open, high, low, close }: BarColumns, bar: number, { side }: Trail): number {
  return side === 'sell'
    ? Math.min(open[bar] as number, high[bar] as number, low[bar] as number, close[bar] as number)
    : Math.max(open[bar] as number, high[bar] as number, low[bar] as number, close[bar] as number);
}

/** Relative error bound of a stop computed in doubles. */
const STOP_SLACK = 1e-12;

/**
 * Returns a test that is true only if a price is certainly ahead of the stop behind `best`; if false, the exact stop
 * decides.
 */
function aheadOfStop({ side, distance }: Trail): (price: number, best: number) => boolean {
  const amount = distance.kind === 'amount' ? doubleOfDecimal(distance.amount) : 0;
  const ratio = distance.kind === 'ratio' ? doubleOfDecimal(distance.ratio) : 0;
  // A stop further away than the price itself falls as the price rises.
  if (!(ratio < 1)) return () => false;
  return (price, best) => {
    const gap = amount + best * ratio;
    const slack = (best + gap) * STOP_SLACK;
    return side === 'sell' ? price > best - gap + slack : price < best + gap - slack;
  };
}

/** Returns a trail that followed the prints from `from` to `end`, exclusive, none of which met it. */
export function followTrail(
  tape: Tape,
  seen: PrintRange & { readonly end: PrintIndex },
  trail: Trail,
): Trail {
  const { end, kinds } = seen;
  const start = trackingStart(tape, seen, trail);
  if (start >= end) return trail;
  let best = trail.monitor === undefined ? trail.anchor : undefined;
  for (let index = start; index < end; index += 1) {
    const bar = barOf(index);
    const isWhole = stepOf(index) === 0 && index + PRINTS_PER_BAR <= end;
    if (isWhole && best !== undefined) {
      if (tape.trades(bar, kinds)) best = bestAfter(tape.columns, bar, best, trail);
      index += PRINTS_PER_BAR - 1;
      continue;
    }
    if (!tape.trades(bar, kinds)) continue;
    const price = tape.price(index);
    if (isBetter(price, best, trail)) best = price;
  }
  return { ...trail, anchor: best, monitor: undefined };
}

/** Returns the stop behind the best price: below it for a sell, above it for a buy. */
export function stopBehind(
  best: number,
  watch: { readonly side: Side; readonly distance: TrailDistance },
): Level {
  const price = decimalOfDouble(best);
  const { distance } = watch;
  const gap = distance.kind === 'amount' ? distance.amount : price.times(distance.ratio);
  return watch.side === 'sell'
    ? { direction: 'down', price: price.minus(gap) }
    : { direction: 'up', price: price.plus(gap) };
}

function boundedStop(best: number, watch: Trail): { readonly level: Level; readonly bound: Bound } {
  const level = stopBehind(best, watch);
  return { level, bound: boundOf(level) };
}

class RecentHits {
  readonly #count: number;
  #times: number[] = [];

  constructor(wanted: number) {
    this.#count = wanted;
  }

  addAndCheck(at: number): boolean {
    this.#times = [...this.#times.filter((time) => at - time <= MINUTE_MS), at];
    return this.#times.length >= this.#count;
  }
}
