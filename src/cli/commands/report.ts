import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, extname, join, relative, resolve } from 'node:path';
import type { CommandRegistration } from '../program.ts';

interface ReportOptions {
  readonly out?: string;
  readonly json?: boolean;
}

/** `sluice report RUN`: one HTML file that opens anywhere. */
export const reportCommand: CommandRegistration = (program, { terminal, project }) => {
  program
    .command('report')
    .description('write the report of a run as one HTML file that needs no network')
    .argument('<run>', 'a strategy YAML, which is backtested now, or the folder of a saved run')
    .option('--out <file>', 'where it goes; default .sluice/reports/NAME.html')
    .option('--json', 'print the path and the size as JSON')
    .action(async (named: string, options: ReportOptions) => {
      const { namedRun } = await import('../../app/run-page.ts');
      const { WORK_DIR } = await import('../../app/store-of.ts');
      const { runHtml } = await import('../../reports/page/run-html.ts');
      const html = runHtml(await namedRun(named, project));
      const name = basename(named.replace(/\/run\.json$/, ''), extname(named));
      const path = resolve(project, options.out ?? join(WORK_DIR, 'reports', `${name}.html`));
      try {
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, html);
      } catch (cause) {
        const { EnvironmentError } = await import('../../app/environment-error.ts');
        throw new EnvironmentError(notWritten(relative(project, path), cause), { cause });
      }
      const shown = relative(project, path);
      const bytes = Buffer.byteLength(html);
      terminal.out(
        options.json === true
          ? `${JSON.stringify({ path: shown, bytes })}\n`
          : `${shown} (${Math.ceil(bytes / 1024)} KiB): open it in a browser\n`,
      );
    });
};

function notWritten(path: string, cause: unknown): string {
  const why = cause instanceof Error ? cause.message : String(cause);
  return `Cannot write the report to "${path}": ${why}; want a file in a folder that may be written, with space on its disk`;
}
