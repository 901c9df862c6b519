import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { DataError } from './data-error.ts';

const FLUSH_CHARS = 256 * 1024;

/**
 * A text file written under a temporary name and renamed when complete, so that readers never see a partial file.
 * Gzipped output consists of several gzip members. Disk errors throw DataError (`not-written`).
 */
export class AtomicFile {
  readonly path: string;
  readonly #temporary: string;
  readonly #gzip: boolean;
  #descriptor: number | undefined;
  #pending = '';

  constructor(path: string, { gzip }: { readonly gzip: boolean }) {
    this.path = path;
    this.#gzip = gzip;
    this.#temporary = `${path}.${process.pid}.tmp`;
    this.#descriptor = this.#attempt(() => openSync(this.#temporary, 'w', 0o644));
  }

  write(text: string): void {
    this.#pending += text;
    if (this.#pending.length >= FLUSH_CHARS) this.#flush();
  }

  /** Syncs the file to disk, then renames it to its final name. */
  finish(): void {
    this.#flush();
    this.#attempt(() => {
      if (this.#descriptor !== undefined) fsyncSync(this.#descriptor);
      this.#close();
      renameSync(this.#temporary, this.path);
    });
  }

  /** Removes the temporary file; no effect on the final file after `finish`. */
  abort(): void {
    this.#close();
    rmSync(this.#temporary, { force: true });
  }

  /** Removes the temporary file and the final file. */
  discard(): void {
    this.abort();
    rmSync(this.path, { force: true });
  }

  #flush(): void {
    const text = this.#pending;
    this.#pending = '';
    const descriptor = this.#descriptor;
    if (text === '' || descriptor === undefined) return;
    const bytes = this.#gzip ? gzipSync(text) : Buffer.from(text);
    this.#attempt(() => {
      for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
    });
  }

  #close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  #attempt<T>(work: () => T): T {
    try {
      return work();
    } catch (cause) {
      throw notWritten(this.path, cause);
    }
  }
}

export function notWritten(file: string, cause: unknown): DataError {
  return new DataError({
    code: 'not-written',
    problem: `Cannot write the file: ${cause instanceof Error ? cause.message : String(cause)}`,
    advice: 'check the free disk space and the permissions of the folder; any previous file is unchanged',
    file,
    cause,
  });
}
