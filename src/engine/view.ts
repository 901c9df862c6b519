import type { BotState } from '../events/bot-state.ts';
import {
  type EstimatedPortfolio,
  estimated,
  type Holding,
  type Portfolio,
  type Valuation,
  valueAt,
} from '../events/portfolio.ts';
import { openWithoutExits } from '../events/records/open-orders.ts';
import type { ExchangeRates } from '../execution/gate/exchange-rates.ts';
import type { GateSources } from '../execution/gate/gate.ts';
import { quoteAfterSplit } from '../execution/gate/quote-fact.ts';
import type { Restrictions } from '../execution/gate/restrictions.ts';
import { orderStyle } from '../execution/orders/order-style.ts';
import { decimalOfDouble, doubleOfDecimal } from '../model/amount.ts';
import { type Decimal, type Price, ZERO } from '../model/decimal.ts';
import type { Side } from '../model/order.ts';
import type { Security } from '../model/security.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import { ImmediateRequest, type Request } from '../ports/task.ts';
import { believedPrice } from '../risk/fact-rules.ts';
import type { QuoteFact } from '../risk/facts.ts';
import type { ContextSnapshot, PositionView, SymbolSnapshot } from '../strategy/context.ts';
import { figuresOf, type SecurityFigures } from '../strategy/security-figures.ts';
import type { OrderStyle, SizingFacts } from '../strategy/sizing.ts';
import type { EngineParts } from './engine-parts.ts';
import type { Member } from './member.ts';

/** The engine's knowledge at one time, for each of its readers. */
export interface EngineView {
  /** Value of the positions, at the newest closes unless prices are given. */
  valuation(priceOf?: (symbol: SecuritySymbol) => number): Valuation;
  /** The price at which `valuation` marks a position; NaN if there is none. */
  priceOf(symbol: SecuritySymbol): number;
  /** The newest accepted quote; without one, the newest close. */
  quotedPriceOf(symbol: SecuritySymbol): number;
  /** Plain data for the strategy. */
  snapshot(): ContextSnapshot;
  sizingFacts(security: Security): SizingFacts;
  style(security: Security): OrderStyle;
  /** The same for one of several strategies: its own positions, series and order style. */
  forMember(member: Member): EngineView;
  /** Profit of each strategy so far, in the account's currency; empty in a bot with one. */
  earned(): ReadonlyMap<string, number>;
  readonly factSources: GateSources;
  /** Pulls the quote of a position in a symbol that the bot does not trade, so that it has a price. */
  requestPrice(symbol: SecuritySymbol): Request<unknown>;
}

/** A symbol's part of the newest snapshot, and the position it was made from. */
interface CachedSymbol {
  readonly symbol: SecuritySymbol;
  readonly holding: Holding | undefined;
  readonly snapshot: SymbolSnapshot;
}

