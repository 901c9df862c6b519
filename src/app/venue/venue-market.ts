import { isDeepStrictEqual } from 'node:util';
import { ACCOUNT_ID, type ReplaySetup, simulationOptions } from '../../backtest/setup.ts';
import { DataError } from '../../market-data/data-error.ts';
import type { BarStore } from '../../market-data/store.ts';
import { openTime } from '../../markets/bar-span.ts';
import { midnightOf } from '../../markets/sessions.ts';
import { type BarColumns, lowerBound } from '../../model/bar.ts';
import type { Period } from '../../model/period.ts';
import type { Quote } from '../../model/quote.ts';
import { marketOf, type SecuritySymbol } from '../../model/symbol.ts';
import { DAY_MS, type Millis, millis } from '../../model/time.ts';
import { unreachable } from '../../model/unreachable.ts';
import { applicableInterest } from '../../simulation/books/interest.ts';
import { createSimulation } from '../../simulation/create-simulation.ts';
import { type DaySoFar, LiveColumns } from '../../simulation/market/live-columns.ts';
import { VENUE_RULES } from '../../simulation/rules.ts';
import type { Simulation } from '../../simulation/simulation.ts';
import type { OpeningAccount, SimulationOptions } from '../../simulation/simulation-options.ts';
import { deepBook } from '../../venue/quotes/order-book.ts';
import { syntheticHistory } from '../../venue/synthetic/synthetic-history.ts';
import { type SyntheticHours, syntheticMarket } from '../../venue/synthetic/synthetic-market.ts';
import type { VenueOptions } from '../../venue/venue-options.ts';
import { heardBars } from '../load/load-run.ts';
import type { Upstream } from './upstream.ts';

/** Opening cash and trading costs of accounts. */
export type OpeningTerms = Pick<
  ReplaySetup,
  'currency' | 'cash' | 'fx' | 'fxSeries' | 'charges' | 'margin' | 'short' | 'rules'
>;

/** The source of a venue's market. */
export type MarketSource =
  /** Bars on disk. */
  | { readonly kind: 'replay'; readonly replay: ReplaySetup; readonly store: BarStore }
  /** A synthetic market from a seed, open at any hour or in the exchanges' hours. */
  | {
      readonly kind: 'synthetic';
      readonly seed: number;
      readonly hours: SyntheticHours;
      readonly terms: OpeningTerms;
    }
  /** Live quotes of another market; orders stay here. */
  | {
      readonly kind: 'upstream';
      readonly upstream: Upstream;
      readonly hours: SyntheticHours;
      readonly terms: OpeningTerms;
    };

/** A market that can be started at a time, repeatedly. */
export interface VenueMarket extends Pick<VenueOptions, 'history' | 'book' | 'hours' | 'prices'> {
  /** Starts it at `start` with newly opened accounts. */
  readonly begin: (start: Millis) => Simulation;
  /** Default start of the market. */
  readonly start: Millis;
  /** Text that determines it: equal texts, equal markets. */
  readonly recipe: string;
}

/** Days of generated minutes ahead of a synthetic market whenever the venue starts. */
const DAYS_AHEAD = 60;

/** Resting orders get no more of a print than its volume. */
const WHOLE_PRINT = 1;

/** Version of the generator of synthetic markets; the state of another version is not restored. */
const MAKE = 3;

/** Trades between two of the four prints of a minute: one every three seconds. */
const TRADES_BETWEEN = 4;

/** Times of a market. `began` is where it started before a restart, `now` the machine's time. */
export interface MarketTiming {
  /** How long intermediate statuses are shown; an empty object shows none. */
  readonly inBetween?: { readonly inBetweenMs?: number };
  readonly stepped: boolean;
  readonly began: Millis | undefined;
  readonly now: Millis;
}

/** Ids of a venue's accounts: `paper`, `paper-2` and so on. */
export function accountIds(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) =>
    index === 0 ? ACCOUNT_ID : `${ACCOUNT_ID}-${index + 1}`,
  );
}

/** Creates the market of a source for a number of accounts. */
export function venueMarket(source: MarketSource, accounts: number, timing: MarketTiming): VenueMarket {
  switch (source.kind) {
    case 'replay':
      return replayed(source, accounts, timing);
    case 'synthetic':
      return synthetic(source, accounts, timing);
    case 'upstream':
      return upstreamMarket(source, accounts, timing);
    default:
      return unreachable(source);
  }
}

