import type { TrackedOrder } from '../../events/bot-state.ts';
import type { TrackedAlgorithm } from '../../events/records/algorithm-record.ts';
import { Decimal, type Quantity, ZERO } from '../../model/decimal.ts';
import type { OrderTerms, ReadStatus } from '../../model/order.ts';
import { isLive, openRest } from '../../model/order-state.ts';
import { MINUTE_MS, type Millis, millis } from '../../model/time.ts';
import {
  cancelActions,
  expiredOf,
  failureOf,
  isOfOldShares,
  isOpen,
  SPLIT,
  wasCancelled,
  wasDenied,
} from './children.ts';
import type { AlgorithmAction } from './plan.ts';

/** The exits of one slot as they should stand. */
export interface TargetExits {
  readonly slot: string;
  /** Shares that they take back in all. */
  readonly quantity: Quantity;
  /** Terms of one that is sent now. */
  termsFor(quantity: Quantity): OrderTerms;
  /** New figures of one that stands; undefined where it has to be sent anew instead. */
  amend(order: TrackedOrder, quantity: Quantity): OrderTerms | undefined;
  /** True where one that stands lies elsewhere than is wanted, whatever it is for. */
  isMispriced(order: TrackedOrder): boolean;
  /** How long one rests between two times that it grows; 0 where every share is to be covered at once. */
  readonly growthIntervalMs: number;
  readonly reason: string;
}

/** What the exits of a slot are looked after with. */
export interface SlotFacts {
  readonly algorithm: TrackedAlgorithm;
  /** All orders of the slot, oldest first. */
  readonly orders: readonly TrackedOrder[];
  readonly now: Millis;
  /** True while our gate lets nothing pass but what takes away: it is not asked for more, and what is taken back could not be sent anew. */
  readonly halted: boolean;
}

/** Most exits that stand side by side in one slot, where the venue does not let one grow. */
export const WORKING_EXITS_MAX = 4;
/** A change that did not reach the venue, or was lost on the way, is asked for again after this long. */
export const AMEND_RETRY_MS = 2_000;
/** One that our gate denied: its limits count minutes. */
export const DENIED_RETRY_MS = 10_000;
/** The longest wait between two times that our gate is asked for an exit. */
const DENIED_RETRY_MAX_MS = 10 * MINUTE_MS;
/** So many changes in a row that were lost are as good as refused. */
const UNCONFIRMED_AMENDS_MAX = 3;

const MOVED = 'the position or its stop moved';

/**
 * Statuses in which new figures are asked for. The broker writes of orders at the exchange; that it names the figures of
 * conditional orders says that it takes them for those, too, which are changed while they wait or not at all.
 * @see docs/wire-protocol.md, "Calls"
 */
const CHANGEABLE: ReadonlySet<ReadStatus | 'none'> = new Set([
  'NewStatus',
  'PartialFilledStatus',
  'ReplacedStatus',
  'VarietiesNotReported',
]);

/**
 * Wants exits for exactly so many shares in a slot. One that stands gets new figures, so that what is held never lies open
 * while it grows. Where the venue refuses that, another one for what is missing stands beside it; what is too much, or lies
 * elsewhere, is taken back and sent anew. One that our gate denied beside others is asked for again, and those stand. What was sent
 * before a split is taken back, and sent anew in new shares once it is gone.
 */
export function maintainExits(target: TargetExits, slot: SlotFacts): readonly AlgorithmAction[] {
  const { now, halted } = slot;
  const old = slot.orders.filter((order) => isOfOldShares(order) && isOpen(order));
  if (old.length > 0) return halted ? [{ kind: 'wake', at: askedAgain(now) }] : cancelActions(old, SPLIT);
  const expired = expiredOf(slot.orders);
  const orders = slot.orders.filter((order) => !isOfOldShares(order) && !expired.has(order));
  const standing = orders.filter(isOpen);
  const isRefused = orders.some(wasRefused);
  const mayChange = (order: TrackedOrder, quantity: Quantity): boolean =>
    !isRefused && isFree(order) && target.amend(order, quantity) !== undefined;

  let missing = target.quantity;
  const shares = new Map<TrackedOrder, Quantity>();
  for (const order of standing) {
    const share = Decimal.min(openRest(order.facets), missing);
    shares.set(order, share);
    missing = missing.minus(share);
  }
  const grows = missing.gt(0)
    ? standing.findLast((order) => mayChange(order, missing.plus(shares.get(order) ?? ZERO)))
    : undefined;

  const actions = standing.flatMap((order): readonly AlgorithmAction[] => {
    const share = shares.get(order) ?? openRest(order.facets);
    const quantity = order === grows ? share.plus(missing) : share;
    const isRight = quantity.eq(openRest(order.facets)) && !target.isMispriced(order);
    if (isRight || isChanging(order)) return [];
    if (quantity.isZero() || !mayChange(order, quantity)) return cancelActions([order], MOVED);
    const reducesQuantity = quantity.lt(openRest(order.facets)) && !target.isMispriced(order);
    const due =
      halted && !reducesQuantity
        ? askedAgain(now)
        : changeDue(order, order === grows ? target.growthIntervalMs : 0);
    if (due > now) return [{ kind: 'wake', at: due }];
    const terms = target.amend(order, quantity);
    return terms === undefined ? [] : [{ kind: 'replace', intentId: order.intentId, terms }];
  });
  const isMissing = missing.gt(0) && grows === undefined && !actions.some(({ kind }) => kind === 'cancel');
  const newest = slot.orders.at(-1);
  const isAgain = newest !== undefined && expired.has(newest);
  return isMissing ? [...actions, ...another(target, missing, { ...slot, orders }, isAgain)] : actions;
}

