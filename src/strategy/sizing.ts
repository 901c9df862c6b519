import { Decimal, type Price, type Quantity, ZERO } from '../model/decimal.ts';
import type { Currency } from '../model/money.ts';
import type { OrderTerms, OrderType, OutsideRth, Side } from '../model/order.ts';
import { plural } from '../model/plural.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import { readNotional } from './notional.ts';
import { type Numeric, toDecimal } from './numeric.ts';
import type {
  DraftFigure,
  DraftTerms,
  OrderByHand,
  SizedDraft,
  TargetNotional,
  TargetRisk,
} from './order-draft.ts';

/** Exact data of one symbol for sizing. */
export interface SizingFacts {
  readonly symbol: SecuritySymbol;
  /** Shares per lot. */
  readonly lotSize: number;
  /** Newest price in the security's currency; undefined before the first bar or quote. */
  readonly lastPrice: Price | undefined;
  /** Signed shares held. */
  readonly held: Quantity;
  readonly openBuys: Quantity;
  readonly openSells: Quantity;
  /** Equity in the account's currency. */
  readonly equity: Decimal;
  /** Account currency per unit of the security's currency; undefined if the rate is not known. */
  readonly rate: Decimal | undefined;
  /** Account currency per unit of any currency; undefined if the rate is not known. */
  readonly rateOf: (currency: Currency) => Decimal | undefined;
}

/** Default terms of orders: the config's `execution`. */
export interface OrderStyle {
  readonly type: OrderType;
  /** Sessions in which a limit order (LO) trades; regular trading if absent. */
  readonly outsideRth?: OutsideRth;
  /** Limit price for a side at a last price, on a tick; undefined for order types without a limit. */
  readonly limitPrice: (side: Side, lastPrice: Price) => Price | undefined;
}

/** An order with its quantity, or the reason why nothing is sent. */
export type Sized =
  | {
      readonly kind: 'order';
      readonly terms: OrderTerms;
      readonly reason: string;
      /** Odd lot that remains of a position that was to be closed; absent if none. */
      readonly keeps?: Quantity;
    }
  | NothingToSend;

/** Why nothing is sent. */
export interface NothingToSend {
  readonly kind: 'nothing';
  readonly reason: string;
  /** True for a request that is invalid or cannot be computed, and should be reported. */
  readonly isFault: boolean;
  /** True if a price or an exchange rate is not known yet. */
  readonly isUnknown?: true;
  /** Odd lot that remains of a position that was to be closed; absent if none. */
  readonly keeps?: Quantity;
}

/**
 * Turns a draft into an order in whole lots, rounded towards zero. Takes the position and the possible effect of open
 * orders into account. Weights and risks are shares of the whole equity, converted at the account's rate.
 */
export function sizeDraft(draft: SizedDraft, facts: SizingFacts, style: OrderStyle): Sized {
  switch (draft.kind) {
    case 'target-weight':
      return sizeWeight(draft, facts, style);
    case 'target-quantity':
      return orderTowards(
        toDecimal(draft.quantity),
        facts,
        style,
        draft.reason ?? `target ${plural(draft.quantity, 'share')}`,
      );
    case 'target-notional':
      return sizeNotional(draft, facts, style);
    case 'target-risk':
      return sizeRisk(draft, facts, style);
    case 'order':
      return sizeOrder(draft, facts, style);
  }
}

function sizeWeight(
  draft: Extract<SizedDraft, { kind: 'target-weight' }>,
  facts: SizingFacts,
  style: OrderStyle,
): Sized {
  const { lastPrice, rate } = facts;
  if (!Number.isFinite(draft.weight) || Math.abs(draft.weight) > 1) {
    return fault(`target weight ${draft.weight} of "${facts.symbol}" is not between -1 and 1`);
  }
  if (lastPrice === undefined || lastPrice.lte(0))
    return { ...nothingToSend(`no price of "${facts.symbol}" yet`), isUnknown: true };
  if (rate === undefined) return { ...fault(`no exchange rate for "${facts.symbol}"`), isUnknown: true };
  if (!facts.equity.isFinite())
    return { ...fault('equity is not known: a price or an exchange rate is missing'), isUnknown: true };
  const notional = facts.equity.times(toDecimal(draft.weight));
  const shares = notional.div(lastPrice.times(rate));
  return orderTowards(
    wholeLots(shares, facts.lotSize),
    facts,
    style,
    draft.reason ?? `target weight ${draft.weight}`,
  );
}

/**
 * Whether a position is on the side of its target weight and at most a band away from it, both as shares of the
 * equity. False without a band, and while a price, a rate or the equity is not known.
 */
export function isWithinBand(
  { weight, band }: { readonly weight: number; readonly band?: number },
  { held, lastPrice, rate, equity }: SizingFacts,
): boolean {
  if (band === undefined || weight === 0 || held.isZero() || held.isNegative() !== weight < 0) return false;
  if (lastPrice === undefined || rate === undefined || !equity.isFinite() || !equity.gt(0)) return false;
  const drift = held
    .times(lastPrice)
    .times(rate)
    .minus(equity.times(toDecimal(weight)));
  return drift.abs().lte(equity.times(toDecimal(band)));
}

function sizeNotional(draft: TargetNotional, facts: SizingFacts, style: OrderStyle): Sized {
  const { symbol, lastPrice, rate } = facts;
  const notional = readNotional(draft.notional);
  if (notional === undefined)
    return fault(`target "${draft.notional}" of "${symbol}" is not an amount such as "20000 USD"`);
  if (lastPrice === undefined || lastPrice.lte(0)) return nothingToSend(`no price of "${symbol}" yet`);
  const into = facts.rateOf(notional.currency);
  if (rate === undefined || into === undefined)
    return fault(`no exchange rate from ${notional.currency} for "${symbol}"`);
  const shares = notional.amount.times(into).div(lastPrice.times(rate));
  return orderTowards(
    wholeLots(shares, facts.lotSize),
    facts,
    style,
    draft.reason ?? `target ${draft.notional}`,
  );
}

