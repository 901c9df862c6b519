import type { WorkerTimes } from './workers/cpu-starvation.ts';

/** Text that a plugin wrote to its console. */
export interface PluginOutput {
  readonly stream: 'stdout' | 'stderr';
  readonly text: string;
}

export interface RunnerListener {
  readonly onMessage: (value: unknown) => void;
  readonly onOutput: (output: PluginOutput) => void;
  /** Called when it ends unexpectedly; `what` continues a sentence that starts with the plugin's name. */
  readonly onEnd: (what: string, stack: string) => void;
}

/** A process or thread that runs an author's code, isolated from the engine. */
export interface PluginRunner extends WorkerTimes {
  send(message: object | string): void;
  /** Delivers unread messages. */
  readReceived(): void | Promise<void>;
  /** Bytes in use now, garbage included, also while the plugin's code runs; undefined if unknown. */
  bytesInUse(): Promise<number | undefined>;
  /** Ends it, even during a call. Resolves when it has ended; nothing is delivered after the call. */
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

export function entryFile(program: RunnerProgram): URL {
  const { href } = PROGRAMS[program];
  return new URL(import.meta.url.endsWith('.ts') ? href : href.replace(/\.ts$/, '.js'));
}

/** Loads the modules of "@sluice-trading/sluice" that strategies import, while files are still readable. */
export async function loadLibraryEntry(): Promise<void> {
  const name = import.meta.url.endsWith('.ts') ? 'index.ts' : 'index.js';
  await import(new URL(name, new URL('..', import.meta.url)).href);
}
