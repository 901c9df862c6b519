import { decimalOfDouble } from '../../model/amount.ts';
import type { BarPath } from '../models.ts';

/**
 * Prints per replayed bar: open, nearer extreme, other extreme, close.
 * @see docs/backtesting.md
 */
export const PRINTS_PER_BAR = 4;

/** Prices and volume of a bar, as float64 estimates. */
export interface BarFigures {
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
}

/** A period of trading time from `open` to `close` exclusive, in epoch milliseconds. */
export interface TradingPeriod {
  readonly open: number;
  readonly close: number;
}

/** Returns the price of print `step` (0 to 3) of a bar. */
export function printPrice(bar: BarFigures, step: number, path: BarPath): number {
  if (step === 0) return bar.open;
  if (step === 3) return bar.close;
  return (step === 1) === lowComesFirst(bar, path) ? bar.low : bar.high;
}

/** Relative difference above which float64 rounding cannot reverse a comparison of distances. */
const ROUNDING_TOLERANCE = 1e-15;

/** True if the low comes first: by default the extreme nearer to the open in exact decimals; a tie goes low first. */
function lowComesFirst(bar: BarFigures, path: BarPath): boolean {
  if (path === 'low-first') return true;
  if (path === 'high-first') return false;
  const [down, up] = [bar.open - bar.low, bar.high - bar.open];
  // Doubles decide unless nearly equal: 10.16 - 10.14 and 10.14 - 10.12 differ in their last digits.
  if (Math.abs(down - up) > (Math.abs(bar.high) + Math.abs(bar.low)) * ROUNDING_TOLERANCE) return down < up;
  const open = decimalOfDouble(bar.open);
  return open.minus(bar.low).lte(decimalOfDouble(bar.high).minus(open));
}

/** Returns the volume of print `step`: a quarter of the bar's volume in whole shares, the remainder in the last. */
export function printVolume(volume: number, step: number): number {
  const quarter = Math.floor(volume / PRINTS_PER_BAR);
  return step === PRINTS_PER_BAR - 1 ? volume - quarter * (PRINTS_PER_BAR - 1) : quarter;
}

/**
 * Returns the times of the four prints: at 0, 1/4, 1/2 and 3/4 of the trading time, breaks excluded. On whole seconds
 * if the trading time has at least four, otherwise on milliseconds. Empty without trading time.
 */
export function printTimes(pieces: readonly TradingPeriod[]): readonly number[] {
  const total = pieces.reduce((sum, piece) => sum + Math.max(0, piece.close - piece.open), 0);
  if (total < PRINTS_PER_BAR) return [];
  const grain = total >= PRINTS_PER_BAR * 1_000 ? 1_000 : 1;
  return [0, 1, 2, 3].map((step) => {
    const spent = Math.floor((total * step) / PRINTS_PER_BAR / grain) * grain;
    return instantAfter(pieces, spent);
  });
}

/** Returns the instant after `spent` milliseconds of trading time; at a break, the start of the next period. */
function instantAfter(pieces: readonly TradingPeriod[], spent: number): number {
  let left = spent;
  for (const piece of pieces) {
    const length = Math.max(0, piece.close - piece.open);
    if (left < length) return piece.open + left;
    left -= length;
  }
  throw new RangeError(`Cannot spend ${spent} ms in a bar that trades for less`);
}
