import { orderStyle } from '../../execution/orders/order-style.ts';
import { DraftProblem, readDraft, readExitTerms } from '../../hosts/strategy/read-draft.ts';
import { decimalOfDouble } from '../../model/amount.ts';
import type { Price } from '../../model/decimal.ts';
import type { Currency } from '../../model/money.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import type { Security } from '../../model/security.ts';
import { millis, parseDay } from '../../model/time.ts';
import type { Numeric } from '../../strategy/numeric.ts';
import {
  type DraftTerms,
  type OrderDraft,
  PARTS_MAX,
  type RebalanceDraft,
  type SlicesDraft,
} from '../../strategy/order-draft.ts';
import { type OrderStyle, type SizingFacts, sizeDraft } from '../../strategy/sizing.ts';
import type { RunSetup } from '../setup.ts';
import { bailOut } from './bail-out.ts';
import type { OpenOrder } from './open-order.ts';
import { exactDouble, numberIfPlain } from './plain-price.ts';

/** A supported draft of one order, as a plain copy. */
type SupportedOrder = Extract<
  OrderDraft,
  { kind: 'target-weight' | 'target-quantity' | 'order' | 'target-notional' | 'target-risk' }
>;

/** A supported draft of an order in slices. */
export interface SupportedSlices extends SlicesDraft {
  readonly order: SupportedOrder;
}

/** A draft that the express engine supports. */
export type SupportedDraft = SupportedOrder | SupportedSlices | RebalanceDraft;

/** Drafts that strategy/sizing.ts itself sizes. */
type SizedExactly = Extract<SupportedOrder, { kind: 'target-notional' | 'target-risk' }>;

/** Sizing input of one security, amounts in the currency. One object is reused for all drafts. */
export class Sizing {
  readonly policy: RunSetup['policy'];
  security: Security;
  now = Number.NaN;
  price = Number.NaN;
  equity = Number.NaN;
  /** Signed position, and shares that open orders may buy and sell. */
  held = 0;
  openBuys = 0;
  openSells = 0;
  /** Whether equity is rounded already, so that exact sizing has no meaning. */
  isRounded = false;

  constructor(policy: RunSetup['policy'], security: Security) {
    this.policy = policy;
    this.security = security;
  }

  /** Position with open orders filled. */
  get expectedPosition(): number {
    return this.held + this.openBuys - this.openSells;
  }
}

/** Above this a float64 quotient has no fractional digits. */
const WHOLE_NUMBERS_FROM = 2 ** 52;
/** Relative error bound of a quotient of three figures from decimal texts: at most six roundings. */
const SLACK = 1e-15;

/** Returns a copy of a supported draft; bails out for any other. Written out case by case for speed. */
export function supportedDraft(draft: OrderDraft): SupportedDraft {
  if (typeof draft !== 'object' || draft === null) bailOut('the result of a hook is not a draft');
  if (draft.kind === 'rebalance') return supportedRebalance(draft);
  return draft.kind === 'slices' ? supportedSlices(draft) : supportedOrder(draft);
}

function supportedRebalance(draft: RebalanceDraft): RebalanceDraft {
  const read = readDraft(draft);
  if (read === undefined || read instanceof DraftProblem || read.kind !== 'rebalance')
    bailOut('invalid rebalance');
  return read;
}

const SLICE_FIELDS: ReadonlySet<string> = new Set(['kind', 'style', 'symbol', 'order', 'weights', 'minutes']);

function supportedSlices(draft: SlicesDraft): SupportedSlices {
  const { kind, style, symbol, order, weights, minutes } = draft;
  if (style === 'iceberg') bailOut('an iceberg order');
  for (const name in draft) if (!SLICE_FIELDS.has(name)) bailOut('the draft has an unknown field');
  const isValid = Array.isArray(weights) && weights.length <= PARTS_MAX && typeof minutes === 'number';
  if (!isValid || (style !== 'twap' && style !== 'vwap')) bailOut('invalid slices');
  const copy = supportedDraft(order);
  if (copy.kind === 'slices' || copy.kind === 'rebalance' || copy.symbol !== symbol)
    bailOut('the slices are for a different order');
  return { kind, style, symbol, order: copy, weights: [...weights], minutes };
}

