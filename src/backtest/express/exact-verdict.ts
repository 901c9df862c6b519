import type { FillColumns } from '../../events/curve/fill-columns.ts';
import { sessionFact } from '../../execution/gate/trading-time.ts';
import { dayOf } from '../../markets/sessions.ts';
import { settlementDay } from '../../markets/settlement.ts';
import { tickOf } from '../../markets/ticks.ts';
import { algorithmId, type OrderLink, SLICE_SLOT } from '../../model/algorithm.ts';
import {
  type Amount,
  amountOfDouble,
  decimalOfDouble,
  multiply,
  ONE,
  subtract,
  toAmount,
  toDecimal,
} from '../../model/amount.ts';
import { type Decimal, ZERO } from '../../model/decimal.ts';
import type { GateStanding } from '../../model/gate.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import { intentId, type OrderTerms } from '../../model/order.ts';
import type { Security } from '../../model/security.ts';
import { marketOf } from '../../model/symbol.ts';
import { type Millis, millis } from '../../model/time.ts';
import type { Exposure, OpeningFacts, RiskFacts } from '../../risk/facts.ts';
import { judge, type Verdict } from '../../risk/risk-gate.ts';
import { Unsettled } from '../../simulation/books/unsettled.ts';
import { maxAffordableQuantity } from '../../simulation/buying-power/buy-limit.ts';
import { factorsUnder } from '../../simulation/buying-power/margin.ts';
import { bufferFor } from '../../simulation/buying-power/reserving.ts';
import type { RunSetup } from '../setup.ts';
import type { AppliedAction } from './corporate-actions.ts';
import type { GateFigures } from './gate.ts';
import { AT_MARKET } from './gate.ts';
import type { OpenOrder } from './open-order.ts';
import type { RecentOrders } from './recent-orders.ts';

/** The input of the rules; money in exact units, all else as the plain numbers have it. */
export interface JudgedOrder {
  readonly setup: Pick<RunSetup, 'limits' | 'margin' | 'charges' | 'currency' | 'securities'>;
  readonly order: OpenOrder;
  readonly figures: GateFigures;
  readonly security: Security;
  /** Trading time since the successor of the quote was due, and the newest close. */
  readonly quoteAgeMs: number;
  readonly lastClose: number;
  /** Cash, and what open orders keep of it. */
  readonly cash: Amount;
  readonly reserved: Amount;
  /** Cash plus positions at their newest closes. */
  readonly equity: Decimal;
  readonly others: Exposure;
  /** Orders that passed lately. */
  readonly recent: RecentOrders;
  readonly peak: number;
  readonly unattendedFills: number;
  readonly fills: FillColumns;
  readonly actions: readonly AppliedAction[];
}

const ACTIVE: Omit<GateStanding, 'since'> = { state: 'active', by: 'gate', rule: '', reason: '' };

/** No rule reads the id of an order. */
const NAMELESS = intentId('A'.repeat(16));

/** Has the rules of the risk gate judge an order of an express run, in exact numbers. */
export function exactVerdict(by: JudgedOrder): Verdict {
  const { order, figures, security, setup } = by;
  const now = millis(figures.now);
  const terms = termsOf(order, security);
  const link: OrderLink | undefined =
    figures.sliced === 0
      ? undefined
      : { algorithm: algorithmId(String(figures.sliced)), slot: `${SLICE_SLOT}1` };
  const intent = { id: NAMELESS, terms, reason: '', decidedAt: now, ...omitUndefined({ link }) };
  return judge(intent, factsOf(by, terms, now), setup.limits);
}

function factsOf(by: JudgedOrder, terms: OrderTerms, now: Millis): RiskFacts {
  const { figures, security, setup, recent } = by;
  const { symbol } = security;
  const { opens } = figures;
  const quote = decimalOfDouble(figures.quote);
  const { price } = terms;
  return {
    now,
    gate: { ...ACTIVE, since: now },
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
    dayProfit: by.equity.minus(figures.dayBegan),
    resumedEquity: undefined,
    peakEquity: decimalOfDouble(by.peak),
    recent: {
      orders: passedLately(recent, setup.securities),
      denials: [],
      unattendedFills: by.unattendedFills,
    },
    opening: opens ? openingFacts(by, terms, now) : undefined,
    unanswered: [],
  };
}

