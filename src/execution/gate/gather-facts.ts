import type { BotState, TrackedOrder } from '../../events/bot-state.ts';
import { EMPTY_PORTFOLIO } from '../../events/portfolio.ts';
import { type ForeignOrder, foreignRest, isForeignLive } from '../../events/records/foreign-record.ts';
import { type GateRecord, openingStopped, type RecentFill } from '../../events/records/gate-record.ts';
import { LiveOrders } from '../../events/records/live-orders.ts';
import { openQuantity, replacedQuantity } from '../../events/records/open-orders.ts';
import { dayOf } from '../../markets/sessions.ts';
import { tickOf } from '../../markets/ticks.ts';
import type { AccountBalance } from '../../model/account.ts';
import { type AlgorithmId, sliceOf } from '../../model/algorithm.ts';
import { type Decimal, type Price, ZERO } from '../../model/decimal.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import type { OrderTerms, Side } from '../../model/order.ts';
import { isLive, openRest } from '../../model/order-state.ts';
import type { MarginFactors, Security } from '../../model/security.ts';
import { marketOf, type SecuritySymbol } from '../../model/symbol.ts';
import { DAY_MS, HOUR_MS, type Millis } from '../../model/time.ts';
import type { Answer } from '../../ports/broker.ts';
import { awaitAnswers, ImmediateRequest, type Task } from '../../ports/task.ts';
import { unheardQuote } from '../../risk/fact-rules.ts';
import type { Aged, RecentFacts, RiskFacts } from '../../risk/facts.ts';
import { decisionsWith } from '../../risk/flow-rules.ts';
import { symbolHalt } from '../../risk/state-rules.ts';
import { dayProfit, dayStart } from './day-profit.ts';
import { exposureExcept, unpricedSymbols } from './exposure.ts';
import type { FactSources } from './fact-sources.ts';
import { maxFillable } from './max-fillable.ts';
import { sessionFact, tradingTime } from './trading-time.ts';

/** Maximum age that is computed; no limit is longer. */
const QUOTE_AGE_MAX_MS = 2 * HOUR_MS;

/** Gathers all facts for a check. Queries the venue only for an order that adds exposure. */
export function* gatherFacts(terms: OrderTerms, sources: FactSources): Task<never, RiskFacts> {
  if (!opensExposure(terms, sources)) return localFacts(terms, sources, false);
  const answers = yield* openingFacts(terms, sources);
  return {
    ...knownFacts(terms, sources, true),
    ...answers,
    equity: answers.opening?.balance.value.equity,
  };
}

/** Returns the facts that need no query of the venue. */
export function localFacts(terms: OrderTerms, sources: FactSources, opens: boolean): RiskFacts {
  return {
    ...knownFacts(terms, sources, opens),
    equity: undefined,
    opening: undefined,
    unanswered: [],
  };
}

/** Whether an order adds exposure, with open orders counted as filled. */
export function opensExposure(
  terms: OrderTerms,
  sources: Pick<FactSources, 'state' | 'link' | 'replaces'>,
): boolean {
  if (isReduction(terms, sources) || isAlternativeLeg(terms, sources)) return false;
  const held = positionQuantity(terms.symbol, sources.state);
  const open = otherOpenQuantity(terms.side, terms, sources);
  return terms.side === 'buy'
    ? held.plus(open).plus(terms.quantity).gt(0)
    : held.minus(open).lt(terms.quantity);
}

/** True for a replace that neither increases the quantity nor the value of its order: it never adds exposure. */
function isReduction(
  { side, price, quantity }: OrderTerms,
  { state, replaces }: Pick<FactSources, 'state' | 'replaces'>,
): boolean {
  const order = replaces === undefined ? undefined : state.live.get(replaces);
  if (order === undefined || quantity.gt(openRest(order.facets))) return false;
  return side === 'sell' || (price !== undefined && order.terms.price?.gte(price) === true);
}

