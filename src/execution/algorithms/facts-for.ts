import type { BotState, TrackedOrder } from '../../events/bot-state.ts';
import type { TrackedAlgorithm } from '../../events/records/algorithm-record.ts';
import { availableHolding, executedOf, heldBy } from '../../events/records/bracket-shares.ts';
import { openQuantityOf, openWithoutExits } from '../../events/records/open-orders.ts';
import { roundToLot } from '../../markets/lots.ts';
import { dayOf, midnightOf, nextOpen, regularClose, tradingDayOf } from '../../markets/sessions.ts';
import { settlementDay } from '../../markets/settlement.ts';
import { onTick } from '../../markets/ticks.ts';
import { nextBarClose } from '../../markets/trading-sessions.ts';
import {
  type AlgorithmId,
  type AlgorithmSpec,
  type OneSymbolSpec,
  otherSide,
  symbolOf,
  type TargetHolding,
} from '../../model/algorithm.ts';
import { Decimal, type Price, type Quantity, ZERO } from '../../model/decimal.ts';
import type { OrderIntent, OrderTerms, Side } from '../../model/order.ts';
import { isLive, openRest } from '../../model/order-state.ts';
import type { Period } from '../../model/period.ts';
import type { Security } from '../../model/security.ts';
import { marketOf, type SecuritySymbol } from '../../model/symbol.ts';
import type { Millis } from '../../model/time.ts';
import type { TradingSessions } from '../../model/trading-sessions.ts';
import { tradingDayEnd } from '../gate/trading-time.ts';
import { isCancelPending } from './exit-maintenance.ts';
import type { AlgorithmFacts } from './plan.ts';
import type { RebalanceFacts, RebalanceOrder } from './rebalance.ts';

export interface AlgorithmSources {
  security(symbol: SecuritySymbol): Security | undefined;
  /** True for one of several strategies with strategy limits; absent: none has any. */
  readonly hasOwnLimits?: (strategy: string) => boolean;
  /** Latest price; undefined before the first. */
  last(symbol: SecuritySymbol): Price | undefined;
  /** Newest close of the bot's bars; undefined before the first. */
  close(symbol: SecuritySymbol): Price | undefined;
  readonly period: Period;
  /** Sessions of these bars; only regular trading if absent. */
  readonly sessions?: TradingSessions;
  /** True if the venue checks orders only when they fill; absent: on arrival. */
  readonly checksAtFill?: boolean;
  /** True if an opening order would have its calls now; absent: calls are not limited. */
  readonly hasCalls?: (() => boolean) | undefined;
  /** Returns the order that moves a strategy's position to a share of the equity; undefined if none is needed. */
  rebalanceOrder(holding: TargetHolding, strategy: string | undefined): RebalanceOrder | undefined;
}

export interface FactParts {
  readonly sources: AlgorithmSources;
  readonly state: BotState;
  /** Orders that wait for exits to be cancelled. */
  readonly held: readonly OrderIntent[];
  readonly now: Millis;
}

export function rebalanceFacts(
  { strategy }: TrackedAlgorithm,
  { sources, state, now }: FactParts,
): RebalanceFacts {
  return {
    now,
    order: (id) => state.order(id),
    rebalanceOrder: (holding) => sources.rebalanceOrder(holding, strategy),
    held: (symbol) => heldBy(strategy, { symbol, side: 'buy' }, state),
    ...SETTLEMENT,
    affords: (terms) => affords(terms, sources, state),
  };
}

/** Settlement times of sales, and opening times for purchases with their cash. */
export const SETTLEMENT: Pick<RebalanceFacts, 'settled' | 'opens'> = {
  settled(symbol, at) {
    const market = marketOf(symbol);
    return midnightOf(market, settlementDay(market, dayOf(market, at)));
  },
  opens: (symbol, at) => nextOpen(marketOf(symbol), at),
};

function affords(terms: OrderTerms, sources: AlgorithmSources, state: BotState): boolean {
  const currency = sources.security(terms.symbol)?.currency;
  const priced = ({ symbol, price }: OrderTerms, quantity: Quantity): PricedShares => {
    return { price: price ?? sources.last(symbol), quantity };
  };
  const open: PricedShares[] = [];
  for (const { terms: other, facets } of state.live.values()) {
    if (other.side !== 'buy' || !isLive(facets)) continue;
    if (sources.security(other.symbol)?.currency === currency) open.push(priced(other, openRest(facets)));
  }
  const cash = currency === undefined ? undefined : state.portfolio.cash.get(currency);
  return cash !== undefined && cashCovers(cash, priced(terms, terms.quantity), open);
}

/** Quantity of a purchase, and its price if known. */
interface PricedShares {
  readonly price: Price | undefined;
  readonly quantity: Quantity;
}

/** True if cash covers a purchase in addition to open ones, without charges. */
export function cashCovers(cash: Decimal, wanted: PricedShares, open: readonly PricedShares[]): boolean {
  if (wanted.price === undefined) return false;
  const needed = open.reduce(
    (sum, { price, quantity }) => (price === undefined ? sum : sum.plus(price.times(quantity))),
    wanted.price.times(wanted.quantity),
  );
  return cash.gte(needed);
}

