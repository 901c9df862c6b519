import { basename, extname, join } from 'node:path';
import type { CommandRegistration } from '../command-context.ts';

interface TearsheetOptions {
  readonly out?: string;
  readonly json?: boolean;
}

/** `sluice tearsheet FILE`: figures and charts of any equity series. */
export const tearsheetCommand: CommandRegistration = (program, context) => {
  const { terminal, project } = context;
  program
    .command('tearsheet')
    .description('write figures and charts of any equity series as one HTML file that works offline')
    .argument(
      '<file>',
      'a CSV with a header date,equity or date,equity,benchmark and one line a day, oldest first; or time,equity and any number of lines, as "sluice backtest --equity" writes it',
    )
    .option('--out <file>', 'where the page goes; default .sluice/reports/NAME-tearsheet.html')
    .option('--json', 'print the figures as JSON and write no page')
    .action(async (file: string, { out, json }: TearsheetOptions) => {
      const { equitySeriesIn } = await import('../../market-data/equity-series.ts');
      const { dayEnd, tearsheetJson, tearsheetOf } = await import('../../reports/tearsheet.ts');
      const read = equitySeriesIn(file);
      const series = { time: read.days.map(dayEnd), ...read };
      const sheet = tearsheetOf(series);
      if (json === true) {
        terminal.out(`${JSON.stringify(tearsheetJson(sheet))}\n`);
        return;
      }
      const { tearsheetHtml } = await import('../../reports/page/tearsheet-html.ts');
      const { writeOutputFile } = await import('../files/write-file.ts');
      const { WORK_DIR } = await import('../../app/storage/open-store.ts');
      const name = basename(file, extname(file));
      const html = tearsheetHtml(name, series, sheet);
      const path = out ?? join(WORK_DIR, 'reports', `${name}-tearsheet.html`);
      const shownPath = writeOutputFile(html, { project, path, what: 'the tearsheet' });
      terminal.out(`${shownPath} (${Math.ceil(Buffer.byteLength(html) / 1024)} KiB): open it in a browser\n`);
    });
};
