import type { OrderTerms } from '../model/order.ts';
import { hasFigures } from '../model/replaceable-figures.ts';
import type { Millis } from '../model/time.ts';
import type { ReplaceEvent } from './replace-events.ts';

/** What came of the newest replace of an order. */
export interface ChangeRecord {
  /** When that was known, or when it was sent. */
  readonly at: Millis;
  /** `lost`: it was in doubt, and reads show the old terms. `denied`: by our gate, so nothing was sent. */
  readonly outcome: 'open' | 'done' | 'refused' | 'not-sent' | 'denied' | 'lost';
  /** How many in a row were lost up to now. */
  readonly losses: number;
  /** Terms asked for since the last that a read showed, newest first: none of them can be ruled out, whatever was answered. */
  readonly asked: readonly OrderTerms[];
}

/** Older ones are forgotten: a replace is on its way for no longer than it takes to ask for others. */
const ASKED_MAX = 4;

/** The record after a word on a replace; one that settles nothing leaves it as it is. */
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
      return event.answer === 'refused' || event.answer === 'not-sent'
        ? { at, outcome: event.answer, losses, asked }
        : change;
    case 'replace-read':
      return hasFigures(event.terms, replacing ?? event.terms)
        ? { at, outcome: 'done', losses: 0, asked: [] }
        : { at, outcome: 'lost', losses: losses + 1, asked };
  }
}