function sizeRisk(draft: TargetRisk, facts: SizingFacts, style: OrderStyle): Sized {
  const { symbol, rate, equity, lotSize } = facts;
  const { share, atr, multiple } = draft;
  if (!Number.isFinite(share) || Math.abs(share) > 1)
    return fault(`risk share ${share} of "${symbol}" is not between -1 and 1`);
  if (!(Number.isFinite(multiple) && multiple > 0))
    return fault(`risk multiple ${multiple} of "${symbol}" is not above zero`);
  if (!(Number.isFinite(atr) && atr > 0))
    return nothingToSend(`no average true range of "${symbol}" above zero`);
  if (rate === undefined) return fault(`no exchange rate for "${symbol}"`);
  if (!equity.isFinite()) return fault('equity is not known: a price or an exchange rate is missing');
  const lostPerShare = toDecimal(atr).times(toDecimal(multiple)).times(rate);
  const shares = equity.times(toDecimal(share)).div(lostPerShare);
  const reason = draft.reason ?? `risk ${share} of equity over ${multiple} x ATR ${atr}`;
  return orderTowards(wholeLots(shares, lotSize), facts, style, reason);
}

function orderTowards(
  target: Decimal | undefined,
  facts: SizingFacts,
  style: OrderStyle,
  reason: string,
): Sized {
  if (target === undefined) return fault(`target quantity of "${facts.symbol}" is not a number`);
  const expected = facts.held.plus(facts.openBuys).minus(facts.openSells);
  const wanted = withinHeld(target.minus(expected), target, facts);
  const change = wholeLots(wanted, facts.lotSize);
  const odd = wanted.minus(change).abs();
  const oddLotField = target.isZero() && !odd.isZero() ? { keeps: odd } : {};
  if (change.isZero())
    return { ...nothingToSend(`"${facts.symbol}" is within a lot of its target`), ...oddLotField };
  const side: Side = change.isNegative() ? 'sell' : 'buy';
  return { ...order(side, change.abs(), facts, style, undefined, reason), ...oddLotField };
}

/**
 * A target of nothing, or of the side that is held, sells no more than is held and not being sold already, and buys back no more than is
 * short: the rest of an entry cannot be closed before it is filled. Only a target on the other side opens a position there.
 */
function withinHeld(change: Quantity, target: Decimal, { held, openBuys, openSells }: SizingFacts): Quantity {
  if (change.lt(0) && !target.lt(0)) return Decimal.max(change, Decimal.min(ZERO, openSells.minus(held)));
  if (change.gt(0) && !target.gt(0))
    return Decimal.min(change, Decimal.max(ZERO, held.neg().minus(openBuys)));
  return change;
}

function sizeOrder(draft: OrderByHand, facts: SizingFacts, style: OrderStyle): Sized {
  const quantity = toDecimal(draft.quantity);
  if (quantity === undefined || quantity.lte(0)) {
    return fault(`quantity ${String(draft.quantity)} of "${facts.symbol}" is not a positive number`);
  }
  return order(
    draft.side,
    quantity,
    facts,
    style,
    draft.terms,
    draft.reason ?? `${draft.side} ${plural(quantity, 'share')}`,
  );
}

function order(
  side: Side,
  quantity: Quantity,
  facts: SizingFacts,
  style: OrderStyle,
  terms: DraftTerms | undefined,
  reason: string,
): Sized {
  const { price, triggerPrice, limitOffset, trailingAmount, trailingPercent, monitorPrice, ...rest } =
    terms ?? {};
  const type = rest.type ?? style.type;
  const figures = exactFigures({
    price: price ?? styledPrice(type, side, facts, style),
    triggerPrice,
    limitOffset,
    trailingAmount,
    trailingPercent,
    monitorPrice,
  });
  if (typeof figures === 'string') return fault(figures);
  return {
    kind: 'order',
    reason,
    terms: {
      timeInForce: 'day',
      ...(type !== 'LO' || style.outsideRth === undefined ? {} : { outsideRth: style.outsideRth }),
      ...rest,
      symbol: facts.symbol,
      side,
      type,
      quantity,
      ...figures,
    },
  };
}

/** Converts figures of an author to exact decimals; returns text if one is not a number. */
function exactFigures(
  figures: Readonly<Record<DraftFigure, Numeric | undefined>>,
): Partial<Record<DraftFigure, Decimal>> | string {
  const exact: Partial<Record<DraftFigure, Decimal>> = {};
  for (const [name, figure] of Object.entries(figures) as [DraftFigure, Numeric | undefined][]) {
    if (figure === undefined) continue;
    const decimal = toDecimal(figure);
    if (decimal === undefined)
      return `${name.replace(/[A-Z]/, (letter) => ` ${letter.toLowerCase()}`)} ${String(figure)} is not a number`;
    exact[name] = decimal;
  }
  return exact;
}

function styledPrice(type: OrderType, side: Side, facts: SizingFacts, style: OrderStyle): Price | undefined {
  if (type !== style.type || facts.lastPrice === undefined) return undefined;
  return style.limitPrice(side, facts.lastPrice);
}

function nothingToSend(reason: string): NothingToSend {
  return { kind: 'nothing', reason, isFault: false };
}

/** An invalid request. */
export function fault(reason: string): NothingToSend {
  return { kind: 'nothing', reason, isFault: true };
}

/** Rounds towards zero to whole lots. */
function wholeLots(quantity: Decimal, lotSize: number): Decimal {
  return quantity.div(lotSize).trunc().times(lotSize);
}
