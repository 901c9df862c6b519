import { createHash, randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  fsync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  writeSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { KillMarkReader, MarkedKill } from '../../execution/gate/restrictions.ts';

/**
 * A small file that states whether a bot's account is killed. It is written in place into room that it has had since the bot's
 * first start, so that it can be written when the disk is full, and by any process, when the bot itself hangs.
 *
 * A kill is at the beginning of the file, and the resume that lifts it in the second half, where it names that kill. So a resume
 * never writes over a kill, and one that was marked in the meantime stays whatever the order of the writes.
 */
export interface KillMark extends KillMarkReader {
  /** The kill that holds; undefined when none does. Cheap: one read of one block that is in memory. Once closed, the last one read. */
  read(): MarkedKill | undefined;
  /** Returns at once; the disk has it a little later. */
  set(reason: string): void;
  close(): void;
}

const NAME = 'kill';
const ROOM = 4_096;
/** Offset in the file of the id of the kill that was lifted. */
const LIFTED_AT = 2_048;
const OWNER_ONLY = 0o600;
const REASON_MAX = 500;
/** What the file begins with while nothing is killed. */
const ARMED = 'armed';
const MARKED = 'killed: ';
const LIFTED = 'lifted: ';

/** Path of an account's kill mark; anything written to its beginning but "armed" is a kill. */
export function killMarkPath(folder: string): string {
  return join(folder, NAME);
}

/** The kill that holds by a kill file; undefined when there is none, else. Throws what the file system throws. */
export function markedKill(path: string): MarkedKill | undefined {
  return killIn(readFileSync(path));
}

/** Whether a kill holds by the mark in a bot's folder; false where it cannot be read. */
export function isKillMarked(folder: string): boolean {
  try {
    return markedKill(killMarkPath(folder)) !== undefined;
  } catch {
    return false;
  }
}

/** Marks a kill from a process other than the bot, without blocking it. Rejects with errors of the file system. */
export async function markKill(folder: string, reason: string): Promise<void> {
  const file = await open(killMarkPath(folder), constants.O_WRONLY | constants.O_CREAT, OWNER_ONLY);
  try {
    await file.write(markBlock(`${MARKED}${oneLine(reason)}\n${randomUUID()}`), 0, ROOM, 0);
    await file.truncate(ROOM);
    await file.sync();
  } finally {
    await file.close();
  }
}

function markBlock(text: string): Buffer {
  const block = Buffer.alloc(ROOM, ' ');
  block.write(`${text}\n`);
  return block;
}

/** Opens the mark in a bot's folder, or makes it. Throws what the file system throws. */
export function openKillMark(folder: string): KillMark {
  const file = openSync(killMarkPath(folder), constants.O_RDWR | constants.O_CREAT, OWNER_ONLY);
  const block = Buffer.alloc(ROOM);
  /** What a view that outlives the bot shows. */
  let known: MarkedKill | undefined;
  let isClosed = false;
  if (readSync(file, block, 0, 1, 0) === 0) write(ARMED);

  function readMark(): MarkedKill | undefined {
    return killIn(block.subarray(0, readSync(file, block, 0, ROOM, 0)));
  }

  function write(text: string): void {
    writeSync(file, markBlock(text), 0, ROOM, 0);
    ftruncateSync(file, ROOM);
    sync();
  }

  /** No caller waits: a kill is not behind a slow disk, and a mark that a power cut undoes finds its bot gone as well. */
  function sync(): void {
    fsync(file, () => undefined);
  }

  return {
    read: () => (isClosed ? known : readMark()),
    set: (reason) => write(`${MARKED}${oneLine(reason)}\n${randomUUID()}`),
    lift({ id }) {
      writeSync(file, Buffer.from(`${LIFTED}${id}\n`), 0, LIFTED.length + id.length + 1, LIFTED_AT);
      sync();
    },
    close: () => {
      known = readMark();
      isClosed = true;
      closeSync(file);
    },
  };
}

function killIn(block: Buffer): MarkedKill | undefined {
  // Read before every order, so the usual case costs a comparison.
  if (block.toString('latin1', 0, ARMED.length + 1) === `${ARMED}\n`) return undefined;
  const marked = textOf(block.subarray(0, LIFTED_AT));
  const line = firstLine(marked);
  if (line === ARMED) return undefined;
  const id = createHash('sha256').update(marked).digest('hex');
  if (firstLine(textOf(block.subarray(LIFTED_AT))) === `${LIFTED}${id}`) return undefined;
  return { id, reason: line === '' ? 'the kill file is empty' : line.replace(MARKED, '') };
}

function firstLine(text: string): string {
  return text.split('\n')[0]?.trim().slice(0, REASON_MAX) ?? '';
}

/** Up to the first byte that was never written. */
function textOf(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  return bytes.toString('utf8', 0, end < 0 ? bytes.length : end).trimEnd();
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').slice(0, REASON_MAX - 10);
}
