import type { RunRecord } from '../../events/run-record.ts';
import type { Terminal } from './terminal.ts';

/** Prints the report of a run: a page for people, or one line of JSON for programs. */
export async function printReport(
  record: RunRecord,
  { terminal, json }: { readonly terminal: Terminal; readonly json: boolean },
): Promise<void> {
  if (json) {
    const { reportJson } = await import('../../reports/json.ts');
    terminal.out(`${JSON.stringify(reportJson(record))}\n`);
    return;
  }
  const { terminalReport } = await import('../../reports/terminal.ts');
  terminal.out(terminalReport(record, { colour: terminal.colour }));
}
