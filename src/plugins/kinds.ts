import { isStrategy, type Strategy } from '../strategy/define-strategy.ts';
import type { ParamDeclarations } from '../strategy/params.ts';
import { type FillModelPlugin, isFillModel } from './define-fill-model.ts';
import { isNotifier, type NotifierPlugin } from './define-notifier.ts';
import { isObjective, type ObjectivePlugin } from './define-objective.ts';
import { isRiskRule, type RiskRulePlugin } from './define-risk-rule.ts';

/** The result type of each `define...` function. */
export interface Plugins {
  readonly strategy: Strategy;
  readonly 'risk-rule': RiskRulePlugin;
  readonly 'fill-model': FillModelPlugin;
  readonly notifier: NotifierPlugin;
  readonly objective: ObjectivePlugin;
}
export type PluginKind = keyof Plugins;

/** Properties of every plugin. */
export interface AnyPlugin {
  readonly name: string;
  readonly doc?: string;
  readonly params: ParamDeclarations;
}

/** Name and folder of a plugin kind. */
export interface KindFacts<K extends PluginKind> {
  readonly noun: string;
  /** Folder in a project, and key in the `sluice` section of package.json. */
  readonly folder: 'strategies' | 'rules' | 'fills' | 'notifiers' | 'objectives';
  /** The function that declares it. */
  readonly definer: string;
  is(value: unknown): value is Plugins[K];
}

/** All plugin kinds. */
export const PLUGIN_KINDS: { readonly [K in PluginKind]: KindFacts<K> } = {
  strategy: { noun: 'strategy', folder: 'strategies', definer: 'defineStrategy', is: isStrategy },
  'risk-rule': { noun: 'risk rule', folder: 'rules', definer: 'defineRiskRule', is: isRiskRule },
  'fill-model': { noun: 'fill model', folder: 'fills', definer: 'defineFillModel', is: isFillModel },
  notifier: { noun: 'notifier', folder: 'notifiers', definer: 'defineNotifier', is: isNotifier },
  objective: { noun: 'objective', folder: 'objectives', definer: 'defineObjective', is: isObjective },
};
