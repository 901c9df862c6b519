import type { OrderType, TimeInForce } from './order.ts';

/** Whether a field is required, optional or forbidden; `unless-level`: required unless a depth level is given. */
export type FieldRule = 'required' | 'optional' | 'unless-level' | 'forbidden';

export const TYPED_FIELDS = [
  'price',
  'triggerPrice',
  'limitOffset',
  'trailingAmount',
  'trailingPercent',
  'limitDepthLevel',
  'monitorPrice',
  'triggerCount',
] as const;
export type TypedField = (typeof TYPED_FIELDS)[number];

export interface OrderTypeRule {
  readonly type: OrderType;
  readonly name: string;
  /** Only at the Hong Kong exchange: auctions, price queues and odd lots. */
  readonly hongKongOnly: boolean;
  readonly timeInForce: readonly TimeInForce[];
  /** Required or optional fields; all others are forbidden. */
  readonly fields: Partial<Record<TypedField, FieldRule>>;
  /** False for types that the venue cancels but never replaces. */
  readonly replaceable: boolean;
}

const DAY: readonly TimeInForce[] = ['day'];
const ANY: readonly TimeInForce[] = ['day', 'gtc', 'gtd'];
const TRAILING = {
  limitOffset: 'unless-level',
  limitDepthLevel: 'optional',
  monitorPrice: 'optional',
} as const;

const plain = { hongKongOnly: false, timeInForce: ANY, replaceable: true } as const;
const exchange = { hongKongOnly: true, timeInForce: DAY, replaceable: true } as const;

/**
 * The broker's order types. Where the broker publishes no time in force, we allow long-lived orders except for market,
 * auction, special and odd-lot orders.
 * @see https://open.longbridge.com/docs, "Trade definition"
 */
export const orderTypeRules: Readonly<Record<OrderType, OrderTypeRule>> = {
  LO: { ...plain, type: 'LO', name: 'limit', fields: { price: 'required' } },
  ELO: { ...exchange, type: 'ELO', name: 'enhanced limit', timeInForce: ANY, fields: { price: 'required' } },
  MO: { ...plain, type: 'MO', name: 'market', timeInForce: DAY, fields: {}, replaceable: false },
  AO: { ...exchange, type: 'AO', name: 'at-auction', fields: {} },
  ALO: { ...exchange, type: 'ALO', name: 'at-auction limit', fields: { price: 'required' } },
  ODD: { ...exchange, type: 'ODD', name: 'odd lot', fields: { price: 'required' } },
  SLO: { ...exchange, type: 'SLO', name: 'special limit', fields: { price: 'required' }, replaceable: false },
  LIT: {
    ...plain,
    type: 'LIT',
    name: 'limit if touched',
    fields: { price: 'required', triggerPrice: 'required', triggerCount: 'optional' },
  },
  MIT: {
    ...plain,
    type: 'MIT',
    name: 'market if touched',
    fields: { triggerPrice: 'required', triggerCount: 'optional' },
  },
  TSLPAMT: {
    ...plain,
    type: 'TSLPAMT',
    name: 'trailing limit by amount',
    fields: { ...TRAILING, trailingAmount: 'required', triggerCount: 'optional' },
  },
  TSLPPCT: {
    ...plain,
    type: 'TSLPPCT',
    name: 'trailing limit by percent',
    fields: { ...TRAILING, trailingPercent: 'required', triggerCount: 'optional' },
  },
};
