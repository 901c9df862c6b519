import { parse } from 'node:path';
import type { DeclaredRule } from '../../backtest/setup.ts';
import type { BotConfig, PluginUse } from '../../config/bot-config.ts';
import type { StrategyRoots } from '../../config/plugins/plugin-files.ts';
import {
  type DeclaredStrategy,
  type FactsReader,
  factsHere,
  importStrategy,
  loadPlugin,
  type PluginReader,
  usualRoots,
} from '../../config/plugins/plugin-loader.ts';
import type { LoadedPlugins } from '../../config/plugins/used-plugins.ts';
import type { HostedRule } from '../../hosts/rules/evaluate-rules.ts';
import { authorLoad } from '../../hosts/sandbox/author-calls.ts';
import {
  guardedFillModel,
  guardedRule,
  guardedStrategy,
  RULES,
} from '../../hosts/strategy/guarded-strategy.ts';
import { fillModelFacts, guardedFills } from '../../plugins/guarded-fills.ts';
import type { PluginKind, Plugins } from '../../plugins/kinds.ts';
import type { OwnFills } from '../../simulation/own-fills.ts';
import type { Strategy } from '../../strategy/define-strategy.ts';
import type { StrategyFacts } from '../../strategy/strategy-facts.ts';
import { isolated, readIsolated } from '../load/read-isolated.ts';

/** How the plugins of a config are loaded. */
export interface PluginSource<S extends DeclaredStrategy, R extends DeclaredRule> {
  readonly strategies: PluginReader<S>;
  readonly plugins: FactsReader;
  /** Custom rules and fill model, found before. */
  own(config: BotConfig, found: LoadedPlugins, project: string): Promise<Own<R>>;
}

interface Own<R extends DeclaredRule> {
  readonly ownRules: readonly R[];
  readonly fills: OwnFills | undefined;
}

/** Imported into this process, to run here. */
export const IN_THIS_PROCESS: PluginSource<Strategy, HostedRule> = {
  strategies: importStrategy,
  plugins: factsHere,
  own: async ({ rules, simulation: { fills } }, _found, project) => {
    const roots = usualRoots(project);
    const ownRules: HostedRule[] = [];
    for (const { use, params } of rules)
      ownRules.push({ name: use, params, rule: await pluginOf('risk-rule', use, roots) });
    return { ownRules, fills: fills === undefined ? undefined : await ownFills(fills, roots) };
  },
};

/**
 * Imported into this process when it is `ready`, which is a sandbox as a whole: every call is guarded. They are
 * loaded one after the other, so that the effects of their top-level code are repeatable.
 */
export function guardedSource(ready: () => Promise<void>): PluginSource<Strategy, HostedRule> {
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <P>(kind: PluginKind, read: PluginReader<P>): PluginReader<P> => {
    return (file, shownPath) => {
      const { name } = parse(file);
      const turn = last
        .then(ready)
        .then(() => authorLoad(kind === 'risk-rule' ? RULES : name, () => read(file, shownPath)));
      last = turn;
      return turn;
    };
  };
  const readStrategy = inTurn('strategy', importStrategy);
  return {
    strategies: async (file, shownPath) => {
      const reading = await readStrategy(file, shownPath);
      return reading.kind === 'ok' ? { kind: 'ok', plugin: guardedStrategy(reading.plugin) } : reading;
    },
    plugins: (kind) => inTurn(kind, factsHere(kind)),
    own: async ({ rules, simulation: { fills } }, _found, project) => {
      const roots = usualRoots(project);
      const ownRules: HostedRule[] = [];
      for (const { use, params } of rules)
        ownRules.push({ name: use, params, rule: guardedRule(await pluginOf('risk-rule', use, roots)) });
      if (fills === undefined) return { ownRules, fills: undefined };
      const model = guardedFillModel(await pluginOf('fill-model', fills.use, roots));
      return { ownRules, fills: guardedFills(fills.use, model, fills.params) };
    },
  };
}

/** Metadata of plugins, read in separate threads: the plugins run in other processes. */
export const ISOLATED: PluginSource<StrategyFacts, DeclaredRule> = {
  strategies: readIsolated,
  plugins: isolated,
  own: async ({ rules, simulation: { fills } }, found) => ({
    ownRules: rules.map(({ use, params }) => ({
      name: use,
      params,
      rule: found.get('risk-rule', use).facts,
    })),
    fills:
      fills === undefined
        ? undefined
        : fillModelFacts(fills.use, found.get('fill-model', fills.use).facts, fills.params),
  }),
};

/** The fill model of a simulation, imported into this process. */
export async function ownFills({ use, params }: PluginUse, roots: StrategyRoots): Promise<OwnFills> {
  return guardedFills(use, await pluginOf('fill-model', use, roots), params);
}

/** A plugin that was found before, imported into this process. Throws Error if it has been removed since. */
export async function pluginOf<K extends PluginKind>(
  kind: K,
  use: string,
  roots: StrategyRoots,
): Promise<Plugins[K]> {
  const load = await loadPlugin(kind, use, roots);
  if (load.kind === 'problem') throw new Error(load.message);
  return load.plugin;
}