/** Another exit beside those that stand, unless one of them is about to become something else. */
function another(
  { slot, termsFor, reason }: TargetExits,
  missing: Quantity,
  { algorithm, orders, now, halted }: SlotFacts,
  isAgain: boolean,
): readonly AlgorithmAction[] {
  const newest = orders.at(-1);
  const standing = orders.filter(isOpen);
  const isLost = newest !== undefined && failureOf(newest) !== undefined && !wasCancelled(newest, algorithm);
  if (isLost && !wasDenied(newest)) return [];
  if (standing.some((order) => isChanging(order) || isLeaving(order) || !isLive(order.facets))) return [];
  if (halted) return [{ kind: 'wake', at: askedAgain(now) }];
  const due = Math.max(
    isLost ? deniedAgain(orders) : 0,
    ...(orders.some(wasRefused) ? [] : standing.map(shownBy)),
  );
  if (due > now) return [{ kind: 'wake', at: millis(due) }];
  if (standing.length >= WORKING_EXITS_MAX) return cancelActions(standing, MOVED);
  const sent = { kind: 'submit', slot, terms: termsFor(missing), exclusive: true, exit: true } as const;
  if (!isAgain) return [{ ...sent, reason }];
  return [{ ...sent, reason: `${reason}, sent again as the venue expired the one before`, again: 'expired' }];
}

/** True while the venue could take new figures of an order: it is there, and nothing else is under way. */
function isFree(order: TrackedOrder): boolean {
  const { submission, pending, venue } = order.facets;
  return submission.kind === 'acked' && pending === 'none' && !isLeaving(order) && CHANGEABLE.has(venue);
}

/** When an order that the venue has not yet said where it stands with is waited for no longer. */
function shownBy({ facets, decidedAt }: TrackedOrder): number {
  return CHANGEABLE.has(facets.venue) ? 0 : decidedAt + AMEND_RETRY_MS;
}

function isChanging({ facets }: TrackedOrder): boolean {
  return facets.pending.startsWith('replace-');
}

function isLeaving({ facets }: TrackedOrder): boolean {
  return facets.cancelWanted || facets.pending.startsWith('cancel-');
}

/** True where the venue does not change such orders: it said so, or says nothing each time that it is asked. */
function wasRefused({ change }: TrackedOrder): boolean {
  return change?.outcome === 'refused' || (change?.losses ?? 0) >= UNCONFIRMED_AMENDS_MAX;
}

/** When an exit that our gate denied is asked for again: the wait doubles with each denial in a row. */
function deniedAgain(orders: readonly TrackedOrder[]): number {
  const newest = orders.at(-1);
  if (newest === undefined) return 0;
  const inRow = orders.length - 1 - orders.findLastIndex((order) => !wasDenied(order));
  return newest.decidedAt + Math.min(DENIED_RETRY_MS * 2 ** (inRow - 1), DENIED_RETRY_MAX_MS);
}

/** When our gate is asked for what it denied, or would deny. */
function askedAgain(since: Millis): Millis {
  return millis(since + DENIED_RETRY_MS);
}

/** When an order may be changed next. */
function changeDue({ change, decidedAt }: TrackedOrder, growthIntervalMs: number): Millis {
  if (change === undefined) return millis(growthIntervalMs === 0 ? 0 : decidedAt + growthIntervalMs);
  switch (change.outcome) {
    case 'not-sent':
    case 'lost':
      return millis(change.at + AMEND_RETRY_MS);
    case 'denied':
      return askedAgain(change.at);
    default:
      return millis(change.at + growthIntervalMs);
  }
}
