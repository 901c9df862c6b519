import { EMPTY } from 'rxjs';
import type { Answer, Broker, ChangeAnswer } from './broker.ts';
import { ImmediateRequest } from './task.ts';

/** Code of a venue's answer to an unknown path; no call is made here. */
const NOT_OFFERED = 404_000;

/**
 * Restricts a Broker to what the source document describes: orders are placed and read by their id, and nothing is
 * listed, pushed, cancelled or replaced. Other calls are refused without being sent. @see docs/wire-protocol.md,
 * "Calls"
 */
export function onlyDocumented(broker: Broker): Broker {
  const { pushes$: _pushes$, ...offered } = broker;
  return {
    ...offered,
    facts: { ...broker.facts, listsOrders: false, changesOrders: false, requestKey: false },
    hints$: EMPTY,
    cancel: () => refused('Orders cannot be cancelled over this API'),
    replace: () => refused('Orders cannot be replaced over this API'),
    ordersToday: () => missing("today's orders"),
    ordersBefore: () => missing('orders of earlier days'),
    executionsToday: () => missing("today's executions"),
    executionsBefore: () => missing('executions of earlier days'),
    cashPostings: () => missing('cash movements'),
  };
}

function refused(message: string): ImmediateRequest<ChangeAnswer> {
  return new ImmediateRequest(() => ({ kind: 'refused', code: NOT_OFFERED, message }));
}

function missing<T>(what: string): ImmediateRequest<Answer<T>> {
  return new ImmediateRequest(() => ({
    kind: 'failed',
    code: NOT_OFFERED,
    message: `This API does not list ${what}`,
    retryable: false,
  }));
}
