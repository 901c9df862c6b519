import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createFold } from '../../events/fold.ts';
import { JournalError } from '../../journal/journal-error.ts';
import { readSqliteJournal } from '../../journal/read-sqlite.ts';
import type { GateState } from '../../model/gate.ts';
import { killMarkPath, markedKill } from '../control/kill-mark.ts';
import { WORK_DIR } from '../storage/open-store.ts';
import { type Diagnosis, fault, type Installation, note } from './diagnosis.ts';

/** The state of a bot of this project that trades an account. */
export interface StoppedBot {
  /** Folder of the account, relative to the project. */
  readonly folder: string;
  readonly gate: GateState;
  readonly reason: string;
}

/** Checks that journals of this project are complete, and whether their bots are stopped. */
export function checkJournals({ project }: Installation): readonly Diagnosis[] {
  return ['accounts', 'runs'].flatMap((kind) =>
    foldersOf(project, kind).flatMap((folder) => checkJournal(project, folder, kind === 'accounts')),
  );
}

/** Bots of this project whose gate is restricted. Journals that cannot be read are left out. */
export function stoppedBots(project: string): readonly StoppedBot[] {
  return foldersOf(project, 'accounts').flatMap((folder) => {
    try {
      const standing = gateOf(join(project, folder), folder);
      return standing.gate === 'active' ? [] : [standing];
    } catch (error) {
      if (error instanceof JournalError) return [];
      throw error;
    }
  });
}

function checkJournal(project: string, folder: string, trades: boolean): readonly Diagnosis[] {
  try {
    const { gate, reason } = gateOf(join(project, folder), folder);
    if (gate === 'active' || !trades) return [];
    const message = `The bot in ${folder} is ${gate}${reason === '' ? '' : `: ${reason}`}`;
    const fix = 'find out why ("sluice journal"), then "sluice resume --reason ..."';
    const severity = gate === 'reduce-only' ? note : fault;
    return [severity('journal', `bot-${gate}`, message, fix)];
  } catch (error) {
    if (!(error instanceof JournalError)) throw error;
    const fix = 'keep the file; nothing after the damaged record can be trusted';
    return [
      fault('journal', error.code, (error.message.split('\n')[0] ?? '').replaceAll(`${project}/`, ''), fix),
    ];
  }
}

function gateOf(account: string, folder: string): StoppedBot {
  const file = join(account, 'journal.db');
  const mark = killIn(account);
  if (mark !== undefined) return { folder, gate: 'killed', reason: mark };
  return existsSync(file) ? gateIn(file, folder) : { folder, gate: 'active', reason: '' };
}

/** The newest state of the gate. Throws JournalError for a damaged journal. */
function gateIn(file: string, folder: string): StoppedBot {
  const journal = readSqliteJournal(file);
  try {
    const fold = createFold();
    for (const { event } of journal.records()) fold.apply(event);
    const { state: gate, reason } = fold.state.gate.standing;
    return { folder, gate, reason };
  } finally {
    journal.close();
  }
}

/** The reason in the kill file of an account's folder; undefined without a kill. */
function killIn(account: string): string | undefined {
  const path = killMarkPath(account);
  return existsSync(path) ? markedKill(path)?.reason : undefined;
}

function foldersOf(project: string, kind: string): readonly string[] {
  const parent = join(project, WORK_DIR, kind);
  if (!existsSync(parent)) return [];
  return readdirSync(parent)
    .toSorted()
    .map((name) => `${WORK_DIR}/${kind}/${name}`);
}