/** Starts with the day's prices so far from another venue, and follows its prices while it runs. */
function upstreamMarket(
  { upstream, hours, terms }: Extract<MarketSource, { kind: 'upstream' }>,
  accounts: number,
  { now, inBetween }: MarketTiming,
): VenueMarket {
  const { securities, quotes, name } = upstream;
  const { fills, latency, interest } = terms.rules ?? VENUE_RULES;
  const begin = (start: Millis): Simulation =>
    createSimulation({
      ...inBetween,
      securities,
      bars: securities.map(({ symbol }) => new LiveColumns(symbol, daySoFar(quotes.get(symbol), start))),
      start,
      accounts: openings(terms, accounts),
      quotes: true,
      models: {
        fills: { ...fills, hours: hours === 'always' ? 'bars' : fills.hours },
        charges: terms.charges,
        latency,
        margin: terms.margin,
        interest: applicableInterest(interest, { margin: terms.margin, short: terms.short ?? false }),
      },
      seed: 1,
    });
  return {
    begin,
    start: now,
    history: upstream.history,
    prices: upstream.prices,
    hours: hours === 'always' ? 'always' : 'calendar',
    recipe: recipeOf({ upstream: name, now }, terms, accounts),
  };
}

function daySoFar(quote: Quote | undefined, start: Millis): DaySoFar | undefined {
  if (quote === undefined) return undefined;
  const { time, dayOpen, dayHigh, dayLow, last, dayVolume } = quote;
  return {
    time: millis(Math.min(time, start - 1)),
    open: dayOpen.toNumber(),
    high: dayHigh.toNumber(),
    low: dayLow.toNumber(),
    last: last.toNumber(),
    volume: dayVolume.toNumber(),
  };
}

function replayed(
  { replay, store }: Extract<MarketSource, { kind: 'replay' }>,
  accounts: number,
  { stepped, began, inBetween }: MarketTiming,
): VenueMarket {
  const base = simulationOptions(replay, true);
  const { history, from, to, seed } = replay;
  const bars = history.map(({ symbol, period, length }) => `${symbol} ${period} x ${length}`);
  return {
    begin: (start) =>
      createSimulation({ ...base, ...inBetween, start, accounts: openings(replay, accounts) }),
    start: began ?? (stepped ? base.start : firstTrading(replay)),
    history: (symbol, period) => {
      const bars = historyOf(store, symbol, period);
      return bars && heardBars(bars, replay.rules ?? VENUE_RULES);
    },
    recipe: recipeOf({ replay: bars, from, to, seed, ...inBetween }, replay, accounts),
  };
}

function synthetic(
  { seed, hours, terms }: Extract<MarketSource, { kind: 'synthetic' }>,
  accounts: number,
  { began, now, inBetween }: MarketTiming,
): VenueMarket {
  const start = began ?? now;
  const daysAhead = DAYS_AHEAD + Math.ceil(Math.max(0, now - start) / DAY_MS);
  const market = syntheticMarket({ seed, hours, start, daysAhead });
  const { fills, latency, interest } = terms.rules ?? VENUE_RULES;
  const options: Omit<SimulationOptions, 'start'> = {
    securities: market.securities,
    bars: market.minutes,
    accounts: openings(terms, accounts),
    quotes: true,
    book: deepBook,
    tradesBetween: TRADES_BETWEEN,
    roundTheClock: hours === 'always',
    models: {
      fills: {
        ...fills,
        hours: hours === 'always' ? 'bars' : fills.hours,
        participation: fills.participation ?? WHOLE_PRINT,
      },
      charges: terms.charges,
      latency,
      margin: terms.margin,
      interest: applicableInterest(interest, { margin: terms.margin, short: terms.short ?? false }),
    },
    seed,
  };
  return {
    begin: (from) => createSimulation({ ...options, ...inBetween, start: from }),
    start,
    history: syntheticHistory(market, hours),
    book: 'deep',
    hours: hours === 'always' ? 'always' : 'calendar',
    recipe: recipeOf({ synthetic: hours, seed, make: MAKE, ...inBetween }, terms, accounts),
  };
}

function openings(
  { currency, cash, fx, fxSeries = [], short = false }: OpeningTerms,
  count: number,
): readonly OpeningAccount[] {
  return accountIds(count).map((id) => ({ id, currency, cash, fx, fxSeries, short }));
}

function recipeOf(
  market: object,
  { currency, cash, fx, fxSeries, charges, margin, short, rules }: OpeningTerms,
  accounts: number,
): string {
  const terms = { accounts, currency, cash, fx, margin: margin.kind, charges: charges.name };
  const own = rules === undefined || isDeepStrictEqual(rules, VENUE_RULES) ? {} : { rules };
  return JSON.stringify({ ...market, ...terms, ...(short === true ? { short } : {}), ...own, fxSeries });
}

function firstTrading(replay: ReplaySetup): Millis {
  const opens = replay.history.map((bars) => {
    const market = marketOf(bars.symbol);
    const first = bars.time[lowerBound(bars, midnightOf(market, replay.from))];
    return first === undefined ? Number.POSITIVE_INFINITY : openTime(market, bars.period, millis(first));
  });
  return millis(Math.min(...opens));
}

function historyOf(store: BarStore, symbol: SecuritySymbol, period: Period): BarColumns | undefined {
  try {
    return store.bars(symbol, period);
  } catch (error) {
    if (error instanceof DataError && (error.code === 'unknown-symbol' || error.code === 'unknown-period'))
      return undefined;
    throw error;
  }
}