function supportedOrder(draft: Exclude<OrderDraft, { kind: 'rebalance' | 'slices' }>): SupportedOrder {
  const { kind, symbol, reason } = draft;
  if (reason !== undefined && typeof reason !== 'string') bailOut('the reason is not a string');
  // An unknown field is an error of the author, which the full engine reports.
  for (const name in draft)
    if (
      name !== 'kind' &&
      name !== 'symbol' &&
      name !== 'side' &&
      name !== 'quantity' &&
      name !== 'weight' &&
      name !== 'terms' &&
      name !== 'reason' &&
      name !== 'exits' &&
      !(kind === 'target-notional' && name === 'notional') &&
      !(kind === 'target-risk' && (name === 'share' || name === 'atr' || name === 'multiple'))
    )
      bailOut('the draft has an unknown field');
  switch (kind) {
    case 'target-weight': {
      const { weight } = draft;
      if (typeof weight !== 'number') bailOut('the weight is not a number');
      if (draft.exits !== undefined) return { kind, symbol, weight, ...reasonAndExits(draft) };
      return reason === undefined ? { kind, symbol, weight } : { kind, symbol, weight, reason };
    }
    case 'target-quantity': {
      const { quantity } = draft;
      if (!Number.isSafeInteger(quantity)) bailOut('the quantity is not a whole number');
      if (draft.exits !== undefined) return { kind, symbol, quantity, ...reasonAndExits(draft) };
      return reason === undefined ? { kind, symbol, quantity } : { kind, symbol, quantity, reason };
    }
    case 'order': {
      const { side, quantity, terms } = draft;
      if (!Number.isSafeInteger(quantity)) bailOut('the quantity is not a whole number');
      if (side !== 'buy' && side !== 'sell') bailOut('the side is neither buy nor sell');
      const reasonAndExitsCopy = reasonAndExits(draft);
      if (terms === undefined) return { kind, symbol, side, quantity, ...reasonAndExitsCopy };
      return { kind, symbol, side, quantity, terms: supportedTerms(terms), ...reasonAndExitsCopy };
    }
    case 'target-notional': {
      const { notional } = draft;
      if (typeof notional !== 'string') bailOut('the notional is not a string');
      return { kind, symbol, notional, ...reasonAndExits(draft) };
    }
    case 'target-risk': {
      const { share, atr, multiple } = draft;
      if (typeof share !== 'number' || typeof atr !== 'number' || typeof multiple !== 'number')
        bailOut('the share, ATR or multiple is not a number');
      return { kind, symbol, share, atr, multiple, ...reasonAndExits(draft) };
    }
    default:
      return bailOut(`a draft of kind ${String(kind)}`);
  }
}

function reasonAndExits({ reason, exits }: SupportedOrder): Pick<SupportedOrder, 'reason' | 'exits'> {
  if (exits === undefined) return omitUndefined({ reason });
  const copy = readExitTerms(exits);
  if (copy instanceof DraftProblem) bailOut(copy.what);
  return reason === undefined ? { exits: copy } : { reason, exits: copy };
}

/** Compares and copies names one by one, because a set and a spread would dominate the cost of a draft. */
function supportedTerms(terms: DraftTerms): DraftTerms {
  for (const name in terms)
    if (
      name !== 'type' &&
      name !== 'price' &&
      name !== 'triggerPrice' &&
      name !== 'timeInForce' &&
      name !== 'expireDate'
    )
      bailOut('order terms with further fields');
  const { type, price, triggerPrice, timeInForce = 'day', expireDate } = terms;
  if (timeInForce !== 'day' || expireDate !== undefined) return termsBeyondDay(terms);
  if (type === 'LO' && price !== undefined && triggerPrice === undefined)
    return { type, price: numberIfPlain(price) };
  if (type === 'MIT' && triggerPrice !== undefined && price === undefined)
    return { type, triggerPrice: numberIfPlain(triggerPrice) };
  return { ...terms };
}

/** Returns the terms of an order for longer than a day. */
function termsBeyondDay(terms: DraftTerms): DraftTerms {
  const { timeInForce, expireDate } = terms;
  const isDated = typeof expireDate === 'string' && parseDay(expireDate) !== undefined;
  const isValid = timeInForce === 'gtc' ? expireDate === undefined : timeInForce === 'gtd' && isDated;
  return isValid ? { ...terms } : bailOut('invalid time in force');
}

/** Fills in the order of a draft, like `sizeDraft` in strategy/sizing.ts; returns false if there is nothing to do. */
export function sizeOrder(order: OpenOrder, draft: SupportedOrder, by: Sizing): boolean {
  switch (draft.kind) {
    case 'target-weight': {
      const { weight } = draft;
      if (!(Math.abs(weight) <= 1)) bailOut('the weight is not between -1 and 1');
      if (!(by.price > 0)) return false;
      if (!Number.isFinite(by.equity)) bailOut('equity is unknown');
      return sizeToTarget(order, lotsOfWeight(weight, by) * by.security.lotSize, by);
    }
    case 'target-quantity':
      if (!Number.isFinite(Number(draft.quantity))) bailOut('the quantity is not a positive number');
      return sizeToTarget(order, Number(draft.quantity), by);
    case 'order': {
      const quantity = Number(draft.quantity);
      if (quantity <= 0) bailOut('the quantity is not a positive number');
      if (quantity % by.security.lotSize !== 0) bailOut('an odd lot');
      order.side = draft.side === 'buy' ? 1 : -1;
      order.quantity = quantity;
      setTerms(order, draft.terms ?? NO_TERMS, by);
      return true;
    }
    case 'target-notional':
    case 'target-risk':
      return sizeExactly(order, draft, by);
  }
}

