import { closeSync, existsSync, fsyncSync, lstatSync, openSync, rmSync, writeSync } from 'node:fs';
import type { SluiceEvent } from '../events/event.ts';
import { JournalError } from './journal-error.ts';

/** Space that is reserved for a full disk (F-K03), in bytes: more than a thousand records need. */
export const RESERVE_BYTES = 1_048_576;

/** Records that lead to a new order; without space none of them is written, so none is sent. */
const OPENING: ReadonlySet<SluiceEvent['kind']> = new Set([
  'intent-drafted',
  'intent-armed',
  'submit-sending',
]);

/** Space next to a journal that is released when the journal needs it. */
export interface Reserve {
  /** Releases the space for a record that may use it; false if none is left, or the record leads to a new order. */
  free(kind: SluiceEvent['kind']): boolean;
}

/**
 * Fills the space with bytes that no file system stores sparsely. Throws JournalError if the disk does not have it.
 */
export function reserveSpace(path: string): Reserve {
  const reserve = `${path}.reserve`;
  const found = lstatSync(reserve, { throwIfNoEntry: false });
  if (found === undefined) fill(reserve, path);
  else if (!found.isFile())
    throw new JournalError(
      'journal-open',
      `Cannot open journal "${path}": "${reserve}" is not a file of this program; remove it`,
    );
  return {
    free(kind) {
      if (OPENING.has(kind) || !existsSync(reserve)) return false;
      rmSync(reserve);
      return true;
    },
  };
}

function fill(reserve: string, path: string): void {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(reserve, 'wx', 0o600);
    const block = Buffer.alloc(RESERVE_BYTES);
    for (let index = 0; index < block.length; index += 1) block[index] = (index * 167) & 0xff;
    for (let written = 0; written < block.length; ) written += writeSync(descriptor, block, written);
    fsyncSync(descriptor);
  } catch (cause) {
    rmSync(reserve, { force: true });
    throw new JournalError(
      'journal-open',
      `Cannot open journal "${path}": no ${RESERVE_BYTES} bytes can be kept in reserve for cancels at "${reserve}" (${cause instanceof Error ? cause.message : String(cause)}); free some space, and check the rights of the folder`,
      { cause },
    );
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
