import type { AlgorithmSpec, ExitDistance, ExitLevel, Exits } from '../../model/algorithm.ts';
import { Decimal, type Price, type Quantity } from '../../model/decimal.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import type { ExecutionId } from '../../model/order.ts';
import type { OrderFacets } from '../../model/order-facets.ts';
import type { Millis } from '../../model/time.ts';
import type { CorporateActionBooked } from '../event.ts';

/** Splits of an order's shares since it was sent. Its open rest at the venue is void, or has another share basis. */
export interface OrderSplit {
  /** New shares per share of the sent order. */
  readonly ratio: Decimal;
  /** New shares per share of each execution; executions after the last split are absent. */
  readonly executions: ReadonlyMap<ExecutionId, Decimal>;
}

/** Returns the terms of a booked split; undefined for other actions, and in journals of earlier versions. */
export function splitIn({ terms }: CorporateActionBooked): { ratio: Decimal; price: Price } | undefined {
  return terms !== undefined && 'ratio' in terms && terms.ratio !== undefined ? terms : undefined;
}

/** The newest split of a symbol. */
export interface LastSplit {
  readonly at: Millis;
  /** Price at that time, on the new share basis. */
  readonly price: Price;
}

/** Returns an order's split record after one more split. */
export function orderSplit(
  { executions }: OrderFacets,
  before: OrderSplit | undefined,
  ratio: Decimal,
): OrderSplit {
  const since = (id: ExecutionId): Decimal => before?.executions.get(id) ?? ONE;
  return {
    ratio: (before?.ratio ?? ONE).times(ratio),
    executions: new Map([...executions.keys()].map((id) => [id, since(id).times(ratio)])),
  };
}

/** Returns an order's executions on the current share basis. */
export function executionsNow({
  facets,
  split,
}: {
  readonly facets: OrderFacets;
  readonly split?: OrderSplit | undefined;
}): readonly { readonly quantity: Quantity; readonly price: Price }[] {
  if (split === undefined) return [...facets.executions.values()];
  return [...facets.executions].map(([id, { quantity, price }]) => {
    const ratio = split.executions.get(id) ?? ONE;
    return { quantity: quantity.times(ratio), price: price.div(ratio) };
  });
}

/** Adjusts the prices and money distances of a bracket's exits to a split. Entry orders from before are void. */
export function specAfterSplit(spec: AlgorithmSpec, ratio: Decimal): AlgorithmSpec {
  if (spec.kind !== 'bracket') return spec;
  const { stop, target, trail, breakEven } = spec.exits;
  const exits: Exits = {
    ...spec.exits,
    ...omitUndefined({
      stop: stop && levelAfter(stop, ratio),
      target: target && levelAfter(target, ratio),
      trail: trail && distanceAfter(trail, ratio),
      breakEven: breakEven && distanceAfter(breakEven, ratio),
    }),
  };
  return { ...spec, exits };
}

function levelAfter(level: ExitLevel, ratio: Decimal): ExitLevel {
  return level.kind === 'price'
    ? { kind: 'price', price: level.price.div(ratio) }
    : distanceAfter(level, ratio);
}

/** Adjusts a distance; limits its decimal places, because it may be sent to the venue. */
function distanceAfter(distance: ExitDistance, ratio: Decimal): ExitDistance {
  if (distance.kind === 'percent') return distance;
  const amount = distance.amount.div(ratio).toDecimalPlaces(AMOUNT_PLACES);
  return { kind: 'amount', amount: Decimal.max(LEAST_AMOUNT, amount) };
}

const ONE = new Decimal(1);
const AMOUNT_PLACES = 4;
const LEAST_AMOUNT = new Decimal('0.0001');