/** Reads state, prices and rates; it only caches computations. */
export function createView(
  parts: EngineParts,
  state: BotState,
  { restrictions, rates }: { readonly restrictions: Restrictions; readonly rates: ExchangeRates },
): EngineView {
  const { clock, source, securities } = parts;
  const { rate } = rates;

  const quoteOf = (symbol: SecuritySymbol): QuoteFact | undefined =>
    state.splits.size === 0
      ? parts.quote(symbol)
      : quoteAfterSplit(parts.quote(symbol), symbol, state.splits.get(symbol));

  /**
   * Newest close, otherwise the latest quote. A position in a symbol that the bot does not trade has its cost as
   * value until it has a price; without a known cost its value is unknown.
   */
  function priceOf(symbol: SecuritySymbol): number {
    if (!securities.has(symbol)) {
      const cost = state.portfolio.holdings.get(symbol)?.averageCost;
      return doubleOf(quoteOf(symbol)?.value ?? cost);
    }
    const close = source.lastPrice(symbol);
    return Number.isNaN(close) ? doubleOf(quoteOf(symbol)?.value) : close;
  }

  function quotedPriceOf(symbol: SecuritySymbol): number {
    const quote = quoteOf(symbol);
    return quote === undefined ? priceOf(symbol) : doubleOfDecimal(believedPrice(quote));
  }

  function holdingOf(symbol: SecuritySymbol, member: Member | undefined): Holding | undefined {
    const books = member === undefined ? state.portfolio : state.books.get(member.name);
    return books?.holdings.get(symbol);
  }

  const figuresCache = new Map<
    SecuritySymbol,
    { readonly stamp: number; readonly figures: SecurityFigures }
  >();

  /** Facts of a security, converted once per set of rates. */
  function securityFigures(security: Security): SecurityFigures {
    const { symbol, currency } = security;
    const stamp = rates.version();
    const cached = figuresCache.get(symbol);
    if (cached?.stamp === stamp) return cached.figures;
    const figures = figuresOf(security, doubleOf(rate(currency)));
    figuresCache.set(symbol, { stamp, figures });
    return figures;
  }

  /** A symbol's part of a snapshot: `before` if nothing in it has changed. */
  function symbolSnapshot(security: Security, member?: Member, before?: CachedSymbol): CachedSymbol {
    const { symbol } = security;
    const holding = holdingOf(symbol, member);
    const lastPrice = priceOf(symbol);
    const values = (member ?? source).values(symbol);
    const open = (side: Side): number =>
      state.live.size === 0 ? 0 : doubleOfDecimal(openWithoutExits(state, symbol, side, member?.name));
    const openBuys = open('buy');
    const openSells = open('sell');
    const figures = securityFigures(security);
    if (before !== undefined && before.holding === holding) {
      const { snapshot } = before;
      const isSame =
        snapshot.position.openBuys === openBuys &&
        snapshot.position.openSells === openSells &&
        snapshot.security === figures;
      if (isSame && snapshot.values === values && Object.is(snapshot.lastPrice, lastPrice)) return before;
    }
    const quantity = holding === undefined ? 0 : doubleOfDecimal(holding.quantity);
    const averageCost = holding === undefined ? 0 : doubleOf(holding.averageCost);
    const position: PositionView = { quantity, averageCost, openBuys, openSells };
    return { symbol, holding, snapshot: { position, lastPrice, security: figures, values } };
  }

  let estimateCache:
    | { readonly portfolio: Portfolio; readonly stamp: number; readonly estimate: EstimatedPortfolio }
    | undefined;

  /** A portfolio is converted once per set of rates, and marked many times. */
  function valuation(markPrice = priceOf): Valuation {
    const { portfolio } = state;
    const stamp = rates.version();
    if (estimateCache?.portfolio !== portfolio || estimateCache.stamp !== stamp)
      estimateCache = {
        portfolio,
        stamp,
        estimate: estimated(portfolio, (currency) => doubleOf(rate(currency))),
      };
    return valueAt(estimateCache.estimate, markPrice);
  }

  let cash: { readonly of: Portfolio; readonly figures: Readonly<Record<string, number>> } | undefined;

  function cashFigures(): Readonly<Record<string, number>> {
    const { portfolio } = state;
    if (cash?.of !== portfolio) {
      const figures = [...portfolio.cash].map(
        ([currency, amount]) => [currency, doubleOfDecimal(amount)] as const,
      );
      cash = { of: portfolio, figures: Object.fromEntries(figures) };
    }
    return cash.figures;
  }

  /** Takes snapshots of those securities; unchanged symbols are reused from the previous one. */
  function snapshots(traded: readonly Security[], member?: Member): () => ContextSnapshot {
    let known: readonly CachedSymbol[] = [];
    let symbols: Readonly<Record<string, SymbolSnapshot>> = {};
    return () => {
      const before = known;
      known = traded.map((security, at) => symbolSnapshot(security, member, before[at]));
      if (known.some((each, at) => each !== before[at]))
        symbols = Object.fromEntries(known.map(({ symbol, snapshot }) => [symbol, snapshot]));
      return { now: clock.now(), equity: valuation().equity, cash: cashFigures(), symbols };
    };
  }

  function sizingFactsFor(security: Security, member?: Member): SizingFacts {
    const { symbol, lotSize } = security;
    const price = priceOf(symbol);
    return {
      symbol,
      lotSize,
      lastPrice: Number.isNaN(price) ? undefined : decimalOfDouble(price),
      held: holdingOf(symbol, member)?.quantity ?? ZERO,
      openBuys: openWithoutExits(state, symbol, 'buy', member?.name),
      openSells: openWithoutExits(state, symbol, 'sell', member?.name),
      equity: decimalOfDouble(valuation().equity),
      rate: rate(security.currency),
      rateOf: rate,
    };
  }

  function earned(): ReadonlyMap<string, number> {
    const worth = (portfolio: Portfolio): number =>
      valueAt(
        estimated(portfolio, (currency) => doubleOf(rate(currency))),
        priceOf,
      ).equity;
    return new Map([...state.books].map(([name, portfolio]) => [name, worth(portfolio)]));
  }

  const view: EngineView = {
    valuation,
    priceOf,
    quotedPriceOf,
    earned,
    snapshot: snapshots([...securities.values()]),
    sizingFacts: (security) => sizingFactsFor(security),
    forMember: (member) => ({
      ...view,
      snapshot: snapshots(
        member.symbols.flatMap((symbol) => securities.get(symbol) ?? []),
        member,
      ),
      sizingFacts: (security) => sizingFactsFor(security, member),
      style: (security) => orderStyle(member.policy, security, clock.now()),
    }),
    requestPrice: (symbol) =>
      securities.has(symbol) ? NO_REQUEST : (parts.pullQuote?.(symbol) ?? NO_REQUEST),
    style: (security) => orderStyle(parts.policy, security, clock.now()),
    factSources: {
      broker: parts.broker,
      state,
      restrictions,
      margins: parts.budget && { known: new Map(), maxAgeMs: parts.limits.maxMarginAge / 3 },
      currency: parts.currency,
      now: () => clock.now(),
      security: (symbol) => securities.get(symbol),
      reference: quoteOf,
      pullQuote: (symbol) => parts.pullQuote?.(symbol) ?? NO_REQUEST,
      lastClose: (symbol) => closeOf(source.lastPrice(symbol)),
      closeBefore: (symbol, at) => closeOf(source.closeBefore(symbol, at)),
      rateOf: rate,
      currenciesWithoutRate: rates.missing,
    },
  };
  return view;
}

/** A figure that may be missing, as an estimate: NaN then. */
function doubleOf(value: Decimal | undefined): number {
  return value === undefined ? Number.NaN : doubleOfDecimal(value);
}

/** Converts a close, which is an estimate, to the price that a rule compares with. */
function closeOf(close: number): Price | undefined {
  return Number.isNaN(close) ? undefined : decimalOfDouble(close);
}

const NO_REQUEST = new ImmediateRequest(() => undefined);
