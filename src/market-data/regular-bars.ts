import { hasTable } from '../markets/calendar.ts';
import { hoursAt } from '../markets/day-hours.ts';
import { type BarColumns, lowerBound } from '../model/bar.ts';
import { rowsOf } from '../model/bar-rows.ts';
import { intradayMs } from '../model/period.ts';
import { type Market, marketOf } from '../model/symbol.ts';

/**
 * The bars of which some part lies in regular trading, as a live bot builds them: those of pre-market, post-market, overnight and auctions
 * are left out. Days that our calendar calls closed count as full ones. The same columns where nothing is left out, and for daily and longer
 * bars and markets without a table.
 */
export function regularBars(columns: BarColumns): BarColumns {
  const { symbol, period, length: count } = columns;
  const market = marketOf(symbol);
  const length = intradayMs(period);
  if (length === undefined || !hasTable(market)) return columns;
  const rows = rowsOf(columns);
  const view = rows.open();
  const kept: Span[] = [];
  for (let row = 0; row < count; row = rows.pieceEnd(row))
    for (const [from, to] of regularSpans(view(row, rows.pieceEnd(row)), market, length))
      kept.push([row + from, row + to]);
  const total = kept.reduce((sum, [from, to]) => sum + to - from, 0);
  return total === count ? columns : pick(columns, kept, total);
}

type Span = readonly [from: number, to: number];

function regularSpans(columns: BarColumns, market: Market, length: number): readonly Span[] {
  const { time } = columns;
  const spans: Span[] = [];
  for (let bar = 0; bar < columns.length; ) {
    const { nominal, nextMidnight } = hoursAt(market, time[bar] as number);
    const dayEnd = lowerBound(columns, nextMidnight);
    for (const { open, close } of nominal) {
      const from = Math.max(bar, lowerBound(columns, open - length + 1));
      bar = Math.max(from, Math.min(dayEnd, lowerBound(columns, close)));
      if (bar > from) spans.push([from, bar]);
    }
    bar = dayEnd;
  }
  return spans;
}

function pick(columns: BarColumns, kept: readonly Span[], length: number): BarColumns {
  const picked = (column: Float64Array): Float64Array => {
    const all = new Float64Array(length);
    let at = 0;
    for (const [from, to] of kept) {
      all.set(column.subarray(from, to), at);
      at += to - from;
    }
    return all;
  };
  const { symbol, period, time, open, high, low, close, volume } = columns;
  return {
    ...{ symbol, period, length, time: picked(time), open: picked(open), high: picked(high) },
    ...{ low: picked(low), close: picked(close), volume: picked(volume) },
  };
}
