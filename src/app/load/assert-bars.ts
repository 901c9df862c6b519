import { barsBegin, endOf, type ReplaySetup } from '../../backtest/setup.ts';
import { DataError } from '../../market-data/data-error.ts';
import { dayOf } from '../../markets/sessions.ts';
import type { BarColumns } from '../../model/bar.ts';
import { rowsOf } from '../../model/bar-rows.ts';
import { marketOf } from '../../model/symbol.ts';
import { millis } from '../../model/time.ts';

/**
 * Throws DataError for a run over days without a bar of any of its symbols: its empty report would look like that of
 * a strategy that never traded.
 */
export function assertBars(
  { history, from, to }: Pick<ReplaySetup, 'history' | 'from' | 'to'>,
  config: string,
): void {
  const [first] = history;
  if (first === undefined || hasBars({ history, from, to })) return;
  const who = history.length === 1 ? `"${first.symbol}" has no bar` : `none of its symbols has a bar`;
  throw new DataError({
    code: 'no-bars',
    problem: `Cannot run from ${from} to ${to}: ${who} on these days; ${nearestText(first)}`,
    advice: 'change "from" and "to" under "data:", or import bars of these days',
    file: config,
  });
}

/** True if one of the symbols has a bar on one of the days. */
export function hasBars({ history, from, to }: Pick<ReplaySetup, 'history' | 'from' | 'to'>): boolean {
  return history.some((bars) => {
    const rows = rowsOf(bars);
    return rows.firstFrom(barsBegin(bars, from)) < rows.firstFrom(endOf(bars.symbol, to));
  });
}

function nearestText(bars: BarColumns): string {
  const rows = rowsOf(bars);
  if (rows.length === 0) return `the first of "${bars.symbol}" comes later`;
  const last = rows.open()(rows.length - 1, rows.length).time[0] as number;
  return `the last of "${bars.symbol}" before them is of ${dayOf(marketOf(bars.symbol), millis(last))}`;
}
