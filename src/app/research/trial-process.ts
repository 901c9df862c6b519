import { fileURLToPath } from 'node:url';
import type { ParamRecord } from '../../config/bot-config.ts';
import { printable } from '../../model/printable.ts';
import type { CalendarDay } from '../../model/time.ts';
import type { TrialOutcome } from '../../research/trial.ts';
import { withProjectPaths } from '../storage/inside-project.ts';
import { runInSandbox, type SandboxEnd } from './run-in-sandbox.ts';

/** What a process that runs trials is started with. */
export interface TrialJob {
  readonly path: string;
  readonly project: string;
  readonly changes: { readonly from?: CalendarDay; readonly to?: CalendarDay };
  readonly callMsMax: number;
  /** Whether outcomes hold daily returns. */
  readonly keepDays: boolean;
  /** Name or path of an objective plugin. */
  readonly objective?: string | undefined;
  /** Whether the config may name files of its project alone: it came from another machine. */
  readonly isConfined?: boolean;
}

/** Requests to the process. */
export type TrialRequest =
  | { readonly kind: 'trial'; readonly trial: number; readonly params: ParamRecord }
  | { readonly kind: 'end' };

type TrialMessage =
  | { readonly kind: 'ready'; readonly data: string }
  | { readonly kind: 'trial'; readonly trial: number; readonly outcome: TrialOutcome }
  | { readonly kind: 'fault'; readonly name: string; readonly message: string };

/** What the starter of a process receives from it. */
export interface TrialProcessHooks {
  /** The config and its data are loaded; `data` is the hash of the data. */
  readonly onReady: (data: string) => void;
  readonly onOutcome: (trial: number, outcome: TrialOutcome) => void;
  /** The config or its data could not be loaded. */
  readonly onFault: (error: Error) => void;
  readonly interrupted: AbortSignal;
}

/** How a process ended: why, and the trials that it was sent and has no outcome for, the one that it computed first. */
export interface TrialProcessEnd {
  readonly reason: string;
  readonly isReady: boolean;
  readonly unfinished: readonly number[];
}

/** One sandboxed process that runs trials one after the other. */
export interface TrialProcess {
  /** Trials that it was sent and has no outcome for. */
  readonly inFlight: ReadonlySet<number>;
  run(trial: number, params: ParamRecord): void;
  /** Lets it end once it has done what it was sent. */
  finish(): void;
  readonly ended: Promise<TrialProcessEnd>;
}

/** Starts a process that loads the job's config and its data, and then runs the trials that it is sent. */
export function startTrialProcess(job: TrialJob, hooks: TrialProcessHooks): TrialProcess {
  const inFlight = new Set<number>();
  let isReady = false;
  let deliver: (message: TrialRequest) => void = () => undefined;
  /** Requests from before the process was ready: what it receives earlier belongs to its start. */
  const early: TrialRequest[] = [];
  const send = (message: TrialRequest): void => {
    if (isReady) deliver(message);
    else early.push(message);
  };
  const handleMessage = (message: TrialMessage): void => {
    switch (message.kind) {
      case 'ready':
        isReady = true;
        for (const request of early.splice(0)) deliver(request);
        hooks.onReady(message.data);
        return;
      case 'trial':
        inFlight.delete(message.trial);
        hooks.onOutcome(message.trial, placedIn(job.project, message.outcome));
        return;
      case 'fault':
        hooks.onFault(Object.assign(new Error(message.message), { name: message.name }));
    }
  };
  const end = runInSandbox({
    program: PROGRAM,
    project: job.project,
    job,
    interrupted: hooks.interrupted,
    // Output of a strategy is dropped in a sweep; a backtest with the same parameters shows it.
    onText: () => undefined,
    onResult: (result) => handleMessage(result as TrialMessage),
    onStart: (way) => {
      deliver = way;
    },
  });
  return {
    inFlight,
    run: (trial, params) => {
      inFlight.add(trial);
      send({ kind: 'trial', trial, params });
    },
    finish: () => send({ kind: 'end' }),
    ended: end.then((how) => ({
      reason: reasonOf(how, job.callMsMax),
      isReady,
      unfinished: [...inFlight],
    })),
  };
}

/** The outcome with paths from the project: a result is the same wherever the project is stored. */
function placedIn(project: string, outcome: TrialOutcome): TrialOutcome {
  return outcome.kind === 'done'
    ? outcome
    : { ...outcome, message: withProjectPaths(outcome.message, project) };
}

function reasonOf(end: SandboxEnd, callMsMax: number): string {
  switch (end.kind) {
    case 'late':
      return `${printable(end.call)} did not return within ${callMsMax / 1_000} s`;
    case 'flood':
      return `${printable(end.call)} wrote too much to its console`;
    case 'memory':
      return 'the process of the trial ran out of memory';
    case 'died':
      return end.signal === 'SIGABRT'
        ? 'the process of the trial ran out of memory'
        : `the process of the trial was ended by ${end.signal}`;
    case 'ended':
      return `the strategy ended its process, exit code ${end.code}`;
  }
}

/** Source in the repository and JavaScript in the published package. */
const ENTRY = new URL('./sweep-entry.ts', import.meta.url).href;
const PROGRAM = fileURLToPath(import.meta.url.endsWith('.ts') ? ENTRY : ENTRY.replace(/\.ts$/, '.js'));
