import { type LoadedConfig, type LoadOptions, loadBotConfigWith } from '../config/load-config.ts';
import type { SecurityCatalogue } from '../config/lookups.ts';
import { usualRoots } from '../config/plugin-loader.ts';
import type { BarStore } from '../market-data/store.ts';
import type { StrategyFacts } from '../strategy/strategy-facts.ts';
import { apart, readApart } from './read-apart.ts';

/**
 * Reads a strategy YAML and lists every mistake in it; nothing is run and no bars are read. The file of each plugin is looked at
 * in a thread of its own.
 */
export function checkConfig(path: string, project: string): Promise<LoadedConfig<StrategyFacts>> {
  return loadBotConfigWith(readApart, path, { ...loadOptions(project), plugins: apart });
}

/** How a config of a project is read. */
export function loadOptions(project: string): LoadOptions {
  return {
    roots: usualRoots(project),
    securities: async (dir) => {
      const { storeOf } = await import('./store-of.ts');
      return catalogueOf(storeOf(project, dir));
    },
  };
}

function catalogueOf(store: BarStore): SecurityCatalogue {
  const symbols = store.symbols();
  return {
    symbols,
    find: (symbol) => (symbols.includes(symbol) ? store.security(symbol) : undefined),
  };
}
