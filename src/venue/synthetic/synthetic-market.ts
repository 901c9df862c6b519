import { LARGE_CAP_MARGIN } from '../../markets/margin.ts';
import { marketRecord } from '../../markets/market-records.ts';
import { midnightOf, sessionsOf } from '../../markets/sessions.ts';
import { tickSize } from '../../markets/ticks.ts';
import { UNITED_STATES } from '../../markets/us/united-states.ts';
import { type BarColumns, lowerBound } from '../../model/bar.ts';
import { barsBetween } from '../../model/bar-columns.ts';
import { Decimal } from '../../model/decimal.ts';
import type { CompanyFigures, Security, SecurityKind } from '../../model/security.ts';
import { codeOf, marketOf, type SecuritySymbol, securitySymbol } from '../../model/symbol.ts';
import {
  addDays,
  type CalendarDay,
  DAY_MS,
  dayToUtc,
  MINUTE_MS,
  type Millis,
  millis,
  utcDay,
} from '../../model/time.ts';
import { type OptionRecipe, type SyntheticOption, syntheticOptions } from './synthetic-options.ts';
import { type DayPlan, drawDays, type PriceRecipe } from './synthetic-prices.ts';

/** Opening hours of a synthetic market: around the clock, or the exchanges' regular hours. */
export type SyntheticHours = 'always' | 'real';

/** Parameters of a synthetic market. Markets with equal seed and hours have equal prices where both have any. */
export interface SyntheticMarketRecipe {
  readonly seed: number;
  readonly hours: SyntheticHours;
  /** The market's present; some days of minutes before it are its past. */
  readonly start: Millis;
  /** Days of minutes to generate from `start` on. */
  readonly daysAhead: number;
}

/** A synthetic market: securities with the names of real ones and random prices. */
export interface SyntheticMarket {
  readonly securities: readonly Security[];
  /** Minute bars per security, in the same order, past and future. */
  readonly minutes: readonly BarColumns[];
  /** Half-hour bars per security before the first minute; past daily and longer bars are aggregated from both. */
  readonly past: readonly BarColumns[];
}

/** Days of minutes before the market's present, and days of half hours before those. */
const PAST_DAYS = 5;
const OLDER_DAYS = 370;
const OLDER_STEP_MINUTES = 30;

/** Typical move within a minute, as a share of the price. */
const MINUTE_MOVE = 0.0003;
/** Share of a day's move that happens overnight. */
const NIGHT_SHARE = 0.15;

interface Listing {
  readonly symbol: string;
  readonly en: string;
  readonly zhCn: string;
  readonly zhHk: string;
  readonly kind: SecurityKind;
  readonly lotSize: number;
  /** Level of mean reversion, in the security's currency. */
  readonly level: number;
  /** Typical volume of a quiet minute, in lots. */
  readonly quietLots: number;
}

const LISTINGS: readonly Listing[] = [
  {
    symbol: '700.HK',
    en: 'Tencent',
    zhCn: '腾讯控股',
    zhHk: '騰訊控股',
    kind: 'stock',
    lotSize: 100,
    level: 380,
    quietLots: 120,
  },
  {
    symbol: '9988.HK',
    en: 'Alibaba',
    zhCn: '阿里巴巴',
    zhHk: '阿里巴巴',
    kind: 'stock',
    lotSize: 100,
    level: 82,
    quietLots: 300,
  },
  {
    symbol: 'AAPL.US',
    en: 'Apple',
    zhCn: '苹果',
    zhHk: '蘋果',
    kind: 'stock',
    lotSize: 1,
    level: 190,
    quietLots: 20_000,
  },
  {
    symbol: 'TSLA.US',
    en: 'Tesla',
    zhCn: '特斯拉',
    zhHk: '特斯拉',
    kind: 'stock',
    lotSize: 1,
    level: 250,
    quietLots: 30_000,
  },
  {
    symbol: 'SPY.US',
    en: 'S&P 500 fund',
    zhCn: '标普500基金',
    zhHk: '標普500基金',
    kind: 'etf',
    lotSize: 1,
    level: 500,
    quietLots: 40_000,
  },
];

