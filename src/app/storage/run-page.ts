import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { ReplaySetup } from '../../backtest/setup.ts';
import type { RunRecord } from '../../events/run-record.ts';
import { barClose } from '../../markets/bar-span.ts';
import { lowerBound } from '../../model/bar.ts';
import { barsBetween } from '../../model/bar-columns.ts';
import { marketOf } from '../../model/symbol.ts';
import { type Millis, millis } from '../../model/time.ts';
import type { PriceHistory } from '../../reports/price-history.ts';
import { PAGE_SCHEMA, type RunPage, type RunSource, runPage } from '../../reports/run-page.ts';
import type { AnyRun, LoadedRun } from '../load/load-run.ts';
import { priceHistories, testedHistories } from '../load/price-histories.ts';
import type { StrategySeries } from '../load/strategy-series.ts';
import { makeBacktestFolder } from './run-folder.ts';
import { pageFrom, type ReportedPage, RUN_FILE, sourceFiles, sourceOf } from './run-source.ts';

/** Data of a finished run's report: its figures, lines, prices, and source. */
export function pageOf(loaded: PagedRun, record: RunRecord): RunPage {
  const { indicatorsOf, missing } = loaded.series;
  const histories = priceHistories({ ...loaded, setup: endedAt(loaded.setup, record.to) }).map((history) => {
    const indicators = indicatorsOf(history.columns);
    return indicators.length === 0 ? history : { ...history, indicators };
  });
  return runPage(record, histories, sourceOf(sourceFiles(loaded)), missing);
}

/** The setup with the bars that had closed by a time: a bot may be stopped before the end of its data. */
function endedAt<Setup extends Pick<ReplaySetup, 'history'>>(setup: Setup, end: Millis): Setup {
  const history = setup.history.map((bars) => {
    const opened = lowerBound(bars, end);
    const market = marketOf(bars.symbol);
    const closes =
      opened === 0 ? end : barClose(market, bars.period, millis(bars.time[opened - 1] as number));
    return barsBetween(bars, 0, closes > end ? opened - 1 : opened);
  });
  return { ...setup, history };
}

/** A run for a page, with the number of warm-up bars and the series of its strategy. */
export interface PagedRun extends AnyRun {
  readonly warmup: number;
  readonly series: Pick<StrategySeries, 'indicatorsOf' | 'missing'>;
}

/** Writes a page and creates its folders; only the owner may read the file. */
export function saveRunPage(path: string, page: RunPage): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, `${JSON.stringify(page)}\n`, { mode: 0o600 });
}

/**
 * Keeps a backtest as a run of the project: its figures and lines, without a journal. Returns its folder for display.
 */
export function saveBacktest(page: RunPage, config: string, project: string): string {
  const { path, shown } = makeBacktestFolder(project, config, Date.now());
  saveRunPage(join(path, RUN_FILE), page);
  return shown;
}

/** A saved run that cannot be read: the file, the problem, and how to create a valid one. */
export class RunFileError extends Error {
  readonly code = 'run-file';

  constructor(path: string, found: string, options?: ErrorOptions) {
    super(
      `Cannot read the run "${path}": ${found}; "sluice run" and "sluice backtest" save one, and a strategy YAML is run on the spot`,
      options,
    );
    this.name = 'RunFileError';
  }
}

/** Data of a backtest's report without its source, with its price histories if they are known already. */
export function reportedPage(
  loaded: LoadedRun,
  record: RunRecord,
  histories: readonly PriceHistory[] = testedHistories(loaded),
): ReportedPage {
  const { source: _, ...page } = runPage(record, histories, NO_SOURCE);
  return { page, files: sourceFiles(loaded) };
}

const NO_SOURCE: RunSource = { yaml: '', yamlSha256: '', strategySha256: '', sluice: '', node: '' };

/**
 * Returns the run that a user names: a strategy YAML is backtested now by `tested`; a run's folder or its `run.json`
 * is read. Throws RunFileError for anything else, and errors of the backtest.
 */
export async function namedRun(
  named: string,
  project: string,
  tested: (path: string) => Promise<ReportedPage>,
): Promise<RunPage> {
  return /\.ya?ml$/i.test(named) ? pageFrom(await tested(named)) : readRunPage(named, project);
}

function readRunPage(named: string, project: string): RunPage {
  const path = resolve(project, named);
  if (!existsSync(path)) throw new RunFileError(named, 'there is no such file or folder');
  try {
    const file = statSync(path).isDirectory() ? join(path, RUN_FILE) : path;
    if (!existsSync(file)) {
      const isBot = existsSync(join(path, 'journal.db'));
      throw new RunFileError(
        named,
        `there is no "${RUN_FILE}" in that folder${isBot ? ', as its bot still runs or did not end in good order ("sluice report" and "sluice ui" show it from its journal)' : ''}`,
      );
    }
    const content: RunPage = JSON.parse(readFileSync(file, 'utf8'));
    if (content?.schema === PAGE_SCHEMA) return content;
  } catch (cause) {
    if (cause instanceof RunFileError) throw cause;
    throw new RunFileError(named, cause instanceof Error ? cause.message : String(cause), { cause });
  }
  throw new RunFileError(named, `it does not say "${PAGE_SCHEMA}"`);
}
