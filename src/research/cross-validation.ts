import type { Expression } from './expression.ts';
import { type Spread, spreadOf } from './monte-carlo.ts';
import { groupStarts, pathsOf, purgedSplits, type SplitPlan } from './purged-splits.ts';
import {
  type FiguresOfReturns,
  figuresOfReturns,
  joinedReturns,
  type ReturnFigure,
} from './return-figures.ts';

/** One split: the choice on its training days, and its result on the test days. */
export interface ValidatedSplit {
  readonly tested: readonly number[];
  readonly trainedDays: number;
  /** Number of the chosen trial; null if none has a value of the objective. */
  readonly trial: number | null;
  readonly objective: number | null;
  readonly inSample: FiguresOfReturns;
  readonly outOfSample: FiguresOfReturns;
}

/** One path through the whole period in which each day is tested by parameters that were chosen without it. */
export interface ValidatedPath {
  /** Split of each group. */
  readonly splits: readonly number[];
  readonly figures: FiguresOfReturns;
  readonly returns: Float64Array;
}

/** Combinatorial purged cross-validation of trials. */
export interface CrossValidation {
  readonly plan: SplitPlan;
  readonly splits: readonly ValidatedSplit[];
  readonly paths: readonly ValidatedPath[];
  /** Over all paths; null if a figure cannot be computed in one of them. */
  readonly sharpe: Spread | null;
  readonly totalReturn: Spread | null;
  readonly maxDrawdown: Spread | null;
  /** Mean Sharpe ratio of the chosen trials on their training days. */
  readonly trainedSharpe: number | null;
  /** Share of paths with a negative return. */
  readonly lossShare: number;
}

/** A trial's number, and its daily returns over the whole period. */
export interface ValidatedTrial {
  readonly trial: number;
  readonly returns: Float64Array;
}

/**
 * Chooses the best trial on the training days of each split and evaluates it on the test days. `onSplit` is called
 * after each with the number done; returning false ends the validation with the result undefined.
 */
export async function crossValidated(
  plan: SplitPlan,
  trials: readonly ValidatedTrial[],
  objective: Expression,
  onSplit: (done: number, total: number) => Promise<boolean> | boolean = () => true,
): Promise<CrossValidation | undefined> {
  const splits = purgedSplits(plan);
  const starts = groupStarts(plan.days, plan.groups);
  const done: ValidatedSplit[] = [];
  const chosen: (ValidatedTrial | undefined)[] = [];
  for (const { tested, isTrained } of splits) {
    const days = Int32Array.from(Array.from(isTrained.keys()).filter((day) => isTrained[day] === 1));
    const row = new Float64Array(days.length);
    let best: { readonly trial: ValidatedTrial; readonly score: number } | undefined;
    for (const trial of trials) {
      for (let at = 0; at < days.length; at += 1) row[at] = trial.returns[days[at] as number] as number;
      const figures = figuresOfReturns(row);
      const score = objective.valueOf((name) => figures[name as ReturnFigure] ?? null);
      if (score !== null && (best === undefined || Number(score) > best.score))
        best = { trial, score: Number(score) };
    }
    const own = best?.trial.returns;
    const inside =
      own === undefined ? new Float64Array() : Float64Array.from(days, (day) => own[day] as number);
    const outside = joinedReturns(
      own === undefined ? [] : tested.map((group) => own.subarray(starts[group], starts[group + 1])),
    );
    chosen.push(best?.trial);
    done.push({
      tested,
      trainedDays: days.length,
      trial: best?.trial.trial ?? null,
      objective: best?.score ?? null,
      inSample: figuresOfReturns(inside),
      outOfSample: figuresOfReturns(outside),
    });
    if (!(await onSplit(done.length, splits.length))) return undefined;
  }
  const paths = pathsOf(splits, plan.groups).map((path): ValidatedPath => {
    const returns = joinedReturns(
      path.map((split, group) => {
        const [from, to] = [starts[group] ?? 0, starts[group + 1] ?? 0];
        // Without a choice there is no position.
        return chosen[split]?.returns.subarray(from, to) ?? new Float64Array(to - from);
      }),
    );
    return { splits: path, figures: figuresOfReturns(returns), returns };
  });
  const trained = done.flatMap(({ inSample: { sharpe } }) => (sharpe === null ? [] : [sharpe]));
  return {
    plan,
    splits: done,
    paths,
    sharpe: spreadIn(paths, 'sharpe'),
    totalReturn: spreadIn(paths, 'totalReturn'),
    maxDrawdown: spreadIn(paths, 'maxDrawdown'),
    trainedSharpe:
      trained.length === 0 ? null : trained.reduce((sum, value) => sum + value, 0) / trained.length,
    lossShare: paths.filter(({ figures }) => (figures.totalReturn ?? 0) < 0).length / paths.length,
  };
}

function spreadIn(paths: readonly ValidatedPath[], figure: ReturnFigure): Spread | null {
  const values = paths.flatMap(({ figures }) => figures[figure] ?? []);
  return values.length === paths.length ? spreadOf(Float64Array.from(values)) : null;
}
