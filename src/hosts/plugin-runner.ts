import type { WorkerTimes } from './workers/cpu-starvation.ts';

/** Text that a plugin wrote to its console. */
export interface PluginOutput {
  readonly stream: 'stdout' | 'stderr';
  readonly text: string;
}

/** Callbacks for the events of a plugin's thread or process. */
export interface RunnerListener {
  readonly onMessage: (value: unknown) => void;
  readonly onOutput: (output: PluginOutput) => void;
  /** It ended by itself; `what` completes a sentence that begins with the name of the plugin. */
  readonly onDeath: (what: string, stack: string) => void;
}

/** Where an author's code runs, away from the engine: a process, or a thread of this one. */
export interface PluginRunner extends WorkerTimes {
  send(message: object | string): void;
  /** Hands on what has come and was not read yet, because this thread was busy with other things. */
  readWhatCame(): void | Promise<void>;
  /** Bytes in use right now, garbage included, also while the plugin's code runs; undefined where that cannot be known. */
  bytesInUse(): Promise<number | undefined>;
  /** Ends it, whatever it does; it delivers nothing more. Resolves when it is gone. */
  end(): Promise<void>;
}

export type RunnerProgram = keyof typeof PROGRAMS;

/** Programs that run an author's code: source in the repository and JavaScript in the published package. */
const PROGRAMS = {
  'worker-entry': new URL('./worker-entry.ts', import.meta.url),
  'inspect-entry': new URL('./inspect-entry.ts', import.meta.url),
  'rule-entry': new URL('./rule-entry.ts', import.meta.url),
  'fill-entry': new URL('./fill-entry.ts', import.meta.url),
  'notifier-entry': new URL('./notifier-entry.ts', import.meta.url),
};

/** The file of a program. */
export function entryFile(program: RunnerProgram): URL {
  const { href } = PROGRAMS[program];
  return new URL(import.meta.url.endsWith('.ts') ? href : href.replace(/\.ts$/, '.js'));
}

/** Loads what strategies import as "@sluice-trading/sluice", while files may still be read. */
export async function loadLibraryEntry(): Promise<void> {
  const name = import.meta.url.endsWith('.ts') ? 'index.ts' : 'index.js';
  await import(new URL(name, new URL('..', import.meta.url)).href);
}
