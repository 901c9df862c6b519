import type { ChaseSpec, MissedSlices, OcoSpec, Slice, SlicesSpec } from '../model/algorithm.ts';
import {
  type Amount,
  amountOfDouble,
  toDecimal as decimalOf,
  isPositive,
  mulDiv,
  multiply,
  subtract,
  toAmount,
} from '../model/amount.ts';
import { Decimal, type Price, type Quantity } from '../model/decimal.ts';
import { omitUndefined } from '../model/omit-undefined.ts';
import type { OrderTerms, Side } from '../model/order.ts';
import { MINUTE_MS } from '../model/time.ts';
import { type Numeric, toDecimal } from '../strategy/numeric.ts';
import {
  type ChaseDraft,
  type OcoDraft,
  PARTS_MAX,
  type SizedDraft,
  type SlicesDraft,
} from '../strategy/order-draft.ts';
import {
  fault,
  type NothingToSend,
  type OrderStyle,
  type SizingFacts,
  sizeDraft,
} from '../strategy/sizing.ts';

/** Default interval of a chase. */
const CHASE_INTERVAL_MS = 5_000;

/** Sizes every leg of an OCO, or returns why one could not be sized. */
export function ocoOf({ legs }: OcoDraft, facts: SizingFacts, style: OrderStyle): OcoSpec | NothingToSend {
  const sized: OrderTerms[] = [];
  for (const leg of legs) {
    const order = sizeDraft(leg, facts, style);
    if (order.kind === 'nothing') return order;
    sized.push(order.terms);
  }
  return { kind: 'oco', legs: sized, ...closingFlags(sized, facts) };
}

const EXPECTED_PARTS = {
  twap: `"parts" from 1 to ${PARTS_MAX}`,
  vwap: `"weights" of at least 0, one of them above`,
};

/** Sizes an order in parts of whole lots, or returns why there is nothing to send. */
export function slicesOf(
  draft: SlicesDraft,
  facts: SizingFacts,
  style: OrderStyle,
  missed?: MissedSlices,
): SlicesSpec | NothingToSend {
  const sized = sizeDraft(draft.order, facts, style);
  if (sized.kind === 'nothing') return sized;
  const order = sized.terms;

  const slices =
    draft.style === 'iceberg'
      ? icebergSlices(order.quantity, draft.shown, facts.lotSize)
      : timedSlices(order.quantity, draft, facts.lotSize);
  if (slices === undefined)
    return fault(
      draft.style === 'iceberg'
        ? `an iceberg of ${order.quantity} shares cannot show ${draft.shown} of them at a time`
        : `a ${draft.style} of "${facts.symbol}" wants "minutes" above 0 and ${EXPECTED_PARTS[draft.style]}`,
    );
  const spec = {
    kind: 'slices',
    style: draft.style,
    order,
    slices,
    ...closingFlags([order], facts),
  } as const;
  if (draft.style === 'iceberg') return { ...spec, pace: 'fill' };
  return { ...spec, pace: 'time', ...omitUndefined({ missed }) };
}

/** Parts of equal size, the last with the remainder; undefined for more than 1,000 parts. */
function icebergSlices(
  total: Quantity,
  displayQuantity: Numeric | undefined,
  lotSize: number,
): readonly Slice[] | undefined {
  const part =
    displayQuantity === undefined
      ? undefined
      : toDecimal(displayQuantity)?.div(lotSize).trunc().times(lotSize);
  if (part === undefined || part.lte(0) || total.div(part).gt(SLICES_MAX)) return undefined;
  const slices: Slice[] = [];
  for (let left = total; left.gt(0); left = left.minus(part))
    slices.push({ quantity: Decimal.min(part, left), afterMs: 0 });
  return slices;
}

const SLICES_MAX = 1_000;

/** Rounds the cumulative quantity after each part to whole lots, so that the parts add up to the whole. */
export function timedSlices(
  total: Quantity,
  { weights, minutes }: Pick<SlicesDraft, 'weights' | 'minutes'>,
  lotSize: number,
): readonly Slice[] | undefined {
  const sum = weights?.reduce((all, weight) => all + weight, 0) ?? 0;
  const isValid =
    weights?.every((weight) => Number.isFinite(weight) && weight >= 0) === true &&
    sum > 0 &&
    Number.isFinite(sum);
  if (weights === undefined || !isValid || minutes === undefined || !(minutes > 0)) return undefined;
  const everyMs = (minutes * MINUTE_MS) / weights.length;
  const [whole, lot] = [toAmount(total), amountOfDouble(lotSize)];
  const lots = multiply(amountOfDouble(sum), lot, 'exact');
  const slices: Slice[] = [];
  let [weightSum, sent]: [number, Amount] = [0, 0];
  for (const [at, weight] of weights.entries()) {
    weightSum += weight;
    const isLast = at === weights.length - 1;
    const until = isLast
      ? whole
      : multiply(mulDiv(whole, amountOfDouble(weightSum), lots, 'down', 0), lot, 'exact');
    const quantity = subtract(until, sent);
    sent = until;
    if (isPositive(quantity))
      slices.push({ quantity: decimalOf(quantity), afterMs: Math.round(at * everyMs) });
  }
  return slices;
}

/** Returns a chase with its bound as a price, or why there is nothing to send. */
export function chaseOf(draft: ChaseDraft, facts: SizingFacts, style: OrderStyle): ChaseSpec | NothingToSend {
  const sized = sizeDraft(draft.order, facts, style);
  if (sized.kind === 'nothing') return sized;
  const last = facts.lastPrice;
  if (last === undefined)
    return { kind: 'nothing', reason: `no price of "${facts.symbol}" yet`, isFault: false };
  const everyMs =
    draft.everySeconds === undefined ? CHASE_INTERVAL_MS : Math.round(draft.everySeconds * 1_000);
  if (!(draft.minutes > 0)) return fault(`a chase for ${draft.minutes} minutes never begins`);
  if (!(everyMs >= 1_000)) return fault(`a chase looks every second at the most, not every ${everyMs} ms`);
  const bound = boundOf(draft.bound, last, sized.terms.side);
  if (bound?.gt(0) !== true) return fault(`the bound of a chase of "${facts.symbol}" is not above zero`);
  const { price: _price, ...rest } = sized.terms;
  const forMs = Math.round(draft.minutes * MINUTE_MS);
  return {
    ...{ kind: 'chase', order: { ...rest, type: 'LO' }, bound, everyMs, forMs, atEnd: draft.atEnd },
    ...targetFlag(draft.order),
    ...closingFlags([sized.terms], facts),
  };
}

/** Marks orders of which each closes no more than is held. */
function closingFlags(
  orders: readonly OrderTerms[],
  { held }: Pick<SizingFacts, 'held'>,
): { readonly closes?: true } {
  const isClosing = ({ side, quantity }: OrderTerms): boolean =>
    (side === 'sell' ? held : held.neg()).gte(quantity);
  return orders.every(isClosing) ? { closes: true } : {};
}

/** Marks an order that leads to a target position; undefined for an order with a given quantity. */
export function targetFlag({ kind }: SizedDraft): { readonly isTarget?: true } {
  return kind === 'order' ? {} : { isTarget: true };
}

function boundOf(bound: ChaseDraft['bound'], last: Price, side: Side): Price | undefined {
  if (typeof bound !== 'object' || !('amount' in bound || 'percent' in bound)) return toDecimal(bound);
  const distance =
    'amount' in bound ? toDecimal(bound.amount) : toDecimal(bound.percent)?.times(last).div(100);
  if (distance === undefined) return undefined;
  return side === 'buy' ? last.plus(distance) : last.minus(distance);
}
