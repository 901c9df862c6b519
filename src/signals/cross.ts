import type { BarSeries } from './bar-series.ts';
import { emissionRuleOf } from './emission-rule.ts';
import { constant } from './indicators/arithmetic.ts';
import { signalNode } from './node.ts';
import type { Kernel, Positions, Series, SignalNode } from './series.ts';

/** Two values count as equal if they differ by no more than this share of the second (rounding). */
export const TIE_TOLERANCE = 1e-12;

/**
 * How `crossover` treats a bar on which both values are equal. `touch`: it belongs to the other side, so leaving it
 * in either direction is a cross (from <= to >, from >= to <). `hold`: it belongs to the side before it, so
 * directions always alternate. `cancel`: a cross needs unequal values on both bars, so one that passes through
 * equality is lost.
 */
export type TieRule = 'touch' | 'hold' | 'cancel';

/** How `crossover` treats equality; `touch` by default. */
export interface CrossoverOptions {
  readonly ties?: TieRule;
}

/** Side before the first bar. */
const UNKNOWN = 2;

/** Returns 1 if the value is above the level, -1 if below, 0 if equal within rounding. */
function sideOf(value: number, level: number): number {
  const slack = Math.abs(level) * TIE_TOLERANCE;
  const distance = value - level;
  return distance > slack ? 1 : distance < -slack ? -1 : 0;
}

/** Returns the distance from the level as a share of it; the distance itself for a level of 0. */
function relativeDistance(value: number, level: number): number {
  const distance = Math.abs(value - level);
  return level === 0 ? distance : distance / Math.abs(level);
}

/** Input and output columns of a crossover. */
interface CrossColumns {
  readonly a: Float64Array;
  readonly b: Float64Array;
  readonly direction: Float64Array;
  readonly strength: Float64Array;
  readonly emitted: EmissionList;
}

/** Positions of the emissions of one call. */
class EmissionList implements Positions {
  count = 0;
  readonly list: Int32Array;

  constructor(room: number) {
    this.list = new Int32Array(room);
  }

  add(position: number): void {
    this.list[this.count] = position;
    this.count += 1;
  }
}

/** Processes bars, given the side before them, and returns the side after them; 0 is a tie. */
function crossesOf(
  { a, b, direction, strength, emitted }: CrossColumns,
  ties: TieRule,
  side: number,
  from: number,
  to: number,
): number {
  const hold = ties === 'hold';
  const cancel = ties === 'cancel';
  let before = side;
  direction.fill(0, from, to);
  for (let i = from; i < to; i++) {
    i = before > 0 ? firstNotAbove(a, b, i, to) : before < 0 ? firstNotBelow(a, b, i, to) : i;
    if (i === to) break;
    const level = b[i] as number;
    const now = sideOf(a[i] as number, level);
    if (now !== 0 && now !== before && (before !== 0 || !cancel)) {
      direction[i] = now;
      strength[i] = relativeDistance(a[i] as number, level);
      emitted.add(i);
    }
    if (now !== 0 || !hold) before = now;
  }
  return before;
}

/** Most bars are on the same side as the previous one, so each side has its own loop that only compares. */
function firstNotAbove(a: Float64Array, b: Float64Array, from: number, to: number): number {
  let i = from;
  while (i < to && (a[i] as number) - (b[i] as number) > Math.abs(b[i] as number) * TIE_TOLERANCE) i++;
  return i;
}

function firstNotBelow(a: Float64Array, b: Float64Array, from: number, to: number): number {
  let i = from;
  while (i < to && (a[i] as number) - (b[i] as number) < -Math.abs(b[i] as number) * TIE_TOLERANCE) i++;
  return i;
}

/** Starts with the first bar's side, then detects changes of it. */
function watchCross(ties: TieRule, columns: CrossColumns): Kernel {
  let side = UNKNOWN;
  const { emitted } = columns;
  const run = (from: number, to: number): void => {
    let begin = from;
    emitted.count = 0;
    if (side === UNKNOWN) {
      side = sideOf(columns.a[from] as number, columns.b[from] as number);
      columns.direction[from] = 0;
      begin++;
    }
    side = crossesOf(columns, ties, side, begin, to);
  };
  return Object.assign(run, { emitted });
}

