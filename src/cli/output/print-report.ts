import type { RunRecord } from '../../events/run-record.ts';
import type { PriceHistory } from '../../reports/price-history.ts';
import type { Terminal } from './terminal.ts';

interface PrintedReport {
  readonly terminal: Terminal;
  readonly json: boolean;
  /** True adds to the summary what it leaves out. */
  readonly explained: boolean;
  /** The prices of the run, for buy and hold; called for people only. */
  readonly histories: () => readonly PriceHistory[];
}

/** Prints the report of a run: a summary for people, or one line of JSON for programs. */
export async function printReport(
  record: RunRecord,
  { terminal, json, explained, histories }: PrintedReport,
): Promise<void> {
  if (json) {
    const { reportJson } = await import('../../reports/json.ts');
    terminal.out(`${JSON.stringify(reportJson(record))}\n`);
    return;
  }
  const { terminalReport } = await import('../../reports/terminal.ts');
  const { holdFigures } = await import('../../reports/buy-and-hold.ts');
  const hold = holdFigures(record, histories());
  terminal.out(terminalReport(record, { colour: terminal.colour, hold, explained }));
}
