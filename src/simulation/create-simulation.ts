import { dayOf, tradingDayOf } from '../markets/sessions.ts';
import { tickOf, toPrice } from '../markets/ticks.ts';
import { multiply } from '../model/amount.ts';
import type { BarColumns } from '../model/bar.ts';
import { datedRates } from '../model/dated-rates.ts';
import { Decimal } from '../model/decimal.ts';
import type { Security } from '../model/security.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import { marketOf } from '../model/symbol.ts';
import { type Millis, millis, NEVER } from '../model/time.ts';
import type { AccountState } from './account-state.ts';
import { AccountBooks } from './books/account-books.ts';
import { type ExchangeRates, exchangeRates } from './books/exchange-rates.ts';
import { AccountView } from './buying-power/account-view.ts';
import { factorsUnder } from './buying-power/margin.ts';
import { SequentialFundingCheck } from './buying-power/sequential-funding-check.ts';
import { arrivals, latencies } from './latency.ts';
import { BetweenPrints } from './market/between-prints.ts';
import { BidAsk } from './market/bid-ask.ts';
import { MarketReplay, type SymbolMarket } from './market/market-replay.ts';
import { estimateCharges } from './orders/bill.ts';
import { orderIds } from './orders/order-ids.ts';
import type { VenueOrder } from './orders/venue-order.ts';
import { scheduleActions } from './processes/corporate-actions.ts';
import type { ExogenousEvent } from './processes/exogenous-events.ts';
import { OrderProcessor } from './processes/order-processor.ts';
import type { VenueTask } from './processes/venue-task.ts';
import { VenueAccount } from './simulated-account.ts';
import type { Simulation, SimulationEvent } from './simulation.ts';
import type { OpeningAccount, SimulationModels, SimulationOptions } from './simulation-options.ts';

/**
 * Creates a market and its venue in simulated time at `start`, without orders. Throws RangeError for bars of an unknown
 * security, two series of one symbol, a repeated account, or a currency without a rate into the account's.
 */
export function createSimulation(options: SimulationOptions): Simulation {
  const { models } = options;
  assertFundingModel(models);
  const securities = new Map(options.securities.map((security) => [security.symbol, security]));
  assertSecuritiesKnown(options.bars, securities);
  const replay = new MarketReplay(options.bars, options.start, models.fills);
  const states = new Map(
    options.accounts.map((account) => [account.id, openAccount(account, options, replay)]),
  );
  if (states.size !== options.accounts.length) throw new RangeError('Cannot open two accounts with one id');
  const nextOrderId = orderIds();
  const bidAsk = new BidAsk(options.bidAsk ?? []);
  const processor = new OrderProcessor({
    replay,
    models,
    bidAsk,
    everyPrint: options.quotes,
    accounts: states,
    securities,
    nextOrderId,
    quotedBook: options.book,
    inBetweenMs: options.inBetweenMs,
  });
  const trades = createBetweenPrints(options, replay);
  scheduleActions(
    options.corporateActions ?? [],
    replay,
    processor.queue,
    (action): VenueTask => ({
      kind: 'corporate-action',
      action,
    }),
  );
  const shared = {
    replay,
    processor,
    models,
    securities,
    nextOrderId,
    inBetweenMs: options.inBetweenMs,
    roundTheClock: options.roundTheClock === true,
  };
  const nextDelay = latencies(models.latency, options.seed);
  const accounts = new Map(
    options.accounts.map(({ id, currency }) => {
      const state = states.get(id) as AccountState;
      return [id, new VenueAccount({ ...shared, state, currency, arrivalOf: arrivals(nextDelay) })];
    }),
  );

  const hasUnmatchedOrders = (): boolean =>
    processor.hasUnmatchedOrders() && processor.queue.nextAt() > replay.now();
  const nextVenueEventAt = (): Millis => (hasUnmatchedOrders() ? replay.now() : processor.queue.nextAt());
  const nextTradeAt = (): Millis => trades?.nextAt() ?? NEVER;
  const nextPrintAt = (): Millis => millis(Math.min(replay.nextDue()?.dueAt ?? NEVER, nextTradeAt()));

  function stepVenueEvent(): readonly SimulationEvent[] {
    if (nextVenueEventAt() > nextPrintAt())
      throw new Error('Cannot step an own event, a print comes before it');
    if (hasUnmatchedOrders()) return processor.continueMatching();
    const task = processor.queue.take();
    if (task === undefined) throw new Error('Cannot step an own event, none is due');
    replay.moveTo(task.at);
    return processor.perform(task.what);
  }

  function stepPrint(): readonly SimulationEvent[] {
    if (nextVenueEventAt() <= nextPrintAt())
      throw new Error('Cannot step a print, an own event comes before it');
    if (trades !== undefined && nextTradeAt() < (replay.nextDue()?.dueAt ?? NEVER)) return stepTrade(trades);
    const symbolMarket = replay.nextDue();
    if (symbolMarket === undefined) throw new Error('Cannot step a print, none is due');
    const index = replay.stepDue(symbolMarket);
    if (symbolMarket.status === 'normal') trades?.restart(symbolMarket, index);
    const events = processor.matchPrint(symbolMarket, index);
    if (!options.quotes || symbolMarket.status !== 'normal') return events;
    const volume = new Decimal(
      trades === undefined ? symbolMarket.tape.volume(index) : trades.volumeOf(symbolMarket),
    );
    return [...events, { kind: 'quote', quote: replay.quoteOf(symbolMarket, index, volume) }];
  }

  function stepTrade(trades: BetweenPrints): readonly SimulationEvent[] {
    const { symbolMarket, price } = trades.step();
    const volume = trades.volumeOf(symbolMarket);
    const events = processor.matchTrade(symbolMarket, price, volume);
    const last = replay.last(symbolMarket);
    if (last === undefined || volume === 0) return events;
    return [...events, { kind: 'quote', quote: replay.quoteOf(symbolMarket, last, new Decimal(volume)) }];
  }

  function moveTo(at: Millis): void {
    const next = Math.min(nextVenueEventAt(), nextPrintAt());
    if (at > next) throw new RangeError(`Cannot move the clock to ${at}, something happens at ${next}`);
    replay.moveTo(at);
  }

  function inject(what: ExogenousEvent, at: Millis = replay.now()): readonly SimulationEvent[] {
    if (at <= replay.now()) return processor.perform({ kind: 'exogenous-event', what });
    processor.queue.add(at, { kind: 'exogenous-event', what });
    return [];
  }

  return {
    now: () => replay.now(),
    nextVenueEventAt,
    nextPrintAt,
    moveTo,
    append(tick) {
      const symbolMarket = replay.append(tick);
      if (symbolMarket !== undefined) processor.updateUnknownPrints(symbolMarket);
      return symbolMarket !== undefined;
    },
    invalidatePrices: () => replay.invalidatePrices(),
    inject,
    stepVenueEvent,
    stepPrint,
    account: (id) => accounts.get(id),
    securities: () => options.securities,
    security: (symbol) => securities.get(symbol),
    marginFactors: (symbol) => {
      const security = securities.get(symbol);
      return security === undefined ? undefined : factorsUnder(models.margin, security);
    },
    quote: (symbol) => {
      const symbolMarket = replay.symbolMarket(symbol);
      return symbolMarket === undefined ? undefined : replay.lastQuote(symbolMarket);
    },
    latestTrade: (symbol) => {
      const symbolMarket = replay.symbolMarket(symbol);
      return symbolMarket === undefined ? undefined : replay.lastTrade(symbolMarket);
    },
    tradedSince: (symbol, from) => {
      const symbolMarket = replay.symbolMarket(symbol);
      return symbolMarket === undefined ? undefined : replay.tradedSince(symbolMarket, from);
    },
    tradingDay: (market) => tradingDayOf(market, replay.now()),
  };
}

