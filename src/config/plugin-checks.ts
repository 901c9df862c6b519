import { PLUGIN_KINDS } from '../plugins/kinds.ts';
import { RULES } from '../risk/rules.ts';
import { resolveParams } from '../strategy/params.ts';
import type { UsedPlugin } from './config-parts.ts';
import type { ConfigProblem } from './config-problem.ts';
import { badValue, type LocatedTree, located } from './located.ts';
import type { ConfigLookups } from './lookups.ts';
import { paramProblem } from './param-problem.ts';

/** What is wrong with the plugins that a config asks for beside its strategy. */
export function pluginProblems(
  where: LocatedTree,
  uses: readonly UsedPlugin[],
  lookups: Pick<ConfigLookups, 'plugins'>,
): readonly ConfigProblem[] {
  return uses.flatMap((used, index) => [
    ...useProblems(where, used, lookups),
    ...nameProblems(where, used, uses.slice(0, index)),
  ]);
}

function useProblems(
  where: LocatedTree,
  used: UsedPlugin,
  lookups: Pick<ConfigLookups, 'plugins'>,
): ConfigProblem[] {
  const { kind, use, params, path } = used;
  const { noun } = PLUGIN_KINDS[kind];
  const found = lookups.plugins?.(kind, use);
  if (found === undefined) return [];
  if (found.kind === 'problem') {
    const named = found.available.length === 0 ? '' : ` (there are ${found.available.join(', ')})`;
    return [
      located(where, {
        code: found.code === 'not-found' ? 'unknown-plugin' : 'bad-plugin',
        path: [...path, 'use'],
        at: 'value',
        value: use,
        wanted: `a ${noun} that loads${named}`,
        nearest: found.nearest,
        what: found.message,
      }),
    ];
  }
  const resolved = resolveParams(found.params, params ?? {});
  if (resolved.kind === 'ok') return [];
  const names = Object.keys(found.params);
  const of = { path: [...path, 'params'], noun };
  return resolved.problems.map((problem) => paramProblem(where, problem, names, of));
}

const OWN_RULES: ReadonlySet<string> = new Set([...RULES.map(({ name }) => name), 'call-budget']);

/** Denials are told apart by the name of their rule. */
function nameProblems(
  where: LocatedTree,
  { kind, use, path }: UsedPlugin,
  before: readonly UsedPlugin[],
): ConfigProblem[] {
  const at = [...path, 'use'];
  if (before.some((other) => other.kind === kind && other.use === use))
    return [badValue(where, at, use, `each ${PLUGIN_KINDS[kind].noun} once`, { code: 'conflict' })];
  if (kind !== 'risk-rule' || !OWN_RULES.has(use)) return [];
  return [badValue(where, at, use, 'a name that no rule of Sluice has', { code: 'conflict' })];
}
