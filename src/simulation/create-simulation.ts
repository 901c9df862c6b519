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
import { AccountView } from './cover/account-view.ts';
import { factorsUnder } from './cover/margin.ts';
import { Rehearsal } from './cover/rehearsal.ts';
import { scheduleActions } from './desks/corporate-actions.ts';
import type { DeskTask } from './desks/desk-task.ts';
import type { Interference } from './desks/interference.ts';
import { OrderDesk } from './desks/order-desk.ts';
import { arrivals, latencies } from './latency.ts';
import { BetweenPrints } from './market/between-prints.ts';
import { BidAsk } from './market/bid-ask.ts';
import { Floor, type Lane } from './market/floor.ts';
import { estimateCharges } from './orders/bill.ts';
import { orderIds } from './orders/order-ids.ts';
import type { VenueOrder } from './orders/venue-order.ts';
import { VenueAccount } from './simulated-account.ts';
import type { Simulation, SimulationEvent } from './simulation.ts';
import type { OpeningAccount, SimulationModels, SimulationOptions } from './simulation-options.ts';

/**
 * Sets up a market and its venue in simulated time, standing at `start` with nothing ordered. Throws RangeError for bars of
 * an unknown security, two series of one symbol, a repeated account, or a currency without a rate into the account's.
 */
