import type { TrackedOrder } from '../../events/bot-state.ts';
import type { TrackedAlgorithm } from '../../events/records/algorithm-record.ts';
import { executedOf } from '../../events/records/bracket-shares.ts';
import { isWaiting } from '../../events/records/open-orders.ts';
import { type ChaseSpec, otherSide } from '../../model/algorithm.ts';
import { Decimal, type Price, type Quantity, ZERO } from '../../model/decimal.ts';
import type { Side } from '../../model/order.ts';
import { openRest } from '../../model/order-state.ts';
import { MINUTE_MS, millis } from '../../model/time.ts';
import {
  cancelActions,
  childrenOf,
  failureOf,
  isOpen,
  LATE_MS,
  NOTHING_LEFT,
  POSITION_REDUCED,
  wasCancelled,
} from './children.ts';
import { refusesAmends } from './exit-maintenance.ts';
import type { AlgorithmAction, AlgorithmFacts } from './plan.ts';

/**
 * Plans a limit order that follows a market moving away from it, up to its bound. At the end of its time, the
 * remainder is cancelled or executes at the market up to the bound. A chase that closes shrinks with its position, in
 * whole lots; an order that cannot be amended is then cancelled, and sent again for the remaining quantity. While
 * older orders may close all that is held, it waits. It ends if another party ends its order, and sends nothing long after
 * its time.
 */
export function planChase(
  algorithm: TrackedAlgorithm,
  { order, bound, everyMs, forMs, atEnd, closes }: ChaseSpec,
  facts: AlgorithmFacts,
): readonly AlgorithmAction[] {
  const children = childrenOf(algorithm, facts);
  const [peg, cross] = [children.newest('peg'), children.newest('cross')];
  // While it waited for exits to be cancelled, an order for a target followed the position.
  const sent = [...(peg === undefined ? [] : [peg]), ...children.of('cross')];
  const wanted = (peg?.facets.ordered ?? order.quantity).minus(executedOf(sent));
  const held = closes === true ? facts.closable(otherSide(order.side)) : wanted;
  const rest = held.lt(wanted) ? facts.wholeLots(Decimal.max(held, ZERO)) : wanted;
  const isReserved =
    peg !== undefined &&
    rest.isZero() &&
    wanted.gt(0) &&
    facts.wholeLots(Decimal.max(facts.position(otherSide(order.side)), ZERO)).gt(0);
  const open = children.all.filter(isOpen);
  const end = millis(algorithm.startedAt + forMs);
  const over = (outcome: 'done' | 'canceled' | 'failed', why: string): readonly AlgorithmAction[] => [
    { kind: 'end', outcome, why },
  ];
  if (rest.lte(0) && wanted.gt(0) && !isReserved)
    return open.length > 0 ? cancelActions(open, NOTHING_LEFT) : over('canceled', NOTHING_LEFT);
  if (wanted.lte(0))
    return open.length > 0 ? cancelActions(open, 'all of it traded') : over('done', 'all of it traded');
  if (facts.killed && peg !== undefined)
    return open.length > 0 ? cancelActions(open, 'killed') : over('canceled', 'the account was killed');
  const submitPeg = (quantity: Quantity): AlgorithmAction => {
    const price = pegPrice(order.side, facts.last ?? bound, bound, facts);
    const terms = { ...order, type: 'LO', price, quantity } as const;
    return { kind: 'submit', slot: 'peg', terms, reason: algorithm.reason };
  };
  if (peg === undefined) return [submitPeg(order.quantity), wakeAt(facts, everyMs, end)];
  const { overruled } = algorithm;
  // An order that waits for exits is denied afterwards if the exits closed too much.
  const isTooLarge = (child: TrackedOrder): boolean => !isWaiting(child) && openRest(child.facets).gt(rest);
  if (overruled !== undefined && open.length === 0) return over('canceled', overruled);
  if (cross !== undefined && isOpen(cross))
    return isTooLarge(cross) ? cancelActions([cross], POSITION_REDUCED) : [];
  if (cross !== undefined && !wasCancelled(cross, algorithm))
    return over('failed', `${rest} did not trade: ${failureOf(cross) ?? ''}`);
  if (!isOpen(peg) && !wasCancelled(peg, algorithm))
    return over('canceled', `its order was ${failureOf(peg) ?? 'ended'}`);
  if (facts.now >= end) {
    if (open.length > 0) return cancelActions(open, 'its time is over');
    if (atEnd === 'cancel')
      return over('done', `its time is over, ${isReserved ? wanted : rest} did not trade`);
    if ((cross === undefined || isReserved) && facts.now >= end + LATE_MS) {
      const why = `its time was over more than ${LATE_MS / MINUTE_MS} minutes ago; ${isReserved ? wanted : rest} ${order.symbol} did not trade`;
      return [{ kind: 'end', outcome: 'failed', why, alarm: 'chase-late' }];
    }
    if (isReserved) return [{ kind: 'wake', at: millis(end + LATE_MS) }];
    const terms = { ...order, type: 'LO', price: bound, quantity: rest } as const;
    return [
      { kind: 'submit', slot: 'cross', terms, reason: 'its time is over: takes what the bound allows' },
    ];
  }
  if (!isOpen(peg)) return [...(isReserved ? [] : [submitPeg(rest)]), wakeAt(facts, everyMs, end)];
  // The overruling command or event cancels the order, or keeps it.
  if (overruled !== undefined)
    return [...(isTooLarge(peg) ? cancelActions([peg], POSITION_REDUCED) : []), { kind: 'wake', at: end }];
  const price = pegPrice(order.side, facts.last ?? bound, bound, facts);
  const moved = peg.terms.price?.eq(price) === false && isBetter(order.side, price, peg.terms.price);
  const again = wakeAt(facts, everyMs, end);
  const shrinks = isTooLarge(peg);
  const quantity = shrinks ? peg.facets.executed.plus(rest) : peg.terms.quantity;
  const isAmendable =
    rest.gt(0) && facts.wholeLots(quantity).eq(quantity) && peg.change?.outcome !== 'denied';
  if (shrinks && (!isAmendable || refusesAmends(peg)))
    return [...cancelActions([peg], POSITION_REDUCED), again];
  if (!(moved || shrinks) || facts.now < amendDueAt(peg, everyMs)) return [again];
  const terms = { ...peg.terms, quantity, ...(moved ? { price } : {}) };
  return [{ kind: 'replace', intentId: peg.intentId, terms }, again];
}

/**
 * Returns when a change is due. A failed change also triggers a plan, so the next one waits for the regular interval.
 */
function amendDueAt({ change }: TrackedOrder, everyMs: number): number {
  return change === undefined || change.outcome === 'done' ? 0 : change.at + everyMs;
}

function wakeAt({ now }: AlgorithmFacts, everyMs: number, end: number): AlgorithmAction {
  return { kind: 'wake', at: millis(Math.min(now + everyMs, end)) };
}

/** Returns the market price on a tick, limited by the bound. */
function pegPrice(side: Side, last: Price, bound: Price, { toTick }: AlgorithmFacts): Price {
  return side === 'buy' ? Decimal.min(toTick(last, 'down'), bound) : Decimal.max(toTick(last, 'up'), bound);
}

/** True if a limit at `price` is more likely to trade than one at `before`. */
function isBetter(side: Side, price: Price, before: Price | undefined): boolean {
  if (before === undefined) return false;
  return side === 'buy' ? price.gt(before) : price.lt(before);
}
