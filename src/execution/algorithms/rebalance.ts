import type { TrackedOrder } from '../../events/bot-state.ts';
import type { TrackedAlgorithm } from '../../events/records/algorithm-record.ts';
import { executedOf } from '../../events/records/bracket-shares.ts';
import type { AffordableQuantity } from '../../model/affordable-quantity.ts';
import type { RebalanceSpec, TargetHolding } from '../../model/algorithm.ts';
import { Decimal } from '../../model/decimal.ts';
import type { IntentId, OrderTerms, Side } from '../../model/order.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, type Millis, millis, SECOND_MS } from '../../model/time.ts';
import {
  type Children,
  cancelActions,
  childrenOf,
  failureOf,
  isOfOldShares,
  isOpen,
  SPLIT,
  TRANSIENT_DENIALS,
} from './children.ts';
import type { AlgorithmAction } from './plan.ts';

/** The order that reaches a weight; unknown while a price or rate is missing, as when a bot has just started. */
export type RebalanceOrder = OrderTerms | 'unknown';

export interface RebalanceFacts {
  readonly now: Millis;
  order(intentId: IntentId): TrackedOrder | undefined;
  /** Returns the order from the current position and open orders to a weight; undefined if none is needed. */
  towards(holding: TargetHolding): RebalanceOrder | undefined;
  /** Returns when the cash of a sale at an instant is settled. */
  settled(symbol: SecuritySymbol, at: Millis): Millis;
  /** Returns the earliest opening of the symbol's market at or after an instant. */
  opens(symbol: SecuritySymbol, at: Millis): Millis;
  /** True if the cash in our books covers an order in addition to all open purchases, regardless of the venue. */
  affords(terms: OrderTerms): boolean;
}

/** Fields of an active rebalance that its plan reads. */
export type RebalanceRecord = Pick<
  TrackedAlgorithm,
  'id' | 'startedAt' | 'reason' | 'children' | 'overruled'
>;

/**
 * Maximum orders of a rebalance per holding at one instant: a sale, or a purchase and a smaller one that replaces it.
 */
const ORDERS_OF_HOLDING_MAX = 3;

/** Returns how often a rebalance is planned at one instant: after each of its orders, until it sends none. */
export function roundsOf({ holdings }: RebalanceSpec): number {
  return holdings.length * ORDERS_OF_HOLDING_MAX + 1;
}

/** Maximum age of a rebalance; an older one no longer reflects the strategy's decision. */
const WAITS_MAX_MS = 10 * DAY_MS;

/** Delay before an order that could not be sized is checked again. */
const UNKNOWN_AGAIN_MS = 5 * SECOND_MS;

/** Delays before an order with a temporary denial is requested again. */
const PASSES_AFTER_MS = [10 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS, HOUR_MS] as const;

/** Denials caused by the orders of the last minute in any symbol: later orders wait as well. */
const RATE_DENIALS: ReadonlySet<string> = new Set(['call-budget', 'order-rate']);
/** Minutes that an order waits for the limit on the order rate. */
const RATES_MAX = 60;

/** The venue may report a fill before its cash: an order that lacks more than this share is requested again. */
const FRICTION = new Decimal('0.1');
const UNCOUNTED_TIMES = 2;

/** Slots of the orders that sell and buy, by position in the list of holdings. */
const slotOf = (side: Side, at: number): string => `${side}-${at + 1}`;
/** Slot of a smaller order that replaces one that could not be paid for. */
const LESS = '-less';
const lessOf = (slot: string): string => `${slot}${LESS}`;

/** Returns the slots of the orders for one holding and side, one of which is `slot`. */
export function slotsOfLeg(slot: string): readonly [slot: string, less: string] {
  const own = slot.endsWith(LESS) ? slot.slice(0, -LESS.length) : slot;
  return [own, lessOf(own)];
}

/**
 * Cancels the strategy's open orders, then sends all sales and, once none is open, one purchase after another, each
 * sized when it is sent. An order with a temporary denial is requested again; an order that the account cannot pay
 * for is reduced once.
 */
export function planRebalance(
  algorithm: RebalanceRecord,
  spec: RebalanceSpec,
  facts: RebalanceFacts,
): readonly AlgorithmAction[] {
  const { overruled } = algorithm;
  if (overruled !== undefined) return [{ kind: 'end', outcome: 'canceled', why: overruled }];
  const latest = millis(algorithm.startedAt + WAITS_MAX_MS);
  const children = childrenOf(algorithm, facts);
  if (facts.now >= latest) return [tooLate(spec, children)];
  const last: AlgorithmAction = { kind: 'wake', at: latest };
  const before = spec.before.flatMap((id) => facts.order(id) ?? []).filter(isOpen);
  if (before.length > 0) return [...cancelActions(before, 'a rebalance takes its place'), last];
  const old = children.all.filter((order) => isOfOldShares(order) && isOpen(order));
  if (old.length > 0) return [...cancelActions(old, SPLIT), last];
  const parts = { algorithm, spec, facts, children };
  const sales = isBuying(spec, children) ? [] : turnOf('sell', parts);
  if (sales.length > 0) return [...sales, last];
  const selling = ordersOf('sell', spec, children).some(isOpen);
  if (selling) return [last];
  const purchases = turnOf('buy', parts);
  return purchases.length > 0 ? [...purchases, last] : [ending(spec, children)];
}

