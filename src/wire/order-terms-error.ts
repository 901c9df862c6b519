import type { OrderTerms } from '../model/order.ts';
import { type OrderTypeRule, orderTypeRules, type TypedField } from '../model/order-type-rules.ts';
import { marketOf } from '../model/symbol.ts';

const WIRE_NAMES = {
  price: 'submitted_price',
  triggerPrice: 'trigger_price',
  limitOffset: 'limit_offset',
  trailingAmount: 'trailing_amount',
  trailingPercent: 'trailing_percent',
  limitDepthLevel: 'limit_depth_level',
  monitorPrice: 'monitor_price',
  triggerCount: 'trigger_count',
} as const satisfies Readonly<Record<TypedField, string>>;

/**
 * Returns the reason why a venue refuses this combination of terms; undefined if it accepts it. Does not check money,
 * lots, ticks or trading hours.
 */
export function orderTermsError(terms: OrderTerms): string | undefined {
  const rule = orderTypeRules[terms.type];
  const market = marketOf(terms.symbol);
  if (rule.hongKongOnly && market !== 'HK') return `order type not support: ${terms.type} exists in HK only`;
  if (!rule.timeInForce.includes(terms.timeInForce)) {
    return `time in force not support: ${terms.type} is good for its day only`;
  }
  if ((terms.timeInForce === 'gtd') !== (terms.expireDate !== undefined)) {
    return 'expire_date: is valid only with time_in_force "GTD"';
  }
  return orderFieldError(terms, rule);
}

function orderFieldError(terms: OrderTerms, rule: OrderTypeRule): string | undefined {
  for (const [field, wireName] of Object.entries(WIRE_NAMES) as [TypedField, string][]) {
    const need = rule.fields[field] ?? 'forbidden';
    const isGiven = terms[field] !== undefined;
    if (isGiven && need === 'forbidden') return `${wireName}: is not valid with order type ${terms.type}`;
    const wanted = need === 'required' || (need === 'unless-level' && (terms.limitDepthLevel ?? 0) === 0);
    if (!isGiven && wanted) return `${wireName}: is missing, order type ${terms.type} requires it`;
  }
  return undefined;
}
