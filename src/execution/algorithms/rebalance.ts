import type { TrackedOrder } from '../../events/bot-state.ts';
import type { TrackedAlgorithm } from '../../events/records/algorithm-record.ts';
import { executedOf } from '../../events/records/bracket-shares.ts';
import type { AffordableQuantity } from '../../model/affordable-quantity.ts';
import type { RebalanceSpec, TargetHolding } from '../../model/algorithm.ts';
import { Decimal, type Quantity } from '../../model/decimal.ts';
import type { IntentId, OrderTerms, Side } from '../../model/order.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, type Millis, millis, SECOND_MS } from '../../model/time.ts';
import {
  type Children,
  cancelActions,
  childrenOf,
  failureOf,
  isFromBeforeSplit,
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
  rebalanceOrder(holding: TargetHolding): RebalanceOrder | undefined;
  /** Signed position of the strategy. */
  held(symbol: SecuritySymbol): Quantity;
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
 * Maximum orders of a rebalance per holding at one instant: one that reduces, one that opens, and a smaller one that
 * replaces it.
 */
const ORDERS_OF_HOLDING_MAX = 3;

/** Returns how often a rebalance is planned at one instant: after each of its orders, until it sends none. */
export function maxRounds({ holdings }: RebalanceSpec): number {
  return holdings.length * ORDERS_OF_HOLDING_MAX + 1;
}

/** Maximum age of a rebalance; an older one no longer reflects the strategy's decision. */
const WAITS_MAX_MS = 10 * DAY_MS;

/** Delay before an order that could not be sized is checked again. */
const UNSIZED_RETRY_MS = 5 * SECOND_MS;

/** Delays before an order with a temporary denial is requested again. */
const RETRY_DELAYS_MS = [10 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS, HOUR_MS] as const;

/** Denials caused by the orders of the last minute in any symbol: later orders wait as well. */
const RATE_DENIALS: ReadonlySet<string> = new Set(['call-budget', 'order-rate']);
/** Minutes that an order waits for the limit on the order rate. */
const RATE_WAIT_MINUTES_MAX = 60;

/** The venue may report a fill before its cash: an order that lacks more than this share is requested again. */
const CASH_SHORTFALL_MIN = new Decimal('0.1');
const UNCOUNTED_RETRIES_MAX = 2;

/** Orders that reduce positions are sent first; those that open or add to positions follow. */
type Phase = 'reduce' | 'open';

/** Slots of the orders; without short positions there are only `sell` and `buy`. */
const SLOTS = {
  reduce: { sell: 'sell', buy: 'cover' },
  open: { buy: 'buy', sell: 'short' },
} as const satisfies Readonly<Record<Phase, Readonly<Record<Side, string>>>>;
type SlotName = (typeof SLOTS)[Phase][Side];
const ALL_SLOTS = ['sell', 'cover', 'buy', 'short'] as const satisfies readonly SlotName[];

/** Slot of a holding, by its position in the list of holdings. */
const slotOf = (name: SlotName, at: number): string => `${name}-${at + 1}`;
/** Slot of a smaller order that replaces one that could not be paid for. */
const REDUCED = '-less';
const reducedSlotOf = (slot: string): string => `${slot}${REDUCED}`;

/** Returns the slots of the orders for one holding and side, one of which is `slot`. */
export function slotsOfLeg(slot: string): readonly [slot: string, less: string] {
  const own = slot.endsWith(REDUCED) ? slot.slice(0, -REDUCED.length) : slot;
  return [own, reducedSlotOf(own)];
}

/**
 * Cancels the strategy's open orders, then sends all orders that reduce positions (sales of long ones, purchases of
 * short ones) and, once none is open, one opening order after another, each sized when it is sent. A position that
 * changes its side is closed first and opened again afterwards. An order with a temporary denial is requested again;
 * a purchase that the account cannot pay for is reduced once.
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
  const old = children.all.filter((order) => isFromBeforeSplit(order) && isOpen(order));
  if (old.length > 0) return [...cancelActions(old, SPLIT), last];
  const parts = { algorithm, spec, facts, children };
  const reducing = isOpening(spec, children) ? [] : nextActions('reduce', parts);
  if (reducing.length > 0) return [...reducing, last];
  if (ordersIn(REDUCING, spec, children).some(isOpen)) return [last];
  const opening = nextActions('open', parts);
  return opening.length > 0 ? [...opening, last] : [endAction(spec, children)];
}

interface PlanParts {
  readonly algorithm: RebalanceRecord;
  readonly spec: RebalanceSpec;
  readonly facts: RebalanceFacts;
  readonly children: Children;
}

/** Returns the next order of a phase, or when to check for it again; empty once all were sent or dropped. */
function nextActions(phase: Phase, parts: PlanParts): readonly AlgorithmAction[] {
  const { facts, spec } = parts;
  const waits: Millis[] = [];
  for (const [at, holding] of spec.holdings.entries()) {
    for (const leg of legsOf(phase, holding, at, parts)) {
      const step = nextStep(leg, parts);
      if (step === undefined) continue;
      if (step.kind === 'submit') return [step];
      waits.push(step.at);
      if (step.blocksQueue) return wakeAt(waits, facts.now);
    }
  }
  return wakeAt(waits, facts.now);
}

function wakeAt(waits: readonly Millis[], now: Millis): readonly AlgorithmAction[] {
  return waits.length === 0 ? [] : [{ kind: 'wake', at: millis(Math.max(now, Math.min(...waits))) }];
}

interface Leg {
  readonly phase: Phase;
  readonly side: Side;
  readonly slot: string;
  readonly holding: TargetHolding;
}

/** Returns the legs of a holding in a phase; that of a short position only if there is or may be one. */
function legsOf(
  phase: Phase,
  holding: TargetHolding,
  at: number,
  { facts, children }: Pick<PlanParts, 'facts' | 'children'>,
): readonly Leg[] {
  const [usual, other] = phase === 'reduce' ? (['sell', 'buy'] as const) : (['buy', 'sell'] as const);
  const leg = (side: Side): Leg => ({ phase, side, slot: slotOf(SLOTS[phase][side], at), holding });
  const short = leg(other);
  const isShort = phase === 'reduce' ? facts.held(holding.symbol).lt(0) : holding.weight < 0;
  return isShort || children.newest(short.slot) !== undefined ? [leg(usual), short] : [leg(usual)];
}

/**
 * Returns the order of a leg now: for a position on the other side of zero than its target, the order that closes it
 * in the first phase, and the rest in the second.
 */
function orderOf({ phase, side, holding }: Leg, facts: RebalanceFacts): RebalanceOrder | undefined {
  const whole = facts.rebalanceOrder(holding);
  if (whole === undefined || whole === 'unknown') return whole;
  if (whole.side !== side) return undefined;
  const { symbol, weight } = holding;
  const held = facts.held(symbol);
  const reduces = side === 'sell' ? held.gt(0) : held.lt(0);
  if (reduces !== (phase === 'reduce')) return undefined;
  const crosses = side === 'sell' ? weight < 0 : weight > 0;
  return reduces && crosses ? facts.rebalanceOrder({ symbol, weight: 0 }) : whole;
}

type Step =
  | Extract<AlgorithmAction, { kind: 'submit' }>
  /** `blocksQueue`: the orders after it wait as well. */
  | { readonly kind: 'wait'; readonly at: Millis; readonly blocksQueue: boolean };

function nextStep(leg: Leg, parts: PlanParts): Step | undefined {
  const { algorithm, facts } = parts;
  const { slot } = leg;
  const order = (from: string, most?: Decimal): Step | undefined => {
    const terms = orderOf(leg, facts);
    if (terms === undefined) return undefined;
    if (terms === 'unknown')
      return { kind: 'wait', at: millis(facts.now + UNSIZED_RETRY_MS), blocksQueue: false };
    const less = most === undefined ? terms : { ...terms, quantity: Decimal.min(most, terms.quantity) };
    const reason = `${algorithm.reason}${most === undefined ? '' : ', as much as can be paid for'}`;
    return { kind: 'submit', slot: from, terms: less, reason };
  };
  const next = nextOrderOf(leg, parts);
  if (next === undefined) return undefined;
  if (next.kind === 'less') return order(reducedSlotOf(slot), next.most);
  return next.at > facts.now ? { kind: 'wait', at: next.at, blocksQueue: next.blocksQueue } : order(slot);
}

/** Next order of a leg: the full quantity for its weight at an instant, or the affordable quantity. */
type NextOrder =
  | { readonly kind: 'whole'; readonly at: Millis; readonly blocksQueue: boolean }
  | { readonly kind: 'less'; readonly most: Decimal };

/** Returns undefined once the newest order of the leg is its last. */
function nextOrderOf(
  { slot, holding }: Leg,
  { algorithm, facts, spec, children }: PlanParts,
): NextOrder | undefined {
  // An order that was working during a split is void: it is sent again in new shares.
  const sent = children.of(slot).filter((order) => !isFromBeforeSplit(order));
  const newest = sent.at(-1);
  if (newest === undefined) return { kind: 'whole', at: algorithm.startedAt, blocksQueue: false };
  const again = retryOf(newest, sent.length, { holding, facts, spec, children });
  if (again !== undefined) return { kind: 'whole', ...again };
  const most = affordableTerms(newest)?.most;
  const isLess = most?.gt(0) === true && children.newest(reducedSlotOf(slot)) === undefined;
  return isLess ? { kind: 'less', most } : undefined;
}

/**
 * Returns when another order replaces one that was denied or not sent, for the same holding and side, of any
 * quantity; undefined: never.
 */
export function legRetryAt(
  algorithm: TrackedAlgorithm,
  spec: RebalanceSpec,
  facts: RebalanceFacts,
  order: TrackedOrder,
): Millis | undefined {
  if (algorithm.overruled !== undefined || order.link === undefined) return undefined;
  const [slot] = slotsOfLeg(order.link.slot);
  const children = childrenOf(algorithm, facts);
  const leg = (['reduce', 'open'] as const)
    .flatMap((phase) =>
      spec.holdings.flatMap((holding, at) => legsOf(phase, holding, at, { facts, children })),
    )
    .find((each) => each.slot === slot);
  if (leg === undefined) return undefined;
  if (leg.phase === 'reduce' && isOpening(spec, children)) return undefined;
  const next = nextOrderOf(leg, { algorithm, spec, facts, children });
  if (next === undefined) return undefined;
  const at = next.kind === 'less' ? facts.now : millis(Math.max(next.at, facts.now));
  if (at >= algorithm.startedAt + WAITS_MAX_MS) return undefined;
  return orderOf(leg, facts) === undefined ? undefined : at;
}

/** True once an opening order was requested; none that reduces follows. */
function isOpening({ holdings }: RebalanceSpec, children: Children): boolean {
  return holdings.some((_, at) => OPENING.some((name) => children.newest(slotOf(name, at)) !== undefined));
}

/** Returns when an order that was not sent is requested again; undefined: never. */
function retryOf(
  order: TrackedOrder,
  times: number,
  { holding, ...parts }: Pick<PlanParts, 'facts' | 'spec' | 'children'> & { readonly holding: TargetHolding },
): { readonly at: Millis; readonly blocksQueue: boolean } | undefined {
  const { submission } = order.facets;
  const after = (ms: number | undefined, blocksQueue: boolean) =>
    ms === undefined ? undefined : { at: millis(order.decidedAt + ms), blocksQueue };
  if (submission.kind === 'not-sent') return after(RETRY_DELAYS_MS[times - 1], false);
  if (submission.kind !== 'denied') return undefined;
  const { rule, payable } = submission;
  if (payable !== undefined) {
    const at = payable.unsettled ? settledAt(holding.symbol, parts) : undefined;
    if (at !== undefined && order.decidedAt < at) return { at, blocksQueue: true };
    return times <= UNCOUNTED_RETRIES_MAX && isCashUncounted(order, payable, parts)
      ? after(RETRY_DELAYS_MS[times - 1], true)
      : undefined;
  }
  if (rule === 'order-rate') return times <= RATE_WAIT_MINUTES_MAX ? after(MINUTE_MS, true) : undefined;
  return TRANSIENT_DENIALS.has(rule) ? after(RETRY_DELAYS_MS[times - 1], RATE_DENIALS.has(rule)) : undefined;
}

/** Returns when the purchase's market is open and the cash of all sales is settled; undefined without sales. */
function settledAt(
  symbol: SecuritySymbol,
  { facts, spec, children }: Pick<PlanParts, 'facts' | 'spec' | 'children'>,
): Millis | undefined {
  const sold = ordersIn(['sell'], spec, children).filter(({ facets }) => facets.executed.gt(0));
  const [first] = ordersIn(['buy'], spec, children)
    .map(({ decidedAt }) => decidedAt)
    .toSorted(byTime);
  if (first === undefined || sold.length === 0) return undefined;
  const settled = sold.map(({ terms }) => facts.settled(terms.symbol, first));
  return facts.opens(symbol, millis(Math.max(...settled)));
}

const byTime = (one: Millis, other: Millis): number => one - other;

/** True if the venue does not seem to count the cash of a filled sale yet. */
function isCashUncounted(
  { terms }: TrackedOrder,
  { most }: AffordableQuantity,
  { facts, spec, children }: Pick<PlanParts, 'facts' | 'spec' | 'children'>,
): boolean {
  const lacks = terms.quantity.minus(most).gt(terms.quantity.times(CASH_SHORTFALL_MIN));
  return lacks && executedOf(ordersIn(['sell'], spec, children)).gt(0) && facts.affords(terms);
}

function affordableTerms({ facets: { submission } }: TrackedOrder): AffordableQuantity | undefined {
  return submission.kind === 'denied' ? submission.payable : undefined;
}

const REDUCING = Object.values(SLOTS.reduce);
const OPENING = Object.values(SLOTS.open);

function ordersIn(
  names: readonly SlotName[],
  { holdings }: RebalanceSpec,
  children: Children,
): readonly TrackedOrder[] {
  return holdings.flatMap((_, at) =>
    names.flatMap((name) => [
      ...children.of(slotOf(name, at)),
      ...children.of(reducedSlotOf(slotOf(name, at))),
    ]),
  );
}

/** Returns the newest order of each leg. */
function newestOrders({ holdings }: RebalanceSpec, children: Children): readonly TrackedOrder[] {
  return ALL_SLOTS.flatMap((name) =>
    holdings.flatMap(
      (_, at) => children.newest(reducedSlotOf(slotOf(name, at))) ?? children.newest(slotOf(name, at)) ?? [],
    ),
  );
}

function endAction(spec: RebalanceSpec, children: Children): AlgorithmAction {
  const failed = newestOrders(spec, children).flatMap((order) => {
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
  const newest = newestOrders(spec, children);
  const [sales, purchases] = (['sell', 'buy'] as const).map(
    (side) => newest.filter(({ terms }) => terms.side === side).length,
  );
  return `sent ${sales} to sell and ${purchases} to buy`;
}
