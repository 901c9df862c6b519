import { fileURLToPath } from 'node:url';
import type { ParamRecord } from '../../config/bot-config.ts';
import type { SharedChanged, ThreadEnd, ThreadsJob } from '../../hosts/sandbox/sandbox-threads.ts';
import { printable } from '../../model/printable.ts';
import type { CalendarDay } from '../../model/time.ts';
import { ResearchError } from '../../research/research-error.ts';
import type { TrialOutcome } from '../../research/trial.ts';
import { withProjectPaths } from '../storage/inside-project.ts';
import { runInSandbox, type SandboxEnd } from './run-in-sandbox.ts';

/** Job of a process that runs trials. */
export interface TrialJob {
  readonly path: string;
  readonly project: string;
  readonly changes: { readonly from?: CalendarDay; readonly to?: CalendarDay };
  readonly callMsMax: number;
  readonly keepDays: boolean;
  /** Name or path of an objective plugin. */
  readonly objective?: string | undefined;
  /** Whether the config may name only files of its project, because it came from another machine. */
  readonly isConfined?: boolean;
}

export interface TrialRequest {
  readonly trial: number;
  readonly params: ParamRecord;
}

/** A message to a thread with trials, in the order in which they run. */
export interface TrialRequests {
  readonly requests: readonly TrialRequest[];
}

type TrialMessage =
  | { readonly kind: 'ready'; readonly data: string }
  | {
      readonly kind: 'trial';
      readonly thread: number;
      readonly trial: number;
      readonly outcome: TrialOutcome;
    }
  | { readonly kind: 'fault'; readonly name: string; readonly message: string }
  | SharedChanged
  | ThreadEnd;

export interface TrialProcessHooks {
  /** The config and its data are loaded; `data` is the hash of the data. */
  readonly onReady: (data: string) => void;
  readonly onOutcome: (trial: number, outcome: TrialOutcome, thread: number) => void;
  /** The config or its data could not be loaded, or the process sent an outcome of a trial that it was not given. */
  readonly onFault: (error: Error) => void;
  readonly interrupted: AbortSignal;
}

/** How a process ended, and its trials without an outcome. */
export interface TrialProcessEnd {
  readonly reason: string;
  readonly isReady: boolean;
  /**
   * Trials that threads were computing, and those whose thread ran out of memory. Earlier trials and other threads
   * used memory as well, so the trial is not necessarily the cause.
   */
  readonly running: readonly number[];
  /** True if the only thread ended in its first trial: no other trial had used memory. */
  readonly isFirst: boolean;
  /** Trials that waited behind others. */
  readonly waiting: readonly number[];
}

/** A sandboxed process whose threads run trials one after another, all on the same bars in memory. */
export interface TrialProcess {
  /** For each thread the trials without an outcome; the first one is being computed. */
  readonly inFlight: readonly ReadonlySet<number>[];
  /**
   * True when it accepts no more trials: `finish` was called, or a thread ended early. It ends when no trial runs.
   */
  isEnding(): boolean;
  /** Sends a thread trials in one message; before the process is ready, they are held back until it is. */
  run(thread: number, requests: readonly TrialRequest[]): void;
  /** Ends the process once its trials are done. */
  finish(): void;
  readonly ended: Promise<TrialProcessEnd>;
}

/** User code wrote into the bars that all trials of a process share. */
export class ChangedBarsError extends ResearchError {
  constructor() {
    super(
      'Cannot use the outcomes of this process: a strategy or another plugin changed the bars in memory that its trials share, so later trials traded on other prices. Take out of its code what replaces built-in functions (such as "subarray" or "Map.prototype.set") or writes into columns, then run the sweep again',
    );
  }
}

