import type { Decision, RunRecord } from '../events/run-record.ts';
import type { AlgorithmId } from '../model/algorithm.ts';
import { type Decimal, ZERO } from '../model/decimal.ts';
import type { IntentId, OrderTerms } from '../model/order.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import type { Millis } from '../model/time.ts';
import { countText } from './format.ts';

/**
 * Orders that passed the gate and that the venue refused or rejected for one reason: their number, the time of the
 * first, and its message.
 */
export interface RejectionsByReason {
  readonly count: number;
  readonly firstAt: Millis;
  readonly reason: string;
  /** Present for exits of a position: whether another exit had filled before and nothing was left to close. */
  readonly exit?: 'after-another' | 'of-open-position';
}

/** Maximum number of distinct reasons. */
const REASONS_MAX = 20;

/** Sums up rejections by reason, the most frequent first; reasons that differ only in numbers are one. */
export function rejectionsOf(
  record: Pick<RunRecord, 'decisions' | 'earlierOrders' | 'opening'>,
): readonly RejectionsByReason[] {
  const byReason = new Map<string, RejectionsByReason>();
  /** Positions of which an exit has filled, and the position of each exit. */
  const closing = new Set<AlgorithmId>();
  const exits = new Map<IntentId, { readonly position: AlgorithmId; readonly terms: OrderTerms }>();
  for (const [intentId, { link, terms }] of record.earlierOrders ?? [])
    if (link?.exit === true) exits.set(intentId, { position: link.algorithm, terms });
  const held = heldFrom(record.opening);
  for (const decision of record.decisions ?? []) {
    if (decision.kind === 'intent-drafted' && decision.link?.exit === true)
      exits.set(decision.intentId, { position: decision.link.algorithm, terms: decision.terms });
    held.book(decision);
    const known = 'intentId' in decision ? exits.get(decision.intentId) : undefined;
    const position = known?.position;
    if (decision.kind === 'order-filled' && position !== undefined) closing.add(position);
    const isRejected = decision.kind === 'order-moved' && decision.status === 'RejectedStatus';
    if (!isRejected && decision.kind !== 'submit-refused') continue;
    const { at, message } = decision;
    const exit =
      known === undefined
        ? undefined
        : closing.has(known.position) && !held.isHeldFor(known.terms)
          ? 'after-another'
          : 'of-open-position';
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

/** Tracks the position of each symbol, decision by decision. */
function heldFrom(opening: RunRecord['opening']) {
  const held = new Map<SecuritySymbol, Decimal>(
    [...(opening?.holdings ?? [])].map(([symbol, { quantity }]) => [symbol, quantity]),
  );
  const add = (symbol: SecuritySymbol, quantity: Decimal): void =>
    void held.set(symbol, (held.get(symbol) ?? ZERO).plus(quantity));
  return {
    book(decision: Decision): void {
      switch (decision.kind) {
        case 'order-filled':
        case 'foreign-filled': {
          const { symbol, side, quantity } = decision.fill;
          add(symbol, side === 'buy' ? quantity : quantity.neg());
          return;
        }
        case 'corporate-action':
          add(decision.symbol, decision.quantity);
          return;
        case 'books-adopted':
          held.clear();
          for (const { symbol, quantity } of decision.positions) held.set(symbol, quantity);
          return;
        default:
      }
    },
    /** True while there is a position that an exit with these terms closes. */
    isHeldFor({ symbol, side }: OrderTerms): boolean {
      const quantity = held.get(symbol) ?? ZERO;
      return side === 'sell' ? quantity.gt(0) : quantity.lt(0);
    },
  };
}

/** Returns the total number of rejected orders. */
export function rejectedIn(rejections: readonly Pick<RejectionsByReason, 'count'>[]): number {
  return rejections.reduce((sum, { count }) => sum + count, 0);
}

const EXIT_TEXTS = {
  'after-another': 'an exit sent after another exit of its position had filled, so nothing is missing',
  'of-open-position': 'an exit of an open position',
} as const;

/** One sentence per reason; `firstAt` is a time or its ISO-8601 text. */
export function rejectionTexts(
  rejections: readonly (Omit<RejectionsByReason, 'firstAt'> & { readonly firstAt: Millis | string })[],
): readonly string[] {
  return rejections.map(({ count, firstAt, reason, exit }) => {
    const day = new Date(firstAt).toISOString().slice(0, 10);
    const what = exit === undefined ? '' : `${EXIT_TEXTS[exit]}: `;
    return `${countText(count)}; first on ${day}: ${what}${reason === '' ? 'no reason given' : reason}`;
  });
}
