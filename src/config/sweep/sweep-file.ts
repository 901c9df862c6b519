import { nearestName } from '../../model/nearest-name.ts';
import { printable } from '../../model/printable.ts';
import { ConfigError } from '../config-error.ts';
import { type ConfigProblem, suggestion } from '../config-problem.ts';
import { readBounded } from '../yaml/bounded-file.ts';
import { badValue, type LocatedTree, located } from '../yaml/located.ts';
import { valueAt } from '../yaml/tree-value.ts';
import { BYTES_MAX } from '../yaml/yaml-limits.ts';
import { readYaml } from '../yaml/yaml-tree.ts';
import type { SweepConfig } from './sweep-axes.ts';
import { sweepSchema } from './sweep-schema.ts';

/** Reads a file with the content of a `sweep` section. Throws ConfigError with every mistake. */
export async function readSweepFile(path: string): Promise<SweepConfig> {
  const file = await readBounded(path, BYTES_MAX);
  const seen = file.kind === 'ok' ? undefined : file.seen;
  const tree = readYaml({ path, text: file.kind === 'ok' ? new TextDecoder().decode(file.bytes) : '' });
  const where = { file: path, tree };
  if (seen !== undefined) {
    const wanted = 'a YAML file with "axes" that can be read';
    throw new ConfigError([
      located(where, { code: 'unreadable', path: [], at: 'value', wanted, what: seen }),
    ]);
  }
  if (tree.value === undefined) throw new ConfigError(tree.problems);
  const parsed = sweepSchema().safeParse(tree.value);
  if (parsed.success && tree.problems.length === 0) return { ...parsed.data, axes: parsed.data.axes ?? {} };
  const issues = parsed.success ? [] : parsed.error.issues;
  throw new ConfigError([
    ...tree.problems,
    ...issues.flatMap((issue): readonly ConfigProblem[] => {
      const at = issue.path.filter((part) => typeof part !== 'symbol');
      if (issue.code !== 'unrecognized_keys')
        return [badValue(where, at, valueAt(tree.value, at), issue.message)];
      return issue.keys.map((key) => unknownKey(where, [...at, key]));
    }),
  ]);
}

function unknownKey(where: LocatedTree, path: readonly (string | number)[]): ConfigProblem {
  const key = String(path.at(-1));
  const known = path.length === 1 ? Object.keys(sweepSchema().shape) : ['from', 'to', 'step'];
  const nearest = nearestName(key, known);
  return located(where, {
    code: 'unknown-key',
    path,
    at: 'key',
    value: key,
    nearest,
    wanted: `a known setting (${known.join(', ')})`,
    what: `"${printable(key)}" is not a known setting, ${suggestion(nearest, known)}`,
  });
}
