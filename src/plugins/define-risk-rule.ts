import type { RuleQuestion } from '../risk/custom-rules.ts';
import { assertDefinition } from '../strategy/assert-definition.ts';
import {
  declaredParams,
  type NoParams,
  type ParamDeclarations,
  type ParamValues,
} from '../strategy/params.ts';
import { hasBrand } from './has-brand.ts';

/**
 * A custom risk rule. It is called after all built-in rules have passed an order, and can only deny it; it cannot
 * allow what another rule denied.
 */
export interface RiskRuleDefinition<P extends ParamDeclarations = ParamDeclarations> {
  /** Name that YAML configs refer to; kebab-case, equal to the file's name. */
  readonly name: string;
  /** One sentence for lists and docs. */
  readonly doc?: string;
  /** Parameters, declared with `param`. */
  readonly params?: P;
  /**
   * Orders for which it is called: those that add exposure (`opening`, the default), or also those that reduce it
   * (`every`).
   */
  readonly orders?: 'opening' | 'every';
  /**
   * Returns one sentence why the order is denied, or undefined to pass it. Must be a pure function. If it throws,
   * exceeds its time or returns anything else, all opening orders are denied from then on.
   */
  judge(question: RuleQuestion, own: { readonly params: ParamValues<P> }): string | undefined;
}

const RISK_RULE = Symbol.for('sluice.risk-rule');

/** A definition that was checked by `defineRiskRule`; the loader accepts nothing else. */
export type RiskRulePlugin<P extends ParamDeclarations = ParamDeclarations> = RiskRuleDefinition<P> & {
  readonly params: P;
  readonly [RISK_RULE]: 1;
};

/**
 * Declares a risk rule; its file exports the result by default. Throws TypeError if it has no kebab-case name or no
 * `judge`.
 */
export function defineRiskRule<const P extends ParamDeclarations = NoParams>(
  definition: RiskRuleDefinition<P>,
): RiskRulePlugin<P> {
  assertDefinition('risk rule', definition, {
    example: 'quiet-open',
    known: ['name', 'doc', 'params', 'orders', 'judge'],
  });
  if (typeof definition.judge !== 'function')
    throw new TypeError(
      `Cannot define risk rule "${definition.name}": it has no "judge", so it can never deny`,
    );
  return { ...definition, params: declaredParams(definition), [RISK_RULE]: 1 };
}

/** True for a result of `defineRiskRule`, also from another copy of the package. */
export function isRiskRule(value: unknown): value is RiskRulePlugin {
  return hasBrand(value, RISK_RULE);
}
