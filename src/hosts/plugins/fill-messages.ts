import { printable } from '../../model/printable.ts';
import { FILL_HOOKS, type FillHook } from '../../plugins/guarded-fills.ts';
import type { FillQuestion } from '../../simulation/own-fills.ts';
import type { ParamDeclarations, ParamValues } from '../../strategy/params.ts';
import { fieldsOf } from '../strategy/fields-of.ts';
import type { RpcProtocol, WorkerMessage } from '../workers/rpc-worker.ts';
import type { WorkerLimits } from '../workers/worker-limits.ts';

/** What the process of a fill model is started with. */
export interface FillSetup {
  /** Name as the config has it. */
  readonly use: string;
  /** Absolute path. */
  readonly file: string;
  readonly params: ParamValues<ParamDeclarations>;
  readonly heldBytesMax: number;
}

/** One call of a fill model. */
export interface FillRequest {
  readonly hook: FillHook;
  readonly question: FillQuestion;
}

/** What a fill model answered, or why it can be asked nothing more. */
export type FillAnswer =
  | { readonly kind: 'figure'; readonly figure: number }
  | { readonly kind: 'failed'; readonly message: string };

/** Which functions a fill model has. */
export type FillHooks = readonly FillHook[];

type FillFailure = Extract<FillAnswer, { kind: 'failed' }>;

const TEXT_CHARS_MAX = 2_500;

/** Messages of the process of a fill model. */
export function fillProtocol(
  setup: FillSetup,
  { answerMsMax }: Pick<WorkerLimits, 'answerMsMax'>,
): RpcProtocol<FillHooks, FillRequest, FillAnswer, FillFailure> {
  return {
    program: 'fill-entry',
    setup,
    read: readFillMessage,
    request: ({ hook, question }) => ({
      message: { hook, question },
      msMax: answerMsMax,
      timeoutMessage: `gave no answer in ${hook} within ${answerMsMax} ms`,
    }),
    fits: () => true,
    isFailure: (answer) => answer.kind === 'failed',
    failure: (what) => ({ kind: 'failed', message: `Fill model "${setup.use}" ${what}` }),
    afterFailure: (failure) => failure,
  };
}

/** Reads what came out of the process; undefined when our own part of it would say no such thing. */
function readFillMessage(value: unknown): WorkerMessage<FillHooks, FillAnswer> | undefined {
  const fields = fieldsOf(value);
  switch (fields['kind']) {
    case 'ready': {
      const { hooks } = fields;
      if (!Array.isArray(hooks)) return undefined;
      return { kind: 'ready', ready: FILL_HOOKS.filter((hook) => hooks.includes(hook)) };
    }
    case 'over':
      return { kind: 'over', what: textOf(fields['what']), stack: '' };
    case 'answer': {
      const { number } = fields;
      const answer = readAnswer(fields['answer']);
      return answer && typeof number === 'number' ? { kind: 'answer', number, answer } : undefined;
    }
    default:
      return undefined;
  }
}

function readAnswer(value: unknown): FillAnswer | undefined {
  const { kind, figure, message } = fieldsOf(value);
  if (kind === 'figure' && typeof figure === 'number') return { kind, figure };
  return kind === 'failed' ? { kind, message: textOf(message) } : undefined;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? printable(value, TEXT_CHARS_MAX) : '';
}