interface Parts {
  readonly algorithm: RebalanceRecord;
  readonly spec: RebalanceSpec;
  readonly facts: RebalanceFacts;
  readonly children: Children;
}

/** Returns the next order of a side, or when to check for it again; empty once all were sent or dropped. */
function turnOf(side: Side, parts: Parts): readonly AlgorithmAction[] {
  const { facts, spec } = parts;
  const waits: Millis[] = [];
  for (const [at, holding] of spec.holdings.entries()) {
    const turn = legOf({ side, slot: slotOf(side, at), holding }, parts);
    if (turn === undefined) continue;
    if (turn.kind === 'submit') return [turn];
    waits.push(turn.at);
    if (turn.blocksQueue) break;
  }
  return waits.length === 0 ? [] : [{ kind: 'wake', at: millis(Math.max(facts.now, Math.min(...waits))) }];
}

interface Leg {
  readonly side: Side;
  readonly slot: string;
  readonly holding: TargetHolding;
}

type Turn =
  | Extract<AlgorithmAction, { kind: 'submit' }>
  /** `blocksQueue`: the orders after it wait as well. */
  | { readonly kind: 'wait'; readonly at: Millis; readonly blocksQueue: boolean };

function legOf(leg: Leg, parts: Parts): Turn | undefined {
  const { algorithm, facts } = parts;
  const { side, slot, holding } = leg;
  const order = (from: string, most?: Decimal): Turn | undefined => {
    const terms = facts.towards(holding);
    if (terms === 'unknown')
      return { kind: 'wait', at: millis(facts.now + UNKNOWN_AGAIN_MS), blocksQueue: false };
    if (terms?.side !== side) return undefined;
    const less = most === undefined ? terms : { ...terms, quantity: Decimal.min(most, terms.quantity) };
    const reason = `${algorithm.reason}${most === undefined ? '' : ', as much as can be paid for'}`;
    return { kind: 'submit', slot: from, terms: less, reason };
  };
  const next = nextOrderOf(leg, parts);
  if (next === undefined) return undefined;
  if (next.kind === 'less') return order(lessOf(slot), next.most);
  return next.at > facts.now ? { kind: 'wait', at: next.at, blocksQueue: next.blocksQueue } : order(slot);
}

/** Next order of a leg: the full quantity for its weight at an instant, or the affordable quantity. */
type NextOrder =
  | { readonly kind: 'whole'; readonly at: Millis; readonly blocksQueue: boolean }
  | { readonly kind: 'less'; readonly most: Decimal };

/** Returns undefined once the newest order of the leg is its last. */
function nextOrderOf(
  { slot, holding }: Leg,
  { algorithm, facts, spec, children }: Parts,
): NextOrder | undefined {
  // An order that was working during a split is void: it is sent again in new shares.
  const sent = children.of(slot).filter((order) => !isOfOldShares(order));
  const newest = sent.at(-1);
  if (newest === undefined) return { kind: 'whole', at: algorithm.startedAt, blocksQueue: false };
  const again = againOf(newest, sent.length, { holding, facts, spec, children });
  if (again !== undefined) return { kind: 'whole', ...again };
  const most = affordableTerms(newest)?.most;
  const isLess = most?.gt(0) === true && children.newest(lessOf(slot)) === undefined;
  return isLess ? { kind: 'less', most } : undefined;
}

/**
 * Returns when another order replaces one that was denied or not sent, for the same holding and side, of any
 * quantity; undefined: never.
 */
export function legAgainAt(
  algorithm: TrackedAlgorithm,
  spec: RebalanceSpec,
  facts: RebalanceFacts,
  order: TrackedOrder,
): Millis | undefined {
  if (algorithm.overruled !== undefined || order.link === undefined) return undefined;
  const { side } = order.terms;
  const [slot] = slotsOfLeg(order.link.slot);
  const holding = spec.holdings.find((_, at) => slotOf(side, at) === slot);
  if (holding === undefined) return undefined;
  const children = childrenOf(algorithm, facts);
  if (side === 'sell' && isBuying(spec, children)) return undefined;
  const next = nextOrderOf({ side, slot, holding }, { algorithm, spec, facts, children });
  if (next === undefined) return undefined;
  const at = next.kind === 'less' ? facts.now : millis(Math.max(next.at, facts.now));
  if (at >= algorithm.startedAt + WAITS_MAX_MS) return undefined;
  const terms = facts.towards(holding);
  return terms === 'unknown' || terms?.side === side ? at : undefined;
}

