import type { OrderTerms, OrderType } from '../model/order.ts';
import { marketOf } from '../model/symbol.ts';

type Need = 'required' | 'optional' | 'absent';

/** What an order type asks for, by fields of the terms. */
export interface OrderTypeRule {
  readonly price: Need;
  readonly triggerPrice: Need;
  /** `unless-level`: required unless a depth level is named. */
  readonly limitOffset: Need | 'unless-level';
  readonly trailingAmount: Need;
  readonly trailingPercent: Need;
  readonly limitDepthLevel: Need;
  readonly monitorPrice: Need;
  readonly triggerCount: Need;
  /** Hong Kong alone has this type. */
  readonly hongKongOnly: boolean;
  /** May outlive its day (GTC, GTD). */
  readonly longTerm: boolean;
  readonly replaceable: boolean;
}

const PLAIN: OrderTypeRule = {
  price: 'absent',
  triggerPrice: 'absent',
  limitOffset: 'absent',
  trailingAmount: 'absent',
  trailingPercent: 'absent',
  limitDepthLevel: 'absent',
  monitorPrice: 'absent',
  triggerCount: 'absent',
  hongKongOnly: false,
  longTerm: false,
  replaceable: true,
};

const TRAILING: OrderTypeRule = {
  ...PLAIN,
  limitOffset: 'unless-level',
  limitDepthLevel: 'optional',
  monitorPrice: 'optional',
  triggerCount: 'optional',
  longTerm: true,
};

/** @see reference: HTTP API, sections 7.1 and 3.2 */
export const ORDER_TYPE_RULES: Readonly<Record<OrderType, OrderTypeRule>> = {
  LO: { ...PLAIN, price: 'required', longTerm: true },
  ELO: { ...PLAIN, price: 'required', hongKongOnly: true, longTerm: true },
  MO: { ...PLAIN, replaceable: false },
  AO: { ...PLAIN, hongKongOnly: true },
  ALO: { ...PLAIN, price: 'required', hongKongOnly: true },
  ODD: { ...PLAIN, price: 'required', hongKongOnly: true },
  SLO: { ...PLAIN, price: 'required', hongKongOnly: true, replaceable: false },
  LIT: { ...PLAIN, price: 'required', triggerPrice: 'required', triggerCount: 'optional', longTerm: true },
  MIT: { ...PLAIN, triggerPrice: 'required', triggerCount: 'optional', longTerm: true },
  TSLPAMT: { ...TRAILING, trailingAmount: 'required' },
  TSLPPCT: { ...TRAILING, trailingPercent: 'required' },
};

const WIRE_NAMES = {
  price: 'submitted_price',
  triggerPrice: 'trigger_price',
  limitOffset: 'limit_offset',
  trailingAmount: 'trailing_amount',
  trailingPercent: 'trailing_percent',
  limitDepthLevel: 'limit_depth_level',
  monitorPrice: 'monitor_price',
  triggerCount: 'trigger_count',
} as const;

/**
 * Why a venue refuses the combination of these terms; undefined when it takes them.
 * It says nothing of money, lots, ticks or the hour: only whether the parameters go together.
 */
export function refusalOfTerms(terms: OrderTerms): string | undefined {
  const rule = ORDER_TYPE_RULES[terms.type];
  const market = marketOf(terms.symbol);
  if (rule.hongKongOnly && market !== 'HK') return `order type not support: ${terms.type} exists in HK only`;
  if (terms.timeInForce !== 'day' && !rule.longTerm) {
    return `time in force not support: ${terms.type} is good for its day only`;
  }
  if ((terms.timeInForce === 'gtd') !== (terms.expireDate !== undefined)) {
    return 'expire_date: goes with time_in_force "GTD" and with no other';
  }
  return refusalOfFields(terms, rule);
}

function refusalOfFields(terms: OrderTerms, rule: OrderTypeRule): string | undefined {
  for (const [field, wireName] of Object.entries(WIRE_NAMES) as [keyof typeof WIRE_NAMES, string][]) {
    const need = rule[field];
    const given = terms[field] !== undefined;
    if (given && need === 'absent') return `${wireName}: does not go with order type ${terms.type}`;
    const wanted = need === 'required' || (need === 'unless-level' && (terms.limitDepthLevel ?? 0) === 0);
    if (!given && wanted) return `${wireName}: is missing, order type ${terms.type} needs it`;
  }
  return undefined;
}
