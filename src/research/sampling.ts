import { SWEEP_METHODS, type SweepMethod, TRIALS_MAX } from '../config/sweep/sweep-axes.ts';
import type { Axis, AxisValue } from './axes.ts';
import type { Expression } from './expression.ts';
import { ParamTable, type TrialParams } from './param-table.ts';
import { ResearchError } from './research-error.ts';
import { seededRandom } from './seeded-random.ts';
import { sobolPoints } from './sobol.ts';

/** How the trials of a sweep are chosen. */
export interface SamplingPlan {
  readonly axes: readonly Axis[];
  readonly method: SweepMethod;
  /** Number of trials of `random` and `sobol`; a grid has as many as combinations. */
  readonly trials: number;
  readonly seed: number;
  /** Combinations that do not satisfy it are not tried. */
  readonly where?: Expression | undefined;
}

/** Points that are drawn for one trial before the condition counts as hardly ever true. */
const DRAWS_PER_TRIAL = 1_000;

/**
 * Returns the trials of a sweep, always the same. Throws ResearchError for no trial, or for more than a sweep may
 * have.
 */
export function trialsOf(plan: SamplingPlan): ParamTable {
  return plan.method === 'grid' ? gridTrials(plan) : drawnTrials(plan);
}

/** Number of combinations of listed axes; Infinity if one is continuous. */
export function gridSize(axes: readonly Axis[]): number {
  return axes.reduce(
    (product, axis) => product * (axis.kind === 'listed' ? axis.values.length : Infinity),
    1,
  );
}

function gridTrials({ axes, where }: SamplingPlan): ParamTable {
  const continuous = axes.find(({ kind }) => kind === 'continuous');
  if (continuous !== undefined)
    throw new ResearchError(
      `Cannot make a grid of "${continuous.name}" without a step: write "${continuous.name}=FROM..TO:STEP", or use "--method ${SWEEP_METHODS[2]}"`,
    );
  const size = gridSize(axes);
  if (size > TRIALS_MAX)
    throw new ResearchError(
      `Cannot run a grid of ${size} trials, want at most ${TRIALS_MAX}: write larger steps, or use "--method sobol --trials N"`,
    );
  const trials = new ParamTable(axes);
  for (let index = 0; index < size; index += 1) {
    let rest = index;
    const values: AxisValue[] = new Array(axes.length);
    for (let at = axes.length - 1; at >= 0; at -= 1) {
      const axis = axes[at] as Extract<Axis, { kind: 'listed' }>;
      values[at] = axis.values[rest % axis.values.length] as AxisValue;
      rest = Math.floor(rest / axis.values.length);
    }
    const params = named(axes, values);
    if (satisfies(where, params)) trials.add(params);
  }
  if (trials.length === 0) throw noTrial(where);
  return trials;
}

function drawnTrials(plan: SamplingPlan): ParamTable {
  const { axes, trials: wanted, where } = plan;
  const limit = Math.min(wanted, gridSize(axes));
  const trials = new ParamTable(axes);
  const seen = new Set<string>();
  const next = plan.method === 'sobol' ? sobolDraws(axes.length) : randomDraws(axes.length, plan.seed);
  for (let misses = 0; trials.length < limit && misses < DRAWS_PER_TRIAL * 10; ) {
    const point = next();
    const values = axes.map((axis, at) => valueAt(axis, point[at] as number));
    const params = named(axes, values);
    const key = JSON.stringify(values);
    if (seen.has(key) || !satisfies(where, params)) {
      misses += 1;
      continue;
    }
    misses = 0;
    seen.add(key);
    trials.add(params);
  }
  if (trials.length === 0) throw noTrial(where);
  return trials;
}

function sobolDraws(dimensions: number): () => readonly number[] {
  const points = sobolPoints(dimensions);
  return () => points.next().value;
}

function randomDraws(dimensions: number, seed: number): () => readonly number[] {
  const random = seededRandom(seed);
  return () => Array.from({ length: dimensions }, random);
}

/** Significant digits of a drawn number. */
const DRAWN_DIGITS = 6;

/** The value at a share of an axis, from 0 to 1. */
export function valueAt(axis: Axis, share: number): AxisValue {
  if (axis.kind === 'listed') return axis.values[Math.floor(share * axis.values.length)] as AxisValue;
  const { from, to } = axis;
  return Math.min(to, Math.max(from, Number((from + share * (to - from)).toPrecision(DRAWN_DIGITS))));
}

function named(axes: readonly Axis[], values: readonly AxisValue[]): TrialParams {
  return Object.fromEntries(axes.map(({ name }, at) => [name, values[at] as AxisValue]));
}

function satisfies(where: Expression | undefined, params: TrialParams): boolean {
  return where === undefined || where.valueOf((name) => params[name] ?? null) === true;
}

function noTrial(where: Expression | undefined): ResearchError {
  return new ResearchError(`Cannot sweep: "${where?.text ?? ''}" holds for no combination of the axes`);
}