function sizeExactly(order: OpenOrder, draft: SizedExactly, by: Sizing): boolean {
  const sized = sizeDraft(draft, sizingFacts(by), styleOf(by));
  if (sized.keeps !== undefined || (sized.kind === 'nothing' && sized.isFault))
    bailOut('a draft raises an alarm');
  if (sized.kind === 'nothing') return false;
  order.side = sized.terms.side === 'buy' ? 1 : -1;
  order.quantity = sized.terms.quantity.toNumber();
  setTerms(order, NO_TERMS, by);
  return true;
}

/** Returns the input of strategy/sizing.ts. */
export function sizingFacts({ security, price, equity, held, openBuys, openSells }: Sizing): SizingFacts {
  const rateOf = (currency: Currency) => (currency === security.currency ? ONE : undefined);
  return {
    ...{ symbol: security.symbol, lotSize: security.lotSize, rate: ONE, rateOf },
    ...{ held: decimalOfDouble(held), equity: decimalOfDouble(equity) },
    ...{ openBuys: decimalOfDouble(openBuys), openSells: decimalOfDouble(openSells) },
    lastPrice: price > 0 ? decimalOfDouble(price) : undefined,
  };
}

/** Returns the current order style of a security. */
export function styleOf({ policy, security, now }: Sizing): OrderStyle {
  return orderStyle(policy, security, millis(now));
}

const ONE = decimalOfDouble(1);

const NO_TERMS: DraftTerms = {};

function sizeToTarget(order: OpenOrder, target: number, by: Sizing): boolean {
  const { lotSize } = by.security;
  const short = withinHolding(target - by.expectedPosition, target, by);
  const shares = lotSize === 1 ? short : Math.trunc(short / lotSize) * lotSize;
  if (target === 0 && shares !== short) bailOut('an odd lot');
  if (shares === 0) return false;
  order.side = shares > 0 ? 1 : -1;
  order.quantity = Math.abs(shares);
  if (by.policy.orderType === 'MO') order.makeMarket();
  else setTerms(order, NO_TERMS, by);
  return true;
}

/** Equals the function of that name in strategy/sizing.ts. */
function withinHolding(change: number, target: number, { held, openBuys, openSells }: Sizing): number {
  if (change < 0 && target >= 0) return Math.max(change, Math.min(0, openSells - held));
  if (change > 0 && target <= 0) return Math.min(change, Math.max(0, -held - openBuys));
  return change;
}

function setTerms(order: OpenOrder, terms: DraftTerms, by: Sizing): void {
  const { type = by.policy.orderType, price, triggerPrice, timeInForce = 'day', expireDate } = terms;
  order.timeInForce = timeInForce;
  order.expireDate = expireDate;
  switch (type) {
    case 'MO':
      if ((price ?? triggerPrice) !== undefined) bailOut('a market order with a price');
      if (timeInForce !== 'day') bailOut('a market order that is not a day order');
      order.makeMarket();
      return;
    case 'LO': {
      if (triggerPrice !== undefined) bailOut('a limit order with a trigger');
      const limit = price ?? styleLimit(order.side, by) ?? bailOut('a limit order without a limit price');
      order.level = levelOf(limit);
      break;
    }
    case 'MIT':
      if (price !== undefined || triggerPrice === undefined)
        bailOut('an MIT order without a trigger price, or with a limit');
      order.level = levelOf(triggerPrice);
      break;
    default:
      bailOut(`an order of type ${type}`);
  }
  order.type = type;
}

function levelOf(figure: Numeric): number {
  const level = exactDouble(figure);
  return level > 0 ? level : bailOut('the price is not positive');
}

function styleLimit(side: 1 | -1, by: Sizing): Price | undefined {
  if (by.policy.orderType !== 'LO' || !(by.price > 0)) return undefined;
  return styleOf(by).limitPrice(side === 1 ? 'buy' : 'sell', decimalOfDouble(by.price));
}

/** Returns the whole lots that a share of the equity pays for, rounded towards zero. */
function lotsOfWeight(weight: number, by: Sizing): number {
  const { equity, price, isRounded } = by;
  const { lotSize } = by.security;
  const lots = (equity * weight) / price / lotSize;
  const isCertain =
    isRounded ||
    Math.abs(lots - Math.round(lots)) > Math.abs(lots) * SLACK ||
    Math.abs(lots) > WHOLE_NUMBERS_FROM;
  return isCertain ? Math.trunc(lots) : exactLotsOfWeight(weight, by);
}

function exactLotsOfWeight(weight: number, { equity, price, security: { lotSize } }: Sizing): number {
  return decimalOfDouble(equity).times(decimalOfDouble(weight)).div(price).div(lotSize).trunc().toNumber();
}
