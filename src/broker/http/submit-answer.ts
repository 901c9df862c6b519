import { type OrderId, orderId } from '../../model/order.ts';
import { unreachable } from '../../model/unreachable.ts';
import type { ChangeAnswer, SubmitAnswer } from '../../ports/broker.ts';
import { isProofOfRefusal } from '../../wire/error-codes.ts';
import type { LosslessJson } from '../../wire/lossless-json.ts';
import { readResponse } from '../../wire/request.ts';
import { WireError } from '../../wire/wire-error.ts';
import type { CallOutcome } from './http-client.ts';

/**
 * What the outcome of a first submit proves. Proof of not sent and proof of refusal are closed lists; success
 * requires a usable order id; everything else is unknown. @see docs/reliability.md, "Submits and unknown orders"
 */
export function classifySubmit(outcome: CallOutcome): SubmitAnswer {
  switch (outcome.kind) {
    case 'ok': {
      const id = orderIdOf(outcome.data);
      if (id !== undefined) return { kind: 'accepted', orderId: id };
      return { kind: 'unknown', message: 'Accepted (code 0), but without a usable order id' };
    }
    case 'failure':
      return refusal(outcome);
    case 'not-sent':
    case 'unknown':
      return outcome;
    default:
      return unreachable(outcome);
  }
}

/** What the outcome of a cancel or replace proves. */
export function classifyChange(outcome: CallOutcome): ChangeAnswer {
  switch (outcome.kind) {
    case 'ok':
      return { kind: 'accepted' };
    case 'failure':
      return refusal(outcome);
    case 'not-sent':
    case 'unknown':
      return outcome;
    default:
      return unreachable(outcome);
  }
}

function refusal(
  failure: Extract<CallOutcome, { kind: 'failure' }>,
): Extract<SubmitAnswer, { kind: 'refused' | 'unknown' }> {
  const { code, status, message } = failure;
  if (isProofOfRefusal(failure)) return { kind: 'refused', code, message };
  return { kind: 'unknown', message: `HTTP ${status}, code ${code}: ${message}` };
}

/** Digits, letters and dashes; a number with an exponent lost its digits before it was parsed. */
const USABLE_ID = /^(?!\d+[eE]\d+$)(?!0+$)[0-9A-Za-z-]{1,64}$/;

function orderIdOf(data: LosslessJson): OrderId | undefined {
  try {
    const { order_id: id } = readResponse('submitOrder', data);
    return USABLE_ID.test(id) ? orderId(id) : undefined;
  } catch (error) {
    if (error instanceof WireError) return undefined;
    throw error;
  }
}
