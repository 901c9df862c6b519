import type { SessionKind } from '../markets/day-hours.ts';
import { Decimal, type Price, type Quantity } from '../model/decimal.ts';
import type { Currency } from '../model/money.ts';
import type { OrderIntent, OrderTerms, Side } from '../model/order.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import type { Millis } from '../model/time.ts';
import type { RiskFacts } from './facts.ts';
import type { Approved, Verdict } from './risk-gate.ts';
import { higherPrice } from './rule.ts';

/** An order that passed the gate within the last hour. */
export interface PassedOrder {
  readonly at: Millis;
  readonly symbol: SecuritySymbol;
  readonly side: Side;
  readonly quantity: Quantity;
}

/**
 * Input of a custom rule: an order that passed all built-in rules, and the facts it was judged by. A copy as plain
 * data; prices in the security's currency, `equity`, `notional`, `dayProfit` and `grossElsewhere` in the account's.
 */
export interface RuleQuestion {
  /** Market time, epoch milliseconds. */
  readonly now: Millis;
  readonly order: OrderTerms;
  /** Whether it adds exposure, counting open orders as filled. */
  readonly opens: boolean;
  /** Session of the symbol's market, and its end; `closed`: the order waits at the venue for the next open. */
  readonly session: { readonly kind: SessionKind | 'closed'; readonly until: Millis };
  readonly currency: Currency | undefined;
  readonly lotSize: number | undefined;
  /** Last price of the newest quote, and the best prices of the book if known. */
  readonly lastPrice: Price | undefined;
  readonly bid: Price | undefined;
  readonly ask: Price | undefined;
  /** The day's first price. */
  readonly dayOpen: Price | undefined;
  /** Signed quantity held, and what open orders of the symbol may still buy and sell. */
  readonly held: Quantity;
  readonly openBuys: Quantity;
  readonly openSells: Quantity;
  /** Orders open or unknown now, all symbols. */
  readonly openOrders: number;
  /** Value of the order at its own price or the quote, whichever is higher. */
  readonly notional: Decimal | undefined;
  /** Undefined for an order that only reduces exposure, because the venue is not queried for it. */
  readonly equity: Decimal | undefined;
  readonly dayProfit: Decimal | undefined;
  /** Value of all other positions, long and short added, open orders counted as filled. */
  readonly grossElsewhere: Decimal | undefined;
  /** Orders that passed within the last hour, oldest first, the newest 1,000 at most. */
  readonly passed: readonly PassedOrder[];
}

/** Result of the custom rules for an order. */
export type RuleAnswer =
  | { readonly kind: 'pass' }
  | { readonly kind: 'deny'; readonly rule: string; readonly reason: string }
  /** A rule threw, timed out or returned an invalid result: opening orders are denied. */
  | { readonly kind: 'failed'; readonly rule: string; readonly message: string };

/** Builds the input for an order that passed: a frozen copy. */
export function questionOf(intent: Approved<OrderIntent>, facts: RiskFacts): RuleQuestion {
  const { terms } = intent;
  const { reference, rate, session, security } = facts;
  const price = higherPrice(terms, facts);
  const worth = price === undefined || rate === undefined ? undefined : price.times(rate);
  return Object.freeze({
    now: facts.now,
    order: ownTerms(terms),
    opens: facts.opens,
    session: Object.freeze({ kind: session.kind, until: session.until }),
    currency: security?.currency,
    lotSize: security?.lotSize,
    lastPrice: own(reference?.value),
    bid: own(reference?.bid),
    ask: own(reference?.ask),
    dayOpen: own(reference?.dayOpen),
    held: copyOf(facts.held),
    openBuys: copyOf(facts.openBuys),
    openSells: copyOf(facts.openSells),
    openOrders: facts.openOrders,
    notional: own(worth?.times(terms.quantity)),
    equity: own(facts.equity),
    dayProfit: own(facts.dayProfit),
    grossElsewhere: own(facts.others?.gross),
    passed: Object.freeze(facts.recent.orders.map(passedOrder)),
  });
}

function passedOrder({ at, terms }: RiskFacts['recent']['orders'][number]): PassedOrder {
  const { symbol, side, quantity } = terms;
  return Object.freeze({ at, symbol, side, quantity: copyOf(quantity) });
}

function ownTerms(terms: OrderTerms): OrderTerms {
  const fields = Object.entries(terms).map(([name, value]) => [
    name,
    Decimal.isDecimal(value) ? copyOf(value) : value,
  ]);
  return Object.freeze(Object.fromEntries(fields));
}

/** Copies a figure, so that the rule cannot change the original. */
function copyOf(figure: Decimal): Decimal {
  return Object.freeze(new Decimal(figure.valueOf()));
}

function own(figure: Decimal | undefined): Decimal | undefined {
  return figure === undefined ? undefined : copyOf(figure);
}

/**
 * Applies the result of custom rules to a verdict: returns the verdict or a denial. It can never approve what was
 * denied before. A failed rule does not deny an order that only reduces exposure.
 */
export function applyCustomRule(verdict: Verdict, answer: RuleAnswer, opens: boolean): Verdict {
  if (verdict.kind === 'denied' || answer.kind === 'pass') return verdict;
  if (answer.kind === 'failed' && !opens) return verdict;
  const { intent, numbers } = verdict;
  const reason = answer.kind === 'deny' ? answer.reason : answer.message;
  return { kind: 'denied', intent, rule: answer.rule, reason, numbers };
}
