import type { Axis, AxisValue } from './axes.ts';
import type { Expression } from './expression.ts';
import type { TrialParams } from './sampling.ts';
import type { Trial, TrialFigures, TrialOutcome } from './trial.ts';

/** Name and version of the form of a result file; a field is only ever added to it. */
export const SWEEP_SCHEMA = 'sluice.sweep/1';

/** A trial with a value of the objective; null where a figure in it means nothing. */
export interface ScoredTrial {
  readonly trial: number;
  readonly params: TrialParams;
  readonly figures: TrialFigures;
  readonly objective: number | null;
}

/** A trial that came to nothing, and why. */
export interface FailedTrial {
  readonly trial: number;
  readonly params: TrialParams;
  readonly message: string;
}

/** One of the best trials, and what happens one step away from it. */
export interface BestTrial extends ScoredTrial {
  readonly objective: number;
  readonly neighbours: Neighbours;
}

/** The neighbours of a trial. */
export interface Neighbours {
  /** `step`: they differ in one axis by one step. `nearest`: the nearest ones, where the sweep has none one step away. */
  readonly kind: 'step' | 'nearest';
  readonly trials: readonly { readonly trial: number; readonly objective: number | null }[];
  /** Median and worst objective among them; null where there is none. */
  readonly median: number | null;
  readonly worst: number | null;
}

/** How much of the objective's variance an axis explains by itself. */
export interface AxisImportance {
  readonly axis: string;
  /** From 0 to 1: epsilon squared, the explained share of variance less what chance alone would explain. */
  readonly share: number;
  /** Mean objective at each value, or at each tenth of a range with many values. */
  readonly means: readonly {
    readonly value: string;
    readonly mean: number | null;
    readonly trials: number;
  }[];
}

/** What the trials of a sweep say together. */
export interface SweepFindings {
  readonly trials: readonly ScoredTrial[];
  readonly failed: readonly FailedTrial[];
  readonly best: readonly BestTrial[];
  readonly importance: readonly AxisImportance[];
}

const BEST_MAX = 10;
/** Trials that stand for neighbours where none is one step away. */
const NEAREST = 4;
/** Groups of an axis that has more values than this many. */
const GROUPS_MAX = 20;
const GROUPS = 10;

/** Scores, ranks and compares trials. The same trials give the same findings, whatever computed them. */
export function findingsOf(
  axes: readonly Axis[],
  trials: readonly Trial[],
  objective: Expression,
): SweepFindings {
  const scored: ScoredTrial[] = [];
  const failed: FailedTrial[] = [];
  for (const { trial, params, outcome } of trials) {
    if (outcome.kind === 'failed') failed.push({ trial, params, message: outcome.message });
    else
      scored.push({
        trial,
        params,
        figures: outcome.figures,
        objective: scoreOf(outcome, objective),
      });
  }
  const ranked = scored
    .filter((each): each is ScoredTrial & { readonly objective: number } => each.objective !== null)
    .toSorted((one, other) => other.objective - one.objective || one.trial - other.trial);
  const near = neighboursIn(axes, scored);
  return {
    trials: scored,
    failed,
    best: ranked.slice(0, BEST_MAX).map((each) => ({ ...each, neighbours: near(each) })),
    importance: axes.map((axis) => importanceOf(axis, ranked)),
  };
}

/** Value of the objective for a trial: what a plugin answered, or the expression over its figures; null where one that it needs means nothing. */
export function scoreOf(
  { figures, objective: answered }: Pick<Extract<TrialOutcome, { kind: 'done' }>, 'figures' | 'objective'>,
  objective: Expression,
): number | null {
  if (answered !== undefined) return answered;
  const value = objective.valueOf((name) => figures[name as keyof TrialFigures] ?? null);
  return value === null ? null : Number(value);
}

/** Place of a value on its axis, from 0 to 1. */
export function placeOn(axis: Axis, value: AxisValue): number {
  if (axis.kind === 'continuous') return (Number(value) - axis.from) / (axis.to - axis.from);
  return axis.values.length < 2 ? 0 : axis.values.indexOf(value) / (axis.values.length - 1);
}

function neighboursIn(
  axes: readonly Axis[],
  trials: readonly ScoredTrial[],
): (of: ScoredTrial) => Neighbours {
  const keyOf = (params: TrialParams): string => JSON.stringify(axes.map(({ name }) => params[name]));
  const byKey = new Map(trials.map((each) => [keyOf(each.params), each]));
  return (of) => {
    const beside = axes.flatMap((axis) => {
      const value = of.params[axis.name];
      if (axis.kind === 'continuous' || value === undefined) return [];
      const at = axis.values.indexOf(value);
      return [at - 1, at + 1].flatMap((next) => {
        const moved = axis.values[next];
        const found =
          moved === undefined ? undefined : byKey.get(keyOf({ ...of.params, [axis.name]: moved }));
        return found === undefined ? [] : [found];
      });
    });
    return beside.length > 0 ? summed('step', beside) : summed('nearest', nearestTo(axes, of, trials));
  };
}

function nearestTo(
  axes: readonly Axis[],
  of: ScoredTrial,
  trials: readonly ScoredTrial[],
): readonly ScoredTrial[] {
  const nearest: { readonly each: ScoredTrial; readonly far: number }[] = [];
  for (const each of trials) {
    if (each.trial === of.trial) continue;
    const far = axes.reduce((sum, axis) => {
      const [one, other] = [of.params[axis.name], each.params[axis.name]];
      if (one === undefined || other === undefined) return sum;
      return sum + (placeOn(axis, one) - placeOn(axis, other)) ** 2;
    }, 0);
    const last = nearest[NEAREST - 1];
    if (last !== undefined && far >= last.far) continue;
    const at = nearest.findIndex((known) => far < known.far);
    nearest.splice(at < 0 ? nearest.length : at, 0, { each, far });
    nearest.length = Math.min(nearest.length, NEAREST);
  }
  return nearest.map(({ each }) => each);
}

function summed(kind: Neighbours['kind'], trials: readonly ScoredTrial[]): Neighbours {
  const known = trials
    .flatMap(({ objective }) => (objective === null ? [] : [objective]))
    .toSorted((one, other) => one - other);
  return {
    kind,
    trials: trials.map(({ trial, objective }) => ({ trial, objective })),
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

/** The groups that an axis is looked at in: one per value, or ten where it has many. */
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
  const group = (value: AxisValue): number => Math.min(GROUPS - 1, Math.floor(placeOn(axis, value) * GROUPS));
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

function importanceOf(
  axis: Axis,
  ranked: readonly { readonly params: TrialParams; readonly objective: number }[],
): AxisImportance {
  const groups = groupsOf(axis);
  const sums = groups.labels.map(() => ({ count: 0, sum: 0 }));
  let total = 0;
  for (const { params, objective } of ranked) {
    const group = sums[groups.groupOf(params[axis.name] as AxisValue)];
    if (group === undefined) continue;
    group.count += 1;
    group.sum += objective;
    total += objective;
  }
  const mean = total / ranked.length;
  let [within, whole] = [0, 0];
  for (const { params, objective } of ranked) {
    const group = sums[groups.groupOf(params[axis.name] as AxisValue)];
    if (group === undefined) continue;
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
