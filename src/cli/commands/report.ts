import { basename, join } from 'node:path';
import type { BenchmarkSeries } from '../../reports/benchmark.ts';
import type { RunPage } from '../../reports/run-page.ts';
import type { CommandRegistration } from '../command-context.ts';

interface ReportOptions {
  readonly out?: string;
  readonly json?: boolean;
  readonly benchmark?: string;
  readonly benchmarkDir: string;
}

/** `sluice report RUN`: one self-contained HTML file. */
export const reportCommand: CommandRegistration = (program, context) => {
  const { terminal, project } = context;
  program
    .command('report')
    .description('write the report of a run as one HTML file that works offline')
    .argument(
      '<run>',
      'a strategy YAML, which is backtested now, or the folder of a saved run, or of a bot that runs or was killed',
    )
    .option('--out <file>', 'where it goes; default .sluice/reports/NAME.html')
    .option(
      '--benchmark <symbol or file>',
      'what the run is held against, with alpha and beta: a symbol with daily bars, or a CSV file with a header date,equity',
    )
    .option('--benchmark-dir <folder>', 'folder of the bars of that symbol', 'backtest-data')
    .option('--json', 'print the path and the size as JSON')
    .action(async (named: string, options: ReportOptions) => {
      const { namedPage } = await import('../sandbox/sandboxed.ts');
      const { WORK_DIR } = await import('../../app/storage/open-store.ts');
      const { runHtml, unfinishedText } = await import('../../reports/page/run-html.ts');
      // Read before the backtest, so that a wrong name ends the command at once.
      const series = await benchmarkSeries(options, project);
      const page = (await unfinishedPage(named, project)) ?? (await namedPage(named, context));
      if (page === undefined) return;
      const savedRun = isConfig(named)
        ? (await import('../../app/storage/run-page.ts')).saveBacktest(page, named, project)
        : undefined;
      const benchmark = series && (await import('../../reports/benchmark.ts')).benchmarkOf(page, series);
      const html = runHtml(page, benchmark);
      // The folder of a bot is named after its venue, "127.0.0.1-7070-paper": only a file's extension is removed.
      const name = basename(named.replace(/\/run\.json$/, '')).replace(/\.(json|ya?ml)$/, '');
      const { writeOutputFile } = await import('../files/write-file.ts');
      const path = options.out ?? join(WORK_DIR, 'reports', `${name}.html`);
      const shownPath = writeOutputFile(html, { project, path, what: 'the report' });
      const bytes = Buffer.byteLength(html);
      const { unfinished } = page;
      terminal.out(
        options.json === true
          ? `${JSON.stringify({ path: shownPath, bytes, ...(unfinished === undefined ? {} : { unfinished }) })}\n`
          : `${shownPath} (${Math.ceil(bytes / 1024)} KiB): open it in a browser\n${unfinished === undefined ? '' : `${unfinishedText(unfinished)}\n`}${savedRun === undefined ? '' : `The run is kept in ${savedRun}, for "sluice compare" and the dashboard\n`}`,
      );
    });
};

async function benchmarkSeries(
  { benchmark, benchmarkDir: dir }: ReportOptions,
  project: string,
): Promise<BenchmarkSeries | undefined> {
  if (benchmark === undefined) return undefined;
  const { readBenchmark } = await import('../../app/load/read-benchmark.ts');
  return readBenchmark(benchmark, { project, dir });
}

/** The page of a bot that runs or was killed. */
async function unfinishedPage(named: string, project: string): Promise<RunPage | undefined> {
  return isConfig(named)
    ? undefined
    : (await import('../../app/storage/journal-page.ts')).journalPage(named, project);
}

/** True for a config, which is backtested now; false for a run that is kept already. */
function isConfig(named: string): boolean {
  return /\.ya?ml$/i.test(named);
}
