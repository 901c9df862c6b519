import { seededRandom } from '../../market-data/seeded-random.ts';
import { PRINTS_PER_BAR, type PriceWalk, type WalkRecipe, walkBar } from '../../market-data/synthetic.ts';
import type { BarColumns } from '../../model/bar.ts';
import { type BarsOf, barColumns } from '../../model/bar-columns.ts';
import { type CalendarDay, DAY_MS, dayToUtc, type Millis } from '../../model/time.ts';

export interface PriceRecipe extends Pick<WalkRecipe, 'levelTicks' | 'moveTicks' | 'quietLots'> {
  readonly seed: number;
  /** Ticks per unit of currency: 20 for a tick of 0.05. */
  readonly ticksPerUnit: number;
  readonly lotSize: number;
}

export interface DayPlan {
  readonly day: CalendarDay;
  /** Stamps of the bars, ascending; empty if the market is closed. */
  readonly stamps: readonly Millis[];
  /** Share of the day's move before its first bar; 0 if the day continues directly from the one before. */
  readonly gap: number;
}

/** Typical daily move, as a share of the price. */
const DAY_MOVE = 0.009;
/** Share of a day's move that remains on the next day: prices revert to their level over months. */
const DAY_MEMORY = 0.99;
/** Number of past moves that affect a day. It is fixed, so that a day's price is a function of the day alone. */
const DAYS_REMEMBERED = 400;
/** Maximum distance of prices from their level, as a share of it, so that one tick size applies to all. */
const RANGE = 0.15;

const WEIGHTS = new Float64Array(DAYS_REMEMBERED);
for (let back = 0, weight = 1; back < DAYS_REMEMBERED; back += 1, weight *= DAY_MEMORY)
  WEIGHTS[back] = weight;

/** Separate random streams of a security and day. */
const DAY_STREAM = 0x3c6ef372;
const MINUTE_STREAM = 0x1b873593;

function randomOf(seed: number, stream: number, day: number) {
  return seededRandom(Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(day + stream, 0x85ebca6b));
}

/**
 * Generates the bars of consecutive days. Each day starts at the previous day's end, plus the share `gap` of the
 * day's move. Prices are a function of recipe and day alone: two windows agree where they overlap. `barsPerStep` is the
 * length of a bar in minutes; longer bars are walked in longer steps. Uses only sums, products, quotients and roots,
 * which every machine rounds identically.
 */
export function drawDays(
  of: BarsOf,
  recipe: PriceRecipe,
  days: readonly DayPlan[],
  barsPerStep: number,
): BarColumns {
  const length = days.reduce((sum, { stamps }) => sum + stamps.length, 0);
  const made = barColumns(of, () => new Float64Array(length));
  const levels = dayLevels(recipe, days);
  let from = 0;
  for (const [index, plan] of days.entries()) {
    const [begin, end] = [levels[index] as number, levels[index + 1] as number];
    const path = walkDay(recipe, plan, barsPerStep, { begin: begin + (end - begin) * plan.gap, end });
    writeDay(made, from, recipe, plan, path);
    from += plan.stamps.length;
  }
  return made;
}

/** Returns the prices in ticks at the start of each of the consecutive days, and at the end of the last. */
function dayLevels({ seed, levelTicks }: PriceRecipe, days: readonly DayPlan[]): Float64Array {
  const [first] = days;
  if (first === undefined) return new Float64Array(1);
  const begin = Math.round(dayToUtc(first.day) / DAY_MS);
  const moves = Float64Array.from(
    { length: days.length + DAYS_REMEMBERED },
    (_, index) => randomOf(seed, DAY_STREAM, begin - DAYS_REMEMBERED + index).normal() * DAY_MOVE,
  );
  return Float64Array.from({ length: days.length + 1 }, (_, index) => {
    let sum = 0;
    for (let back = 0; back < DAYS_REMEMBERED; back += 1)
      sum += (moves[index + DAYS_REMEMBERED - 1 - back] as number) * (WEIGHTS[back] as number);
    return levelTicks * (1 + sum / Math.sqrt(1 + (sum / RANGE) ** 2));
  });
}

interface WalkedDay {
  /** Unrounded prices in ticks, `PRINTS_PER_BAR` per bar. */
  readonly path: Float64Array;
  readonly lots: Float64Array;
  readonly silent: readonly boolean[];
}

/**
 * Generates a random walk from one price to another: a walk around the straight line between them, minus its final
 * deviation.
 */
function walkDay(
  { seed, moveTicks, quietLots }: PriceRecipe,
  { day, stamps }: DayPlan,
  bars: number,
  { begin, end }: { readonly begin: number; readonly end: number },
): WalkedDay {
  const random = randomOf(seed, MINUTE_STREAM, Math.round(dayToUtc(day) / DAY_MS));
  const count = stamps.length * PRINTS_PER_BAR;
  const path = new Float64Array(count);
  const lots = new Float64Array(stamps.length);
  const silent: boolean[] = [];
  const walk: PriceWalk = { fair: 0, heat: 1, drift: 0 };
  const middle = (stamps.length - 1) / 2;
  for (let bar = 0; bar < stamps.length; bar += 1) {
    const edge = middle === 0 ? 1 : ((bar - middle) / middle) ** 2;
    const step = { edge, random, path, at: bar * PRINTS_PER_BAR };
    const traded = walkBar({ levelTicks: 0, moveTicks, quietLots, bars }, walk, step);
    // In longer steps, a drift alone would count as a surprise each time, and heat would only grow.
    if (bars > 1) walk.heat = 1;
    lots[bar] = traded.lots;
    silent.push(bars === 1 && traded.isSilent);
  }
  const slope = (end - begin - walk.fair) / count;
  for (let print = 0; print < count; print += 1)
    path[print] = begin + slope * (print + 1) + (path[print] as number);
  return { path, lots, silent };
}

/**
 * Rounds a day's walk to ticks. A silent minute trades one lot at the previous close, so that there is always a
 * price.
 */
function writeDay(
  made: BarColumns,
  from: number,
  { ticksPerUnit, lotSize }: PriceRecipe,
  { stamps }: DayPlan,
  { path, lots, silent }: WalkedDay,
): void {
  for (const [bar, stamp] of stamps.entries()) {
    const row = from + bar;
    const isSilent = bar > 0 && silent[bar] === true;
    let [open, high, low, close] = [0, 0, 0, 0];
    if (isSilent) open = high = low = close = made.close[row - 1] as number;
    else
      for (let print = 0; print < PRINTS_PER_BAR; print += 1) {
        const price = Math.max(1, Math.round(path[bar * PRINTS_PER_BAR + print] as number)) / ticksPerUnit;
        if (print === 0) open = high = low = price;
        if (price > high) high = price;
        if (price < low) low = price;
        close = price;
      }
    made.time[row] = stamp;
    made.open[row] = open;
    made.high[row] = high;
    made.low[row] = low;
    made.close[row] = close;
    made.volume[row] = isSilent ? lotSize : (lots[bar] as number) * lotSize;
  }
}
