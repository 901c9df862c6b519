import { partsOf, type UsedPlugin } from '../config-parts.ts';
import { type ConfigChain, readChain } from '../yaml/extended-tree.ts';

/** What a config names that has to be fetched before it can be checked; parts of the wrong shape are undefined. */
export interface ConfigNames {
  /** Names or files of its strategies. */
  readonly strategies: readonly string[];
  readonly dir: string | undefined;
  readonly plugins: readonly Pick<UsedPlugin, 'kind' | 'use'>[];
}

/** Peeks at the names in a config, whatever else is wrong with it. */
export function namesIn(source: ConfigChain): ConfigNames {
  const { strategy, members, isSeveral, dir, uses } = partsOf(readChain(source).value);
  const named = isSeveral ? members.map((member) => member.strategy) : [strategy];
  return { strategies: named.filter((name) => name !== undefined), dir, plugins: uses };
}