/**
 * Emits `up` on the bar where a moves from at or below b to above it, and `down` in reverse; nothing until both are
 * defined on two bars in a row. Values within 1e-12 of each other are equal; `ties` defines how equality counts.
 * Strength: distance between the two on that bar, as a share of b.
 */
export function crossover(a: Series, b: Series | number, options: CrossoverOptions = {}): SignalNode {
  const level = typeof b === 'number' ? constant(b) : b;
  const ties = options.ties ?? 'touch';
  const bind = (x: Float64Array, y: Float64Array, direction: Float64Array, strength: Float64Array): Kernel =>
    watchCross(ties, { a: x, b: y, direction, strength, emitted: new EmissionList(direction.length) });
  const spec = {
    name: 'crossover',
    inputs: [a, level],
    params: ties === 'touch' ? [] : [ties],
    defined: 1,
    bind,
  };
  return signalNode(spec, typeof b === 'number' ? [a] : [a, b]);
}

/** Levels that `threshold` watches, in units of its source; at least one. */
export interface ThresholdLevels {
  readonly above?: number;
  readonly below?: number;
}

/**
 * Emits `up` on the bar where the source moves from at or below `above` to above it, and `down` where it moves from
 * at or above `below` to below it. Strength: distance from the level crossed, as a share of it. Throws RangeError if
 * no level is given, or one is not finite.
 */
export function threshold(x: Series, { above, below }: ThresholdLevels): SignalNode {
  const levels = [above, below].filter((level) => level !== undefined);
  if (levels.length === 0 || !levels.every(Number.isFinite)) {
    throw new RangeError(
      `Cannot watch "${x.label}": levels are above "${above}" and below "${below}", want a finite number for one or both`,
    );
  }
  const ceiling = above ?? Number.POSITIVE_INFINITY;
  const floor = below ?? Number.NEGATIVE_INFINITY;
  const bind = (input: Float64Array, direction: Float64Array, strength: Float64Array): Kernel => {
    let overBefore = UNKNOWN;
    let underBefore = UNKNOWN;
    return (from, to) => {
      for (let i = from; i < to; i++) {
        const value = input[i] as number;
        const over = above === undefined ? UNKNOWN : sideOf(value, ceiling);
        const under = below === undefined ? UNKNOWN : sideOf(value, floor);
        const rises = over === 1 && overBefore <= 0;
        const falls = under === -1 && (underBefore === 0 || underBefore === 1);
        direction[i] = rises ? 1 : falls ? -1 : 0;
        if (rises || falls) strength[i] = relativeDistance(value, rises ? ceiling : floor);
        overBefore = over;
        underBefore = under;
      }
    };
  };
  const params = [`above ${above ?? 'none'}`, `below ${below ?? 'none'}`];
  return signalNode({ name: 'threshold', inputs: [x], params, defined: 1, bind }, [x]);
}

/** Emits `up` on every bar, with strength 1. */
export function every(bars: Pick<BarSeries, 'close'>): SignalNode {
  const bind =
    (_close: Float64Array, direction: Float64Array, strength: Float64Array): Kernel =>
    (from, to) => {
      direction.fill(1, from, to);
      strength.fill(1, from, to);
    };
  return signalNode({ name: 'every', inputs: [bars.close], bind }, [bars.close]);
}

/** Emits `up` once, on the first bar after warm-up: buy and hold. */
export function first(bars: Pick<BarSeries, 'close'>): SignalNode {
  return once(every(bars));
}

/**
 * Passes only the first event of a signal after warm-up. It can be combined: `either(once(a), b)` emits once for `a`
 * and whenever `b` does; `when(once(a), condition)` emits at most on the bar of the first event of `a`.
 */
export function once(signal: SignalNode): SignalNode {
  return { ...signal, emission: { kind: 'once', of: emissionRuleOf(signal) } };
}
