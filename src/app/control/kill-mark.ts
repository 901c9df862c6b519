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
 * A small file that states whether a bot's account is killed. It is overwritten in place in space allocated at the
 * bot's first start, so that any process can write it, even if the disk is full or the bot hangs.
 *
 * The first half contains the kill, and the second half the id of the kill that a resume lifted. A resume therefore
 * never overwrites a kill, and a kill marked at the same time remains in force whatever the order of the writes.
 */
export interface KillMark extends KillMarkReader {
  /**
   * Returns the kill in force; undefined if there is none. Cheap: one read of a cached block. Once closed, returns
   * the last value.
   */
  read(): MarkedKill | undefined;
  /** Marks a kill. Returns before it is on disk. */
  set(reason: string): void;
  close(): void;
}

const NAME = 'kill';
const FILE_BYTES = 4_096;
/** Offset of the id of the lifted kill. */
const LIFTED_OFFSET = 2_048;
const OWNER_ONLY = 0o600;
const REASON_MAX = 500;
/** Content of the file while there is no kill. */
const ARMED = 'armed';
const MARKED = 'killed: ';
const LIFTED = 'lifted: ';

/** Path of an account's kill mark; a file that begins with anything other than "armed" is a kill. */
export function killMarkPath(folder: string): string {
  return join(folder, NAME);
}

/** Returns the kill in force by a kill file; undefined if there is none. Throws errors of the file system. */
export function markedKill(path: string): MarkedKill | undefined {
  return parseKill(readFileSync(path));
}

/** Whether the mark in a bot's folder is a kill; false if it cannot be read. */
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
    await file.write(markBlock(`${MARKED}${oneLine(reason)}\n${randomUUID()}`), 0, FILE_BYTES, 0);
    await file.truncate(FILE_BYTES);
    await file.sync();
  } finally {
    await file.close();
  }
}

function markBlock(text: string): Buffer {
  const block = Buffer.alloc(FILE_BYTES, ' ');
  block.write(`${text}\n`);
  return block;
}

/** Opens or creates the mark in a bot's folder. Throws errors of the file system. */
export function openKillMark(folder: string): KillMark {
  const file = openSync(killMarkPath(folder), constants.O_RDWR | constants.O_CREAT, OWNER_ONLY);
  const block = Buffer.alloc(FILE_BYTES);
  /** The value returned after the file was closed. */
  let known: MarkedKill | undefined;
  let isClosed = false;
  if (readSync(file, block, 0, 1, 0) === 0) write(ARMED);

  function readMark(): MarkedKill | undefined {
    return parseKill(block.subarray(0, readSync(file, block, 0, FILE_BYTES, 0)));
  }

  function write(text: string): void {
    writeSync(file, markBlock(text), 0, FILE_BYTES, 0);
    ftruncateSync(file, FILE_BYTES);
    sync();
  }

  /**
   * Syncs without waiting: a kill must not be delayed by a slow disk, and a power failure that loses the mark ends
   * the bot, too.
   */
  function sync(): void {
    fsync(file, () => undefined);
  }

  return {
    read: () => (isClosed ? known : readMark()),
    set: (reason) => write(`${MARKED}${oneLine(reason)}\n${randomUUID()}`),
    lift({ id }) {
      writeSync(file, Buffer.from(`${LIFTED}${id}\n`), 0, LIFTED.length + id.length + 1, LIFTED_OFFSET);
      sync();
    },
    close: () => {
      known = readMark();
      isClosed = true;
      closeSync(file);
    },
  };
}

function parseKill(block: Buffer): MarkedKill | undefined {
  // Read before every order, so the usual case costs only a comparison.
  if (block.toString('latin1', 0, ARMED.length + 1) === `${ARMED}\n`) return undefined;
  const marked = textOf(block.subarray(0, LIFTED_OFFSET));
  const line = firstLine(marked);
  if (line === ARMED) return undefined;
  const id = createHash('sha256').update(marked).digest('hex');
  if (firstLine(textOf(block.subarray(LIFTED_OFFSET))) === `${LIFTED}${id}`) return undefined;
  return { id, reason: line === '' ? 'the kill file is empty' : line.replace(MARKED, '') };
}

function firstLine(text: string): string {
  return text.split('\n')[0]?.trim().slice(0, REASON_MAX) ?? '';
}

/** Decodes the text up to the first zero byte. */
function textOf(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  return bytes.toString('utf8', 0, end < 0 ? bytes.length : end).trimEnd();
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').slice(0, REASON_MAX - 10);
}