/**
 * True for an OCO leg that closes no more than is held, and no more than another leg in its place: it adds nothing.
 * The exits of a bracket wait for shares instead.
 */
function isAlternativeLeg(
  terms: OrderTerms,
  { state, link, replaces }: Pick<FactSources, 'state' | 'link' | 'replaces'>,
): boolean {
  if (link?.exclusive !== true || link.exit === true) return false;
  const held = positionQuantity(terms.symbol, state);
  if ((terms.side === 'sell' ? held : held.neg()).lt(terms.quantity)) return false;
  return replacedQuantity(state, terms, link, replaces).gte(terms.quantity);
}

/** Quantity that open orders of a side may still execute, without the order that this one replaces. */
function otherOpenQuantity(
  side: Side,
  terms: OrderTerms,
  { state, link, replaces }: Pick<FactSources, 'state' | 'link' | 'replaces'>,
): Decimal {
  const open = openOf(state, terms.symbol, side);
  return side === terms.side ? open.minus(replacedQuantity(state, terms, link, replaces)) : open;
}

/** Trading time since the successor of a symbol's quote was due, in milliseconds; 0 without a quote. */
export function quoteAge(terms: OrderTerms, sources: Pick<FactSources, 'reference' | 'now'>): number {
  const quote = sources.reference(terms.symbol);
  if (quote === undefined) return 0;
  const span = { from: quote.standsUntil ?? quote.at, to: sources.now() };
  return tradingTime(marketOf(terms.symbol), span, terms.outsideRth ?? 'rth-only', QUOTE_AGE_MAX_MS);
}

type KnownFacts = Omit<RiskFacts, 'equity' | 'opening' | 'unanswered'>;

function knownFacts(terms: OrderTerms, sources: FactSources, opens: boolean): KnownFacts {
  const { state } = sources;
  const { symbol, price } = terms;
  const security = sources.security(symbol);
  const now = sources.now();
  const live = [...state.live.values()].filter((order) => isLive(order.facets));
  const unknown = [...state.live.unknown()].filter((order) => order.terms.symbol === symbol);
  const { resumed } = state.gate;
  return {
    now,
    gate: sources.restrictions.standing(),
    ...haltFacts(symbol, sources),
    security,
    session: sessionFact(marketOf(symbol), now),
    opens,
    held: positionQuantity(symbol, state),
    openBuys: otherOpenQuantity('buy', terms, sources),
    openSells: otherOpenQuantity('sell', terms, sources),
    unknownSides: unknown.map((order) => order.terms.side),
    openOrders:
      decisionsWith(sources.link, live.map(asDecision)) -
      1 +
      foreignLive(state).length -
      (sources.replaces === undefined ? 0 : 1),
    ...reservedCash(sources),
    reference: sources.reference(symbol),
    quoteAgeMs: quoteAge(terms, sources),
    lastClose: sources.lastClose(symbol),
    rate: security && sources.rateOf(security.currency),
    currenciesWithoutRate: opens ? sources.currenciesWithoutRate() : [],
    tick: price === undefined || security === undefined ? undefined : tickAt(security, price, now),
    ...(opens ? otherExposure(symbol, sources) : { others: undefined }),
    books: booksOf(sources, now),
    dayProfit: opens ? dayProfit(sources) : undefined,
    resumedEquity: resumed !== undefined && resumed.at >= dayStart(symbol, now) ? resumed.equity : undefined,
    peakEquity: state.gate.peakEquity,
    recent: recentFacts(state.gate, now),
  };
}

function otherExposure(symbol: SecuritySymbol, sources: FactSources): Pick<RiskFacts, 'others' | 'unpriced'> {
  const others = exposureExcept(symbol, sources);
  if (others !== undefined) return { others };
  return { others, unpriced: unpricedSymbols(sources).filter((other) => other !== symbol) };
}

const asDecision = ({ link }: TrackedOrder): { readonly sliceOf: AlgorithmId | undefined } => ({
  sliceOf: sliceOf(link),
});

