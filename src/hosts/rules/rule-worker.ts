import type { Millis } from '../../model/time.ts';
import type { Isolation } from '../../plugins/isolation.ts';
import type { Clock } from '../../ports/clock.ts';
import type { RuleHost } from '../../ports/rule-host.ts';
import { fromCallback } from '../../ports/task.ts';
import type { RuleAnswer, RuleQuestion } from '../../risk/custom-rules.ts';
import type { ParamDeclarations, ParamValues } from '../../strategy/params.ts';
import type { PluginOutput } from '../plugin-runner.ts';
import { packPlain } from '../strategy/request-codec.ts';
import { fieldsOf, lineOf } from '../workers/read-fields.ts';
import { type RpcProtocol, startRpcWorker, WorkerStartError } from '../workers/rpc-worker.ts';
import { WORKER_LIMITS, type WorkerLimits } from '../workers/worker-limits.ts';

export interface RuleFile {
  readonly name: string;
  /** Absolute path. */
  readonly file: string;
  readonly params: ParamValues<ParamDeclarations>;
}

/** Start data of the worker of rules. */
export interface RuleSetup {
  readonly rules: readonly RuleFile[];
  readonly startsAt: number;
  readonly seed: number;
  readonly heldBytesMax: number;
}

/** A failure of a rule. Rules are not called again after it, and opening orders are denied. */
type RuleFailure = Extract<RuleAnswer, { kind: 'failed' }>;

/** Reads an answer from the worker of rules; undefined if it is malformed. */
export function readRuleAnswer(value: unknown): RuleAnswer | undefined {
  const { kind, rule: name, reason, message } = fieldsOf(value);
  const rule = lineOf(name);
  switch (kind) {
    case 'pass':
      return { kind };
    case 'deny':
      return { kind, rule, reason: lineOf(reason) };
    case 'failed':
      return { kind, rule, message: lineOf(message) };
    default:
      return undefined;
  }
}

export interface RuleWorkerOptions {
  readonly rules: readonly RuleFile[];
  /** Machine time, for deadlines. */
  readonly clock: Clock;
  /** Market time that the rules' `Date` shows until the first request. */
  readonly startsAt: Millis;
  readonly seed: number;
  readonly limits?: Partial<WorkerLimits>;
  /** Absent: in a separate process. */
  readonly isolation?: Isolation | undefined;
  /** Called once when a rule fails; opening orders are denied from then on. */
  readonly onFailure?: (message: string) => void;
  readonly onOutput?: (output: PluginOutput) => void;
}

export interface RuleWorker extends RuleHost {
  close(): Promise<void>;
}

/**
 * Runs the risk rules of a bot in a worker, where a loop or leak blocks neither the gate nor a kill. Each request has
 * a time limit; the first fault ends the worker and denies all further opening orders. Rejects with WorkerStartError
 * if a rule does not load. The caller closes it.
 */
export async function createRuleWorker(options: RuleWorkerOptions): Promise<RuleWorker> {
  const { clock, onOutput, onFailure, isolation } = options;
  const limits: WorkerLimits = { ...WORKER_LIMITS, ...options.limits };
  const started = await startRpcWorker(protocolFor(options, limits), { clock, limits, onOutput, isolation });
  const { it, names } = wordsFor(options.rules);
  if (started.kind === 'fault')
    throw new WorkerStartError(`Cannot start the ${names}: ${it} ${started.what}`, started.stack);
  const { thread } = started;
  thread.onFailure(({ message }) => onFailure?.(message));
  return {
    evaluate: (question) => fromCallback((answer) => thread.request(question, answer)),
    close: () => thread.close(),
  };
}

function protocolFor(
  { rules, startsAt, seed }: RuleWorkerOptions,
  { heldBytesMax, answerMsMax }: WorkerLimits,
): RpcProtocol<undefined, RuleQuestion, RuleAnswer, RuleFailure> {
  const setup: RuleSetup = { rules, startsAt, seed, heldBytesMax };
  const { whose } = wordsFor(rules);
  return {
    program: 'rule-entry',
    setup,
    readReady: () => ({ kind: 'ok', ready: undefined }),
    readAnswer: readRuleAnswer,
    request: (question) => ({
      message: packPlain(question),
      msMax: answerMsMax,
      timeoutMessage: `gave no answer within ${answerMsMax} ms`,
    }),
    isFailure: (answer) => answer.kind === 'failed',
    failure: (what) => ({
      kind: 'failed',
      rule: rules[0]?.name ?? '',
      message: `${whose} ${lineOf(what)}`,
    }),
  };
}

function wordsFor(rules: readonly RuleFile[]) {
  const quoted = rules.map(({ name }) => `"${name}"`).join(', ');
  return rules.length === 1
    ? { names: `risk rule ${quoted}`, it: 'it', whose: `Risk rule ${quoted}` }
    : { names: `risk rules ${quoted}`, it: 'one of them', whose: `One of the risk rules ${quoted}` };
}
