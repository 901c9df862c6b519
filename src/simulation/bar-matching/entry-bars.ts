import { type Amount, isNegative, isPositive } from '../../model/amount.ts';
import type { Side } from '../../model/order.ts';
import type { PrintIndex } from '../market/tape.ts';
import type { WholeBars } from '../models.ts';
import type { VenueOrder } from '../orders/venue-order.ts';

interface Opened {
  readonly side: Side;
  readonly settled: PrintIndex;
}

/**
 * Positions opened at the market in the bar that is settled now: the whole bar came after such an entry, so a stop
 * or a limit that closes it, sent immediately after the fill, may meet that bar too where the rule allows it.
 */
export class EntryBars {
  readonly #rule: Pick<WholeBars, 'exits'>;
  readonly #opened = new Map<string, Opened>();

  constructor(rule: Pick<WholeBars, 'exits'>) {
    this.#rule = rule;
  }

  /** Notes what an order did that traded in the bar whose last print is `settled`; `held` is what is held now. */
  note(order: VenueOrder, settled: PrintIndex, held: Amount): void {
    if (this.#rule.exits !== 'entry-bar' || order.terms.type !== 'MO') return;
    const { side } = order.terms;
    const opens = side === 'buy' ? isPositive(held) : isNegative(held);
    if (opens) this.#opened.set(keyOf(order), { side, settled });
  }

  /** True when an order that has just come closes what was opened in the bar whose last print is `settled`. */
  takes(order: VenueOrder, settled: PrintIndex): boolean {
    const { terms, extras } = order;
    const opened = this.#opened.get(keyOf(order));
    if (opened === undefined || extras.closes !== undefined || terms.type === 'MO') return false;
    const trails = terms.trailingAmount !== undefined || terms.trailingPercent !== undefined;
    return !trails && opened.settled === settled && opened.side !== terms.side;
  }
}

function keyOf({ accountId, terms }: VenueOrder): string {
  return `${accountId}/${terms.symbol}`;
}
