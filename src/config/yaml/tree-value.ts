import type { ConfigPath } from '../config-problem.ts';

/** Returns the value at a path of plain data; undefined if there is none. Inherited properties do not count. */
export function valueAt(value: unknown, path: ConfigPath): unknown {
  return path.reduce<unknown>((at, part) => {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, part)) return undefined;
    return (at as Readonly<Record<string | number, unknown>>)[part];
  }, value);
}
