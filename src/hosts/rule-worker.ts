import type { Millis } from '../model/time.ts';
import type { Isolation } from '../plugins/isolation.ts';
import type { Clock } from '../ports/clock.ts';
import type { RuleHost } from '../ports/rule-host.ts';
import type { RuleAnswer, RuleQuestion } from '../risk/own-rules.ts';
import { startThread, type ThreadTalk } from './asked-thread.ts';
import type { PluginOutput } from './plugin-runner.ts';
import { packPlain } from './question-codec.ts';
import { type RuleFailure, readRuleWord } from './rule-messages.ts';
import type { RuleFile, RuleThreadSetup } from './rule-setup.ts';
import { WORKER_LIMITS, type WorkerLimits } from './worker-limits.ts';
import { WorkerStartError } from './worker-start-error.ts';

/** Files of risk rules, and what their host needs of the world. */
export interface RuleWorkerOptions {
  readonly rules: readonly RuleFile[];
  /** Machine time, for deadlines. */
  readonly clock: Clock;
  /** Market time that the rules' `Date` shows until the first question. */
  readonly startsAt: Millis;
  readonly seed: number;
  readonly limits?: Partial<WorkerLimits>;
  /** Where they run; in a process of their own when absent. */
  readonly isolation?: Isolation | undefined;
  /** Hears once that a rule failed, and that nothing opens from then on. */
  readonly onFailure?: (message: string) => void;
  /** Hears what the rules write to their console. */
  readonly onOutput?: (output: PluginOutput) => void;
}

/** Rules in a thread of their own, and its end. */
export interface RuleWorker extends RuleHost {
  close(): Promise<void>;
}

/**
 * Runs the risk rules of one bot in a worker thread, where a rule that loops or leaks holds up neither the gate nor a kill:
 * each question has a deadline, and at the first fault the thread is ended and every further answer is that failure, so
 * that nothing opens. Rejects with WorkerStartError when a rule does not load. Whoever creates it closes it.
 */
export async function createRuleWorker(options: RuleWorkerOptions): Promise<RuleWorker> {
  const { clock, onOutput, onFailure, isolation } = options;
  const limits: WorkerLimits = { ...WORKER_LIMITS, ...options.limits };
  const started = await startThread(talkWith(options, limits), { clock, limits, onOutput, isolation });
  const { it, names } = wordsFor(options.rules);
  if (started.kind === 'fault')
    throw new WorkerStartError(`Cannot start the ${names}: ${it} ${started.what}`, started.stack);
  const { thread } = started;
  thread.failed$.subscribe(({ message }) => onFailure?.(message));
  return { ask: (question) => thread.ask(question), close: () => thread.close() };
}

function talkWith(
  { rules, startsAt, seed }: RuleWorkerOptions,
  { heldBytesMax, answerMsMax }: WorkerLimits,
): ThreadTalk<undefined, RuleQuestion, RuleAnswer, RuleFailure> {
  const setup: RuleThreadSetup = { rules, startsAt, seed, heldBytesMax };
  const { whose } = wordsFor(rules);
  return {
    ...{ program: 'rule-entry', setup, read: readRuleWord },
    carry: (question) => ({
      message: { question: packPlain(question) },
      msMax: answerMsMax,
      late: `gave no answer within ${answerMsMax} ms`,
    }),
    fits: () => true,
    isFailure: (answer) => answer.kind === 'failed',
    failure: (what) => ({ kind: 'failed', rule: rules[0]?.name ?? '', message: `${whose} ${what}` }),
    afterwards: (failure) => failure,
  };
}

/** How the rules of a bot are spoken of when one is at fault and nobody knows which. */
function wordsFor(rules: readonly RuleFile[]) {
  const quoted = rules.map(({ name }) => `"${name}"`).join(', ');
  return rules.length === 1
    ? { names: `risk rule ${quoted}`, it: 'it', whose: `Risk rule ${quoted}` }
    : { names: `risk rules ${quoted}`, it: 'one of them', whose: `One of the risk rules ${quoted}` };
}