/** Starts a process whose threads load the job's config and data, and then run the trials sent to them. */
export function startTrialProcess(job: TrialJob, threads: number, hooks: TrialProcessHooks): TrialProcess {
  const inFlight = Array.from({ length: threads }, () => new Set<number>());
  /** Trials that waited in a thread that ended. */
  const returned: number[] = [];
  /** Trials whose thread ran out of memory. */
  const starved: number[] = [];
  let outcomes = 0;
  /** Trials held back until user code may run: until then the process expects other messages. */
  const held: (TrialRequests & { readonly thread: number })[] = [];
  let isReady = false;
  let isEnding = false;
  let stopped: string | undefined;
  let send: (message: object) => void = () => undefined;
  const endIfIdle = (): void => {
    if (isReady && isEnding && inFlight.every(({ size }) => size === 0)) send({ kind: 'end' });
  };
  const handleMessage = (message: TrialMessage): void => {
    switch (message.kind) {
      case 'ready':
        isReady = true;
        hooks.onReady(message.data);
        for (const each of held.splice(0)) send(each);
        endIfIdle();
        return;
      case 'trial':
        if (inFlight[message.thread]?.delete(message.trial) !== true) {
          hooks.onFault(
            new ResearchError(
              `Cannot use the outcomes of this process: thread ${message.thread} sent one of trial ${message.trial}, which it was not given`,
            ),
          );
          return;
        }
        outcomes += 1;
        hooks.onOutcome(message.trial, placedIn(job.project, message.outcome), message.thread);
        endIfIdle();
        return;
      case 'fault':
        hooks.onFault(Object.assign(new Error(message.message), { name: message.name }));
        return;
      case 'shared-changed':
        hooks.onFault(new ChangedBarsError());
        return;
      case 'thread-ended': {
        isEnding = true;
        stopped ??= reasonOf(message.end, job.callMsMax);
        if (!isReady) {
          send({ kind: 'end' });
          return;
        }
        const [failed, ...others] = inFlight[message.thread] ?? [];
        inFlight[message.thread]?.clear();
        returned.push(...others);
        if (failed !== undefined && message.end.kind === 'memory') starved.push(failed);
        else if (failed !== undefined)
          hooks.onOutcome(
            failed,
            placedIn(job.project, { kind: 'failed', message: reasonOf(message.end, job.callMsMax) }),
            message.thread,
          );
        endIfIdle();
      }
    }
  };
  const threadsJob: TrialJob & ThreadsJob = { ...job, threads, threadProgram: THREAD_PROGRAM };
  const end = runInSandbox({
    program: PROGRAM,
    project: job.project,
    job: threadsJob,
    interrupted: hooks.interrupted,
    // Output of a strategy is dropped in a sweep; a backtest with the same parameters shows it.
    onText: () => undefined,
    onResult: (result) => handleMessage(result as unknown as TrialMessage),
    onStart: (way) => {
      send = way;
    },
  });
  return {
    inFlight,
    isEnding: () => isEnding,
    run: (thread, requests) => {
      for (const { trial } of requests) inFlight[thread]?.add(trial);
      if (isReady) send({ thread, requests });
      else held.push({ thread, requests });
    },
    finish: () => {
      isEnding = true;
      endIfIdle();
    },
    ended: end.then((how) => ({
      reason: withAdvice(stopped ?? reasonOf(how, job.callMsMax), isReady),
      isReady,
      running: [...starved, ...inFlight.flatMap((trials) => [...trials].slice(0, 1))],
      isFirst: threads === 1 && outcomes === 0,
      waiting: [...returned, ...inFlight.flatMap((trials) => [...trials].slice(1))],
    })),
  };
}

/**
 * Replaces paths in an outcome by paths from the project, so that a result does not depend on the project's location.
 */
function placedIn(project: string, outcome: TrialOutcome): TrialOutcome {
  return outcome.kind === 'done'
    ? outcome
    : { ...outcome, message: withProjectPaths(outcome.message, project) };
}

const OUT_OF_MEMORY = 'the process of the trial ran out of memory';

/**
 * Adds advice if memory ran out before the first trial: then the code and data of the sweep are too large, not a
 * trial.
 */
function withAdvice(reason: string, isReady: boolean): string {
  if (isReady || reason !== OUT_OF_MEMORY) return reason;
  return `${reason} before its first trial; allow it more with "node --max-old-space-size=<MB>" in front of the command, or sweep over less data`;
}

function reasonOf(end: SandboxEnd | ThreadEnd['end'], callMsMax: number): string {
  switch (end.kind) {
    case 'late':
      return `${printable(end.call)} did not return within ${callMsMax / 1_000} s`;
    case 'flood':
      return `${printable(end.call)} wrote too much to its console`;
    case 'memory':
      return OUT_OF_MEMORY;
    case 'died':
      return end.signal === 'SIGABRT' ? OUT_OF_MEMORY : `the process of the trial was ended by ${end.signal}`;
    case 'ended':
      if ('thrown' in end) return `the thread of the trial failed: ${end.thrown}`;
      return `the strategy ended its process, exit code ${end.code}`;
  }
}

/** True when run from source; the published package contains JavaScript. */
const isSource = import.meta.url.endsWith('.ts');
const pathOf = ({ href }: URL): string => fileURLToPath(isSource ? href : href.replace(/\.ts$/, '.js'));
const PROGRAM = pathOf(new URL('./sweep-entry.ts', import.meta.url));
const THREAD_PROGRAM = pathOf(new URL('./trial-thread-entry.ts', import.meta.url));
