import type { Alarm } from '../../model/notice.ts';
import type { IntentId } from '../../model/order.ts';
import type { AlarmEffect, HaltScope } from '../../model/order-facets.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';

/** An alarm about an order, and what is halted until an operator resumes. */
export interface OrderIncident {
  readonly alarm: Alarm;
  readonly intentId: IntentId;
  readonly symbol: SecuritySymbol;
  /** Undefined if trading may continue. */
  readonly halt: HaltScope | undefined;
}

export interface OrderReference {
  readonly intentId: IntentId;
  readonly symbol: SecuritySymbol;
  readonly orderId: string;
}

/** Creates an incident from the alarm of a state transition. */
export function incidentOf(effect: AlarmEffect, order: OrderReference, at: Alarm['at']): OrderIncident {
  const { intentId, symbol, orderId } = order;
  const { code, message, halt } = effect;
  const facts = { intentId, symbol, orderId, halt: halt ?? 'none' };
  return { alarm: { code, message, at, facts }, intentId, symbol, halt };
}

/** Passes each incident once: the same order is read many times, and each read repeats it. */
export function oncePerOrder(
  onIncident: (incident: OrderIncident) => void,
): (incident: OrderIncident) => void {
  const seen = new Set<string>();
  return (incident) => {
    const key = `${incident.intentId} ${incident.alarm.code} ${incident.alarm.message}`;
    if (seen.has(key)) return;
    seen.add(key);
    if (seen.size > REPORTED_MAX) seen.delete(seen.values().next().value ?? '');
    onIncident(incident);
  };
}

const REPORTED_MAX = 1_000;
