import { ORDER_TYPES, type OrderTerms, type OrderType, type TimeInForce } from '../model/order.ts';
import type { Market } from '../model/symbol.ts';
import { hasTable } from './calendar.ts';

/** Whether a field must be there, may be there, or must be absent. */
export type FieldRule = 'required' | 'optional' | 'forbidden';

/** Fields whose presence depends on the order type. */
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

/** What one order type wants and where it exists. */
export interface OrderTypeRule {
  readonly type: OrderType;
  readonly name: string;
  /** Only at the Hong Kong exchange: auctions, price queues and odd lots. */
  readonly hongKongOnly: boolean;
  readonly timeInForce: readonly TimeInForce[];
  /** Fields that are required or optional; all others are forbidden. */
  readonly fields: Partial<Record<TypedField, FieldRule>>;
  /** False for types that the venue never replaces, only cancels. */
  readonly replaceable: boolean;
}

const DAY: readonly TimeInForce[] = ['day'];
const ANY: readonly TimeInForce[] = ['day', 'gtc', 'gtd'];
const TRAILING = { limitOffset: 'optional', limitDepthLevel: 'optional', monitorPrice: 'optional' } as const;

const plain = { hongKongOnly: false, timeInForce: ANY, replaceable: true } as const;
const exchange = { hongKongOnly: true, timeInForce: DAY, replaceable: true } as const;

/**
 * The order types of the broker. Long-lived orders are ours to allow where the broker publishes nothing: not for
 * market, auction, special and odd-lot orders.
 * @see reference: HTTP API 7.1
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

/** The order types a market takes; one without a table takes those that need no Hong Kong exchange. */
export function orderTypesOf(market: Market): readonly OrderType[] {
  return ORDER_TYPES.filter((type) => market === 'HK' || !orderTypeRules[type].hongKongOnly);
}

/**
 * What is wrong with an order's terms at a market, each problem in plain words; empty when nothing is. Lots, ticks and
 * money are judged elsewhere. `outsideRth` means nothing outside the US and is no problem there.
 * @see reference: HTTP API 3.1, 7.1, 10.2
 */
export function checkTerms(terms: OrderTerms, market: Market): readonly string[] {
  const rule = orderTypeRules[terms.type];
  const problems: string[] = [];
  if (rule.hongKongOnly && market !== 'HK') {
    const where = hasTable(market) ? `"${market}"` : `"${market}", a market without a table`;
    problems.push(`Order type ${terms.type} (${rule.name}) exists at HK only, not at ${where}`);
  }
  if (!rule.timeInForce.includes(terms.timeInForce)) {
    const taken = rule.timeInForce.join(', ');
    problems.push(`Time in force "${terms.timeInForce}" is not taken for ${terms.type}, want ${taken}`);
  }
  return [...problems, ...checkFields(terms, rule), ...checkFigures(terms), ...checkDates(terms, market)];
}

function checkFields(terms: OrderTerms, rule: OrderTypeRule): readonly string[] {
  const problems: string[] = [];
  for (const field of TYPED_FIELDS) {
    const wanted = rule.fields[field] ?? 'forbidden';
    const present = terms[field] !== undefined;
    if (wanted === 'required' && !present) problems.push(`${terms.type} (${rule.name}) wants "${field}"`);
    if (wanted === 'forbidden' && present) problems.push(`${terms.type} (${rule.name}) takes no "${field}"`);
  }
  const trailing = rule.fields.limitOffset === 'optional';
  if (trailing && (terms.limitDepthLevel ?? 0) === 0 && terms.limitOffset === undefined) {
    problems.push(`${terms.type} wants "limitOffset" when "limitDepthLevel" is 0 or absent`);
  }
  return problems;
}

const POSITIVE = [
  'quantity',
  'price',
  'triggerPrice',
  'trailingAmount',
  'trailingPercent',
  'monitorPrice',
] as const;

/** Deepest price level that a trailing order may ask for, on either side. */
const DEPTH_LEVEL_MAX = 5;

/** Most trigger hits that an order may wait for. */
const TRIGGER_COUNT_MAX = 3;

function checkFigures(terms: OrderTerms): readonly string[] {
  const problems: string[] = [];
  for (const field of POSITIVE) {
    const value = terms[field];
    if (value !== undefined && !(value.isFinite() && value.gt(0))) {
      problems.push(`"${field}" is ${value}, want a number above 0`);
    }
  }
  const { limitOffset, trailingPercent, limitDepthLevel: level, triggerCount: count } = terms;
  if (limitOffset !== undefined && !(limitOffset.isFinite() && limitOffset.gte(0))) {
    problems.push(`"limitOffset" is ${limitOffset}, want a number of at least 0`);
  }
  if (trailingPercent?.gte(100)) problems.push(`"trailingPercent" is ${trailingPercent}, want less than 100`);
  if (level !== undefined && !(Number.isInteger(level) && Math.abs(level) <= DEPTH_LEVEL_MAX)) {
    problems.push(
      `"limitDepthLevel" is ${level}, want a whole number from -${DEPTH_LEVEL_MAX} to ${DEPTH_LEVEL_MAX}`,
    );
  }
  if (count !== undefined && !(Number.isInteger(count) && count >= 0 && count <= TRIGGER_COUNT_MAX)) {
    problems.push(`"triggerCount" is ${count}, want a whole number from 0 to ${TRIGGER_COUNT_MAX}`);
  }
  return problems;
}

function checkDates(terms: OrderTerms, market: Market): readonly string[] {
  const problems: string[] = [];
  const dated = terms.expireDate !== undefined;
  if (terms.timeInForce === 'gtd' && !dated) problems.push('Time in force "gtd" wants "expireDate"');
  if (terms.timeInForce !== 'gtd' && dated) {
    problems.push(`Time in force "${terms.timeInForce}" takes no "expireDate", only "gtd" does`);
  }
  if (market === 'US' && terms.outsideRth === 'overnight' && terms.type !== 'LO') {
    problems.push(`The overnight session takes limit orders (LO) only, not ${terms.type}`);
  }
  return problems;
}