/** Creates the trades between prints, on ticks of the security; undefined if the options request none. */
function createBetweenPrints(
  { tradesBetween, securities }: SimulationOptions,
  replay: MarketReplay,
): BetweenPrints | undefined {
  if (tradesBetween === undefined) return undefined;
  const known = new Map(securities.map((security) => [security.symbol, security]));
  const roundTo = ({ symbol }: SymbolMarket, price: number): number => {
    const security = known.get(symbol) ?? { symbol, kind: 'stock' };
    const tick = tickOf(security, new Decimal(price), dayOf(marketOf(symbol), replay.now()));
    return toPrice(price, tick, 'nearest').toNumber();
  };
  return new BetweenPrints({ replay, trades: tradesBetween, roundTo });
}

function openAccount(
  account: OpeningAccount,
  options: SimulationOptions,
  replay: MarketReplay,
): AccountState {
  const { models } = options;
  const { currency } = account;
  const rates = datedExchangeRates(account, replay);
  assertRates(account, options.securities, rates);
  const books = new AccountBooks(account.cash, options.start);
  const open = new Set<VenueOrder>();
  const view = new AccountView({
    currency,
    books,
    open,
    rates,
    model: models.margin,
    now: () => replay.now(),
    lastPrice: (symbol) => replay.lastAmount(symbol),
  });
  const short = account.short ?? false;
  const schedule = models.charges;
  const fundingCheck = new SequentialFundingCheck(books, ({ security, side, quantity, price, at }) =>
    estimateCharges({ security, side, quantity, notional: multiply(price, quantity, 'exact'), at }, schedule),
  );
  const funding = { view, model: models.margin, rates, schedule, currency, short, fundingCheck };
  return {
    id: account.id,
    closed: false,
    books,
    funding,
    orders: new Map(),
    open,
    recent: [],
    lastFills: new Map(),
    filledAt: undefined,
  };
}

function datedExchangeRates({ fx, fxSeries = [] }: OpeningAccount, replay: MarketReplay): ExchangeRates {
  if (fxSeries.length === 0) return exchangeRates(fx);
  const dated = datedRates(fx, fxSeries);
  let known = { of: fx, rates: exchangeRates(fx) };
  return {
    rate(from, to) {
      const now = dated.asOf(replay.now());
      if (now !== known.of) known = { of: now, rates: exchangeRates(now) };
      return known.rates.rate(from, to);
    },
  };
}

function assertFundingModel({ margin, fills }: SimulationModels): void {
  if (margin.cover !== 'reserved' && fills.matching.kind === 'prints') {
    throw new RangeError(`Cannot cover orders "${margin.cover}" where they meet prints, want "reserved"`);
  }
}

function assertSecuritiesKnown(
  bars: readonly BarColumns[],
  securities: ReadonlyMap<SecuritySymbol, Security>,
): void {
  for (const { symbol } of bars) {
    if (!securities.has(symbol))
      throw new RangeError(`Cannot replay bars of "${symbol}", no security of that name`);
  }
}

function assertRates(account: OpeningAccount, securities: readonly Security[], rates: ExchangeRates): void {
  const currencies = new Set([
    ...Object.keys(account.cash),
    ...securities.map((security) => security.currency),
  ]);
  for (const currency of currencies) rates.rate(currency, account.currency);
}
