import { assertDefinition } from '../strategy/assert-definition.ts';
import type { NoParams } from '../strategy/params.ts';
import { hasBrand } from './has-brand.ts';

/**
 * Figures of a trial's report. Shares are fractions (0.1 is 10 %); null if a figure cannot be computed, such as a
 * Sharpe ratio of too few days.
 */
export interface ObjectiveFigures {
  readonly totalReturn: number | null;
  readonly cagr: number | null;
  readonly sharpe: number | null;
  readonly sortino: number | null;
  readonly calmar: number | null;
  readonly volatility: number | null;
  readonly maxDrawdown: number | null;
  readonly exposure: number | null;
  readonly closedTrades: number | null;
  readonly wins: number | null;
  readonly winShare: number | null;
  readonly averageReturn: number | null;
  readonly finalEquity: number | null;
  readonly dailyReturns: number | null;
}

/** Input of an objective: one trial of a sweep. */
export interface ObjectiveQuestion {
  readonly figures: ObjectiveFigures;
  /** Parameters that the sweep varies, as in `--set`. */
  readonly params: Readonly<Record<string, number | boolean | string>>;
  /** Daily returns; the first starts from the opening equity. */
  readonly returns: readonly number[];
}

/** An objective: a pure function of a trial. */
export interface ObjectiveDefinition {
  /** Name that sweeps refer to; kebab-case, equal to the file's name. */
  readonly name: string;
  /** One sentence for lists and docs. */
  readonly doc?: string;
  /**
   * The best trial has the highest score; null leaves a trial without rank, if it breaks a constraint or a figure is
   * missing.
   */
  score(question: ObjectiveQuestion): number | null;
}

const OBJECTIVE = Symbol.for('sluice.objective');

/** A definition that was checked by `defineObjective`; the loader accepts nothing else. */
export type ObjectivePlugin = ObjectiveDefinition & {
  readonly params: NoParams;
  readonly [OBJECTIVE]: 1;
};

/**
 * Declares an objective of sweeps; its file exports the result by default. Throws TypeError if it has no name or no
 * `score`.
 */
export function defineObjective(definition: ObjectiveDefinition): ObjectivePlugin {
  assertDefinition('objective', definition, {
    example: 'calm-growth',
    known: ['name', 'doc', 'score'],
  });
  const { name, score } = definition;
  if (typeof score !== 'function')
    throw new TypeError(`Cannot define objective "${name}": it has no function "score"`);
  return { ...definition, params: {}, [OBJECTIVE]: 1 };
}

/** True for a result of `defineObjective`, also from another copy of the package. */
export function isObjective(value: unknown): value is ObjectivePlugin {
  return hasBrand(value, OBJECTIVE);
}
