import type { Strategy } from '../strategy/define-strategy.ts';
import type { BotConfig } from './bot-config.ts';
import type { ConfigProblem } from './config-problem.ts';
import { NO_SECURITIES, type SecurityCatalogue } from './lookups.ts';
import { namesIn } from './plugins/names-in.ts';
import type { StrategyRoots } from './plugins/plugin-files.ts';
import {
  type DeclaredStrategy,
  type FactsReader,
  factsHere,
  importStrategy,
  type PluginReader,
  readStrategy,
  type StrategyLoad,
} from './plugins/plugin-loader.ts';
import { type LoadedPlugins, loadUsed } from './plugins/used-plugins.ts';
import { readBounded } from './yaml/bounded-file.ts';
import { extendedFiles } from './yaml/extended-files.ts';
import { type ConfigChain, readChain } from './yaml/extended-tree.ts';
import { BYTES_MAX } from './yaml/yaml-limits.ts';

/** Dependencies of loading a config. */
export interface LoadOptions {
  readonly roots: StrategyRoots;
  /** Lists the securities of a data folder; empty if the folder does not exist. */
  readonly securities: (dir: string) => SecurityCatalogue | Promise<SecurityCatalogue>;
  /** Reads plugins other than strategies; in this process if absent. */
  readonly plugins?: FactsReader;
  /** Neither reads nor checks notifiers, which a backtest never calls. */
  readonly withoutNotifiers?: boolean;
  /** Whether a variable of the environment is set, for warnings; absent: not checked. */
  readonly isSet?: ((variable: string) => boolean) | undefined;
  /** Called with the parsed YAML before any file of a plugin is read. */
  readonly prepare?: (yaml: unknown) => void;
}

/** A valid config with its strategy, or all its problems. */
export type LoadedConfig<S extends DeclaredStrategy = Strategy> =
  | {
      readonly kind: 'ok';
      readonly config: BotConfig;
      /** Warnings; the config may run. */
      readonly warnings: readonly ConfigProblem[];
      readonly strategy: S;
      /** File of the strategy, for hosts that import it. */
      readonly strategyFile: string;
      /** Each of several strategies, in the config's order; empty for a single one. */
      readonly members: readonly LoadedMember<S>[];
      readonly memberFiles: readonly string[];
      /** Plugins of the config other than strategies. */
      readonly plugins: LoadedPlugins;
      /** The YAML and the files that it extends, for the places of messages. */
      readonly source: ConfigChain;
      /** Text of the YAML and of the files that it extends, for journals and digests. */
      readonly text: string;
      /** The YAML file and the files that it extends, as read. */
      readonly files: readonly string[];
    }
  | { readonly kind: 'problems'; readonly problems: readonly ConfigProblem[] };

/** One of several strategies of a config. */
export interface LoadedMember<S extends DeclaredStrategy = Strategy> {
  readonly name: string;
  readonly strategy: S;
}

/** Reads a strategy YAML, loads its strategy and checks everything; returns all mistakes in one list. */
export function loadBotConfig(path: string, options: LoadOptions): Promise<LoadedConfig> {
  return loadBotConfigWith(importStrategy, path, options);
}

/** Does the same with another reader of strategy files. */
export async function loadBotConfigWith<S extends DeclaredStrategy>(
  read: PluginReader<S>,
  path: string,
  options: LoadOptions,
): Promise<LoadedConfig<S>> {
  const text = await readText(path);
  if (typeof text !== 'string') return { kind: 'problems', problems: [text] };
  const chain = await extendedFiles({ path, text }, options.roots.project, readText);
  if (chain.kind === 'problem') return { kind: 'problems', problems: [chain.problem] };
  return checkText(read, { path, text, bases: chain.bases }, options);
}

async function checkText<S extends DeclaredStrategy>(
  read: PluginReader<S>,
  source: ConfigChain,
  options: LoadOptions,
): Promise<LoadedConfig<S>> {
  options.prepare?.(readChain(source).value);
  const names = namesIn(source);
  const { withoutNotifiers = false } = options;
  const uses = withoutNotifiers ? names.plugins.filter(({ kind }) => kind !== 'notifier') : names.plugins;
  // While a strategy is read elsewhere, this thread loads the modules that check the rest.
  const [found, others, { readBotConfig }, catalogue] = await Promise.all([
    readEach(read, names.strategies, options.roots),
    loadUsed(uses, { roots: options.roots, read: options.plugins ?? factsHere }),
    import('./read-config.ts'),
    names.dir === undefined ? NO_SECURITIES : options.securities(names.dir),
  ]);
  const reading = readBotConfig(source, {
    strategies: (name) => lookup(found.get(name)),
    plugins: (kind, use) => (withoutNotifiers && kind === 'notifier' ? undefined : others.lookup(kind, use)),
    securities: () => catalogue,
    isSet: options.isSet,
  });
  if (reading.kind === 'problems') return reading;
  const loadedAs = (name: string) => {
    const loaded = found.get(name);
    if (loaded?.kind !== 'ok') throw new Error(`Config "${source.path}" passed without a strategy`);
    return loaded;
  };
  const loaded = loadedAs(reading.config.strategy);
  return {
    ...reading,
    strategy: loaded.strategy,
    strategyFile: loaded.file,
    memberFiles: reading.config.members.map(({ strategy }) => loadedAs(strategy).file),
    members: reading.config.members.map(({ name, strategy }) => {
      return { name, strategy: loadedAs(strategy).strategy };
    }),
    plugins: others.loaded,
    source,
    text: textOf(source),
    files: [source.path, ...(source.bases ?? []).map(({ path }) => path)],
  };
}

async function readEach<S extends DeclaredStrategy>(
  read: PluginReader<S>,
  names: readonly string[],
  roots: StrategyRoots,
): Promise<ReadonlyMap<string, StrategyLoad<S>>> {
  // Finds all files before it reads the first: reading one may remove the permission to find others.
  const found = [...new Set(names)].map(
    async (name) => [name, await readStrategy(read, name, roots)] as const,
  );
  return new Map(await Promise.all(found));
}

/** Text of a config and of all files that it extends. */
function textOf({ text, bases = [] }: ConfigChain): string {
  return [text, ...bases.map((base) => base.text)].join('\n');
}

function lookup(loaded: StrategyLoad<DeclaredStrategy> | undefined) {
  if (loaded === undefined) throw new Error('A strategy was looked up that the config does not name');
  return loaded.kind === 'ok' ? { kind: 'ok' as const, params: loaded.strategy.params } : loaded;
}

async function readText(path: string): Promise<string | ConfigProblem> {
  const file = await readBounded(path, BYTES_MAX);
  if (file.kind === 'too-large') return unusable(file.kind, path, file.seen, `at most ${BYTES_MAX} bytes`);
  if (file.kind === 'unreadable')
    return unusable(file.kind, path, file.seen, 'a strategy YAML that can be read');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(file.bytes);
  } catch {
    return unusable('bad-yaml', path, 'the file is not UTF-8 text', 'a YAML file saved as UTF-8');
  }
}

function unusable(code: ConfigProblem['code'], file: string, seen: string, wanted: string): ConfigProblem {
  const message = `Cannot read config: ${seen}, want ${wanted}`;
  return { code, file, line: 1, column: 1, path: '', value: undefined, wanted, nearest: undefined, message };
}
