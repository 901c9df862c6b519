import type { BarColumns } from '#src/model/bar.ts';
import { walk } from '../some-bars.ts';

const LENGTH = 300;

/** The same bars with every price changed, and the volume kept. */
function priced(bars: BarColumns, price: (value: number, index: number) => number): BarColumns {
  const { open, high, low, close } = bars;
  return {
    ...bars,
    open: open.map(price),
    high: high.map(price),
    low: low.map(price),
    close: close.map(price),
  };
}

const JUMPS = [90, 130, 210];

/** Number of jumps before a bar. */
const jumpsBefore = (index: number): number => JUMPS.filter((jump) => jump <= index).length;

/** Moves each bar by up to two steps, so that no window is constant: the market "still" covers that case. */
const restless =
  (step: number) =>
  (value: number, index: number): number =>
    value + (index % 3) * step;

/** Generated markets, determined by seeds, one for each kind of prices. */
export const MARKETS: Readonly<Record<string, BarColumns>> = {
  /** Cents around 100, with bars without a range and minutes without volume. */
  cents: priced(walk(LENGTH, 21), restless(0.01)),
  /** Sixteenths of a dollar, as prices were until 2001: every sum of them is exact. */
  sixteenths: priced(walk(LENGTH, 22, 40), (value, index) => Math.round(value * 16) / 16 + (index % 3) / 16),
  /** Gaps from one bar to the next to a seventh, to nine times that, and back. */
  gaps: priced(
    walk(LENGTH, 23),
    (value, index) => restless(0.01)(value, index) * ([1, 1 / 7, 9 / 7, 1][jumpsBefore(index)] ?? 1),
  ),
  /** About half a million per share. */
  dear: priced(walk(LENGTH, 24, 300), (value, index) => restless(0.01)(value, index) * 1_741),
  /** A constant price without volume. */
  still: { ...priced(walk(LENGTH, 25), () => 12.34), volume: new Float64Array(LENGTH) },
};
