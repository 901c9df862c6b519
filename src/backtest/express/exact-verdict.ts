import { UNITS } from '../../events/curve/fill-columns.ts';
import { sessionFact } from '../../execution/gate/trading-time.ts';
import { dayOf } from '../../markets/sessions.ts';
import { tickOf } from '../../markets/ticks.ts';
import { algorithmId, type ExitOf, type OrderLink, SLICE_SLOT } from '../../model/algorithm.ts';
import {
  type Amount,
  amountOfDouble,
  decimalOfDouble,
  multiply,
  ONE,
  toAmount,
  toDecimal,
} from '../../model/amount.ts';
import { Decimal } from '../../model/decimal.ts';
import type { GateStanding } from '../../model/gate.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import { intentId, type OrderTerms } from '../../model/order.ts';
import type { Security } from '../../model/security.ts';
import { marketOf, type SecuritySymbol } from '../../model/symbol.ts';
import { type Millis, millis } from '../../model/time.ts';
import type { Exposure, OpeningFacts, RiskFacts } from '../../risk/facts.ts';
import { judge, type Verdict } from '../../risk/risk-gate.ts';
import { exchangeRates } from '../../simulation/books/exchange-rates.ts';
import { AccountView, type ViewedOrder } from '../../simulation/buying-power/account-view.ts';
import { type BuyingFunds, buyLimitOf } from '../../simulation/buying-power/buy-limit.ts';
import { factorsUnder } from '../../simulation/buying-power/margin.ts';
import type { RunSetup } from '../setup.ts';
import type { ExactBooks } from './exact-books.ts';
import type { GateFigures } from './gate.ts';
import { AT_MARKET } from './gate.ts';
import type { OpenOrder } from './open-order.ts';
import type { RecentOrders } from './recent-orders.ts';

/** Input of the rules: money in exact units, the rest as in the express engine. */
interface JudgedOrder {
  readonly setup: Pick<RunSetup, 'limits' | 'margin' | 'short' | 'charges' | 'currency' | 'securities'>;
  readonly order: OpenOrder;
  readonly figures: GateFigures;
  readonly security: Security;
  /** Trading time since the quote's successor was due, and the newest close. */
  readonly quoteAgeMs: number;
  readonly lastClose: number;
  readonly books: ExactBooks;
  /** Open orders, oldest first. */
  readonly open: readonly OpenOrder[];
  /** Initial cash of the run. */
  readonly opening: Amount;
  readonly priceOf: (symbol: SecuritySymbol) => number;
  /** Cash plus positions at their newest closes. */
  readonly equity: Decimal;
  readonly others: Exposure;
  /** Orders that passed recently. */
  readonly recent: RecentOrders;
  readonly peak: number;
  readonly unattendedFills: number;
  readonly standing: GateStanding;
  /** Why a schedule has stopped opening; undefined while it allows it. */
  readonly openingStopped: string | undefined;
}

/** Placeholder, because no rule reads the id of an order. */
const PLACEHOLDER_ID = intentId('A'.repeat(16));

/** Judges an order of an express run by the rules of the risk gate, in exact numbers. */
export function exactVerdict(by: JudgedOrder): Verdict {
  const { order, figures, security, setup } = by;
  const now = millis(figures.now);
  const terms = termsOf(order, security);
  const link: OrderLink | undefined =
    figures.sliceOf === 0
      ? undefined
      : { algorithm: algorithmId(String(figures.sliceOf)), slot: `${SLICE_SLOT}1` };
  const intent = { id: PLACEHOLDER_ID, terms, reason: '', decidedAt: now, ...omitUndefined({ link }) };
  return judge(intent, factsOf(by, terms, now), setup.limits);
}

function factsOf(by: JudgedOrder, terms: OrderTerms, now: Millis): RiskFacts {
  const { figures, security, setup, recent } = by;
  const { symbol } = security;
  const { opens } = figures;
  const quote = decimalOfDouble(figures.quote);
  const { price } = terms;
  const opening = opens ? openingFacts(by, terms, now) : undefined;
  return {
    now,
    gate: by.standing,
    ...omitUndefined({ openingStopped: by.openingStopped }),
    security,
    session: sessionFact(marketOf(symbol), now),
    opens,
    held: decimalOfDouble(figures.held),
    openBuys: decimalOfDouble(figures.openBuys),
    openSells: decimalOfDouble(figures.openSells),
    unknownSides: [],
    openOrders: figures.openOrders,
    reference: { value: quote, at: now },
    quoteAgeMs: by.quoteAgeMs,
    lastClose: decimalOfDouble(by.lastClose),
    rate: decimalOfDouble(1),
    tick: price && tickOf(security, price, dayOf(marketOf(symbol), now)),
    others: by.others,
    books: { value: [], at: now },
    dayProfit: by.equity.minus(figures.dayStartEquity),
    resumedEquity: undefined,
    peakEquity: decimalOfDouble(by.peak),
    recent: {
      orders: recentOrders(recent, setup.securities),
      denials: [],
      unattendedFills: by.unattendedFills,
    },
    equity: opening?.balance.value.equity,
    opening,
    unanswered: [],
  };
}