/** The terms of an order as the gate and the journal have them. */
export function termsOf(order: OpenOrder, { symbol }: Security): OrderTerms {
  const level = Number.isNaN(order.level) ? undefined : decimalOfDouble(order.level);
  return {
    symbol,
    side: order.side === 1 ? 'buy' : 'sell',
    type: order.type,
    quantity: decimalOfDouble(order.quantity),
    timeInForce: 'day',
    ...omitUndefined(order.type === 'MIT' ? { triggerPrice: level } : { price: level }),
  };
}

function openingFacts(by: JudgedOrder, terms: OrderTerms, now: Millis): OpeningFacts {
  const { setup, security, figures, cash, reserved, equity } = by;
  const { symbol, side, type, price } = terms;
  const spendable = subtract(cash, reserved);
  const last = amountOfDouble(figures.quote);
  const buffered = multiply(last, bufferFor(marketOf(symbol), setup.margin), 'exact');
  const cost = {
    security,
    side,
    last,
    at: now,
    price: price === undefined ? buffered : toAmount(price),
    ratio: ONE,
  };
  const quantity = toDecimal(maxAffordableQuantity(spendable, cost, { schedule: setup.charges }));
  const available = toDecimal(spendable);
  const { receivable, payable } = unsettledOf(by, now);
  const aged = <T>(value: T) => ({ value, at: now });
  return {
    asked: { symbol, side, type, ...omitUndefined({ price }) },
    buyLimit: aged({ cash: quantity, margin: quantity }),
    margin: aged(factorsUnder(setup.margin, security)),
    balance: aged({
      currency: setup.currency,
      equity,
      totalCash: toDecimal(cash),
      initMargin: equity.minus(available),
      maintenanceMargin: ZERO,
      buyPower: available,
      marginCall: ZERO,
      riskLevel: 0,
      maxFinance: ZERO,
      remainingFinance: available,
      cash: [
        {
          currency: setup.currency,
          available,
          frozen: toDecimal(reserved),
          settling: toDecimal(subtract(receivable, payable)),
          withdrawable: toDecimal(subtract(spendable, receivable)),
        },
      ],
      frozenFees: [],
    }),
  };
}

/** Days after which every trade has settled. */
const SETTLED_MS = 14 * 24 * 60 * 60 * 1_000;

/** What trades that have not settled, and dividends that are not paid yet, are still to bring and to cost. */
function unsettledOf({ fills, actions, security }: JudgedOrder, now: Millis) {
  const market = marketOf(security.symbol);
  const unsettled = new Unsettled();
  for (const { action, cash } of actions)
    if (action.kind === 'dividend' && action.payDay !== undefined) unsettled.add(market, action.payDay, cash);
  let row = fills.length;
  while (row > 0 && (fills.at[row - 1] as number) > now - SETTLED_MS) row -= 1;
  for (; row < fills.length; row += 1) {
    const notional = multiply(
      amountOfDouble(fills.price[row] as number),
      amountOfDouble(fills.quantity[row] as number),
      'exact',
    );
    const day = settlementDay(market, dayOf(market, millis(fills.at[row] as number)));
    unsettled.add(market, day, subtract(subtract(0, notional), fills.fee[row] as number));
  }
  return unsettled.sums(() => dayOf(market, now));
}

function passedLately(recent: RecentOrders, securities: readonly Security[]): RiskFacts['recent']['orders'] {
  return Array.from({ length: recent.count }, (_, index) => {
    const row = recent.from + index;
    const signed = recent.signed[row] as number;
    const limit = recent.limit[row] as number;
    const { symbol } = securities[recent.place[row] as number] as Security;
    const sliced = recent.sliced[row] as number;
    return {
      at: millis(recent.at[row] as number),
      ...omitUndefined({ sliceOf: sliced === 0 ? undefined : algorithmId(String(sliced)) }),
      terms: {
        symbol,
        side: signed > 0 ? 'buy' : 'sell',
        type: limit === AT_MARKET ? 'MO' : 'LO',
        quantity: decimalOfDouble(Math.abs(signed)),
        timeInForce: 'day',
        ...omitUndefined({ price: limit === AT_MARKET ? undefined : decimalOfDouble(limit) }),
      },
    };
  });
}
