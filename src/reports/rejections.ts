import type { RunRecord } from '../events/run-record.ts';
import type { Millis } from '../model/time.ts';
import { countText } from './format.ts';

/** Orders that the gate let through and the venue refused or rejected for one reason: how many, when first, and its words then. */
export interface RejectionsByReason {
  readonly count: number;
  readonly firstAt: Millis;
  readonly reason: string;
}

/** Most reasons that are told apart. */
const REASONS_MAX = 20;

/** Sums up what the venue took no order for, by reason, the most frequent first; reasons that differ in their figures are one. */
export function rejectionsOf(
  record: Pick<RunRecord, 'fillColumns' | 'decisions'>,
): readonly RejectionsByReason[] {
  // Plain numbers carry no order that a venue would not take, and their decisions cost a run of the full engine.
  if (record.fillColumns !== undefined) return [];
  const byReason = new Map<string, RejectionsByReason>();
  for (const decision of record.decisions) {
    const isRejected = decision.kind === 'order-moved' && decision.status === 'RejectedStatus';
    if (!isRejected && decision.kind !== 'submit-refused') continue;
    const { at, message } = decision;
    const kind = message.replaceAll(/\d[\d.,]*/g, '#');
    const before = byReason.get(kind) ?? { count: 0, firstAt: at, reason: message };
    byReason.set(kind, { ...before, count: before.count + 1 });
  }
  return [...byReason.values()].sort((one, other) => other.count - one.count).slice(0, REASONS_MAX);
}

/** How many orders that were in all. */
export function rejectedIn(rejections: readonly Pick<RejectionsByReason, 'count'>[]): number {
  return rejections.reduce((sum, { count }) => sum + count, 0);
}

/** One sentence per reason; `firstAt` as an instant or its ISO-8601 text. */
export function rejectionTexts(
  rejections: readonly (Omit<RejectionsByReason, 'firstAt'> & { readonly firstAt: Millis | string })[],
): readonly string[] {
  return rejections.map(({ count, firstAt, reason }) => {
    const day = new Date(firstAt).toISOString().slice(0, 10);
    return `${countText(count)}; first on ${day}: ${reason === '' ? 'no reason given' : reason}`;
  });
}
