import type { Axis, AxisValue } from './axes.ts';
import type { TrialParams } from './param-table.ts';
import type { TrialFigures } from './trial.ts';
import { type TrialColumns, TrialList } from './trial-columns.ts';

/** Name and version of the format of a result file; later versions only add fields. */
export const SWEEP_SCHEMA = 'sluice.sweep/1';

/** A trial with a value of the objective; null if a figure in it cannot be computed. */
export interface ScoredTrial {
  readonly trial: number;
  readonly params: TrialParams;
  readonly figures: TrialFigures;
  readonly objective: number | null;
}

/** A failed trial, and why. */
export interface FailedTrial {
  readonly trial: number;
  readonly params: TrialParams;
  readonly message: string;
}

/** One of the best trials, and the results one step away from it. */
export interface BestTrial extends ScoredTrial {
  readonly objective: number;
  readonly neighbours: Neighbours;
}

/** The neighbours of a trial. */
export interface Neighbours {
  /**
   * `step`: they differ in one axis by one step. `nearest`: the nearest ones, if the sweep has none one step away.
   */
  readonly kind: 'step' | 'nearest';
  readonly trials: readonly { readonly trial: number; readonly objective: number | null }[];
  /** Median and worst objective among them; null if there is none. */
  readonly median: number | null;
  readonly worst: number | null;
}

/** Share of the objective's variance that an axis explains by itself. */
export interface AxisImportance {
  readonly axis: string;
  /** From 0 to 1: epsilon squared, the explained share of variance less what chance would explain. */
  readonly share: number;
  /** Mean objective at each value, or at each tenth of a range with many values. */
  readonly means: readonly {
    readonly value: string;
    readonly mean: number | null;
    readonly trials: number;
  }[];
}

/**
 * Results over all trials of a sweep. Trials are created from columns when they are read: `[...trials]` creates all
 * of them.
 */
export interface SweepFindings {
  readonly trials: TrialList<ScoredTrial>;
  readonly failed: TrialList<FailedTrial>;
  readonly best: readonly BestTrial[];
  readonly importance: readonly AxisImportance[];
}

const BEST_MAX = 10;
/** Number of trials that replace neighbours if none is one step away. */
const NEAREST = 4;
/** Number of values above which an axis is grouped. */
const GROUPS_MAX = 20;
const GROUPS = 10;

/** Ranks and compares trials. The same trials give the same findings. */
export function findingsOf(axes: readonly Axis[], trials: TrialColumns): SweepFindings {
  const done = trials.numbersOf('done');
  const ranked = done
    .filter((trial) => trials.scoreOf(trial) !== null)
    .sort((one, other) => Number(trials.scoreOf(other)) - Number(trials.scoreOf(one)) || one - other);
  const best = Array.from(ranked.subarray(0, BEST_MAX), (trial) => ({
    ...scored(trials, trial),
    objective: Number(trials.scoreOf(trial)),
  }));
  const near = neighboursOf(best, axes, trials, done);
  return {
    trials: new TrialList(done, (trial) => scored(trials, trial)),
    failed: new TrialList(trials.numbersOf('failed'), (trial) => ({
      trial,
      params: trials.params.paramsOf(trial),
      message: trials.messageOf(trial) ?? '',
    })),
    best: best.map((each, at) => ({ ...each, neighbours: near[at] as Neighbours })),
    importance: axes.map((axis) => importanceOf(axis, ranked, trials)),
  };
}

function scored(trials: TrialColumns, trial: number): ScoredTrial {
  return {
    trial,
    params: trials.params.paramsOf(trial),
    figures: trials.figuresOf(trial),
    objective: trials.scoreOf(trial),
  };
}

/** The position of each value of an axis, from 0 to 1. */
export function placesOn(axis: Axis): (value: AxisValue) => number {
  if (axis.kind === 'continuous') return (value) => (Number(value) - axis.from) / (axis.to - axis.from);
  const steps = Math.max(1, axis.values.length - 1);
  const places = new Map(axis.values.map((value, at) => [value, at / steps]));
  return (value) => places.get(value) ?? Number.NaN;
}

/**
 * Neighbours of each of the best trials. All trials are read once for those one step away, and once more for each
 * that has none.
 */
function neighboursOf(
  best: readonly Pick<ScoredTrial, 'trial' | 'params'>[],
  axes: readonly Axis[],
  trials: TrialColumns,
  done: Uint32Array,
): readonly Neighbours[] {
  const keyOf = (params: TrialParams): string => JSON.stringify(axes.map(({ name }) => params[name]));
  const wanted = best.map(({ params }) => oneStepAway(axes, params).map(keyOf));
  const found = new Map<string, number | undefined>(wanted.flat().map((key) => [key, undefined]));
  for (const trial of done) {
    const key = keyOf(trials.params.paramsOf(trial));
    if (found.has(key)) found.set(key, trial);
  }
  return best.map((each, at) => {
    const keys = wanted[at] ?? [];
    const beside = keys.flatMap((key) => found.get(key) ?? []);
    return beside.length > 0
      ? summed('step', beside, trials)
      : summed('nearest', nearestTo(axes, each, trials, done), trials);
  });
}

