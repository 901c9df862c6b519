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
 * What a risk rule of one's own is. It is called after every rule of Sluice has passed an order, and all it can do is to
 * deny that order: there is no answer that lets through what another rule denied.
 */
export interface RiskRuleDefinition<P extends ParamDeclarations = ParamDeclarations> {
  /** Name by which a YAML asks for it; kebab-case, equal to its file's name. */
  readonly name: string;
  /** One sentence for lists and docs. */
  readonly doc?: string;
  /** Declared with `param`; none when absent. */
  readonly params?: P;
  /** The orders it is called for: those that add exposure (`opening`, the default), or what reduces as well (`every`). */
  readonly orders?: 'opening' | 'every';
  /**
   * Returns why the order is denied, as one sentence, or undefined to leave it to the others. A plain function of what it
   * is given. When it throws, runs too long or answers anything else, nothing opens any more.
   */
  judge(question: RuleQuestion, own: { readonly params: ParamValues<P> }): string | undefined;
}

const RISK_RULE = Symbol.for('sluice.risk-rule');

/** A definition that went through `defineRiskRule`; the loader takes nothing else. */
export type RiskRulePlugin<P extends ParamDeclarations = ParamDeclarations> = RiskRuleDefinition<P> & {
  readonly params: P;
  readonly [RISK_RULE]: 1;
};

/** Declares a risk rule; the file exports the result by default. Throws TypeError when it has no kebab-case name or no `judge`. */
export function defineRiskRule<const P extends ParamDeclarations = NoParams>(
  definition: RiskRuleDefinition<P>,
): RiskRulePlugin<P> {
  assertDefinition('risk rule', definition, 'quiet-open');
  if (typeof definition.judge !== 'function')
    throw new TypeError(
      `Cannot define risk rule "${definition.name}": it has no "judge", so it can never deny`,
    );
  return { ...definition, params: declaredParams(definition), [RISK_RULE]: 1 };
}

/** True for what `defineRiskRule` returned, also when it came from another copy of the package. */
export function isRiskRule(value: unknown): value is RiskRulePlugin {
  return hasBrand(value, RISK_RULE);
}