export function factsFor(
  algorithm: TrackedAlgorithm,
  spec: OneSymbolSpec,
  { sources, state, held, now }: FactParts,
): AlgorithmFacts {
  const symbol = symbolOf(spec);
  const market = marketOf(symbol);
  return {
    now,
    order: (id) => state.order(id),
    relevantChildren: (id) => state.relevantChildren(id),
    held: (side) => availableHolding(algorithm, { symbol, side }, state),
    position: (side) => heldBy(algorithm.strategy, { symbol, side }, state),
    closable: (side) => closableQuantity(algorithm, spec, { symbol, side }, state),
    unreserved: (side) => unreserved(algorithm, { symbol, side }, state, held),
    hasOtherOrder: (side) => hasOtherOrder(algorithm, { symbol, side }, state, held),
    last: sources.last(symbol),
    close: sources.close(symbol),
    checksAtFill: sources.checksAtFill === true,
    toTick(price, direction) {
      const security = sources.security(symbol);
      return security === undefined ? price : onTick(security, price, { day: dayOf(market, now), direction });
    },
    wholeLots(quantity) {
      const security = sources.security(symbol);
      return security === undefined ? quantity : roundToLot(quantity, security.lotSize);
    },
    sessionEnd: () => regularClose(market, tradingDayOf(market, now)),
    expiryOf: ({ terms: { timeInForce, expireDate, outsideRth }, decidedAt }) => {
      if (timeInForce === 'day') return tradingDayEnd(market, decidedAt, outsideRth);
      return expireDate === undefined ? undefined : regularClose(market, expireDate);
    },
    nextClose: () => nextBarClose(market, sources.period, now, sources.sessions ?? 'regular'),
    hasCalls: () => sources.hasCalls?.() !== false,
    killed: state.gate.standing.state === 'killed',
    halted: state.gate.standing.state === 'halted',
  };
}

/**
 * Returns the position that an algorithm may close: if it yields, less the open orders of older algorithms, and others
 * that were decided before its start. An order that was cancelled does not count, whatever the venue answered: the newer
 * one would stay smaller.
 */
function closableQuantity(
  algorithm: TrackedAlgorithm,
  spec: OneSymbolSpec,
  position: { readonly symbol: SecuritySymbol; readonly side: Side },
  state: BotState,
): Quantity {
  const held = heldBy(algorithm.strategy, position, state);
  if (spec.kind === 'bracket' || spec.kind === 'oco' || spec.yields !== true) return held;
  const ids = [...state.algorithms.keys()];
  const newer = new Set(ids.slice(ids.indexOf(algorithm.id)));
  const isOlder = (order: TrackedOrder): boolean => {
    const { strategy, link, decidedAt, facets } = order;
    if (strategy !== algorithm.strategy || link?.exit === true) return false;
    if (isCancelPending(order) || facets.cancels > 0) return false;
    if (link === undefined || !state.algorithms.has(link.algorithm)) return decidedAt < algorithm.startedAt;
    return !newer.has(link.algorithm);
  };
  return held.minus(openQuantityOf(state, position.symbol, otherSide(position.side), isOlder));
}

/**
 * True for an algorithm that closes, except an OCO, if open orders of its strategy, and what its other algorithms that
 * close have not executed yet, leave it its whole quantity.
 */
export function hasFreeShares(spec: AlgorithmSpec, owner: string | undefined, state: BotState): boolean {
  const own = closingOrder(spec);
  if (own === undefined || spec.kind === 'oco') return false;
  const { symbol, side, quantity } = own;
  const claiming = new Set<AlgorithmId>();
  let left = heldBy(owner, { symbol, side: otherSide(side) }, state);
  for (const { id, spec: other, strategy, children } of state.algorithms.values()) {
    const order = strategy === owner ? closingOrder(other) : undefined;
    if (order?.symbol !== symbol || order.side !== side) continue;
    claiming.add(id);
    const orders = [...children.values()].flat().flatMap((intentId) => state.order(intentId) ?? []);
    left = left.minus(Decimal.max(ZERO, order.quantity.minus(executedOf(orders))));
  }
  const isOther = ({ strategy, link }: TrackedOrder): boolean =>
    strategy === owner && link?.exit !== true && (link === undefined || !claiming.has(link.algorithm));
  return left.minus(openQuantityOf(state, symbol, side, isOther)).gte(quantity);
}

/** Returns the order, or the largest leg, of an algorithm that closes; undefined for any other. */
function closingOrder(spec: AlgorithmSpec): OrderTerms | undefined {
  if (spec.kind === 'rebalance' || spec.kind === 'bracket' || spec.closes !== true) return undefined;
  if (spec.kind !== 'oco') return spec.order;
  return spec.legs.toSorted((one, other) => other.quantity.comparedTo(one.quantity))[0];
}

function unreserved(
  algorithm: TrackedAlgorithm,
  position: { readonly symbol: SecuritySymbol; readonly side: Side },
  state: BotState,
  waiting: readonly OrderIntent[],
): Quantity {
  const { symbol } = position;
  const { strategy: owner } = algorithm;
  const side = otherSide(position.side);
  const open = openWithoutExits(state, symbol, side, owner);
  const hasSameSide = ({ terms, strategy }: OrderIntent): boolean =>
    terms.symbol === symbol && terms.side === side && strategy === owner;
  return waiting
    .filter(hasSameSide)
    .reduce(
      (left, { terms }) => left.minus(terms.quantity),
      availableHolding(algorithm, position, state).minus(open),
    );
}

/** True if the strategy has another order on this side, which takes precedence; exits of several brackets coexist. */
export function hasOtherOrder(
  { id, strategy: owner }: TrackedAlgorithm,
  { symbol, side }: { readonly symbol: SecuritySymbol; readonly side: Side },
  state: BotState,
  held: readonly OrderIntent[],
): boolean {
  const waits = held.some(
    ({ terms, strategy }) => terms.symbol === symbol && terms.side === side && strategy === owner,
  );
  if (waits) return true;
  for (const { terms, facets, link, strategy } of state.live.values()) {
    if (strategy !== owner) continue;
    if (terms.symbol !== symbol || terms.side !== side || !isLive(facets)) continue;
    if (link?.exit !== true && link?.algorithm !== id) return true;
  }
  return false;
}
