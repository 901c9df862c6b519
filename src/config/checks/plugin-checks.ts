import { nearestName } from '../../model/nearest-name.ts';
import { printable } from '../../model/printable.ts';
import { NOTICE_HOOKS, NOTIFIER_EVENTS, type SecretDeclarations } from '../../plugins/define-notifier.ts';
import { PLUGIN_KINDS } from '../../plugins/kinds.ts';
import { RULES } from '../../risk/rules.ts';
import { resolveParams } from '../../strategy/params.ts';
import type { BotConfig } from '../bot-config.ts';
import type { UsedPlugin } from '../config-parts.ts';
import { type ConfigProblem, suggestion } from '../config-problem.ts';
import type { ConfigLookups } from '../lookups.ts';
import { badValue, type LocatedTree, located } from '../yaml/located.ts';
import { valueAt } from '../yaml/tree-value.ts';
import { paramProblem } from './param-problem.ts';

/** Finds mistakes in the plugins of a config other than strategies. */
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
  const names = Object.keys(found.params);
  const of = { path: [...path, 'params'], noun };
  const wrong = resolved.kind === 'ok' ? [] : resolved.problems;
  return [
    ...wrong.map((problem) => paramProblem(where, problem, names, of)),
    ...secretProblems(where, used, found.secrets ?? {}),
  ];
}

/** Checks that every declared secret of a notifier is given unless it is optional, and no other. */
function secretProblems(
  where: LocatedTree,
  { kind, use, secrets, path }: UsedPlugin,
  declarations: SecretDeclarations,
): ConfigProblem[] {
  if (kind !== 'notifier') return [];
  const declared = Object.keys(declarations);
  const unknown = secrets.filter((name) => !declared.includes(name));
  const absent = declared.filter((name) => typeof declarations[name] === 'string' && !secrets.includes(name));
  return [
    ...unknown.map((name) => {
      const nearest = nearestName(name, declared);
      const what = `"${printable(name)}" is not a secret of this notifier, ${suggestion(nearest, declared)}`;
      const wanted = `a secret of the notifier (${declared.join(', ')})`;
      const at = [...path, 'secrets', name];
      return located(where, { code: 'bad-param', path: at, at: 'key', value: name, wanted, nearest, what });
    }),
    ...absent.map((name) => {
      const wanted = `the variable that holds it, such as "\${SLUICE_${variableName(`${use.split('/').at(-1)}-${name}`)}}"`;
      const what = `The notifier's secret "${printable(name)}" is missing, want ${wanted}`;
      return located(where, { code: 'missing', path: [...path, 'secrets'], at: 'key', wanted, what });
    }),
  ];
}

function variableName(text: string): string {
  return text.replace(/\W|(?=[A-Z])/g, '_').toUpperCase();
}

/** Warns of secrets whose variables are not set: a bot with one of them does not start. */
export function secretWarnings(
  where: LocatedTree,
  { notify }: Pick<BotConfig, 'notify'>,
  isSet: (variable: string) => boolean,
): readonly ConfigProblem[] {
  return notify.flatMap(({ use, secrets }, at) =>
    Object.entries(secrets).flatMap(([name, variable]) => {
      if (isSet(variable)) return [];
      const message = `${variable}, the secret "${printable(name)}" of notifier "${printable(use)}", is not set in the environment or .env: the bot does not start without it`;
      const path = ['notify', at, 'secrets', name];
      const facts = {
        code: 'missing',
        path,
        at: 'value',
        wanted: 'it set in the environment or .env',
        what: '',
      } as const;
      return [{ ...located(where, facts), message }];
    }),
  );
}

/** Warns of events that a config selects for a notifier without a hook for them, which it never receives. */
export function eventWarnings(
  where: LocatedTree,
  { notify }: Pick<BotConfig, 'notify'>,
  { plugins }: Pick<ConfigLookups, 'plugins'>,
): readonly ConfigProblem[] {
  return notify.flatMap(({ use, events }, at) => {
    const found = plugins?.('notifier', use);
    const path = ['notify', at, 'events'];
    const isWritten = valueAt(where.tree.value, path) !== undefined;
    if (!isWritten || found?.kind !== 'ok' || found.hooks === undefined) return [];
    const { hooks } = found;
    return events.flatMap((event) => {
      const wanted = NOTIFIER_EVENTS[event].map((kind) => NOTICE_HOOKS[kind]);
      if (wanted.some((hook) => hooks.includes(hook))) return [];
      const message = `Notifier "${printable(use)}" has no ${wanted.join(' or ')}, so it never receives "${event}"`;
      const facts = {
        code: 'bad-param',
        path,
        at: 'value',
        wanted: 'events that it has a hook for',
        what: '',
      } as const;
      return [{ ...located(where, facts), message }];
    });
  });
}

const OWN_RULES: ReadonlySet<string> = new Set([...RULES.map(({ name }) => name), 'call-budget']);

/**
 * Checks that risk rules have different names, because denials are identified by them. A notifier may be used more
 * than once, for several chats.
 */
function nameProblems(
  where: LocatedTree,
  { kind, use, path }: UsedPlugin,
  before: readonly UsedPlugin[],
): ConfigProblem[] {
  const at = [...path, 'use'];
  if (kind === 'notifier') return [];
  if (before.some((other) => other.kind === kind && other.use === use))
    return [badValue(where, at, use, `each ${PLUGIN_KINDS[kind].noun} once`, { code: 'conflict' })];
  if (kind !== 'risk-rule' || !OWN_RULES.has(use)) return [];
  return [badValue(where, at, use, 'a name that no rule of Sluice has', { code: 'conflict' })];
}
