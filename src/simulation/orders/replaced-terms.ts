import type { OrderTerms } from '../../model/order.ts';
import type { Replacement } from '../simulation.ts';
import type { VenueOrder } from './venue-order.ts';

/** Terms after a replacement: fields that it does not name stay. */
export function replacedTerms(order: VenueOrder, replacement: Replacement): OrderTerms {
  const { remark: _remark, ...changed } = replacement;
  return { ...order.terms, ...changed };
}

/** Whether an order waits for the same with new terms: at the same trigger, or as far behind. */
export function hasSameCondition(before: OrderTerms, after: OrderTerms): boolean {
  return CONDITION.every((figure) => {
    const [was, is] = [before[figure], after[figure]];
    return was === undefined ? is === undefined : is?.eq(was) === true;
  });
}

const CONDITION = ['triggerPrice', 'trailingAmount', 'trailingPercent'] as const;