/** Returns the terms of an order for gate and journal. */
export function termsOf(order: OpenOrder, { symbol }: Security): OrderTerms {
  const level = Number.isNaN(order.level) ? undefined : decimalOfDouble(order.level);
  return {
    symbol,
    side: order.side === 1 ? 'buy' : 'sell',
    type: order.type,
    quantity: decimalOfDouble(order.quantity),
    timeInForce: order.timeInForce,
    ...omitUndefined({ expireDate: order.expireDate }),
    ...omitUndefined(order.type === 'MIT' ? { triggerPrice: level } : { price: level }),
  };
}

function openingFacts(by: JudgedOrder, terms: OrderTerms, now: Millis): OpeningFacts {
  const { setup, security, figures } = by;
  const { symbol, side, type, price } = terms;
  const funding = fundingOf(by, now);
  const { cash, margin } = buyLimitOf(
    {
      ...{ security, side, at: now },
      price: price === undefined ? undefined : toAmount(price),
      last: amountOfDouble(figures.quote),
    },
    funding,
  );
  const aged = <T>(value: T) => ({ value, at: now });
  return {
    asked: { symbol, side, type, ...omitUndefined({ price }) },
    buyLimit: aged({ cash: toDecimal(cash), margin: toDecimal(margin) }),
    margin: aged(factorsUnder(setup.margin, security)),
    balance: aged(funding.view.balance(setup.currency)),
  };
}

/** Returns the account from the venue's point of view. */
function fundingOf({ setup, books, open, opening, priceOf }: JudgedOrder, now: Millis): BuyingFunds {
  const { currency, margin: model, charges: schedule, short = false } = setup;
  const rates = exchangeRates({});
  const lastPrice = (symbol: SecuritySymbol) => {
    const price = priceOf(symbol);
    return price === undefined ? undefined : amountOfDouble(price);
  };
  const orders = open.map((order) => viewedOrder(order, setup.securities[order.place] as Security));
  const view = new AccountView(
    { ...{ currency, books, rates, model, lastPrice }, open: orders, now: () => now },
    opening,
  );
  return { view, model, rates, schedule, currency, short };
}

/** Prices have six decimal places and buffers four; further digits are float64 noise. */
const RESERVED_PLACES = 10;

/** Returns an open order for the venue's computations, with its remaining quantity. */
function viewedOrder(order: OpenOrder, security: Security): ViewedOrder {
  const { side, reserve, reservedAt } = order;
  const quantity = order.quantity * ONE;
  const reservePrice = toAmount(new Decimal(reservedAt).toDecimalPlaces(RESERVED_PLACES));
  const fees = side === 1 ? Math.round((reserve - order.quantity * reservedAt) * UNITS) : 0;
  return {
    ...{ security, terms: termsOf(order, security), quantity, executed: 0, triggerAt: undefined },
    ...{ reservePrice, reserve: { notional: multiply(reservePrice, quantity, 'exact'), fees } },
  };
}

/** Any exit: orders of the strategy are not compared with exits. */
const ANY_EXIT: ExitOf = { algorithm: algorithmId('0'), slot: 'stop' };

function typeOf(limit: number, trigger: number): OrderTerms['type'] {
  if (trigger === 0) return limit === AT_MARKET ? 'MO' : 'LO';
  return limit === AT_MARKET ? 'MIT' : 'LIT';
}

function recentOrders(recent: RecentOrders, securities: readonly Security[]): RiskFacts['recent']['orders'] {
  return Array.from({ length: recent.count }, (_, index) => {
    const row = recent.from + index;
    const signed = recent.signed[row] as number;
    const limit = recent.limit[row] as number;
    const { symbol } = securities[recent.place[row] as number] as Security;
    const sliced = recent.sliceOf[row] as number;
    const trigger = recent.trigger[row] as number;
    return {
      at: millis(recent.at[row] as number),
      ...omitUndefined({
        sliceOf: sliced === 0 ? undefined : algorithmId(String(sliced)),
        exitOf: recent.exit[row] === 1 ? ANY_EXIT : undefined,
      }),
      terms: {
        symbol,
        side: signed > 0 ? 'buy' : 'sell',
        type: typeOf(limit, trigger),
        quantity: decimalOfDouble(Math.abs(signed)),
        timeInForce: 'day',
        ...omitUndefined({
          price: limit === AT_MARKET ? undefined : decimalOfDouble(limit),
          triggerPrice: trigger === 0 ? undefined : decimalOfDouble(trigger),
        }),
      },
    };
  });
}
