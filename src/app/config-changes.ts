import type { BotConfig } from '../config/bot-config.ts';
import { dataOf } from '../config/data-of.ts';
import type { DeclaredStrategy } from '../config/plugin-loader.ts';
import { type CalendarDay, parseDay } from '../model/time.ts';
import { type ParamProblem, resolveParams } from '../strategy/params.ts';

/** What stands in place of what a YAML says: flags of a command, arguments of a script. */
export interface ConfigChanges {
  /** Parameters of the strategy, in place of those of the same name. */
  readonly params?: Readonly<Record<string, number | boolean | string>>;
  /** First and last day, `YYYY-MM-DD`. */
  readonly from?: string;
  readonly to?: string;
}

/** A change that a config does not take. */
export class ConfigChangeError extends TypeError {
  override readonly name = 'ConfigChangeError';
}

/** The config with the changes in it, checked like the YAML itself. Throws ConfigChangeError. */
export function changedConfig(
  config: BotConfig,
  strategy: DeclaredStrategy,
  changes: ConfigChanges,
): BotConfig {
  const resolved = resolveParams(strategy.params, { ...config.params, ...changes.params });
  if (resolved.kind === 'problems')
    throw new ConfigChangeError(resolved.problems.map(problemText).join('; '));
  const data = dataOf(config);
  const from = dayOr(changes.from, data.from);
  const to = dayOr(changes.to, data.to);
  if (from > to) {
    throw new ConfigChangeError(
      `Cannot run from "${from}" to "${to}", want a last day on or after the first`,
    );
  }
  return { ...config, params: resolved.values, data: { ...data, from, to } };
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
