import { join } from 'node:path';
import type { BotState } from '../../events/bot-state.ts';
import { createFold } from '../../events/fold.ts';
import { JournalError } from '../../journal/journal-error.ts';
import { readSqliteJournal } from '../../journal/read-sqlite.ts';
import { type Millis, millis } from '../../model/time.ts';
import type { KnownStrategy } from '../../reports/status.ts';
import { killMarkPath, markedKill } from './kill-mark.ts';

/** A bot's state according to its journal, when the bot does not run. */
export interface JournaledState {
  readonly state: BotState;
  /** Several strategies, as far as they asked for orders or failed; empty in a bot with one. */
  readonly strategies: readonly KnownStrategy[];
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
  const failed = new Map<string, boolean>();
  try {
    for (const { event } of journal.records()) {
      fold.apply(event);
      at = event.at;
      if (event.kind === 'journal-carried')
        for (const name of carriedNames(fold.state)) failed.set(name, false);
      // A new start asks every strategy again.
      if (event.kind === 'run-started') for (const name of failed.keys()) failed.set(name, false);
      if (!('strategy' in event) || event.strategy === undefined) continue;
      if (event.kind === 'strategy-failed') failed.set(event.strategy, true);
      else if (event.kind === 'intent-drafted' && !failed.has(event.strategy))
        failed.set(event.strategy, false);
    }
  } finally {
    journal.close();
  }
  const killMark = markedReason(folder);
  const strategies = [...failed].map(([name, quarantined]) => ({ name, quarantined }));
  return { state: fold.state, strategies, at, killMark };
}

/** Reads the mark and writes nothing: the disk may be read-only. A bot that never had a mark has no kill. */
function markedReason(folder: string): string | undefined {
  const path = killMarkPath(folder);
  try {
    return markedKill(path)?.reason;
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined;
    throw new JournalError(
      'journal-open',
      `Cannot read whether the bot is killed: ${String(cause)}\n  at ${path}`,
      { cause },
    );
  }
}

/** Strategies whose orders come from archived records; the start that archived them queries all of these orders again. */
function carriedNames({ live, done }: BotState): readonly string[] {
  return [...live.values(), ...done.values()].flatMap(({ strategy }) =>
    strategy === undefined ? [] : [strategy],
  );
}
