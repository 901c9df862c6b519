import { basename, extname, join } from 'node:path';
import type { RunPage } from '../../reports/run-page.ts';
import { type MonteCarloPlan, type ResampledRun, simulateRuns } from '../../research/monte-carlo.ts';
import { type MonteCarloReport, monteCarloJson, monteCarloPage } from '../../research/monte-carlo-report.ts';
import { BOOTSTRAPS, type Bootstrap, defaultBlockLength } from '../../research/resampling.ts';
import { ResearchError } from '../../research/research-error.ts';
import { WORK_DIR } from '../storage/open-store.ts';
import { type ResultFiles, writeResult } from './sweep-folder.ts';

export interface MonteCarloOptions {
  /** Default `stationary`: days in blocks of random length. */
  readonly bootstrap?: Bootstrap;
  /** Default 10,000. */
  readonly runs?: number;
  readonly seed?: number;
  /** Days per block; by default the square root of the number of days. */
  readonly block?: number;
  /** Share of the initial equity whose loss counts as ruin; 0.5 by default. */
  readonly ruin?: number;
}

/** Callbacks of a simulation, and its interruption. */
export interface MonteCarloHooks {
  readonly onProgress?: (progress: { readonly done: number; readonly total: number }) => void;
  /** Ends the simulation; the report then covers the finished runs. */
  readonly interrupted?: AbortSignal;
}

/** Report of the simulated runs, and its files as paths from the project. */
export interface MonteCarloEnd {
  readonly report: MonteCarloReport;
  readonly files: ResultFiles;
}

const RUNS = 10_000;
const RUNS_MAX = 1_000_000;
const SEED = 1;
const RUIN = 0.5;
/** Minimum days and trades to resample. */
const DAYS_MIN = 30;
const TRADES_MIN = 10;

/**
 * Simulates alternative outcomes of a finished run. Throws ResearchError if the run is too short or an option is
 * invalid.
 */
export async function runMonteCarlo(
  page: RunPage,
  project: string,
  options: MonteCarloOptions = {},
  { onProgress, interrupted }: MonteCarloHooks = {},
): Promise<MonteCarloEnd> {
  const run = resampledRun(page);
  const plan = planOf(run, options);
  const simulated = await simulateRuns(run, plan, async (done) => {
    onProgress?.({ done, total: plan.runs });
    // Let signals and the terminal be handled.
    await new Promise((resolve) => setImmediate(resolve));
    return interrupted?.aborted !== true;
  });
  const { report } = page;
  const ended: MonteCarloReport = {
    run: report.config,
    strategy: report.strategy,
    currency: report.currency,
    from: report.from.slice(0, 10),
    to: report.to.slice(0, 10),
    ...simulated,
  };
  const name = `${basename(report.config, extname(report.config))}-${plan.bootstrap}`;
  const folder = join(project, WORK_DIR, 'monte-carlo', name);
  const files = writeResult(folder, project, { json: [monteCarloJson(ended)], page: monteCarloPage(ended) });
  return { report: ended, files };
}

function planOf(run: ResampledRun, options: MonteCarloOptions): MonteCarloPlan {
  const { bootstrap = 'stationary', runs = RUNS, seed = SEED, ruin = RUIN } = options;
  const days = run.returns.length;
  const { block = defaultBlockLength(days) } = options;
  const no = (found: string): never => {
    throw new ResearchError(`Cannot simulate: ${found}`);
  };
  if (!BOOTSTRAPS.includes(bootstrap))
    no(`there is no bootstrap "${bootstrap}", want ${BOOTSTRAPS.join(', ')}`);
  if (!Number.isInteger(runs) || runs < 1 || runs > RUNS_MAX)
    no(`found ${runs} runs, want a whole number from 1 to ${RUNS_MAX}`);
  if (!(ruin > 0 && ruin <= 1)) no(`found ${ruin} as the share that is ruin, want above 0 up to 1`);
  if (bootstrap === 'trades' && run.trades.length < TRADES_MIN)
    no(
      `the run closed ${run.trades.length} trades, want at least ${TRADES_MIN}; use "--bootstrap stationary"`,
    );
  if (days < DAYS_MIN) no(`the run has ${days} days, want at least ${DAYS_MIN}`);
  if (!Number.isInteger(block) || block < 1 || block > days)
    no(`found blocks of ${block} days, want a whole number from 1 to the ${days} days of the run`);
  return { bootstrap, runs, seed, block, ruin };
}

/**
 * Returns the days and trades of a run, and the market's returns while it held a position. Throws ResearchError if
 * equity is not always above 0.
 */
export function resampledRun({ report, dailyHold = [] }: RunPage): ResampledRun {
  const { initialEquity } = report.figures;
  const days = report.equity.flatMap(([at, value]) =>
    typeof at === 'string' && typeof value === 'number' ? [{ at: Date.parse(at), value }] : [],
  );
  // Earlier versions saved only the last days of a long run; equity then begins with the first of them.
  const values = [...(report.omitted.equity > 0 ? [] : [initialEquity]), ...days.map(({ value }) => value)];
  const returns = Float64Array.from(values.slice(1), (value, at) => value / (values[at] as number) - 1);
  if (days.some(({ value }) => !(value > 0)) || !(initialEquity > 0))
    throw new ResearchError('Cannot simulate: the equity of the run is not always above 0');
  const closed = report.trades.toSorted((one, other) => (one.closedAt < other.closedAt ? -1 : 1));
  const own = closed.filter(({ currency }) => currency === report.currency);
  const hold =
    report.omitted.trades === 0 &&
    dailyHold.length === days.length &&
    dailyHold.every((value) => value !== null && value > 0)
      ? Float64Array.from(dailyHold, Number)
      : new Float64Array();
  return {
    initialEquity: values[0] ?? initialEquity,
    returns,
    hold,
    // Without the day's exchange rate, a profit in another currency is no share of this equity.
    trades:
      own.length === closed.length && report.omitted.trades === 0
        ? Float64Array.from(
            closed,
            ({ profit, openedAt }) => Number(profit) / equityAt(days, Date.parse(openedAt), initialEquity),
          )
        : new Float64Array(),
    held: closed.flatMap(({ openedAt, closedAt, direction }) => {
      const from = lastDayAt(days, Date.parse(openedAt));
      const to = lastDayAt(days, Date.parse(closedAt));
      return from >= 0 && to > from ? [{ from, to, side: direction === 'long' ? 1 : -1 } as const] : [];
    }),
  };
}

type Day = { readonly at: number; readonly value: number };

function equityAt(days: readonly Day[], at: number, initial: number): number {
  return days[daysUntil(days, (day) => day.at < at) - 1]?.value ?? initial;
}

/** Returns the index of the last day whose close is not after an instant; -1 if there is none. */
function lastDayAt(days: readonly Day[], at: number): number {
  return daysUntil(days, (day) => day.at <= at) - 1;
}

/** Counts the leading days for which the condition holds; days are ascending. */
function daysUntil(days: readonly Day[], holds: (day: Day) => boolean): number {
  let [low, high] = [0, days.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(days[middle] as Day)) low = middle + 1;
    else high = middle;
  }
  return low;
}
