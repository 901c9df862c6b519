import { runBacktest } from '../backtest/run-backtest.ts';
import type { BotConfig, ParamRecord } from '../config/bot-config.ts';
import type { RunRecord } from '../events/run-record.ts';
import { type CalendarDay, parseDay } from '../model/time.ts';
import { type Performance, performanceOf } from '../reports/performance.ts';
import type { Strategy } from '../strategy/define-strategy.ts';
import { type ParamProblem, resolveParams } from '../strategy/params.ts';
import { loadRun } from './load-run.ts';

/** What a script may put in place of what the YAML says. */
export interface BacktestChanges {
  /** Folder of the project, in which strategies and data are looked for; the current folder when absent. */
  readonly project?: string;
  /** Parameters of the strategy, in place of those of the same name. */
  readonly params?: Readonly<Record<string, number | boolean | string>>;
  /** First and last day, `YYYY-MM-DD`. */
  readonly from?: string;
  readonly to?: string;
}

/** What came of a backtest: the figures that a report prints, and everything they were computed from. */
export interface BacktestResult {
  /** Returns, drawdown, trades, money by currency; a figure that means nothing here says why. */
  readonly performance: Performance;
  /** Every decision, fill and the equity after each close, with what the models assume. */
  readonly record: RunRecord;
  /** Parameters as they ran, defaults filled in. */
  readonly params: ParamRecord;
}

/**
 * Runs a strategy YAML over its past in virtual time, for scripts and notebooks: `await backtest('config/my-bot.yaml')`.
 * Nothing is printed and nothing is written but the cache of parsed bars. Throws ConfigError with every mistake in the YAML, DataError
 * when the data is not right, StrategyError when the strategy throws, and TypeError for changes that do not fit.
 */
export async function backtest(path: string, changes: BacktestChanges = {}): Promise<BacktestResult> {
  const { setup } = await loadRun(path, changes.project ?? process.cwd(), (config, strategy) =>
    changed(config, strategy, changes),
  );
  const record = runBacktest(setup);
  return { performance: performanceOf(record), record, params: setup.params };
}

function changed(config: BotConfig, strategy: Strategy, changes: BacktestChanges): BotConfig {
  const resolved = resolveParams(strategy.params, { ...config.params, ...changes.params });
  if (resolved.kind === 'problems') throw new TypeError(resolved.problems.map(problemText).join('; '));
  const from = dayOr(changes.from, config.data.from);
  const to = dayOr(changes.to, config.data.to);
  if (from > to)
    throw new TypeError(`Cannot backtest from "${from}" to "${to}", want a last day on or after the first`);
  return { ...config, params: resolved.values, data: { ...config.data, from, to } };
}

function problemText({ name, value, wanted }: ParamProblem): string {
  return `Cannot set parameter "${name}" to "${String(value)}", want ${wanted}`;
}

function dayOr(text: string | undefined, usual: CalendarDay): CalendarDay {
  if (text === undefined) return usual;
  const day = parseDay(text);
  if (day === undefined)
    throw new TypeError(`Cannot read "${text}" as a day, want one that exists, such as "2024-01-02"`);
  return day;
}
