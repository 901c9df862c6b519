import { isStrategy, type Strategy } from '../strategy/define-strategy.ts';
import type { ParamDeclarations } from '../strategy/params.ts';
import { type FillModelPlugin, isFillModel } from './define-fill-model.ts';
import { isNotifier, type NotifierPlugin } from './define-notifier.ts';
import { isObjective, type ObjectivePlugin } from './define-objective.ts';
import { isRiskRule, type RiskRulePlugin } from './define-risk-rule.ts';

/** What each kind of plugin is made into by its `define...`. */
export interface Plugins {
  readonly strategy: Strategy;
  readonly 'risk-rule': RiskRulePlugin;
  readonly 'fill-model': FillModelPlugin;
  readonly notifier: NotifierPlugin;
  readonly objective: ObjectivePlugin;
}
export type PluginKind = keyof Plugins;

/** What is common to plugins of every kind. */
export interface AnyPlugin {
  readonly name: string;
  readonly doc?: string;
  readonly params: ParamDeclarations;
}

/** The name of a kind of plugin, and its folder. */
export interface KindFacts<K extends PluginKind> {
  readonly noun: string;
  /** Folder in a project, and key in the `sluice` section of a package.json. */
  readonly folder: 'strategies' | 'rules' | 'fills' | 'notifiers' | 'objectives';
  /** What its author calls. */
  readonly definer: string;
  is(value: unknown): value is Plugins[K];
}

/** The kinds there are. */
export const PLUGIN_KINDS: { readonly [K in PluginKind]: KindFacts<K> } = {
  strategy: { noun: 'strategy', folder: 'strategies', definer: 'defineStrategy', is: isStrategy },
  'risk-rule': { noun: 'risk rule', folder: 'rules', definer: 'defineRiskRule', is: isRiskRule },
  'fill-model': { noun: 'fill model', folder: 'fills', definer: 'defineFillModel', is: isFillModel },
  notifier: { noun: 'notifier', folder: 'notifiers', definer: 'defineNotifier', is: isNotifier },
  objective: { noun: 'objective', folder: 'objectives', definer: 'defineObjective', is: isObjective },
};