/** Cash that the venue reserves for the order being replaced, in the security's currency. */
function reservedCash({ state, replaces }: FactSources): Pick<RiskFacts, 'reservedCash'> {
  const order = replaces === undefined ? undefined : state.live.get(replaces);
  if (order?.terms.price === undefined) return {};
  return { reservedCash: openRest(order.facets).times(order.terms.price) };
}

/** Quantity that open orders may still execute, including external orders of the account (T-52, I-6). */
function openOf(state: BotState, symbol: SecuritySymbol, side: Side): Decimal {
  return foreignLive(state)
    .filter(({ terms }) => terms.symbol === symbol && terms.side === side)
    .reduce((sum, order) => sum.plus(foreignRest(order)), openQuantity(state, symbol, side));
}

function foreignLive(state: BotState): readonly ForeignOrder[] {
  const { orders } = state.foreign;
  return orders.size === 0 ? NO_ORDERS : [...orders.values()].filter(isForeignLive);
}

const NO_ORDERS: readonly ForeignOrder[] = [];

function haltFacts(
  symbol: SecuritySymbol,
  { restrictions, state }: FactSources,
): Pick<RiskFacts, 'symbolHalt' | 'openingStopped' | 'unheard'> {
  return omitUndefined({
    unheard: restrictions.observedBy(unheardQuote.name, symbol)?.reason,
    symbolHalt: restrictions.symbolHalt(symbol) ?? restrictions.observedBy(symbolHalt.name, symbol)?.reason,
    openingStopped: openingStopped(state.gate, marketOf(symbol)),
  });
}

function positionQuantity(symbol: SecuritySymbol, state: BotState): Decimal {
  return state.portfolio.holdings.get(symbol)?.quantity ?? ZERO;
}

function booksOf(sources: FactSources, now: Millis): Aged<readonly string[]> | undefined {
  if (sources.books !== undefined) return sources.books();
  return sources.broker.facts.pushComplete ? { value: [], at: now } : undefined;
}

function recentFacts(gate: GateRecord, now: Millis): RecentFacts {
  return { orders: gate.orders, denials: gate.denials, unattendedFills: unattendedFills(gate, now) };
}

/** Counts the fills of the last 24 hours after the latest resume. */
export function unattendedFills({ resumed, fills }: GateRecord, now: Millis): number {
  return newerThan(Math.max(now - DAY_MS, resumed?.at ?? Number.NEGATIVE_INFINITY), fills);
}

function newerThan(at: number, fills: GateRecord['fills']): number {
  let count = 0;
  while ((fills[fills.length - 1 - count]?.at ?? Number.NEGATIVE_INFINITY) > at) count += 1;
  return count;
}

function tickAt(security: Security, price: Price, now: Millis): Decimal {
  return tickOf(security, price, dayOf(marketOf(security.symbol), now));
}

function* openingFacts(
  terms: OrderTerms,
  sources: FactSources,
): Task<never, Pick<RiskFacts, 'opening' | 'unanswered' | 'maxFillable'>> {
  const { broker, currency } = sources;
  const { symbol, side, type, price } = terms;
  const estimateQuery = { symbol, side, type, ...omitUndefined({ price }) };
  const at = sources.now();
  const aged = <T>(answer: Answer<T>): Aged<T> | undefined =>
    answer.kind === 'ok' ? { value: answer.value, at } : undefined;
  const cachedMargin = cachedMarginOf(symbol, sources);
  const [buyLimitAnswer, marginAnswer, balanceAnswer] = yield* awaitAnswers(
    broker.buyLimit(estimateQuery),
    cachedMargin === undefined ? broker.marginFactors(symbol) : NOT_REQUESTED,
    broker.balance(currency),
  );
  const buyLimit = aged(buyLimitAnswer);
  const margin = cachedMargin ?? aged(marginAnswer);
  if (margin !== undefined) sources.margins?.known.set(symbol, margin);
  const balance = aged(balanceAnswer);
  if (buyLimit !== undefined && margin !== undefined && balance !== undefined)
    return {
      opening: { asked: estimateQuery, buyLimit, margin, balance },
      unanswered: [],
      ...fillableFacts(terms, { balance, margin }, sources),
    };
  const unanswered = [
    ...missingAnswer('buyLimit', buyLimitAnswer),
    ...(cachedMargin === undefined ? missingAnswer('margin', marginAnswer) : []),
    ...missingAnswer('balance', balanceAnswer),
  ];
  return { opening: undefined, unanswered };
}

