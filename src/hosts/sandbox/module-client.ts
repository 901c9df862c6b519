import { readSync, writeSync } from 'node:fs';
import { frameOf, type ModuleAnswer, type ModuleRequest } from './module-messages.ts';

/** The pipe on which a sandboxed process asks for modules. */
export const MODULE_PIPE = 4;

/** Asks the process that started this one for modules, and waits: this one may read no file. */
export interface ModuleClient {
  resolve(specifier: string, parent: string, conditions: readonly string[]): string;
  load(url: string): { readonly format: string; readonly source: string };
}

const HEAD_BYTES = 4;

/** The turn of one of several threads on the pipe: the cell holds its place from 1 on, or 0 while no thread is asking. */
export interface PipeTurn {
  readonly lock: Int32Array;
  readonly place: number;
}

/** An author's code may replace them later. */
const { compareExchange, store, wait, notify } = Atomics;

/** Throws Error for what is refused, with the reason. */
export function createModuleClient(turn?: PipeTurn): ModuleClient {
  function callHost(request: ModuleRequest): ModuleAnswer {
    const frame = frameOf(JSON.stringify(request));
    const end = turn === undefined ? undefined : beginTurn(turn);
    writeAll(MODULE_PIPE, frame);
    const answer = read(read(HEAD_BYTES).readUInt32LE());
    end?.();
    return JSON.parse(answer.toString('utf8'));
  }
  return {
    resolve(specifier, parent, conditions) {
      const answer = callHost({ op: 'resolve', specifier, parent, conditions });
      if (answer.kind === 'resolved') return answer.url;
      throw new Error(answer.kind === 'refused' ? answer.message : `Cannot resolve "${specifier}"`);
    },
    load(url) {
      const answer = callHost({ op: 'load', url });
      if (answer.kind === 'loaded') return answer;
      throw new Error(answer.kind === 'refused' ? answer.message : `Cannot load "${url}"`);
    },
  };
}

/** Waits until no other thread is asking; the function that it returns lets the next one ask. */
function beginTurn({ lock, place }: PipeTurn): () => void {
  for (;;) {
    const holder = compareExchange(lock, 0, 0, place);
    if (holder === 0) break;
    wait(lock, 0, holder);
  }
  return () => {
    store(lock, 0, 0);
    notify(lock, 0, 1);
  };
}

function read(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at < length; ) {
    const count = retried(() => readSync(MODULE_PIPE, bytes, at, length - at, null));
    if (count === 0) throw new Error('The process that this one belongs to is gone');
    at += count;
  }
  return bytes;
}

const WAITED = new Int32Array(new SharedArrayBuffer(4));

/** Writes all bytes to a descriptor, and waits until they are taken. */
export function writeAll(descriptor: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += retried(() => writeSync(descriptor, bytes, at));
}

/** A pipe that Node opened may be one that does not wait. */
function retried(work: () => number): number {
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
      Atomics.wait(WAITED, 0, 0, 1);
    }
  }
}
