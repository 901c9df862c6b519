import { dirname, isAbsolute, join, normalize, relative, resolve } from 'node:path';
import { printable } from '../../model/printable.ts';
import type { ConfigProblem } from '../config-problem.ts';
import { isBelow, isBelowRealPath } from '../inside.ts';
import { type ConfigSource, readYaml } from './yaml-tree.ts';

/** Maximum number of files in one chain of `extends`. */
const CHAIN_MAX = 8;

/** The files that a config extends, the nearest first, or what is wrong with the chain. */
export type ExtendedFiles =
  | { readonly kind: 'ok'; readonly bases: readonly ConfigSource[] }
  | { readonly kind: 'problem'; readonly problem: ConfigProblem };

/**
 * Follows `extends` from file to file; each path is relative to the file that names it and must be inside the
 * project. A cycle, a chain that is too long and a file that cannot be read are problems at the place that refers to
 * it.
 */
export async function extendedFiles(
  source: ConfigSource,
  project: string,
  read: (path: string) => Promise<string | ConfigProblem>,
): Promise<ExtendedFiles> {
  const bases: ConfigSource[] = [];
  const seen = [resolve(source.path)];
  for (let from = source; ; ) {
    const named = extendsIn(from);
    if (named === undefined) return { kind: 'ok', bases };
    const path = isAbsolute(named) ? named : normalize(join(dirname(from.path), named));
    const wrong = wrongStep(path, seen, project);
    if (wrong !== undefined) return { kind: 'problem', problem: problemAt(from, named, wrong) };
    const text = await read(path);
    if (typeof text !== 'string') {
      const problem = text.message.replace(/^Cannot read config: /, '');
      return { kind: 'problem', problem: problemAt(from, named, problem) };
    }
    from = { path, text };
    seen.push(resolve(path));
    bases.push(from);
  }
}

function extendsIn(source: ConfigSource): string | undefined {
  const { value } = readYaml(source);
  const named = typeof value === 'object' && value !== null && 'extends' in value ? value.extends : undefined;
  return typeof named === 'string' && named !== '' ? named : undefined;
}

function wrongStep(path: string, seen: readonly string[], project: string): string | undefined {
  const absolute = resolve(path);
  if (!isBelow(project, absolute)) return 'the file is outside the project, want one inside it';
  if (!isBelowRealPath(project, absolute))
    return 'a link on its way leads out of the project, want a file inside it';
  const first = seen.indexOf(absolute);
  if (first >= 0) {
    const circle = [...seen.slice(first), absolute].map((each) => relative(project, each));
    return `the files extend each other in a circle (${circle.join(' -> ')}), want an end to it`;
  }
  if (seen.length > CHAIN_MAX) return `the chain has more than ${CHAIN_MAX} files, want fewer`;
  return undefined;
}

function problemAt(from: ConfigSource, named: string, what: string): ConfigProblem {
  const place = readYaml(from).valuePlace(['extends']);
  const wanted = 'a strategy YAML of this project, such as "./base.yaml"';
  return {
    code: 'bad-value',
    file: from.path,
    ...place,
    path: 'extends',
    value: printable(named),
    wanted,
    nearest: undefined,
    message: `Cannot extend "${printable(named)}": ${what}`,
  };
}