export function createSimulation(options: SimulationOptions): Simulation {
  const { models } = options;
  assertCoverable(models);
  const securities = new Map(options.securities.map((security) => [security.symbol, security]));
  assertKnown(options.bars, securities);
  const floor = new Floor(options.bars, options.start, models.fills);
  const states = new Map(
    options.accounts.map((account) => [account.id, openAccount(account, options, floor)]),
  );
  if (states.size !== options.accounts.length) throw new RangeError('Cannot open two accounts with one id');
  const nextOrderId = orderIds();
  const bidAsk = new BidAsk(options.bidAsk ?? []);
  const desk = new OrderDesk({
    floor,
    models,
    bidAsk,
    everyPrint: options.quotes,
    accounts: states,
    securities,
    nextOrderId,
    standingBook: options.book,
    inBetweenMs: options.inBetweenMs,
  });
  const between = betweenPrints(options, floor);
  scheduleActions(
    options.corporateActions ?? [],
    floor,
    desk.agenda,
    (action): DeskTask => ({
      kind: 'corporate-action',
      action,
    }),
  );
  const shared = {
    floor,
    desk,
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

  const isMidway = (): boolean => desk.isMidway() && desk.agenda.nextAt() > floor.now();
  const nextOwnAt = (): Millis => (isMidway() ? floor.now() : desk.agenda.nextAt());
  const nextTradeAt = (): Millis => between?.nextAt() ?? NEVER;
  const nextPrintAt = (): Millis => millis(Math.min(floor.due()?.dueAt ?? NEVER, nextTradeAt()));

  function stepOwn(): readonly SimulationEvent[] {
    if (nextOwnAt() > nextPrintAt()) throw new Error('Cannot step an own event, a print comes before it');
    if (isMidway()) return desk.goOn();
    const task = desk.agenda.take();
    if (task === undefined) throw new Error('Cannot step an own event, none is due');
    floor.moveTo(task.at);
    return desk.perform(task.what);
  }

  function stepPrint(): readonly SimulationEvent[] {
    if (nextOwnAt() <= nextPrintAt()) throw new Error('Cannot step a print, an own event comes before it');
    if (between !== undefined && nextTradeAt() < (floor.due()?.dueAt ?? NEVER)) return stepTrade(between);
    const lane = floor.due();
    if (lane === undefined) throw new Error('Cannot step a print, none is due');
    const index = floor.happen(lane);
    if (lane.status === 'normal') between?.begin(lane, index);
    const events = desk.meetPrint(lane, index);
    if (!options.quotes || lane.status !== 'normal') return events;
    const volume = new Decimal(between === undefined ? lane.tape.volume(index) : between.volumeOf(lane));
    return [...events, { kind: 'quote', quote: floor.quoteOf(lane, index, volume) }];
  }

  function stepTrade(trades: BetweenPrints): readonly SimulationEvent[] {
    const { lane, price } = trades.step();
    const volume = trades.volumeOf(lane);
    const events = desk.meetTrade(lane, price, volume);
    const last = floor.last(lane);
    if (last === undefined || volume === 0) return events;
    return [...events, { kind: 'quote', quote: floor.quoteOf(lane, last, new Decimal(volume)) }];
  }

  function moveTo(at: Millis): void {
    const next = Math.min(nextOwnAt(), nextPrintAt());
    if (at > next) throw new RangeError(`Cannot move the clock to ${at}, something happens at ${next}`);
    floor.moveTo(at);
  }

  function interfere(what: Interference, at: Millis = floor.now()): readonly SimulationEvent[] {
    if (at <= floor.now()) return desk.perform({ kind: 'interfere', what });
    desk.agenda.add(at, { kind: 'interfere', what });
    return [];
  }

  return {
    now: () => floor.now(),
    nextOwnAt,
    nextPrintAt,
    moveTo,
    append(tick) {
      const lane = floor.append(tick);
      if (lane !== undefined) desk.extend(lane);
      return lane !== undefined;
    },
    fallSilent: () => floor.fallSilent(),
    interfere,
    stepOwn,
    stepPrint,
    account: (id) => accounts.get(id),
    securities: () => options.securities,
    security: (symbol) => securities.get(symbol),
    marginFactors: (symbol) => {
      const security = securities.get(symbol);
      return security === undefined ? undefined : factorsUnder(models.margin, security);
    },
    quote: (symbol) => {
      const lane = floor.lane(symbol);
      return lane === undefined ? undefined : floor.lastQuote(lane);
    },
    traded: (symbol, from) => {
      const lane = floor.lane(symbol);
      return lane === undefined ? undefined : floor.traded(lane, from);
    },
    tradingDay: (market) => tradingDayOf(market, floor.now()),
  };
}

/** Trades between prints, on ticks of the security; undefined where none are wanted. */
function betweenPrints(
  { tradesBetween, securities }: SimulationOptions,
  floor: Floor,
): BetweenPrints | undefined {
  if (tradesBetween === undefined) return undefined;
  const known = new Map(securities.map((security) => [security.symbol, security]));
  const roundTo = ({ symbol }: Lane, price: number): number => {
    const security = known.get(symbol) ?? { symbol, kind: 'stock' };
    const tick = tickOf(security, new Decimal(price), dayOf(marketOf(symbol), floor.now()));
    return toPrice(price, tick, 'nearest').toNumber();
  };
  return new BetweenPrints({ floor, trades: tradesBetween, roundTo });
}

function openAccount(account: OpeningAccount, options: SimulationOptions, floor: Floor): AccountState {
  const { models } = options;
  const { currency } = account;
  const rates = ratesInTime(account, floor);
  assertRates(account, options.securities, rates);
  const books = new AccountBooks(account.cash, options.start);
  const open = new Set<VenueOrder>();
  const view = new AccountView({
    currency,
    books,
    open,
    rates,
    model: models.margin,
    now: () => floor.now(),
    lastPrice: (symbol) => floor.lastAmount(symbol),
  });
  const short = account.short ?? false;
  const schedule = models.charges;
  const rehearsal = new Rehearsal(books, ({ security, side, quantity, price, at }) =>
    estimateCharges({ security, side, quantity, notional: multiply(price, quantity, 'exact'), at }, schedule),
  );
  const means = { view, model: models.margin, rates, schedule, currency, short, rehearsal };
  return {
    id: account.id,
    closed: false,
    books,
    means,
    orders: new Map(),
    open,
    recent: [],
    lastFills: new Map(),
    filledAt: undefined,
  };
}

/** The account's rates as of now, whenever they are asked. */
function ratesInTime({ fx, fxSeries = [] }: OpeningAccount, floor: Floor): ExchangeRates {
  if (fxSeries.length === 0) return exchangeRates(fx);
  const dated = datedRates(fx, fxSeries);
  let known = { of: fx, rates: exchangeRates(fx) };
  return {
    rate(from, to) {
      const now = dated.asOf(floor.now());
      if (now !== known.of) known = { of: now, rates: exchangeRates(now) };
      return known.rates.rate(from, to);
    },
  };
}

function assertCoverable({ margin, fills }: SimulationModels): void {
  if (margin.cover !== 'reserved' && fills.matching.kind === 'prints') {
    throw new RangeError(`Cannot cover orders "${margin.cover}" where they meet prints, want "reserved"`);
  }
}

function assertKnown(bars: readonly BarColumns[], securities: ReadonlyMap<SecuritySymbol, Security>): void {
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
