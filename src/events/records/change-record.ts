import type { OrderTerms } from '../../model/order.ts';
import { hasFigures } from '../../model/replaceable-figures.ts';
import type { Millis } from '../../model/time.ts';
import type { ReplaceEvent } from '../event.ts';

/** What came of the newest replace of an order. */
export interface ChangeRecord {
  /** When that was known, or when it was sent. */
  readonly at: Millis;
  /** `lost`: it was in doubt, and reads show the old terms. `denied`: by our gate, so nothing was sent. */
  readonly outcome: 'open' | 'done' | 'refused' | 'not-sent' | 'denied' | 'lost';
  /** How many in a row were lost up to now. */
  readonly losses: number;
  /** Terms that were asked for and that no read showed, newest first: none of them can be ruled out, whatever was answered. */
  readonly asked: readonly OrderTerms[];
}

/** Older ones are forgotten: a replace is on its way for no longer than it takes to ask for others. */
const ASKED_MAX = 4;

/** The record after a report on a replace; an inconclusive report leaves it unchanged. */
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
      return { at, outcome: 'open', losses, asked: [event.terms, ...asked].slice(0, ASKED_MAX) };
    case 'replace-denied':
      return { at, outcome: 'denied', losses, asked };
    case 'replace-answered':
      // One that found no place in the call budget was never written down as sent.
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

/** One that was asked for twice may still come a second time. */
function withoutOne(pendingTerms: readonly OrderTerms[], shownTerms: OrderTerms): readonly OrderTerms[] {
  const index = pendingTerms.findIndex((terms) => hasFigures(shownTerms, terms));
  return index < 0 ? pendingTerms : pendingTerms.toSpliced(index, 1);
}
