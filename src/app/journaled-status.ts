import { join } from 'node:path';
import { type BotState, createFold } from '../events/fold.ts';
import { readSqliteJournal } from '../journal/sqlite.ts';
import { type Millis, millis } from '../model/time.ts';
import { openKillMark } from './kill-mark.ts';

/** What a bot's journal says of it, when the bot itself does not run. */
export interface JournaledState {
  readonly state: BotState;
  /** Market time of the newest record. */
  readonly at: Millis;
  /** Why a kill holds that the journal may not know yet; undefined when none does. */
  readonly killMark: string | undefined;
}

/** Folds the journal in a bot's folder. Throws JournalError when there is none. */
export function journaledState(folder: string): JournaledState {
  const journal = readSqliteJournal(join(folder, 'journal.db'));
  const fold = createFold();
  let at = millis(0);
  try {
    for (const { event } of journal.records()) {
      fold.apply(event);
      at = event.at;
    }
  } finally {
    journal.close();
  }
  const mark = openKillMark(folder);
  const killMark = mark.read();
  mark.close();
  return { state: fold.state, at, killMark };
}
