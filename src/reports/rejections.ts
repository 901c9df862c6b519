import type { RunRecord } from '../events/run-record.ts';
import type { AlgorithmId } from '../model/algorithm.ts';
import type { IntentId } from '../model/order.ts';
import type { Millis } from '../model/time.ts';
import { countText } from './format.ts';

/** Orders that the gate let through and the venue refused or rejected for one reason: how many, when first, and its words then. */
export interface RejectionsByReason {
  readonly count: number;
  readonly firstAt: Millis;
  readonly reason: string;
  /** Present for exits of a position: whether another exit of it had filled before, so that there was nothing left to close. */
  readonly exit?: 'after-another' | 'of-open-position';
}

/** Maximum number of distinct reasons. */
const REASONS_MAX = 20;

/** Sums up what the venue took no order for, by reason, the most frequent first; reasons that differ in their figures are one. */
export function rejectionsOf(record: Pick<RunRecord, 'decisions'>): readonly RejectionsByReason[] {
  const byReason = new Map<string, RejectionsByReason>();
  /** Positions of which an exit has filled, and of each exit which position it is for. */
  const closing = new Set<AlgorithmId>();
  const exits = new Map<IntentId, AlgorithmId>();
  for (const decision of record.decisions ?? []) {
    if (decision.kind === 'intent-drafted' && decision.link?.exit === true)
      exits.set(decision.intentId, decision.link.algorithm);
    const position = 'intentId' in decision ? exits.get(decision.intentId) : undefined;
    if (decision.kind === 'order-filled' && position !== undefined) closing.add(position);
    const isRejected = decision.kind === 'order-moved' && decision.status === 'RejectedStatus';
    if (!isRejected && decision.kind !== 'submit-refused') continue;
    const { at, message } = decision;
    const exit =
      position === undefined ? undefined : closing.has(position) ? 'after-another' : 'of-open-position';
    const kind = `${exit ?? ''} ${message.replaceAll(/\d[\d.,]*/g, '#')}`;
    const fresh: RejectionsByReason = {
      count: 0,
      firstAt: at,
      reason: message,
      ...(exit === undefined ? {} : { exit }),
    };
    const before = byReason.get(kind) ?? fresh;
    byReason.set(kind, { ...before, count: before.count + 1 });
  }
  return [...byReason.values()].sort((one, other) => other.count - one.count).slice(0, REASONS_MAX);
}

/** How many orders that were in all. */
export function rejectedIn(rejections: readonly Pick<RejectionsByReason, 'count'>[]): number {
  return rejections.reduce((sum, { count }) => sum + count, 0);
}

const EXIT_TEXTS = {
  'after-another': 'an exit sent after another exit of its position had filled, so nothing is missing',
  'of-open-position': 'an exit of an open position',
} as const;

/** One sentence per reason; `firstAt` as an instant or its ISO-8601 text. */
export function rejectionTexts(
  rejections: readonly (Omit<RejectionsByReason, 'firstAt'> & { readonly firstAt: Millis | string })[],
): readonly string[] {
  return rejections.map(({ count, firstAt, reason, exit }) => {
    const day = new Date(firstAt).toISOString().slice(0, 10);
    const what = exit === undefined ? '' : `${EXIT_TEXTS[exit]}: `;
    return `${countText(count)}; first on ${day}: ${what}${reason === '' ? 'no reason given' : reason}`;
  });
}
