import { partsOf, type UsedPlugin } from '../config-parts.ts';
import { type ConfigChain, readChain } from '../yaml/extended-tree.ts';

/** Names in a config that must be looked up before it can be checked; parts of the wrong shape are undefined. */
export interface ConfigNames {
  /** Names or files of its strategies. */
  readonly strategies: readonly string[];
  readonly dir: string | undefined;
  readonly plugins: readonly Pick<UsedPlugin, 'kind' | 'use'>[];
}

/** Reads the names in a config, even if other parts are wrong. */
export function namesIn(source: ConfigChain): ConfigNames {
  const { strategy, members, isSeveral, dir, uses } = partsOf(readChain(source).value);
  const named = isSeveral ? members.map((member) => member.strategy) : [strategy];
  return { strategies: named.filter((name) => name !== undefined), dir, plugins: uses };
}
