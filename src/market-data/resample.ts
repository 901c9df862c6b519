import { barClose, barSpan } from '../markets/bar-span.ts';
import { isOpen } from '../markets/sessions.ts';
import type { BarColumns } from '../model/bar.ts';
import { barColumns } from '../model/bar-columns.ts';
import { intradayMs, PERIODS, type Period } from '../model/period.ts';
import { marketOf } from '../model/symbol.ts';
import type { Millis } from '../model/time.ts';
import { writeStamp } from './stamp.ts';

/** Source periods of each daily or longer period, in addition to every intraday period. */
const LONG_SOURCES: Partial<Record<Period, readonly Period[]>> = {
  '1d': [],
  '1w': ['1d'],
  '1M': ['1d'],
  '1Q': ['1M', '1d'],
  '1Y': ['1Q', '1M', '1d'],
};

/** Returns the periods that can be resampled to `period`, longest first; empty for the shortest. */
export function sourcePeriods(period: Period): readonly Period[] {
  const length = intradayMs(period);
  const intraday = PERIODS.filter((candidate) => {
    const part = intradayMs(candidate);
    if (part === undefined) return false;
    return length === undefined || (part < length && length % part === 0);
  }).toReversed();
  return [...(LONG_SOURCES[period] ?? []), ...intraday];
}

/**
 * Aggregates bars into bars of a longer period with the market's boundaries (`barSpan`): first open, highest high,
 * lowest low, last close, summed volume. Omits bars of extended hours and closed days. The last bar covers only the
 * data available. Throws RangeError if `period` is not a multiple, or if a bar crosses a boundary (hourly bars on the
 * clock grid do not fit the two-hour bars of a session).
 */
export function resample(columns: BarColumns, period: Period): BarColumns {
  if (!sourcePeriods(period).includes(columns.period)) {
    throw new RangeError(`Cannot resample ${columns.symbol} to ${period} bars from ${columns.period} bars`);
  }
  const { symbol, length } = columns;
  const out = barColumns({ symbol, period }, () => new Float64Array(length));
  let row = -1;
  for (const { index, open } of assigned(columns, period)) {
    if (row < 0 || open !== out.time[row]) {
      row++;
      out.time[row] = open;
      out.open[row] = columns.open[index] as number;
      out.high[row] = columns.high[index] as number;
      out.low[row] = columns.low[index] as number;
      out.volume[row] = 0;
    }
    out.high[row] = Math.max(out.high[row] as number, columns.high[index] as number);
    out.low[row] = Math.min(out.low[row] as number, columns.low[index] as number);
    out.close[row] = columns.close[index] as number;
    out.volume[row] = (out.volume[row] as number) + (columns.volume[index] as number);
  }
  return barColumns(out, (figure) => out[figure].slice(0, row + 1));
}

/** Yields each bar's index with the stamp of the longer bar that contains the bar's last millisecond. */
function* assigned(columns: BarColumns, period: Period): Generator<{ index: number; open: Millis }> {
  const market = marketOf(columns.symbol);
  let span: { readonly open: Millis; readonly close: Millis } | undefined;
  for (let index = 0; index < columns.length; index++) {
    const stamp = columns.time[index] as Millis;
    const last = (barClose(market, columns.period, stamp) - 1) as Millis;
    if (span === undefined || last < span.open || last >= span.close) {
      span = barSpan(market, period, last);
      if (span !== undefined && stamp < span.open && isOpen(market, stamp))
        throw astride(columns, period, stamp);
    }
    if (span !== undefined && isOpen(market, last)) yield { index, open: span.open };
  }
}

function astride(columns: BarColumns, period: Period, stamp: Millis): RangeError {
  const bar = `the ${columns.period} bar of ${writeStamp(stamp)}`;
  return new RangeError(
    `Cannot resample ${columns.symbol} to ${period} bars: ${bar} overlaps two of them; use shorter bars`,
  );
}
