import type { ConfigPath, Place } from '../config-problem.ts';
import { pathText } from '../config-problem.ts';
import { type ConfigSource, readYaml, type YamlTree } from './yaml-tree.ts';

/** A config file and the files that it extends, the nearest first. */
export interface ConfigChain extends ConfigSource {
  readonly bases?: readonly ConfigSource[];
}

type Tree = Readonly<Record<string, unknown>>;

/**
 * Reads a config merged over the files that it extends. Maps are merged key by key, the nearer file wins; lists and
 * values are replaced. If a file names another strategy, the parameters of the extended one are dropped. `problems`
 * has the problems of all files, each with its file.
 */
export function readChain({ bases = [], ...own }: ConfigChain): YamlTree {
  return bases
    .map(readYaml)
    .reduce((nearer, base, index) => over(nearer, base, bases[index]?.path ?? ''), readYaml(own));
}

function over(nearer: YamlTree, base: YamlTree, file: string): YamlTree {
  if (nearer.value === undefined || base.value === undefined) {
    return { ...nearer, value: undefined, problems: [...nearer.problems, ...base.problems] };
  }
  const below = isMap(nearer.value) && isMap(base.value) ? cleared(base.value, nearer.value) : base.value;
  const at =
    (which: 'keyPlace' | 'valuePlace') =>
    (path: ConfigPath): Place => {
      if (has(nearer.value, path) || !has(below, path)) return nearer[which](path);
      return { file, ...base[which](path) };
    };
  return {
    value: merged(nearer.value, below),
    problems: [...nearer.problems, ...base.problems],
    keyPlace: at('keyPlace'),
    valuePlace: at('valuePlace'),
  };
}

/** What a base config contributes: never its own `extends`, and no parameters for another strategy. */
function cleared(base: Tree, nearer: Tree): Tree {
  const { extends: _, params, ...rest } = base;
  const other = 'strategy' in nearer && nearer['strategy'] !== base['strategy'];
  return other || params === undefined ? rest : { ...rest, params };
}

function merged(nearer: unknown, base: unknown): unknown {
  if (!isMap(nearer) || !isMap(base)) return nearer;
  const all: Record<string, unknown> = Object.assign(Object.create(null), base, nearer);
  for (const key of Object.keys(base)) {
    if (Object.hasOwn(nearer, key)) all[key] = merged(nearer[key], base[key]);
  }
  return all;
}

function has(value: unknown, path: ConfigPath): boolean {
  let at = value;
  for (const part of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, part)) return false;
    at = Object.entries(at).find(([key]) => key === String(part))?.[1];
  }
  return pathText(path) !== '';
}

function isMap(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
