import { FILL_HOOKS, type FillHook } from '../../plugins/guarded-fills.ts';
import type { FillQuestion } from '../../simulation/own-fills.ts';
import type { ParamDeclarations, ParamValues } from '../../strategy/params.ts';
import { fieldsOf, lineOf } from '../workers/read-fields.ts';
import { ODD_MESSAGE, type ReadyReading, type RpcProtocol } from '../workers/rpc-worker.ts';
import type { WorkerLimits } from '../workers/worker-limits.ts';

/** Start data of the process of a fill model. */
export interface FillSetup {
  /** Name as the config has it. */
  readonly use: string;
  /** Absolute path. */
  readonly file: string;
  readonly params: ParamValues<ParamDeclarations>;
  readonly heldBytesMax: number;
}

export interface FillRequest {
  readonly hook: FillHook;
  readonly question: FillQuestion;
}

/** The result of a fill model, or its failure, after which it is not called again. */
export type FillAnswer =
  | { readonly kind: 'figure'; readonly figure: number }
  | { readonly kind: 'failed'; readonly message: string };

export type FillHooks = readonly FillHook[];

type FillFailure = Extract<FillAnswer, { kind: 'failed' }>;

export function fillProtocol(
  setup: FillSetup,
  { answerMsMax }: Pick<WorkerLimits, 'answerMsMax'>,
): RpcProtocol<FillHooks, FillRequest, FillAnswer, FillFailure> {
  return {
    program: 'fill-entry',
    setup,
    readReady: readHooks,
    readAnswer,
    request: ({ hook, question }) => ({
      message: { hook, question },
      msMax: answerMsMax,
      timeoutMessage: `gave no answer in ${hook} within ${answerMsMax} ms`,
    }),
    isFailure: (answer) => answer.kind === 'failed',
    failure: (what) => ({ kind: 'failed', message: `Fill model "${setup.use}" ${lineOf(what)}` }),
  };
}

function readHooks(value: unknown): ReadyReading<FillHooks> {
  return Array.isArray(value)
    ? { kind: 'ok', ready: FILL_HOOKS.filter((hook) => value.includes(hook)) }
    : { kind: 'odd', what: ODD_MESSAGE };
}

function readAnswer(value: unknown): FillAnswer | undefined {
  const { kind, figure, message } = fieldsOf(value);
  if (kind === 'figure' && typeof figure === 'number') return { kind, figure };
  return kind === 'failed' ? { kind, message: lineOf(message) } : undefined;
}