/** Returns the quantity that a venue fills if it cuts orders to the affordable quantity. */
function fillableFacts(
  terms: OrderTerms,
  { balance, margin }: { readonly balance: Aged<AccountBalance>; readonly margin: Aged<MarginFactors> },
  sources: FactSources,
): Pick<RiskFacts, 'maxFillable'> {
  const security = sources.security(terms.symbol);
  const price = terms.price ?? sources.reference(terms.symbol)?.value;
  const rate = security && sources.rateOf(security.currency);
  if (sources.broker.facts.cover !== 'cut' || security === undefined) return {};
  if (price === undefined || rate === undefined) return {};
  const held = positionQuantity(terms.symbol, sources.state);
  const open = otherOpenQuantity(terms.side, terms, sources);
  const known = { held, open, balance: balance.value, margin: margin.value, security, price, rate };
  return { maxFillable: maxFillable(terms, known) };
}

/** A cached margin ratio that is recent enough for an order; undefined if it must be queried. */
export function cachedMarginOf(
  symbol: SecuritySymbol,
  { margins, now }: Pick<FactSources, 'margins' | 'now'>,
): Aged<MarginFactors> | undefined {
  const cached = margins?.known.get(symbol);
  return cached !== undefined && now() - cached.at <= (margins?.maxAgeMs ?? 0) ? cached : undefined;
}

const NOT_REQUESTED = new ImmediateRequest<Answer<MarginFactors>>(() => ({
  kind: 'failed',
  code: 0,
  message: 'not asked again',
  retryable: false,
}));

function missingAnswer(name: string, answer: Answer<unknown>): readonly string[] {
  return answer.kind === 'ok' ? [] : [`${name} (${answer.code}: ${answer.message})`];
}

/**
 * Gathers facts from the books of one strategy; `equity` is that of the whole account. A resume does not reset the
 * day's loss.
 */
export function strategyFacts(
  terms: OrderTerms,
  owner: string,
  sources: FactSources,
  equity: Decimal,
): RiskFacts {
  const own: FactSources = { ...sources, state: strategyState(sources.state, owner) };
  return {
    ...localFacts(terms, own, opensExposure(terms, own)),
    equity: equity.isFinite() ? equity : undefined,
    resumedEquity: undefined,
  };
}

/** Restricts the state to the positions, orders and fills of one strategy. */
export function strategyState(state: BotState, owner: string): BotState {
  const live = LiveOrders.of(state.live.values().filter(({ strategy }) => strategy === owner));
  const own = (recent: RecentFill): readonly RecentFill[] => {
    const { at, fill, closed, split } = recent;
    if ('intentId' in fill && state.order(fill.intentId)?.strategy === owner) return [recent];
    const part = closed?.get(owner);
    return part === undefined ? [] : [{ at, fill: { ...fill, ...part }, ...omitUndefined({ split }) }];
  };
  return {
    ...state,
    live,
    portfolio: state.books.get(owner) ?? EMPTY_PORTFOLIO,
    foreign: { ...state.foreign, orders: new Map() },
    gate: {
      ...state.gate,
      fills: state.gate.fills.flatMap(own),
      otherFills: state.gate.otherFills.flatMap(own),
      dividends: state.gate.dividends.flatMap((dividend) => {
        const amount = dividend.byStrategy?.get(owner);
        return amount === undefined ? [] : [{ ...dividend, amount }];
      }),
      orders: state.gate.orders.filter(({ strategy }) => strategy === owner),
    },
  };
}
