import { dayOf, midnightOf } from '../../markets/sessions.ts';
import { marketOf } from '../../model/symbol.ts';
import { type CalendarDay, type Millis, millis, SECOND_MS } from '../../model/time.ts';
import type { Simulation } from '../../simulation/simulation.ts';
import { MAX_ROWS } from '../../wire/socket-status.ts';
import { type CallResult, type Handler, ok, refused } from '../calls/call.ts';
import {
  barOfRow,
  lengthOf,
  rowAt,
  type VisibleBars,
  type VisibleBarsParts,
  visibleBars,
} from './candles.ts';

/** Temperature of a market on one day, each figure from 0 to 100. */
interface Temperature {
  readonly temperature: number;
  readonly valuation: number;
  readonly sentiment: number;
}

interface DaySums {
  securities: number;
  /** Sum of the positions of closes in their range, each 0 to 1. */
  range: number;
  /** Securities that rose, plus half of the unchanged ones. */
  rose: number;
}

/** Number of daily closes that define the range: about one year. */
const RANGE_DAYS = 250;
const HALF = 0.5;
const DESCRIPTIONS = ['Cold', 'Cool', 'Neutral', 'Warm', 'Hot'] as const;
const BAND = 100 / DESCRIPTIONS.length;
const BAD_REQUEST = 602001;

export interface TemperatureParts extends VisibleBarsParts {
  readonly simulation: Pick<Simulation, 'now' | 'tradedSince' | 'securities'>;
}

/**
 * Creates the handlers of market temperature, computed from the daily bars of the market's securities. `sentiment` is
 * the percentage that closed above the day before (unchanged ones count half), `valuation` the mean position of the
 * close in the range of the last 250 days, `temperature` the mean of both. The broker does not publish its own
 * formula.
 * @see docs/venue.md, "Market temperature and status"
 */
export function temperatureHandlers(parts: TemperatureParts): {
  readonly marketTemperature: Handler<'marketTemperature'>;
  readonly historyMarketTemperature: Handler<'historyMarketTemperature'>;
} {
  return {
    marketTemperature: ({ market }) => {
      const now = parts.simulation.now();
      const newest = [...temperatures(parts, market, undefined)].at(-1);
      if (newest === undefined) return withoutBars(market);
      const [, figures] = newest;
      return ok({ ...figures, description: describe(figures), updated_at: seconds(now) });
    },
    historyMarketTemperature: ({ market, from, to }) => {
      if (from > to) return refused(BAD_REQUEST, `start_date ${from} is after end_date ${to}`);
      const days = temperatures(parts, market, from);
      if (days.size === 0 && !hasBars(parts, market)) return withoutBars(market);
      const list = [...days]
        .filter(([day]) => day >= from && day <= to)
        .slice(-MAX_ROWS)
        .map(([day, figures]) => ({ timestamp: seconds(midnightOf(market, day)), ...figures }));
      return ok({ type: 'daily', list });
    },
  };
}

function withoutBars(market: string): CallResult {
  return refused(BAD_REQUEST, `This venue has no daily bars of stocks in market "${market}"`);
}

function hasBars(parts: TemperatureParts, market: string): boolean {
  return dailyBars(parts, market).some((bars) => lengthOf(bars) > 1);
}

function dailyBars(parts: TemperatureParts, market: string): readonly VisibleBars[] {
  return parts.simulation.securities().flatMap(({ symbol, kind }) => {
    if (kind === 'option' || marketOf(symbol) !== market) return [];
    const bars = visibleBars(parts, symbol, '1d');
    return bars === undefined ? [] : [bars];
  });
}

/**
 * Returns temperatures from a day on, ascending; of the newest day only if `from` is undefined. The first bar of a
 * security has none.
 */
function temperatures(
  parts: TemperatureParts,
  market: string,
  from: CalendarDay | undefined,
): ReadonlyMap<CalendarDay, Temperature> {
  const sums = new Map<CalendarDay, DaySums>();
  const all = dailyBars(parts, market);
  const newest = all
    .filter((bars) => lengthOf(bars) > 1)
    .map((bars) => dayOf(market, barOfRow(bars, lengthOf(bars) - 1).time))
    .toSorted()
    .at(-1);
  const first = from ?? newest;
  if (first === undefined) return new Map();
  for (const bars of all) addSecurity(bars, { market, first, sums });
  const days = [...sums].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return new Map(days.map(([day, sum]) => [day, temperatureOf(sum)]));
}

function addSecurity(
  bars: VisibleBars,
  {
    market,
    first,
    sums,
  }: { readonly market: string; readonly first: CalendarDay; readonly sums: Map<CalendarDay, DaySums> },
): void {
  const start = Math.max(1, rowAt(bars, midnightOf(market, first)));
  const begin = Math.max(0, start - RANGE_DAYS + 1);
  const closes: number[] = [];
  for (let row = begin; row < lengthOf(bars); row += 1) {
    const { close, time } = barOfRow(bars, row);
    closes.push(close);
    if (row < start) continue;
    const window = closes.slice(-RANGE_DAYS);
    const [low, high] = [Math.min(...window), Math.max(...window)];
    const before = barOfRow(bars, row - 1).close;
    const day = dayOf(market, time);
    let sum = sums.get(day);
    if (sum === undefined) {
      sum = { securities: 0, range: 0, rose: 0 };
      sums.set(day, sum);
    }
    sum.securities += 1;
    sum.range += high === low ? HALF : (close - low) / (high - low);
    sum.rose += close > before ? 1 : close === before ? HALF : 0;
  }
}

function temperatureOf({ securities, range, rose }: DaySums): Temperature {
  const valuation = Math.round((100 * range) / securities);
  const sentiment = Math.round((100 * rose) / securities);
  return { temperature: Math.round((valuation + sentiment) / 2), valuation, sentiment };
}

function describe({ temperature }: Temperature): string {
  const band = Math.min(DESCRIPTIONS.length - 1, Math.floor(temperature / BAND));
  return DESCRIPTIONS[band] ?? '';
}

function seconds(at: Millis | number): string {
  return String(Math.floor(millis(at) / SECOND_MS));
}
