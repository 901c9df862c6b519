import { syntheticBars } from '../src/market-data/synthetic.ts';
import { tradingDaysBetween } from '../src/markets/calendar.ts';
import { sessionsOf } from '../src/markets/sessions.ts';
import type { BarColumns } from '../src/model/bar.ts';
import { decimal } from '../src/model/decimal.ts';
import type { Security } from '../src/model/security.ts';
import { securitySymbol } from '../src/model/symbol.ts';
import { type CalendarDay, calendarDay, MINUTE_MS, millis } from '../src/model/time.ts';

const SEED = 42;
const SYMBOL = securitySymbol('WALK.US');
const FIRST_DAY = calendarDay('2010-01-04');
const LAST_DAY = calendarDay('2024-12-31');
const MINUTES_A_DAY = 390;
/** Room for the minutes in which nothing trades. */
const SPARE_SHARE = 1.05;

/** A New York share that does not exist. */
export const SECURITY: Security = {
  symbol: SYMBOL,
  names: { en: 'Generated walk', zhCn: '生成数据', zhHk: '生成數據' },
  kind: 'stock',
  board: 'USMain',
  currency: 'USD',
  lotSize: 1,
  margin: { initial: decimal('0.35'), maintenance: decimal('0.30'), forced: decimal('0.25') },
  tradable: true,
  origin: { kind: 'generated', seed: SEED, method: 'src/market-data/synthetic.ts' },
};

/** Exactly `count` generated minute bars in the sessions of real trading days. */
export function minuteBars(count: number): BarColumns {
  const days = tradingDaysBetween('US', FIRST_DAY, LAST_DAY).slice(
    0,
    Math.ceil((count * SPARE_SHARE) / MINUTES_A_DAY) + 1,
  );
  const bars = syntheticBars({
    symbol: SYMBOL,
    period: '1m',
    seed: SEED,
    days: days.map(regularMinutes),
    levelTicks: 10_000,
    ticksPerUnit: 100,
    moveTicks: 6,
    gapTicks: 60,
    lotSize: 100,
    quietLots: 20,
  });
  if (bars.length < count) throw new RangeError(`Wanted ${count} minute bars, there are ${bars.length}`);
  return {
    symbol: bars.symbol,
    period: bars.period,
    length: count,
    time: bars.time.slice(0, count),
    open: bars.open.slice(0, count),
    high: bars.high.slice(0, count),
    low: bars.low.slice(0, count),
    close: bars.close.slice(0, count),
    volume: bars.volume.slice(0, count),
  };
}

function regularMinutes(day: CalendarDay) {
  return sessionsOf('US', day)
    .filter(({ kind }) => kind === 'regular')
    .flatMap(({ open, close }) =>
      Array.from({ length: (close - open) / MINUTE_MS }, (_, minute) => millis(open + minute * MINUTE_MS)),
    );
}
