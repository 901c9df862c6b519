import { plural } from '../../model/plural.ts';
import type { CommandRegistration } from '../command-context.ts';

interface JournalFlags {
  readonly bot?: string;
}

const BOT = 'the journal of this bot, by its name or folder';

/** `sluice journal show|verify`: the records of a run, and their integrity. */
export const journalCommand: CommandRegistration = (program, { terminal, project }) => {
  const journal = program
    .command('journal')
    .description('read the journal of a run (the newest one unless named)');
  journal
    .command('show')
    .description('print every record, oldest first')
    .argument('[journal]', 'path of a journal.db')
    .option('--bot <name>', BOT)
    .option('--json', 'print one event of JSON a line')
    .action(async (givenPath: string | undefined, options: JournalFlags & { readonly json?: boolean }) => {
      const { journalPath } = await import('../files/journal-files.ts');
      const { readSqliteJournal } = await import('../../journal/read-sqlite.ts');
      const { encodeEvent } = await import('../../events/codec.ts');
      const { eventText } = await import('../../reports/event-text.ts');
      const { stampText } = await import('../../reports/format.ts');
      const opened = readSqliteJournal(journalPath(project, givenPath, options.bot));
      try {
        for (const { seq, event } of opened.records('if-there')) {
          const intent = 'intentId' in event ? `${event.intentId} ` : '';
          const line =
            options.json === true
              ? encodeEvent(event)
              : `${seq} ${stampText(event.at)} ${intent}${eventText(event)}`;
          terminal.out(`${line}\n`);
        }
      } finally {
        opened.close();
      }
    });
  journal
    .command('verify')
    .description(
      'check the chain over all records, those in earlier files too; exit 7 and the number of the first that does not fit',
    )
    .argument('[journal]', 'path of a journal.db')
    .option('--bot <name>', BOT)
    .action(async (givenPath: string | undefined, options: JournalFlags) => {
      const { journalPath } = await import('../files/journal-files.ts');
      const { readSqliteJournal } = await import('../../journal/read-sqlite.ts');
      const path = journalPath(project, givenPath, options.bot);
      const opened = readSqliteJournal(path);
      try {
        let records = 0;
        for (const _record of opened.records('all')) records += 1;
        terminal.out(`${path}: whole, ${plural(records, 'record')}\n`);
      } finally {
        opened.close();
      }
    });
};
