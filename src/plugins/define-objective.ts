import { assertDefinition } from '../strategy/assert-definition.ts';
import type { NoParams } from '../strategy/params.ts';
import { hasBrand } from './has-brand.ts';

/** Figures of a trial's report; shares are fractions (0.1 = 10 %), and null is a figure that means nothing, such as a Sharpe ratio of too few days. */
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

/** The input of an objective: one trial of a sweep. */
export interface ObjectiveQuestion {
  readonly figures: ObjectiveFigures;
  /** Parameters that the sweep varies, as in `--set`. */
  readonly params: Readonly<Record<string, number | boolean | string>>;
  /** Return of each day, the first from the equity that the run began with. */
  readonly returns: readonly number[];
}

/** What an objective is: a plain function of a trial, the same answer for the same trial. */
export interface ObjectiveDefinition {
  /** Name by which a sweep asks for it; kebab-case, equal to the name of its file. */
  readonly name: string;
  /** One sentence for lists and docs. */
  readonly doc?: string;
  /** The best trial has most of it; null for a trial that has no rank, because it breaks a constraint or a figure means nothing. */
  score(question: ObjectiveQuestion): number | null;
}

const OBJECTIVE = Symbol.for('sluice.objective');

/** A definition that went through `defineObjective`; the loader takes nothing else. */
export type ObjectivePlugin = ObjectiveDefinition & {
  readonly params: NoParams;
  readonly [OBJECTIVE]: 1;
};

/** Declares an objective of sweeps; the file exports the result by default. Throws TypeError when it is unnamed or has no `score`. */
export function defineObjective(definition: ObjectiveDefinition): ObjectivePlugin {
  assertDefinition('objective', definition, 'calm-growth');
  const { name, score } = definition;
  if (typeof score !== 'function')
    throw new TypeError(`Cannot define objective "${name}": it has no function "score"`);
  return { ...definition, params: {}, [OBJECTIVE]: 1 };
}

/** True for what `defineObjective` returned, also when it came from another copy of the package. */
export function isObjective(value: unknown): value is ObjectivePlugin {
  return hasBrand(value, OBJECTIVE);
}
