import type { RunRecord } from '../../events/run-record.ts';
import type { PriceHistory } from '../../reports/price-history.ts';
import type { Terminal } from './terminal.ts';

interface PrintedReport {
  readonly terminal: Terminal;
  readonly json: boolean;
  /** True adds what the summary leaves out. */
  readonly explained: boolean;
  /** Returns the prices of the run for buy and hold; not called for JSON. */
  readonly histories: () => readonly PriceHistory[];
}

/** Prints the report of a run: a summary, or one line of JSON. */
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
