import type { Quantity } from './decimal.ts';
import { alarm, isOver, type OrderFacets, pull, type Step, stay } from './order-facets.ts';
import { plural } from './plural.ts';
import { unreachable } from './unreachable.ts';

/** Outcome of a requested change; `not-sent` proves that no byte of it was sent. */
export type ChangeWord = 'accepted' | 'refused' | 'not-sent' | 'unknown';

/** A step of our cancel or replace. */
export type ChangeMove =
  | { readonly kind: 'cancel-asked' }
  | { readonly kind: 'cancel-sending' }
  | { readonly kind: 'cancel-answered'; readonly answer: ChangeWord }
  /** 30 s have passed since the venue accepted a cancel. */
  | { readonly kind: 'cancel-overdue' }
  | { readonly kind: 'replace-sending'; readonly quantity: Quantity }
  | { readonly kind: 'replace-answered'; readonly answer: ChangeWord }
  /** A pull shows the new terms, or the old ones after an unconfirmed replace. */
  | { readonly kind: 'replace-read'; readonly quantity: Quantity };

/** Maximum cancels that may be sent per order, whatever their outcome (F-B16). */
const CANCELS_MAX = 8;

/** True if the bot cannot end the order: all its cancels are used up, or it was never found at the venue. */
export function isOutOfReach({ cancels, unsentCancels, submission }: OrderFacets): boolean {
  return cancels - unsentCancels >= CANCELS_MAX || submission.kind === 'abandoned';
}
/** Accepted but ineffective cancels after which the symbol is halted (T-39). */
const IGNORED_MAX = 3;

/** Folds our change, or its response, into an order (T-32 to T-45, T-47). */
export function stepChange(order: OrderFacets, move: ChangeMove): Step {
  switch (move.kind) {
    case 'cancel-asked':
      return ask(order);
    case 'cancel-sending':
      return send(order);
    case 'cancel-answered':
      return answer(order, move.answer);
    case 'cancel-overdue':
      return overdue(order);
    case 'replace-sending':
      if (!canChange(order) || order.pending !== 'none') return stay(order);
      return stay({ ...order, pending: 'replace-sending', replacement: move.quantity });
    case 'replace-answered':
      return replaceAnswer(order, move.answer);
    case 'replace-read':
      return replaceRead(order, move.quantity);
    default:
      return unreachable(move);
  }
}

function canChange(order: OrderFacets): boolean {
  return order.submission.kind === 'acked' && !isOver(order);
}

/** Requests a cancel; without an order id it is remembered until there is one (T-33). */
function ask(order: OrderFacets): Step {
  switch (order.submission.kind) {
    case 'sending':
    case 'unknown':
    case 'abandoned':
      return order.cancelWanted ? stay(order) : stay({ ...order, cancelWanted: true });
    default:
      return canChange(order) && !order.pending.startsWith('cancel-')
        ? stay(order, { kind: 'cancel' })
        : stay(order);
  }
}

function send(order: OrderFacets): Step {
  if (!canChange(order) || order.pending === 'cancel-sending') return stay(order);
  const sent = order.cancels - order.unsentCancels;
  if (sent >= CANCELS_MAX)
    return stay(order, alarm('cancel-given-up', `Order is still live after ${sent} cancels`));
  return stay({ ...order, pending: 'cancel-sending', cancels: order.cancels + 1 });
}

/**
 * Folds a cancel's response. A refusal proves neither that the order is live nor that it is finished: a read decides
 * (T-36).
 */
function answer(order: OrderFacets, word: ChangeWord): Step {
  const { pending } = order;
  if (pending !== 'cancel-sending' && pending !== 'cancel-unknown') return stay(order);
  switch (word) {
    case 'accepted':
      return stay({ ...order, pending: 'cancel-acked', cancelAcks: order.cancelAcks + 1 }, pull());
    case 'refused':
    case 'not-sent': {
      const unsentCancels = order.unsentCancels + (word === 'not-sent' ? 1 : 0);
      const left = order.replacement === undefined ? 'none' : 'replace-unknown';
      return stay({ ...order, unsentCancels, pending: left }, pull());
    }
    case 'unknown':
      return stay(pending === 'cancel-unknown' ? order : { ...order, pending: 'cancel-unknown' }, pull());
    default:
      return unreachable(word);
  }
}

function overdue(order: OrderFacets): Step {
  if (!canChange(order) || order.pending !== 'cancel-acked') return stay(order);
  const message = `Order is still live 30 s after its cancel was accepted, ${plural(order.cancelAcks, 'time')} now`;
  if (order.cancelAcks >= IGNORED_MAX) return stay(order, alarm('cancel-ignored', message, 'symbol'));
  return stay(order, alarm('cancel-ignored', message), { kind: 'cancel' });
}

/** Folds a replace's response. The exchange may still reject an accepted replace; later reads detect it. */
function replaceAnswer(order: OrderFacets, word: ChangeWord): Step {
  const { pending } = order;
  const isDue = pending === 'replace-sending' || pending === 'replace-unknown';
  if (!isDue && !(pending === 'replace-acked' && word === 'refused')) return stay(order);
  switch (word) {
    case 'accepted':
      return stay({ ...order, pending: 'replace-acked' }, pull());
    case 'refused':
    case 'not-sent':
      return stay({ ...order, pending: 'none', replacement: undefined }, pull());
    case 'unknown':
      return stay(pending === 'replace-unknown' ? order : { ...order, pending: 'replace-unknown' }, pull());
    default:
      return unreachable(word);
  }
}

function replaceRead(order: OrderFacets, quantity: Quantity): Step {
  const { pending, replacement, venue, executed, ordered } = order;
  // An order reported as filled may have been filled at new terms for fewer shares (T-44).
  const isFilledByFewer = venue === 'FilledStatus' && executed.lt(ordered) && executed.eq(quantity);
  if (!canChange(order) && !isFilledByFewer) return stay(order);
  // The replace counted as refused or lost, but a read shows it.
  if (replacement === undefined)
    return stay(quantity.eq(order.ordered) ? order : { ...order, ordered: quantity });
  const isNew = quantity.eq(replacement);
  // An accepted replace may become visible late; both quantities stay reserved until then.
  if (!isNew && pending !== 'replace-unknown') return stay(order);
  const left = pending.startsWith('cancel-') ? pending : 'none';
  return stay({ ...order, ordered: quantity, replacement: undefined, pending: left });
}