/** Parameters one step away on one axis. */
function oneStepAway(axes: readonly Axis[], params: TrialParams): readonly TrialParams[] {
  return axes.flatMap((axis) => {
    const value = params[axis.name];
    if (axis.kind === 'continuous' || value === undefined) return [];
    const at = axis.values.indexOf(value);
    return [at - 1, at + 1].flatMap((next) => {
      const moved = axis.values[next];
      return moved === undefined ? [] : [{ ...params, [axis.name]: moved }];
    });
  });
}

function nearestTo(
  axes: readonly Axis[],
  of: Pick<ScoredTrial, 'trial' | 'params'>,
  trials: TrialColumns,
  done: Uint32Array,
): readonly number[] {
  const nearest: { readonly trial: number; readonly far: number }[] = [];
  const places = axes.map(placesOn);
  for (const trial of done) {
    if (trial === of.trial) continue;
    const params = trials.params.paramsOf(trial);
    const far = axes.reduce((sum, { name }, at) => {
      const [one, other, placeOf] = [of.params[name], params[name], places[at]];
      if (one === undefined || other === undefined || placeOf === undefined) return sum;
      return sum + (placeOf(one) - placeOf(other)) ** 2;
    }, 0);
    const last = nearest[NEAREST - 1];
    if (last !== undefined && far >= last.far) continue;
    const at = nearest.findIndex((known) => far < known.far);
    nearest.splice(at < 0 ? nearest.length : at, 0, { trial, far });
    nearest.length = Math.min(nearest.length, NEAREST);
  }
  return nearest.map(({ trial }) => trial);
}

function summed(kind: Neighbours['kind'], near: readonly number[], trials: TrialColumns): Neighbours {
  const all = near.map((trial) => ({ trial, objective: trials.scoreOf(trial) }));
  const known = all
    .flatMap(({ objective }) => (objective === null ? [] : [objective]))
    .toSorted((one, other) => one - other);
  return {
    kind,
    trials: all,
    median: known.length === 0 ? null : medianOf(known),
    worst: known[0] ?? null,
  };
}

/** Median of numbers in ascending order. */
export function medianOf(sorted: readonly number[]): number {
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** Groups of an axis: one per value, or ten if it has many. */
export interface AxisGroups {
  readonly labels: readonly string[];
  groupOf(value: AxisValue): number;
}

/** Groups the values of an axis. */
export function groupsOf(axis: Axis): AxisGroups {
  if (axis.kind === 'listed' && axis.values.length <= GROUPS_MAX) {
    const places = new Map(axis.values.map((value, at) => [value, at]));
    return { labels: axis.values.map(String), groupOf: (value) => places.get(value) ?? 0 };
  }
  const placeOf = placesOn(axis);
  const group = (value: AxisValue): number => Math.min(GROUPS - 1, Math.floor(placeOf(value) * GROUPS));
  if (axis.kind === 'listed') {
    const members = Map.groupBy(axis.values, group);
    return {
      labels: Array.from({ length: GROUPS }, (_, at) => {
        const own = members.get(at) ?? [];
        return `${String(own[0])} to ${String(own.at(-1))}`;
      }),
      groupOf: group,
    };
  }
  const edge = (at: number): number =>
    Number((axis.from + (at / GROUPS) * (axis.to - axis.from)).toPrecision(4));
  return {
    labels: Array.from({ length: GROUPS }, (_, at) => `${edge(at)} to ${edge(at + 1)}`),
    groupOf: group,
  };
}

function importanceOf(axis: Axis, ranked: Uint32Array, trials: TrialColumns): AxisImportance {
  const groups = groupsOf(axis);
  const sums = groups.labels.map(() => ({ count: 0, sum: 0 }));
  const groupOf = (trial: number): number =>
    groups.groupOf(trials.params.paramsOf(trial)[axis.name] as AxisValue);
  let total = 0;
  for (const trial of ranked) {
    const group = sums[groupOf(trial)];
    if (group === undefined) continue;
    const objective = Number(trials.scoreOf(trial));
    group.count += 1;
    group.sum += objective;
    total += objective;
  }
  const mean = total / ranked.length;
  let [within, whole] = [0, 0];
  for (const trial of ranked) {
    const group = sums[groupOf(trial)];
    if (group === undefined) continue;
    const objective = Number(trials.scoreOf(trial));
    within += (objective - group.sum / group.count) ** 2;
    whole += (objective - mean) ** 2;
  }
  const filled = sums.filter(({ count }) => count > 0).length;
  const free = ranked.length - filled;
  const share = whole > 0 && free > 0 ? Math.max(0, 1 - within / free / (whole / (ranked.length - 1))) : 0;
  return {
    axis: axis.name,
    share: filled > 1 ? share : 0,
    means: sums.map(({ count, sum }, at) => ({
      value: groups.labels[at] ?? '',
      mean: count === 0 ? null : sum / count,
      trials: count,
    })),
  };
}
