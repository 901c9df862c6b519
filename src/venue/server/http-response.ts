import { failure, success } from '../../wire/envelope.ts';
import { errorCode } from '../../wire/error-codes.ts';
import type { CallResult } from '../calls/call.ts';

export function httpResponseOf(outcome: CallResult): { readonly status: number; readonly text: string } {
  if (outcome.kind === 'ok') return { status: 200, text: JSON.stringify(success(outcome.data)) };
  const status = outcome.status ?? errorCode(outcome.code).status;
  return { status, text: JSON.stringify(failure(outcome.code, outcome.message)) };
}
