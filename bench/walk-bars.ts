import { barColumns } from '#src/model/bar-columns.ts';
import { seededRandom } from '../src/market-data/seeded-random.ts';
import { tradingDaysBetween } from '../src/markets/calendar.ts';
import { sessionsOf } from '../src/markets/sessions.ts';
import type { BarColumns } from '../src/model/bar.ts';
import { decimal } from '../src/model/decimal.ts';
import type { Security } from '../src/model/security.ts';
import { type SecuritySymbol, securitySymbol } from '../src/model/symbol.ts';
import { calendarDay, MINUTE_MS } from '../src/model/time.ts';

const FIRST_DAY = calendarDay('2000-01-03');
const LAST_DAY = calendarDay('2024-12-31');
/** Cents. */
const LEVEL = 100_000;
const MOVE = 50;
const REACH = 30;
/** What draws the price back to its level, as a share of the distance per bar. */
const PULL = 1e-5;
/** The price falls over the first bars, so that every engine begins on the same side of its averages. */
const FALLING_BARS = 60;

/**
 * Exactly `count` minute bars in the sessions of New York: a seeded random walk in whole cents around 1,000 dollars. Each
 * bar opens where the last one closed, so that an order sized at a close is sized at the price that it fills at.
 */
export function walkBars(count: number, seed: number, symbol: SecuritySymbol): BarColumns {
  const random = seededRandom(seed);
  const bars = barColumns({ symbol, period: '1m' }, () => new Float64Array(count));
  const minutes = minutesOfTrading();
  let last = LEVEL;
  for (let bar = 0; bar < count; bar += 1) {
    const stamp = minutes.next();
    if (stamp.done === true) throw new RangeError(`Wanted ${count} minute bars, there are ${bar} minutes`);
    const drift = bar < FALLING_BARS ? -MOVE : (LEVEL - last) * PULL;
    const close = Math.max(1_000, Math.round(last + random.bell() * MOVE + drift));
    bars.time[bar] = stamp.value;
    bars.open[bar] = last / 100;
    bars.close[bar] = close / 100;
    bars.high[bar] = (Math.max(last, close) + Math.floor(random.uniform() * REACH)) / 100;
    bars.low[bar] = (Math.min(last, close) - Math.floor(random.uniform() * REACH)) / 100;
    bars.volume[bar] = 1 + Math.floor(random.uniform() * 10_000);
    last = close;
  }
  return bars;
}

function* minutesOfTrading(): Generator<number, void> {
  for (const day of tradingDaysBetween('US', FIRST_DAY, LAST_DAY)) {
    for (const { kind, open, close } of sessionsOf('US', day)) {
      if (kind !== 'regular') continue;
      for (let at: number = open; at < close; at += MINUTE_MS) yield at;
    }
  }
}

/** A New York share that does not exist; its bars are generated from a seed. */
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
