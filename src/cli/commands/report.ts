import { basename, extname, join } from 'node:path';
import type { CommandRegistration } from '../command-context.ts';

interface ReportOptions {
  readonly out?: string;
  readonly json?: boolean;
}

/** `sluice report RUN`: one HTML file that opens anywhere. */
export const reportCommand: CommandRegistration = (program, context) => {
  const { terminal, project } = context;
  program
    .command('report')
    .description('write the report of a run as one HTML file that needs no network')
    .argument('<run>', 'a strategy YAML, which is backtested now, or the folder of a saved run')
    .option('--out <file>', 'where it goes; default .sluice/reports/NAME.html')
    .option('--json', 'print the path and the size as JSON')
    .action(async (named: string, options: ReportOptions) => {
      const { namedPage } = await import('../sandbox/sandboxed.ts');
      const { WORK_DIR } = await import('../../app/storage/open-store.ts');
      const { runHtml } = await import('../../reports/page/run-html.ts');
      const page = await namedPage(named, context);
      if (page === undefined) return;
      const html = runHtml(page);
      const name = basename(named.replace(/\/run\.json$/, ''), extname(named));
      const { writeMade } = await import('../files/write-file.ts');
      const path = options.out ?? join(WORK_DIR, 'reports', `${name}.html`);
      const shown = writeMade(html, { project, path, what: 'the report' });
      const bytes = Buffer.byteLength(html);
      terminal.out(
        options.json === true
          ? `${JSON.stringify({ path: shown, bytes })}\n`
          : `${shown} (${Math.ceil(bytes / 1024)} KiB): open it in a browser\n`,
      );
    });
};
