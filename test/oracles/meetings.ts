import type { BarColumns } from '#src/model/bar.ts';
import { type BarFigure, barColumns } from '#src/model/bar-columns.ts';
import { MINUTE_MS, millis } from '#src/model/time.ts';
import type { Clock } from './recorded-orders.ts';

/**
 * What the orders of a program are matched against: the bars after the deciding close; that close first, then the
 * bars; or only closes, from the next one on.
 */
export type Meeting = 'bars' | 'bars-and-closes' | 'closes';

/** Bars that consist of their closes. */
export function closesOf(bars: BarColumns): BarColumns {
  return barColumns(bars, (figure) => (isPrice(figure) ? bars.close : bars[figure]));
}

/** Bars, each followed by one that is only its close, all as minutes from `begin` on. */
export function withCloses(bars: BarColumns, begin: number): BarColumns {
  return barColumns({ symbol: bars.symbol, period: '1m' }, (figure) =>
    Float64Array.from({ length: 2 * bars.length }, (_, place) => {
      if (figure === 'time') return begin + place * MINUTE_MS;
      const atClose = place % 2 === 1 && isPrice(figure);
      return bars[atClose ? 'close' : figure][place >> 1] ?? Number.NaN;
    }),
  );
}

/** Index of a bar's stamp among the minutes of `withCloses`: that of the last bar not after it. */
export function clockWithCloses({ time }: BarColumns, begin: number): Clock {
  return (stamp) => {
    const after = time.findIndex((open) => open > stamp);
    return millis(begin + 2 * ((after < 0 ? time.length : after) - 1) * MINUTE_MS);
  };
}

function isPrice(figure: BarFigure): boolean {
  return figure !== 'time' && figure !== 'volume';
}
