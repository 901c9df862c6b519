import { dayOf, midnightOf } from '../markets/sessions.ts';
import { rowsOf } from '../model/bar-rows.ts';
import { marketOf } from '../model/symbol.ts';
import { type Millis, millis } from '../model/time.ts';
import { barsBegin, firstMidnight, type ReplaySetup } from './setup.ts';

/**
 * Returns midnight of the first day with a bar of any symbol, or of the run's first day if there is none. Annual
 * growth counts from here.
 */
export function firstDay({
  securities,
  history,
  from,
}: Pick<ReplaySetup, 'securities' | 'history' | 'from'>): Millis {
  const start = firstMidnight(
    securities.map(({ symbol }) => symbol),
    from,
  );
  const days = history.flatMap((bars) => {
    const rows = rowsOf(bars);
    const row = rows.firstFrom(barsBegin(bars, from));
    if (row === rows.length) return [];
    const market = marketOf(bars.symbol);
    return [midnightOf(market, dayOf(market, millis(rows.open()(row, row + 1).time[0] as number)))];
  });
  return days.length === 0 ? start : millis(Math.max(start, Math.min(...days)));
}
