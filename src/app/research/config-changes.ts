import type { BotConfig } from '../../config/bot-config.ts';
import { dataOf } from '../../config/data-of.ts';
import type { DeclaredStrategy } from '../../config/plugins/plugin-loader.ts';
import { type CalendarDay, parseDay } from '../../model/time.ts';
import { type ParamProblem, resolveParams } from '../../strategy/params.ts';

/** Overrides of a YAML's settings: flags of a command, or arguments of a script. */
export interface ConfigChanges {
  /** Parameters that replace those of the strategy; for one of several strategies: `trend.fast`. */
  readonly params?: Readonly<Record<string, number | boolean | string>>;
  /** First and last day, `YYYY-MM-DD`. */
  readonly from?: string;
  readonly to?: string;
}

/** An override that does not fit the config. */
export class ConfigChangeError extends TypeError {
  override readonly name = 'ConfigChangeError';
}

/** Strategies that the config declares: one, or each of several. */
export interface DeclaredIn {
  readonly strategy: DeclaredStrategy;
  readonly members?: readonly { readonly name: string; readonly strategy: DeclaredStrategy }[];
}

/** Returns the config with the overrides, checked like the YAML itself. Throws ConfigChangeError. */
export function changedConfig(config: BotConfig, declared: DeclaredIn, changes: ConfigChanges): BotConfig {
  const changed = withChangedParams(config, declared, changes.params ?? {});
  // A bot on an account has no `data`, which only a change of dates needs.
  if (changes.from === undefined && changes.to === undefined) return changed;
  const data = dataOf(config);
  const from = dayOr(changes.from, data.from);
  const to = dayOr(changes.to, data.to);
  if (from > to) {
    throw new ConfigChangeError(
      `Cannot run from "${from}" to "${to}", want a last day on or after the first`,
    );
  }
  return { ...changed, data: { ...data, from, to } };
}

type Given = NonNullable<ConfigChanges['params']>;

function withChangedParams(
  config: BotConfig,
  { strategy, members = [] }: DeclaredIn,
  given: Given,
): BotConfig {
  if (config.members.length === 0)
    return { ...config, params: resolved(strategy, { ...config.params, ...given }) };
  const byMember = Map.groupBy(Object.entries(given), ([name]) => ownerIn(config, name));
  const changed = config.members.map((member, at) => {
    const declared = members[at]?.strategy ?? strategy;
    const own = (byMember.get(member.name) ?? []).map(([name, value]) => [
      name.slice(member.name.length + 1),
      value,
    ]);
    const params = { ...member.params, ...Object.fromEntries(own) };
    return { ...member, params: resolved(declared, params, `${member.name}.`) };
  });
  return { ...config, params: changed[0]?.params ?? config.params, members: changed };
}

function ownerIn({ members }: BotConfig, name: string): string {
  const [owner = '', param] = name.split('.');
  if (param !== undefined && members.some((member) => member.name === owner)) return owner;
  const wanted = members.map((member) => `"${member.name}.${param ?? owner}"`).join(' or ');
  const found = param === undefined ? 'it does not name the strategy' : `no strategy is named "${owner}"`;
  throw new ConfigChangeError(`Cannot set parameter "${name}": ${found}, want ${wanted}`);
}

function resolved({ params: declared }: DeclaredStrategy, params: Given, of = ''): BotConfig['params'] {
  const found = resolveParams(declared, params);
  if (found.kind !== 'problems') return found.values;
  const texts = found.problems.map((each) => problemText({ ...each, name: `${of}${each.name}` }));
  throw new ConfigChangeError(texts.join('; '));
}

function problemText({ name, value, wanted }: ParamProblem): string {
  return `Cannot set parameter "${name}" to "${String(value)}", want ${wanted}`;
}

function dayOr(text: string | undefined, usual: CalendarDay): CalendarDay {
  if (text === undefined) return usual;
  const day = parseDay(text);
  if (day !== undefined) return day;
  throw new ConfigChangeError(`Cannot read "${text}" as a day, want one that exists, such as "2024-01-02"`);
}
