import type { ChaseSpec, OcoSpec, Slice, SlicesSpec } from '../model/algorithm.ts';
import { Decimal, type Price, type Quantity, ZERO } from '../model/decimal.ts';
import type { OrderTerms, Side } from '../model/order.ts';
import { MINUTE_MS } from '../model/time.ts';
import { exact, type Figure } from '../strategy/figure.ts';
import type { ChaseDraft, OcoDraft, SlicesDraft } from '../strategy/order-draft.ts';
import { type OrderStyle, type Sized, type SizingFacts, sizeDraft } from '../strategy/sizing.ts';

/** How often a chase looks unless it says otherwise. */
const LOOK_EVERY_MS = 5_000;

/** An OCO of which every leg could be sized; undefined when one could not. */
export function ocoOf({ legs }: OcoDraft, facts: SizingFacts, style: OrderStyle): OcoSpec | undefined {
  const sized = legs.flatMap((leg) => termsOf(sizeDraft(leg, facts, style)));
  return sized.length === legs.length ? { kind: 'oco', legs: sized } : undefined;
}

/** An order in whole lots, part by part; undefined when there is nothing to do or the parts make no sense. */
export function slicesOf(draft: SlicesDraft, facts: SizingFacts, style: OrderStyle): SlicesSpec | undefined {
  const [order] = termsOf(sizeDraft(draft.order, facts, style));
  if (order === undefined) return undefined;
  const slices =
    draft.style === 'iceberg'
      ? shownSlices(order.quantity, draft.shown, facts.lotSize)
      : timedSlices(order.quantity, draft, facts.lotSize);
  if (slices === undefined || slices.length === 0) return undefined;
  return {
    kind: 'slices',
    style: draft.style,
    order,
    slices,
    pace: draft.style === 'iceberg' ? 'fill' : 'time',
  };
}

/** Parts of equal size, the last of what is left; undefined for more than anybody would send. */
function shownSlices(
  total: Quantity,
  shown: Figure | undefined,
  lotSize: number,
): readonly Slice[] | undefined {
  const part = shown === undefined ? undefined : exact(shown)?.div(lotSize).trunc().times(lotSize);
  if (part === undefined || part.lte(0) || total.div(part).gt(SLICES_MAX)) return undefined;
  const slices: Slice[] = [];
  for (let left = total; left.gt(0); left = left.minus(part))
    slices.push({ quantity: Decimal.min(part, left), afterMs: 0 });
  return slices;
}

const SLICES_MAX = 1_000;

/** Each part ends where its share of the whole does, in whole lots, so that together they are the whole. */
function timedSlices(
  total: Quantity,
  { weights, minutes }: SlicesDraft,
  lotSize: number,
): readonly Slice[] | undefined {
  const sum = weights?.reduce((all, weight) => all + weight, 0) ?? 0;
  const isSound = weights?.every((weight) => Number.isFinite(weight) && weight >= 0) === true && sum > 0;
  if (weights === undefined || !isSound || minutes === undefined || !(minutes > 0)) return undefined;
  const everyMs = (minutes * MINUTE_MS) / weights.length;
  let [weighed, sent] = [0, ZERO];
  return weights.flatMap((weight, at): readonly Slice[] => {
    weighed += weight;
    const isLast = at === weights.length - 1;
    const until = isLast
      ? total
      : total.times(new Decimal(weighed)).div(new Decimal(sum)).div(lotSize).trunc().times(lotSize);
    const quantity = until.minus(sent);
    sent = until;
    return quantity.gt(0) ? [{ quantity, afterMs: Math.round(at * everyMs) }] : [];
  });
}

/** A chase with its bound as a price; undefined when there is nothing to do or its terms make no sense. */
export function chaseOf(draft: ChaseDraft, facts: SizingFacts, style: OrderStyle): ChaseSpec | undefined {
  const [order] = termsOf(sizeDraft(draft.order, facts, style));
  const last = facts.lastPrice;
  if (order === undefined || last === undefined || !(draft.minutes > 0)) return undefined;
  const bound = boundOf(draft.bound, last, order.side);
  const everyMs = draft.everySeconds === undefined ? LOOK_EVERY_MS : Math.round(draft.everySeconds * 1_000);
  if (bound === undefined || !bound.gt(0) || !(everyMs >= 1_000)) return undefined;
  const { price: _price, ...rest } = order;
  const forMs = Math.round(draft.minutes * MINUTE_MS);
  return { kind: 'chase', order: { ...rest, type: 'LO' }, bound, everyMs, forMs, atEnd: draft.atEnd };
}

function boundOf(bound: ChaseDraft['bound'], last: Price, side: Side): Price | undefined {
  if (typeof bound !== 'object' || !('amount' in bound || 'percent' in bound)) return exact(bound);
  const distance = 'amount' in bound ? exact(bound.amount) : exact(bound.percent)?.times(last).div(100);
  if (distance === undefined) return undefined;
  return side === 'buy' ? last.plus(distance) : last.minus(distance);
}

function termsOf(sized: Sized): readonly OrderTerms[] {
  return sized.kind === 'order' ? [sized.terms] : [];
}
