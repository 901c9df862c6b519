import type { OrderTerms } from '../../model/order.ts';
import { hasFigures } from '../../model/replaceable-figures.ts';
import type { Millis } from '../../model/time.ts';
import type { ReplaceEvent } from '../event.ts';

/** The newest replace of an order, and its result. */
export interface ChangeRecord {
  /** Time of the result, or of the request. */
  readonly at: Millis;
  /** `lost`: the outcome was unknown, and reads show the old terms. `denied`: by our gate, so nothing was sent. */
  readonly outcome: 'open' | 'done' | 'refused' | 'not-sent' | 'denied' | 'lost';
  /** Number of consecutive lost replaces. */
  readonly losses: number;
  /**
   * Requested terms that no read has shown, newest first: each may still take effect, whatever the venue answered.
   */
  readonly asked: readonly OrderTerms[];
}

/** Number of requested terms to remember; older ones cannot be in flight any more. */
const REQUESTED_TERMS_MAX = 4;

/** Returns the record after a report on a replace; an inconclusive report leaves it unchanged. */
export function changeAfter(
  {
    change,
    replacing,
  }: { readonly change: ChangeRecord | undefined; readonly replacing: OrderTerms | undefined },
  event: ReplaceEvent,
): ChangeRecord | undefined {
  const { at } = event;
  const losses = change?.losses ?? 0;
  const asked = change?.asked ?? [];
  switch (event.kind) {
    case 'replace-sending':
      return { at, outcome: 'open', losses, asked: [event.terms, ...asked].slice(0, REQUESTED_TERMS_MAX) };
    case 'replace-denied':
      return { at, outcome: 'denied', losses, asked };
    case 'replace-answered':
      // A replace without a slot in the call budget was never recorded as sent.
      if (event.answer === 'not-sent')
        return {
          at,
          outcome: 'not-sent',
          losses,
          asked: change?.outcome === 'open' ? asked.slice(1) : asked,
        };
      return event.answer === 'refused' ? { at, outcome: 'refused', losses, asked } : change;
    case 'replace-read':
      return hasFigures(event.terms, replacing ?? event.terms)
        ? { at, outcome: 'done', losses: 0, asked: withoutOne(asked, event.terms) }
        : { at, outcome: 'lost', losses: losses + 1, asked };
  }
}

/** Removes one entry with these terms; if they were requested twice, the second request may still take effect. */
function withoutOne(pendingTerms: readonly OrderTerms[], shownTerms: OrderTerms): readonly OrderTerms[] {
  const index = pendingTerms.findIndex((terms) => hasFigures(shownTerms, terms));
  return index < 0 ? pendingTerms : pendingTerms.toSpliced(index, 1);
}
