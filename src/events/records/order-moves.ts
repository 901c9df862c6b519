import type { OrderMove } from '../../model/order-state.ts';
import { unreachable } from '../../model/unreachable.ts';
import type {
  AlgorithmEvent,
  CorporateActionBooked,
  InterestBooked,
  RecoveryEvent,
  SluiceEvent,
} from '../event.ts';

/** Events whose only effect is a transition of one order. */
type PlainMove = Exclude<
  SluiceEvent,
  | RecoveryEvent
  | CorporateActionBooked
  | AlgorithmEvent
  | InterestBooked
  | {
      kind:
        | 'run-started'
        | 'replace-denied'
        | 'intent-drafted'
        | 'order-filled'
        | 'submit-acked'
        | 'gate-moved'
        | 'equity-peaked'
        | 'operator-commanded'
        | 'flatten-changed'
        | 'symbol-halted'
        | 'state-kept'
        | 'strategy-failed'
        | 'run-ended';
    }
>;

/** Returns the transition of an event's order. */
export function moveOf(event: PlainMove): OrderMove {
  switch (event.kind) {
    case 'intent-denied':
      return event.payable === undefined
        ? { kind: 'denied', rule: event.rule }
        : { kind: 'denied', rule: event.rule, payable: event.payable };
    case 'intent-armed':
      return { kind: 'armed' };
    case 'submit-sending':
      return { kind: 'sending', attempt: event.attempt };
    case 'submit-refused':
      return { kind: 'refused', code: event.code };
    case 'submit-not-sent':
      return { kind: 'not-sent' };
    case 'submit-unknown':
      return { kind: 'unknown' };
    case 'submit-abandoned':
      return { kind: 'abandoned' };
    case 'order-moved':
      return {
        kind: 'status',
        status: event.status,
        by: 'pull',
        executedQuantity: event.executedQuantity,
        at: event.at,
      };
    case 'order-doubled':
      return { kind: 'doubled', orderId: event.orderId };
    case 'cancel-asked':
      return { kind: 'cancel-asked' };
    case 'cancel-sending':
      return { kind: 'cancel-sending' };
    case 'replace-sending':
      return { kind: 'replace-sending', quantity: event.terms.quantity };
    case 'replace-answered':
      return { kind: 'replace-answered', answer: event.answer };
    case 'replace-read':
      return { kind: 'replace-read', quantity: event.terms.quantity };
    case 'cancel-answered':
      return { kind: 'cancel-answered', answer: event.answer };
    default:
      return unreachable(event);
  }
}
