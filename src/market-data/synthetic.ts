import type { BarColumns } from '../model/bar.ts';
import { barColumns } from '../model/bar-columns.ts';
import type { Period } from '../model/period.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import type { Millis } from '../model/time.ts';
import { type SeededRandom, seededRandom } from './seeded-random.ts';

/** Parameters of generated bars: equal recipes produce equal bars, bit for bit. */
export interface SyntheticRecipe {
  readonly symbol: SecuritySymbol;
  readonly period: Period;
  readonly seed: number;
  /** Stamps of the bars of each trading day, ascending. */
  readonly days: readonly (readonly Millis[])[];
  /** Price of the first bar, and level of mean reversion, in ticks. */
  readonly levelTicks: number;
  /** Ticks per unit of currency: 20 for a tick of 0.05. */
  readonly ticksPerUnit: number;
  /** Typical move within one bar, in ticks. */
  readonly moveTicks: number;
  /** Typical overnight move, in ticks. */
  readonly gapTicks: number;
  readonly lotSize: number;
  /** Typical volume of a quiet bar, in lots. */
  readonly quietLots: number;
}

/** Number of prices in one step of the walk. */
export const PRINTS_PER_BAR = 8;
/** Share of the distance to the level that reverts per bar. */
const PULL = 0.002;
/** Chance per bar that the drift changes, and the drift's mean size as a share of the typical move. */
const DRIFT_CHANGE = 0.012;
const DRIFT_SHARE = 0.16;
/** Variance of a bar: a constant, plus shares of the last squared surprise and of the previous variance. */
const REST = 0.06;
const SURPRISE = 0.12;
const MEMORY = 0.82;
/** Chance of no trade in the quietest bar of a day; it falls to 0 at open and close. */
const SILENCE = 0.05;

export interface PriceWalk {
  /** Unrounded price in ticks. */
  fair: number;
  /** Variance as a multiple of the typical one. */
  heat: number;
  /** Ticks per bar. */
  drift: number;
}

/**
 * The last drawn bar, prices in ticks and volume in lots. One object is reused, because a market may have half a
 * million bars.
 */
interface Drawn {
  open: number;
  high: number;
  low: number;
  close: number;
  lots: number;
}

/**
 * Generates bars of a mean-reverting price with drifts, overnight jumps and volatility clusters; busier near open and
 * close, and without bars where nothing trades. Prices are on ticks, volumes are whole lots. Uses only sums,
 * products, quotients and roots, which every machine rounds identically. For demonstrations: it proves nothing about
 * a strategy.
 */
export function syntheticBars(recipe: SyntheticRecipe): BarColumns {
  const random = seededRandom(recipe.seed);
  const walk: PriceWalk = { fair: recipe.levelTicks, heat: 1, drift: 0 };
  const drawn: Drawn = { open: 0, high: 0, low: 0, close: 0, lots: 0 };
  const room = recipe.days.reduce((sum, stamps) => sum + stamps.length, 0);
  const made = barColumns(recipe, () => new Float64Array(room));
  let length = 0;
  for (const [index, stamps] of recipe.days.entries()) {
    if (index > 0) walk.fair += random.normal() * recipe.gapTicks;
    const middle = (stamps.length - 1) / 2;
    for (let minute = 0; minute < stamps.length; minute += 1) {
      const edge = middle === 0 ? 1 : ((minute - middle) / middle) ** 2;
      if (!drawBar(recipe, walk, edge, random, drawn)) continue;
      made.time[length] = stamps[minute] ?? Number.NaN;
      made.open[length] = drawn.open / recipe.ticksPerUnit;
      made.high[length] = drawn.high / recipe.ticksPerUnit;
      made.low[length] = drawn.low / recipe.ticksPerUnit;
      made.close[length] = drawn.close / recipe.ticksPerUnit;
      made.volume[length] = drawn.lots * recipe.lotSize;
      length += 1;
    }
  }
  return barColumns(recipe, (figure) => made[figure].slice(0, length));
}

/** Draws the next bar; returns false if nothing trades. `edge` is 0 at noon and 1 at open and close. */
function drawBar(
  recipe: SyntheticRecipe,
  walk: PriceWalk,
  edge: number,
  random: SeededRandom,
  drawn: Drawn,
): boolean {
  const trades = walkBar({ ...recipe, bars: 1 }, walk, { edge, random, path: PATH, at: 0 });
  for (let print = 0; print < PRINTS_PER_BAR; print++) {
    const price = Math.max(1, Math.round(PATH[print] as number));
    if (print === 0) drawn.open = drawn.high = drawn.low = price;
    else if (price > drawn.high) drawn.high = price;
    else if (price < drawn.low) drawn.low = price;
    drawn.close = price;
  }
  drawn.lots = trades.lots;
  return !trades.isSilent;
}

const PATH = new Float64Array(PRINTS_PER_BAR);

/** Parameters of one step of the walk; moves in ticks per bar. */
export interface WalkRecipe extends Pick<SyntheticRecipe, 'levelTicks' | 'moveTicks' | 'quietLots'> {
  /** Number of bars that one step represents; longer steps have the same volatility over time. */
  readonly bars: number;
}

/** Advances the walk by one step: writes its unrounded prices into `path` from `at`, and returns the volume. */
export function walkBar(
  { levelTicks, moveTicks, quietLots, bars }: WalkRecipe,
  walk: PriceWalk,
  step: {
    /** 0 at noon, 1 at open and close. */
    readonly edge: number;
    readonly random: SeededRandom;
    readonly path: Float64Array;
    readonly at: number;
  },
): { readonly lots: number; readonly isSilent: boolean } {
  const { edge, random, path, at } = step;
  if (random.uniform() < DRIFT_CHANGE * bars)
    walk.drift = (random.uniform() * 2 - 1) * 2 * DRIFT_SHARE * moveTicks;
  const pull = (levelTicks - walk.fair) * PULL * bars;
  const deviation = moveTicks * Math.sqrt(bars * walk.heat * (0.7 + 0.9 * edge));
  const move = deviation / Math.sqrt(PRINTS_PER_BAR);
  const shift = (walk.drift * bars + pull) / PRINTS_PER_BAR;
  const before = walk.fair;
  let fair = before;
  for (let print = 0; print < PRINTS_PER_BAR; print++) {
    fair += random.normal() * move + shift;
    path[at + print] = fair;
  }
  walk.fair = fair;
  const surprise = (fair - before) / deviation;
  walk.heat = REST + SURPRISE * Math.min(9, surprise * surprise) * walk.heat + MEMORY * walk.heat;
  const busy = (0.5 + 2.5 * edge) * (0.4 + 1.2 * random.uniform()) * (0.6 + 0.4 * Math.abs(surprise));
  const lots = 1 + Math.floor(quietLots * bars * busy);
  return { lots, isSilent: random.uniform() < SILENCE * (1 - edge) ** 2 };
}