/** Generates the market. Names mark the prices as invented; they prove nothing about a strategy. */
export function syntheticMarket(recipe: SyntheticMarketRecipe): SyntheticMarket {
  const first = addDays(utcDay(recipe.start), -PAST_DAYS);
  const shares = LISTINGS.map((listing, index): SyntheticOption => {
    const security = securityOf(listing, recipe.seed);
    const prices = pricesOf(listing, security, recipe.seed * LISTINGS.length + index, first);
    const drawn = (from: CalendarDay, days: number, minutes: number): BarColumns => {
      const plans = Array.from({ length: days }, (_, day) =>
        planOf(security.symbol, addDays(from, day), recipe.hours, minutes),
      );
      return drawDays({ symbol: security.symbol, period: '1m' }, prices, plans, minutes);
    };
    const older = drawn(addDays(first, -OLDER_DAYS), OLDER_DAYS, OLDER_STEP_MINUTES);
    return {
      security,
      minutes: drawn(first, PAST_DAYS + recipe.daysAhead, 1),
      past: wholeDays(older, addDays(first, -OLDER_DAYS)),
    };
  });
  const all = [...shares, ...shares.flatMap((share) => optionsOn(share, utcDay(recipe.start)))];
  return {
    securities: all.map(({ security }) => security),
    minutes: all.map(({ minutes }) => minutes),
    past: all.map(({ past }) => past),
  };
}

/** Returns bars from the exchange's first whole day on: a market that never closes begins at midnight UTC. */
function wholeDays(bars: BarColumns, first: CalendarDay): BarColumns {
  const midnight = midnightOf(marketOf(bars.symbol), addDays(first, 1));
  return barsBetween(bars, lowerBound(bars, midnight));
}

const OPTIONS: Readonly<Record<string, OptionRecipe['strikes']>> = {
  'AAPL.US': [
    { right: 'call', strike: 190 },
    { right: 'call', strike: 200 },
    { right: 'put', strike: 190 },
    { right: 'put', strike: 180 },
  ],
};

function optionsOn(share: SyntheticOption, from: CalendarDay): readonly SyntheticOption[] {
  const { security, minutes, past } = share;
  const { names, origin, symbol } = security;
  const strikes = OPTIONS[symbol];
  if (strikes === undefined) return [];
  return syntheticOptions({ root: codeOf(symbol), names, origin, strikes, from, minutes, past });
}

function securityOf(listing: Listing, seed: number): Security {
  const symbol = securitySymbol(listing.symbol);
  const { board, currency } = marketRecord(marketOf(symbol)) ?? UNITED_STATES;
  return {
    symbol,
    names: {
      en: `${listing.en} (invented prices)`,
      zhCn: `${listing.zhCn}（虚构价格）`,
      zhHk: `${listing.zhHk}（虛構價格）`,
    },
    kind: listing.kind,
    board: board(listing.kind),
    currency,
    lotSize: listing.lotSize,
    margin: LARGE_CAP_MARGIN,
    tradable: true,
    company: companyOf(listing),
    origin: { kind: 'generated', seed, method: 'a synthetic market of the embedded venue' },
  };
}

/** Invents round figures: P/E of 24 and P/B of 5 at the price level. A fund has no earnings. */
function companyOf({ kind, level }: Listing): CompanyFigures {
  const shares = { totalShares: 10_000_000_000, circulatingShares: 10_000_000_000, dividendYield: '1.5' };
  if (kind !== 'stock') return shares;
  return {
    ...shares,
    eps: (level / 25).toFixed(2),
    epsTtm: (level / 24).toFixed(2),
    bps: (level / 5).toFixed(2),
  };
}

function pricesOf(listing: Listing, security: Security, seed: number, day: CalendarDay): PriceRecipe {
  const facts = { market: marketOf(security.symbol), kind: security.kind };
  const tick = tickSize(facts, new Decimal(listing.level), day).toNumber();
  const ticksPerUnit = Math.round(1 / tick);
  const levelTicks = Math.round(listing.level * ticksPerUnit);
  const { lotSize, quietLots } = listing;
  return { seed, levelTicks, ticksPerUnit, lotSize, quietLots, moveTicks: levelTicks * MINUTE_MOVE };
}

/** Returns the trading times of a day: around the clock from midnight UTC, or the exchange's regular hours. */
function planOf(symbol: SecuritySymbol, day: CalendarDay, hours: SyntheticHours, minutes: number): DayPlan {
  const midnight = dayToUtc(day);
  const spans =
    hours === 'always'
      ? [{ open: midnight, close: midnight + DAY_MS }]
      : sessionsOf(marketOf(symbol), day).filter(({ kind }) => kind === 'regular');
  const step = minutes * MINUTE_MS;
  const stamps = spans.flatMap(({ open, close }) =>
    Array.from({ length: Math.ceil((close - open) / step) }, (_, bar) => millis(open + bar * step)),
  );
  return { day, stamps, gap: hours === 'always' ? 0 : NIGHT_SHARE };
}
