import { type SyntheticRecipe, syntheticBars } from '../market-data/synthetic.ts';
import { tradingDaysBetween } from '../markets/calendar.ts';
import { LARGE_CAP_MARGIN } from '../markets/margin.ts';
import { midnightOf, sessionsOf } from '../markets/sessions.ts';
import { tickSize } from '../markets/ticks.ts';
import type { BarColumns } from '../model/bar.ts';
import { Decimal } from '../model/decimal.ts';
import type { Security, SecurityKind } from '../model/security.ts';
import { codeOf, marketOf, type SecuritySymbol, securitySymbol } from '../model/symbol.ts';
import { addDays, type CalendarDay, DAY_MS, MINUTE_MS, type Millis, millis, utcDay } from '../model/time.ts';
import { type OptionRecipe, type SyntheticOption, syntheticOptions } from './synthetic-options.ts';

/** When a synthetic market is open: around the clock, or in the exchanges' own regular hours. */
export type SyntheticHours = 'always' | 'real';

/** What a synthetic market is made from; equal recipes give equal markets, and a longer one begins like a shorter. */
export interface SyntheticMarketRecipe {
  readonly seed: number;
  readonly hours: SyntheticHours;
  /** The market's present: minutes of some days before are its past. */
  readonly start: Millis;
  /** Days of minutes that it will live, from `start` on. */
  readonly daysAhead: number;
}

/** A market that nobody recorded: securities by the names of real ones, with prices that chance made. */
export interface SyntheticMarket {
  readonly securities: readonly Security[];
  /** Minutes per security, in the same order, past and future. */
  readonly minutes: readonly BarColumns[];
  /** Days per security before the first minute. */
  readonly days: readonly BarColumns[];
}

/** Days of minutes before the market's present, and trading days before those. */
const PAST_DAYS = 5;
const PAST_TRADING_DAYS = 250;

/** Typical move within a minute and within a day, as shares of the price. */
const MINUTE_MOVE = 0.0003;
const DAY_MOVE = 0.009;
const NIGHT_MOVE = 0.004;

interface Listing {
  readonly symbol: string;
  readonly en: string;
  readonly zhCn: string;
  readonly zhHk: string;
  readonly kind: SecurityKind;
  readonly lotSize: number;
  /** The level that prices are drawn back to, in the security's currency. */
  readonly level: number;
  /** Typical volume of a quiet minute, in lots. */
  readonly quietLots: number;
}

const LISTINGS: readonly Listing[] = [
  {
    ...{ symbol: '700.HK', en: 'Tencent', zhCn: '腾讯控股', zhHk: '騰訊控股', kind: 'stock' },
    ...{ lotSize: 100, level: 380, quietLots: 120 },
  },
  {
    ...{ symbol: '9988.HK', en: 'Alibaba', zhCn: '阿里巴巴', zhHk: '阿里巴巴', kind: 'stock' },
    ...{ lotSize: 100, level: 82, quietLots: 300 },
  },
  {
    ...{ symbol: 'AAPL.US', en: 'Apple', zhCn: '苹果', zhHk: '蘋果', kind: 'stock' },
    ...{ lotSize: 1, level: 190, quietLots: 20_000 },
  },
  {
    ...{ symbol: 'TSLA.US', en: 'Tesla', zhCn: '特斯拉', zhHk: '特斯拉', kind: 'stock' },
    ...{ lotSize: 1, level: 250, quietLots: 30_000 },
  },
  {
    ...{ symbol: 'SPY.US', en: 'S&P 500 fund', zhCn: '标普500基金', zhHk: '標普500基金', kind: 'etf' },
    ...{ lotSize: 1, level: 500, quietLots: 40_000 },
  },
];

/** Makes the market. Its names say that the prices are invented; they prove nothing about any strategy. */
export function syntheticMarket(recipe: SyntheticMarketRecipe): SyntheticMarket {
  const first = addDays(utcDay(recipe.start), -PAST_DAYS);
  const securities = LISTINGS.map((listing) => securityOf(listing, recipe.seed));
  const made = securities.map((security, index) => {
    const listing = LISTINGS[index] as Listing;
    const seed = recipe.seed * LISTINGS.length + index;
    return {
      minutes: steadyBars(minuteRecipe({ listing, security, seed, first, recipe })),
      days: syntheticBars(dayRecipe({ listing, security, seed: ~seed >>> 0, first })),
    };
  });
  const shares = securities.map((security, index) => ({
    security,
    ...(made[index] as (typeof made)[number]),
  }));
  const all = [...shares, ...shares.flatMap((share) => optionsOn(share, utcDay(recipe.start)))];
  return {
    securities: all.map(({ security }) => security),
    minutes: all.map(({ minutes }) => minutes),
    days: all.map(({ days }) => days),
  };
}

/** Strikes of the options that are listed, by what they are on. */
const OPTIONS: Readonly<Record<string, OptionRecipe['strikes']>> = {
  'AAPL.US': [
    { right: 'call', strike: 190 },
    { right: 'call', strike: 200 },
    { right: 'put', strike: 190 },
    { right: 'put', strike: 180 },
  ],
};

