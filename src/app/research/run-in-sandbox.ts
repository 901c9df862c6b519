import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { denyDescriptors, descriptorLimit } from '../../hosts/sandbox/descriptor-limit.ts';
import { PERMISSIONS_DROPPED, START } from '../../hosts/sandbox/host-link.ts';
import { MODULE_PIPE } from '../../hosts/sandbox/module-client.ts';
import type { StopReason } from '../../hosts/sandbox/module-messages.ts';
import { serveModules } from '../../hosts/sandbox/module-server.ts';
import { spawnSandbox } from '../../hosts/workers/plugin-process.ts';

/** Folder inside the project for files that runs produce. */
const WORK_DIR = '.sluice';

/** A program that runs in a sandboxed process with user code. */
export interface SandboxOptions {
  /** File of the program. */
  readonly program: string;
  readonly project: string;
  /** Job of the program, as plain data. */
  readonly job: { readonly callMsMax: number };
  /** Receives output; if it returns a promise, reading pauses until that is resolved. */
  readonly onText: (stream: 'stdout' | 'stderr', text: string) => Promise<unknown> | undefined;
  /** Receives data that the program sends in addition to its output. */
  readonly onResult: (result: Readonly<Record<string, unknown>>) => void;
  /** Called at once with a function that sends further messages; they arrive after the job, in order. */
  readonly onStart?: (send: (message: object) => void) => void;
  /** Ends the process. */
  readonly interrupted?: AbortSignal;
}

/** How a sandbox ended. */
export type SandboxEnd =
  | { readonly kind: 'ended'; readonly code: number }
  /** A call of user code exceeded a limit; `call` names it. */
  | { readonly kind: StopReason; readonly call: string }
  | { readonly kind: 'died'; readonly signal: string };

/** Runs a program in a sandbox until it ends. */
export function runInSandbox(options: SandboxOptions): Promise<SandboxEnd> {
  const { program, project, job, onText, onResult, interrupted } = options;
  const heap = process.execArgv.filter((flag) => flag.startsWith('--max-old-space-size'));
  const limit = descriptorLimit();
  const flags = [...heap, '--stack-size=3900'];
  const child = spawnSandbox({ file: program, flags, writes: join(project, WORK_DIR), limit });
  let stopped: { readonly kind: StopReason; readonly call: string } | undefined;
  serveModules(child.stdio[MODULE_PIPE] as Duplex, { files: [], project }, (kind, call) => {
    stopped = { kind, call };
  });
  for (const stream of ['stdout', 'stderr'] as const) {
    const from = child[stream]?.setEncoding('utf8');
    from?.on('data', (text: string) => {
      const written = onText(stream, text);
      if (written === undefined) return;
      from.pause();
      void written.then(() => from.resume());
    });
  }
  child.on('message', (message: Readonly<Record<string, unknown>>) => {
    if (message['kind'] !== PERMISSIONS_DROPPED) onResult(message);
    else void denyDescriptors(child.pid, limit).then(() => child.connected && child.send(START));
  });
  const end = (): void => void child.kill('SIGKILL');
  interrupted?.addEventListener('abort', end);
  child.send(job);
  options.onStart?.((message) => {
    // A process that has ended does not respond; its end is reported separately.
    if (child.connected) child.send(message, () => undefined);
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      interrupted?.removeEventListener('abort', end);
      if (stopped !== undefined) resolve(stopped);
      else if (code === null) resolve({ kind: 'died', signal: signal ?? 'a signal' });
      else resolve({ kind: 'ended', code });
    });
  });
}
