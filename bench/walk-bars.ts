import { barColumns } from '#src/model/bar-columns.ts';
import { seededRandom } from '../src/market-data/seeded-random.ts';
import { tradingDaysBetween } from '../src/markets/calendar.ts';
import { midnightOf, sessionsOf } from '../src/markets/sessions.ts';
import type { BarColumns } from '../src/model/bar.ts';
import { decimal } from '../src/model/decimal.ts';
import type { Security } from '../src/model/security.ts';
import { type SecuritySymbol, securitySymbol } from '../src/model/symbol.ts';
import { type CalendarDay, calendarDay, MINUTE_MS } from '../src/model/time.ts';

const LAST_DAY = calendarDay('2024-12-31');
/** Parameters of a random walk: its market, and its prices in whole steps. */
export interface Walk {
  readonly market: 'US' | 'HK';
  readonly period: '1m' | '1d';
  readonly firstDay: CalendarDay;
  /** Price steps per unit of the currency. */
  readonly perUnit: number;
  /** In steps: the price that the walk returns to, and its smallest and largest close. */
  readonly level: number;
  readonly least: number;
  readonly most: number;
  /** In steps: the largest move of a close, and of an extreme beyond open and close. */
  readonly move: number;
  readonly reach: number;
}

/** A New York share around 1,000 dollars. */
export const US_WALK: Walk = {
  ...{ market: 'US', period: '1m', firstDay: calendarDay('2000-01-03'), perUnit: 100 },
  ...{ level: 100_000, least: 1_000, most: Number.POSITIVE_INFINITY, move: 50, reach: 30 },
};

/** Pull of the price towards its level, as a share of the distance per bar. */
const PULL = 1e-5;
/** The price falls over the first bars, so that every engine begins on the same side of its averages. */
const FALLING_BARS = 60;

/**
 * Exactly `count` bars in the regular sessions of a market: a seeded random walk in whole price steps. Each bar opens
 * at the previous close, so that an order sized at a close is filled at the same price.
 */
export function walkBars(
  count: number,
  seed: number,
  symbol: SecuritySymbol,
  walk: Walk = US_WALK,
): BarColumns {
  const random = seededRandom(seed);
  const bars = barColumns({ symbol, period: walk.period }, () => new Float64Array(count));
  const { perUnit, level, least, most, move, reach } = walk;
  const stamps = stampsOf(walk);
  let last = level;
  for (let bar = 0; bar < count; bar += 1) {
    const stamp = stamps.next();
    if (stamp.done === true) throw new RangeError(`Wanted ${count} bars, the calendar ends after ${bar}`);
    const drift = bar < FALLING_BARS ? -move : (level - last) * PULL;
    const close = Math.min(most, Math.max(least, Math.round(last + random.normal() * move + drift)));
    bars.time[bar] = stamp.value;
    bars.open[bar] = last / perUnit;
    bars.close[bar] = close / perUnit;
    bars.high[bar] = (Math.max(last, close) + Math.floor(random.uniform() * reach)) / perUnit;
    bars.low[bar] = (Math.min(last, close) - Math.floor(random.uniform() * reach)) / perUnit;
    bars.volume[bar] = 1 + Math.floor(random.uniform() * 10_000);
    last = close;
  }
  return bars;
}

function* stampsOf({ market, period, firstDay }: Walk): Generator<number, void> {
  for (const day of tradingDaysBetween(market, firstDay, LAST_DAY)) {
    if (period === '1d') yield midnightOf(market, day);
    else
      for (const { kind, open, close } of sessionsOf(market, day)) {
        if (kind !== 'regular') continue;
        for (let at: number = open; at < close; at += MINUTE_MS) yield at;
      }
  }
}

/** A fictitious New York share whose bars are generated from a seed. */
export function walkSecurity(code: string, seed: number): Security {
  return {
    symbol: securitySymbol(`${code}.US`),
    names: { en: 'Generated walk', zhCn: '生成数据', zhHk: '生成數據' },
    kind: 'stock',
    board: 'USMain',
    currency: 'USD',
    lotSize: 1,
    margin: { initial: decimal('0.35'), maintenance: decimal('0.30'), forced: decimal('0.25') },
    tradable: true,
    origin: { kind: 'generated', seed, method: 'bench/walk-bars.ts' },
  };
}
