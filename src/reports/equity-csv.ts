import { curveOf } from '../events/curve/curve-figures.ts';
import type { RunRecord } from '../events/run-record.ts';
import { utcDay } from '../model/time.ts';

const HEADER = 'time,equity,drawdown,exposure,day';

/**
 * Formats the equity curve of a run as CSV: its start, then every close. Times in UTC; equity in the account's
 * currency; drawdown from the highest equity so far and exposure as shares (0.05 is 5 %); the trading day of the
 * close. A figure that is not known, as while a price is missing, is empty.
 */
export function equityCsv(record: RunRecord): string {
  const { equity, from, initialEquity } = record;
  const { day, time: ends } = curveOf(record).daily;
  const lines = [HEADER, lineOf(from, initialEquity, 0, 0, day[0] ?? utcDay(from))];
  let peak = initialEquity;
  let today = 0;
  for (const [row, at] of equity.time.entries()) {
    const value = equity.value[row] as number;
    if (value > peak) peak = value;
    while (today < day.length - 1 && at > (ends[today] as number)) today += 1;
    lines.push(
      lineOf(
        at,
        value,
        peak > 0 ? 1 - value / peak : 0,
        equity.exposure[row] as number,
        day[today] ?? utcDay(from),
      ),
    );
  }
  return `${lines.join('\n')}\n`;
}

function lineOf(at: number, equity: number, drawdown: number, exposure: number, day: string): string {
  return `${new Date(at).toISOString()},${figure(equity)},${figure(share(drawdown))},${figure(share(exposure))},${day}`;
}

/** Nine decimal places: a ten-millionth of a percent. */
function share(value: number): number {
  return Math.round(value * 1e9) / 1e9;
}

function figure(value: number): string {
  return Number.isFinite(value) ? String(value) : '';
}
