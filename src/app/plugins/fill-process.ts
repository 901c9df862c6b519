import { once } from 'node:events';
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';
import type { FillAnswer, FillHooks, FillSetup } from '../../hosts/plugins/fill-messages.ts';
import { sandboxEnvironment } from '../../hosts/sandbox/compile-cache.ts';
import { WORKER_LIMITS } from '../../hosts/workers/worker-limits.ts';
import { type FillHook, fillFigure } from '../../plugins/guarded-fills.ts';
import { FillModelError, type FillQuestion, type OwnFills } from '../../simulation/own-fills.ts';

/** Start data of the thread that exchanges messages with the process. */
export interface FillThreadData {
  readonly setup: FillSetup;
  /** Counts the messages that it sent. */
  readonly answered: Int32Array<SharedArrayBuffer>;
}

/** The functions of a fill model in a sandbox, and the function that ends it. */
export interface FillProcess extends Pick<OwnFills, FillHook> {
  close(): Promise<void>;
}

type Started =
  | { readonly kind: 'ready'; readonly hooks: FillHooks }
  | { readonly kind: 'fault'; readonly what: string };

/** Ten times a model's limit for one answer, for a busy machine, and as much for the transport. */
const ANSWER_MS_MAX = 20 * WORKER_LIMITS.answerMsMax;

/**
 * Runs a fill model in a sandboxed process and calls it synchronously, as the simulation does: a thread of this
 * process transports the question while the caller sleeps. Throws FillModelError if it does not start; the caller
 * closes it.
 */
export async function openFillProcess(setup: Omit<FillSetup, 'heldBytesMax'>): Promise<FillProcess> {
  const { use } = setup;
  const answered = new Int32Array(new SharedArrayBuffer(4));
  const { port1: port, port2 } = new MessageChannel();
  const data: FillThreadData = { setup: { ...setup, heldBytesMax: WORKER_LIMITS.heldBytesMax }, answered };
  const thread = new Worker(ENTRY, {
    workerData: { ...data, port: port2 },
    transferList: [port2],
    env: sandboxEnvironment(),
    argv: [],
    execArgv: [],
  });
  const [started] = (await Promise.race([once(port, 'message'), failureOf(thread)])) as [Started];
  if (started.kind === 'fault') {
    await thread.terminate();
    throw new FillModelError(`Cannot start the fill model "${use}": it ${started.what}`);
  }
  port.unref();
  thread.unref();
  const callHook = (hook: FillHook) => {
    return (question: FillQuestion): number => {
      const before = Atomics.load(answered, 0);
      port.postMessage({ hook, question });
      Atomics.wait(answered, 0, before, ANSWER_MS_MAX);
      const answer: FillAnswer | undefined = receiveMessageOnPort(port)?.message;
      if (answer === undefined)
        throw new FillModelError(`Fill model "${use}" gave no answer in ${hook}: its process does not run`);
      if (answer.kind === 'failed') throw new FillModelError(answer.message);
      // Checked in the sandbox as well, but its output is not trusted.
      return fillFigure(use, hook, answer.figure);
    };
  };
  return {
    ...Object.fromEntries(started.hooks.map((hook) => [hook, callHook(hook)])),
    close: async () => {
      // Nothing else may keep the event loop alive until the sandbox has ended.
      port.ref();
      const closed = once(port, 'close');
      port.postMessage('close');
      await closed;
      await thread.terminate();
    },
  };
}

/** Never resolves: rejects when the thread ends by itself. */
async function failureOf(thread: Worker): Promise<never> {
  const [code] = await once(thread, 'exit');
  throw new Error(`The thread of a fill model ended with exit code ${code}`);
}

/** Source in the repository and JavaScript in the published package. */
const SOURCE = new URL('./fill-thread-entry.ts', import.meta.url);
const ENTRY = import.meta.url.endsWith('.ts') ? SOURCE : new URL(SOURCE.href.replace(/\.ts$/, '.js'));