function optionsOn(share: SyntheticOption, from: CalendarDay): readonly SyntheticOption[] {
  const { security, minutes, days } = share;
  const { names, origin, symbol } = security;
  const strikes = OPTIONS[symbol];
  if (strikes === undefined) return [];
  return syntheticOptions({ root: codeOf(symbol), names, origin, strikes, from, minutes, days });
}

/** Bars without holes: a minute that chance left out trades one lot at the close before, so that a price always stands. */
function steadyBars(recipe: SyntheticRecipe): BarColumns {
  const made = syntheticBars(recipe);
  const stamps = recipe.days.flat();
  const column = (): Float64Array => new Float64Array(stamps.length);
  const [time, open, high, low] = [Float64Array.from(stamps), column(), column(), column()];
  const [close, volume] = [column(), column()];
  let source = 0;
  let last = made.open[0] ?? Number.NaN;
  for (let index = 0; index < stamps.length; index += 1) {
    const isMade = made.time[source] === stamps[index];
    open[index] = isMade ? (made.open[source] ?? last) : last;
    high[index] = isMade ? (made.high[source] ?? last) : last;
    low[index] = isMade ? (made.low[source] ?? last) : last;
    close[index] = isMade ? (made.close[source] ?? last) : last;
    volume[index] = isMade ? (made.volume[source] ?? 0) : recipe.lotSize;
    last = close[index] ?? last;
    if (isMade) source += 1;
  }
  const { symbol, period } = recipe;
  return { symbol, period, length: stamps.length, time, open, high, low, close, volume };
}

function securityOf(listing: Listing, seed: number): Security {
  const symbol = securitySymbol(listing.symbol);
  const hongKong = marketOf(symbol) === 'HK';
  return {
    symbol,
    names: {
      en: `${listing.en} (invented prices)`,
      zhCn: `${listing.zhCn}（虚构价格）`,
      zhHk: `${listing.zhHk}（虛構價格）`,
    },
    kind: listing.kind,
    board: hongKong ? 'HKEquity' : 'USMain',
    currency: hongKong ? 'HKD' : 'USD',
    lotSize: listing.lotSize,
    margin: LARGE_CAP_MARGIN,
    tradable: true,
    origin: { kind: 'generated', seed, method: 'a synthetic market of the embedded venue' },
  };
}

interface SeriesParts {
  readonly listing: Listing;
  readonly security: Security;
  readonly seed: number;
  /** First day of minutes. */
  readonly first: CalendarDay;
}

function minuteRecipe(parts: SeriesParts & { readonly recipe: SyntheticMarketRecipe }): SyntheticRecipe {
  const { recipe, first, security } = parts;
  const count = PAST_DAYS + recipe.daysAhead;
  const days = Array.from({ length: count }, (_, day) => addDays(first, day));
  const always = recipe.hours === 'always';
  return {
    ...figuresOf(parts, MINUTE_MOVE, always ? 0 : NIGHT_MOVE),
    period: '1m',
    days: days.map((day) => (always ? minutesOfDay(day) : regularMinutes(security.symbol, day))),
  };
}

function dayRecipe(parts: SeriesParts): SyntheticRecipe {
  const market = marketOf(parts.security.symbol);
  const until = addDays(parts.first, -1);
  const days = tradingDaysBetween(market, addDays(until, -2 * PAST_TRADING_DAYS), until);
  return {
    ...figuresOf(parts, DAY_MOVE, NIGHT_MOVE),
    period: '1d',
    days: days.slice(-PAST_TRADING_DAYS).map((day) => [midnightOf(market, day)]),
    quietLots: parts.listing.quietLots * 300,
  };
}

/** What the walk of a series is drawn with: moves as shares of the price, everything in ticks. */
function figuresOf({ listing, security, seed, first }: SeriesParts, move: number, gap: number) {
  const facts = { market: marketOf(security.symbol), kind: security.kind };
  const tick = tickSize(facts, new Decimal(listing.level), first).toNumber();
  const ticksPerUnit = Math.round(1 / tick);
  const levelTicks = Math.round(listing.level * ticksPerUnit);
  return {
    ...{ symbol: security.symbol, seed, levelTicks, ticksPerUnit, lotSize: listing.lotSize },
    moveTicks: levelTicks * move,
    gapTicks: levelTicks * gap,
    quietLots: listing.quietLots,
  };
}

function minutesOfDay(day: CalendarDay): readonly Millis[] {
  const midnight = Date.parse(`${day}T00:00:00Z`);
  return Array.from({ length: DAY_MS / MINUTE_MS }, (_, minute) => millis(midnight + minute * MINUTE_MS));
}

function regularMinutes(symbol: SecuritySymbol, day: CalendarDay): readonly Millis[] {
  return sessionsOf(marketOf(symbol), day)
    .filter(({ kind }) => kind === 'regular')
    .flatMap(({ open, close }) =>
      Array.from({ length: (close - open) / MINUTE_MS }, (_, minute) => millis(open + minute * MINUTE_MS)),
    );
}
