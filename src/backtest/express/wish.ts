import { orderStyle } from '../../execution/order-style.ts';
import { Decimal, type Price } from '../../model/decimal.ts';
import type { Security } from '../../model/security.ts';
import { millis } from '../../model/time.ts';
import { exact } from '../../strategy/figure.ts';
import type { DraftTerms, OrderDraft } from '../../strategy/order-draft.ts';
import type { RunSetup } from '../setup.ts';
import { leave } from './leaves.ts';

/** A draft that plain numbers carry, as a plain copy. */
export type OrdinaryDraft = Extract<OrderDraft, { kind: 'target-weight' | 'target-quantity' | 'order' }>;

/** What a draft comes to: a day order for whole lots. */
export interface Wish {
  readonly side: 1 | -1;
  readonly quantity: number;
  /** `MO` and `LO` as ever; `MIT` waits for its trigger and then takes what the market gives. */
  readonly type: 'MO' | 'LO' | 'MIT';
  /** Limit of an LO, trigger of an MIT. */
  readonly level: Price | undefined;
}

/** What is known of one security when a draft is sized; amounts in the currency. */
export interface SizedBy {
  readonly security: Security;
  readonly policy: RunSetup['policy'];
  readonly now: number;
  readonly price: number;
  readonly equity: number;
  /** Held, with open orders filled. */
  readonly expected: number;
}

/** Beyond this a quotient has no digits left behind the point. */
const WHOLE = 2 ** 52;
/** Float64 quotients of three factors are off by less than this share of themselves. */
const SLACK = 1e-14;

/** A copy of a draft that plain numbers carry; leaves at every other. */
export function ordinaryDraft(draft: OrderDraft): OrdinaryDraft {
  if (typeof draft !== 'object' || draft === null) leave('no draft');
  const { kind, symbol, reason } = draft;
  if (reason !== undefined && typeof reason !== 'string') leave('a reason that is no text');
  const why = reason === undefined ? {} : { reason };
  switch (kind) {
    case 'target-weight':
      if (draft.exits !== undefined || typeof draft.weight !== 'number') leave('a draft with exits');
      return { kind, symbol, weight: draft.weight, ...why };
    case 'target-quantity':
      if (draft.exits !== undefined || !Number.isSafeInteger(draft.quantity)) leave('a quantity in words');
      return { kind, symbol, quantity: draft.quantity, ...why };
    case 'order': {
      const { side, quantity, terms } = draft;
      if (draft.exits !== undefined || !Number.isSafeInteger(quantity)) leave('a quantity in words');
      if (side !== 'buy' && side !== 'sell') leave('an order without a side');
      return {
        kind,
        symbol,
        side,
        quantity,
        ...(terms === undefined ? {} : { terms: ordinaryTerms(terms) }),
        ...why,
      };
    }
    default:
      return leave(`a draft of kind ${String(kind)}`);
  }
}

const TERMS: ReadonlySet<string> = new Set(['type', 'price', 'triggerPrice', 'timeInForce']);

function ordinaryTerms(terms: DraftTerms): DraftTerms {
  const copy = { ...terms };
  if (!Object.keys(copy).every((name) => TERMS.has(name))) leave('terms of many kinds');
  if ((copy.timeInForce ?? 'day') !== 'day') leave('an order for longer than a day');
  return copy;
}

/** The order that a draft asks for, the same as `sizeDraft` in strategy/sizing.ts; undefined where there is nothing to do. */
export function wishOf(draft: OrdinaryDraft, by: SizedBy): Wish | undefined {
  switch (draft.kind) {
    case 'target-weight': {
      const { weight } = draft;
      if (!(Math.abs(weight) <= 1)) leave('a weight that is none');
      if (!(by.price > 0)) return undefined;
      if (!Number.isFinite(by.equity)) leave('equity is not known');
      return change(lotsFor(weight, by) * by.security.lotSize, by);
    }
    case 'target-quantity':
      if (!Number.isFinite(Number(draft.quantity))) leave('a quantity that is none');
      return change(Number(draft.quantity), by);
    case 'order': {
      const quantity = Number(draft.quantity);
      if (quantity <= 0) leave('a quantity that is none');
      if (quantity % by.security.lotSize !== 0) leave('an odd lot');
      return ordered(draft.side === 'buy' ? 1 : -1, quantity, draft.terms ?? {}, by);
    }
  }
}

function change(target: number, by: SizedBy): Wish | undefined {
  const { lotSize } = by.security;
  const short = target - by.expected;
  const shares = lotSize === 1 ? short : Math.trunc(short / lotSize) * lotSize;
  return shares === 0 ? undefined : ordered(shares > 0 ? 1 : -1, Math.abs(shares), {}, by);
}

function ordered(side: 1 | -1, quantity: number, terms: DraftTerms, by: SizedBy): Wish {
  const { type = by.policy.orderType, price, triggerPrice } = terms;
  switch (type) {
    case 'MO':
      if ((price ?? triggerPrice) !== undefined) leave('a market order with a price');
      return { side, quantity, type, level: undefined };
    case 'LO': {
      if (triggerPrice !== undefined) leave('a limit order with a trigger');
      const limit = price === undefined ? styled(side, by) : exact(price);
      return { side, quantity, type, level: limit ?? leave('a limit order without a price') };
    }
    case 'MIT': {
      if (price !== undefined || triggerPrice === undefined || side === 1) leave('a trigger to buy');
      return { side, quantity, type, level: exact(triggerPrice) ?? leave('a trigger that is no number') };
    }
    default:
      return leave(`an order of type ${type}`);
  }
}

function styled(side: 1 | -1, { policy, security, now, price }: SizedBy): Price | undefined {
  if (policy.orderType !== 'LO' || !(price > 0)) return undefined;
  return orderStyle(policy, security, millis(now)).limitPrice(
    side === 1 ? 'buy' : 'sell',
    new Decimal(price),
  );
}

/** Whole lots that a share of the equity pays for, towards zero. */
function lotsFor(weight: number, { equity, price, security: { lotSize } }: SizedBy): number {
  const lots = (equity * weight) / price / lotSize;
  const isCertain = Math.abs(lots - Math.round(lots)) > Math.abs(lots) * SLACK || Math.abs(lots) > WHOLE;
  if (isCertain) return Math.trunc(lots);
  return new Decimal(equity).times(new Decimal(weight)).div(price).div(lotSize).trunc().toNumber();
}
