import type { CommandRegistration } from '../command-context.ts';
import { EXIT } from '../exit-codes.ts';
import { jsonLine } from '../output/json-line.ts';

interface WhyOptions {
  readonly journal?: string;
  readonly bot?: string;
  readonly json?: boolean;
}

/** `sluice why ORDER`: the causal chain from signal values to verdict to request to fills, from the journal. */
export const whyCommand: CommandRegistration = (program, { terminal, project, exit }) => {
  program
    .command('why')
    .description('show why an order was sent and what happened to it, from the journal')
    .argument('<order>', "the venue's order id, our intent id, or #n for the n-th")
    .option('--journal <path>', 'path of a journal.db (default: the newest run)')
    .option('--bot <name>', 'the journal of this bot, by its name or folder')
    .option('--json', 'print the chain as JSON')
    .action(async (orderName: string, options: WhyOptions) => {
      const { journalPath } = await import('../files/journal-files.ts');
      const { readSqliteJournal } = await import('../../journal/read-sqlite.ts');
      const { whyJson, whyOf, whyText } = await import('../../reports/why.ts');
      const opened = readSqliteJournal(journalPath(project, options.journal, options.bot));
      try {
        const why = whyOf(opened.records('if-there'), orderName);
        terminal.out(options.json === true ? jsonLine(whyJson(why)) : whyText(why, orderName));
        if (why.kind === 'unknown') exit(EXIT.failedCheck);
      } finally {
        opened.close();
      }
    });
};
