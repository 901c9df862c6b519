import { join } from 'node:path';
import type { BotState } from '../../events/bot-state.ts';
import { createFold } from '../../events/fold.ts';
import { JournalError } from '../../journal/journal-error.ts';
import { readSqliteJournal } from '../../journal/read-sqlite.ts';
import { type Millis, millis } from '../../model/time.ts';
import type { KnownStrategy } from '../../reports/status.ts';
import { killMarkPath, markedKill } from './kill-mark.ts';

/** State of a bot from its journal, used when the bot does not run. */
export interface JournaledState {
  readonly state: BotState;
  /** Strategies that requested orders or failed; empty in a bot with one. */
  readonly strategies: readonly KnownStrategy[];
  /** Market time of the newest record. */
  readonly at: Millis;
  /** Reason of a marked kill that the journal may not contain; undefined if there is none. */
  readonly killMark: string | undefined;
}

/** Folds the journal in a bot's folder. Throws JournalError if there is none. */
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
      // A new start ends all quarantines.
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

/** Reads the mark without writing, as the disk may be read-only. Without a mark file there is no kill. */
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

/**
 * Returns the strategies of orders from archived records; the start that archived them queries these orders again.
 */
function carriedNames({ live, done }: BotState): readonly string[] {
  return [...live.values(), ...done.values()].flatMap(({ strategy }) =>
    strategy === undefined ? [] : [strategy],
  );
}
