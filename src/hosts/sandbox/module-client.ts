import { readSync, writeSync } from 'node:fs';
import { frameOf, type ModuleAnswer, type ModuleRequest } from './module-messages.ts';

/** The pipe for module requests of a sandboxed process. */
export const MODULE_PIPE = 4;

/** Requests modules from the parent process and waits, because this process may not read files. */
export interface ModuleClient {
  resolve(specifier: string, parent: string, conditions: readonly string[]): string;
  load(url: string): { readonly format: string; readonly source: string };
}

const HEAD_BYTES = 4;

/** Access of one thread to the shared pipe: the lock holds its index (from 1), or 0 if it is free. */
interface PipeLock {
  readonly lock: Int32Array;
  readonly place: number;
}

/** Captured early, because an author's code may replace them. */
const { compareExchange, store, wait, notify } = Atomics;

/** Creates a client. Its functions throw Error with the reason of a refusal. */
export function createModuleClient(lock?: PipeLock): ModuleClient {
  function callHost(request: ModuleRequest): ModuleAnswer {
    const frame = frameOf(JSON.stringify(request));
    const end = lock === undefined ? undefined : acquireLock(lock);
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

/** Waits for the lock; the returned function releases it. */
function acquireLock({ lock, place }: PipeLock): () => void {
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

/** Writes all bytes to a descriptor, and waits until they are written. */
export function writeAll(descriptor: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += retried(() => writeSync(descriptor, bytes, at));
}

/** Retries while a non-blocking pipe is not ready; Node may have opened it in that mode. */
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