/** True once a purchase was requested; no sale follows. */
function isBuying({ holdings }: RebalanceSpec, children: Children): boolean {
  return holdings.some((_, at) => children.newest(slotOf('buy', at)) !== undefined);
}

/** Returns when an order that was not sent is requested again; undefined: never. */
function againOf(
  order: TrackedOrder,
  times: number,
  { holding, ...parts }: Pick<Parts, 'facts' | 'spec' | 'children'> & { readonly holding: TargetHolding },
): { readonly at: Millis; readonly blocksQueue: boolean } | undefined {
  const { submission } = order.facets;
  const after = (ms: number | undefined, blocksQueue: boolean) =>
    ms === undefined ? undefined : { at: millis(order.decidedAt + ms), blocksQueue };
  if (submission.kind === 'not-sent') return after(PASSES_AFTER_MS[times - 1], false);
  if (submission.kind !== 'denied') return undefined;
  const { rule, payable } = submission;
  if (payable !== undefined) {
    const at = payable.unsettled ? settlingOf(holding.symbol, parts) : undefined;
    if (at !== undefined && order.decidedAt < at) return { at, blocksQueue: true };
    return times <= UNCOUNTED_TIMES && isUncounted(order, payable, parts)
      ? after(PASSES_AFTER_MS[times - 1], true)
      : undefined;
  }
  if (rule === 'order-rate') return times <= RATES_MAX ? after(MINUTE_MS, true) : undefined;
  return TRANSIENT_DENIALS.has(rule) ? after(PASSES_AFTER_MS[times - 1], RATE_DENIALS.has(rule)) : undefined;
}

/** Returns when the purchase's market is open and the cash of all sales is settled; undefined without sales. */
function settlingOf(
  symbol: SecuritySymbol,
  { facts, spec, children }: Pick<Parts, 'facts' | 'spec' | 'children'>,
): Millis | undefined {
  const sold = ordersOf('sell', spec, children).filter(({ facets }) => facets.executed.gt(0));
  const [first] = ordersOf('buy', spec, children)
    .map(({ decidedAt }) => decidedAt)
    .toSorted(byTime);
  if (first === undefined || sold.length === 0) return undefined;
  const settled = sold.map(({ terms }) => facts.settled(terms.symbol, first));
  return facts.opens(symbol, millis(Math.max(...settled)));
}

const byTime = (one: Millis, other: Millis): number => one - other;

/** True if the venue does not seem to count the cash of a filled sale yet. */
function isUncounted(
  { terms }: TrackedOrder,
  { most }: AffordableQuantity,
  { facts, spec, children }: Pick<Parts, 'facts' | 'spec' | 'children'>,
): boolean {
  const lacks = terms.quantity.minus(most).gt(terms.quantity.times(FRICTION));
  return lacks && executedOf(ordersOf('sell', spec, children)).gt(0) && facts.affords(terms);
}

function affordableTerms({ facets: { submission } }: TrackedOrder): AffordableQuantity | undefined {
  return submission.kind === 'denied' ? submission.payable : undefined;
}

function ordersOf(side: Side, { holdings }: RebalanceSpec, children: Children): readonly TrackedOrder[] {
  return holdings.flatMap((_, at) => [
    ...children.of(slotOf(side, at)),
    ...children.of(lessOf(slotOf(side, at))),
  ]);
}

function newestOf(side: Side, { holdings }: RebalanceSpec, children: Children): readonly TrackedOrder[] {
  return holdings.flatMap(
    (_, at) => children.newest(lessOf(slotOf(side, at))) ?? children.newest(slotOf(side, at)) ?? [],
  );
}

function ending(spec: RebalanceSpec, children: Children): AlgorithmAction {
  const all = [...newestOf('sell', spec, children), ...newestOf('buy', spec, children)];
  const failed = all.flatMap((order) => {
    const failure = failureOf(order);
    return failure === undefined ? [] : [`${order.terms.symbol} was ${failure}`];
  });
  const why = [sentText(spec, children), ...failed].join('; ');
  return { kind: 'end', outcome: failed.length === 0 ? 'done' : 'failed', why };
}

function tooLate(spec: RebalanceSpec, children: Children): AlgorithmAction {
  const why = `its purchases waited for longer than ${WAITS_MAX_MS / DAY_MS} days; ${sentText(spec, children)}`;
  return { kind: 'end', outcome: 'failed', why, alarm: 'rebalance-late' };
}

function sentText(spec: RebalanceSpec, children: Children): string {
  const [sales, purchases] = (['sell', 'buy'] as const).map((side) => newestOf(side, spec, children).length);
  return `sent ${sales} to sell and ${purchases} to buy`;
}
