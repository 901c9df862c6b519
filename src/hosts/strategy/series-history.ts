import type { Millis } from '../../model/time.ts';
import type { SeriesReading } from '../../ports/strategy-host.ts';
import type { SignalProgram } from '../../signals/program.ts';

/** Most series and bars per symbol for the dashboard; the bot itself keeps as many bars. */
export const SERIES_SHOWN = 8;
export const BARS_SHOWN = 300;

/** The newest values of the series of one symbol, by bar, as the strategy saw them. */
export interface SeriesHistory {
  /** Adds the values at a closed bar; undefined during the warm-up, when the strategy cannot read them. */
  add(time: Millis, value: (series: number) => number): void;
  read(): SeriesReading;
}

/** Creates a history; it is empty for a strategy without series. It takes at most 19 KB per symbol. */
export function createSeriesHistory(program: Pick<SignalProgram, 'chartedSeries' | 'warmup'>): SeriesHistory {
  const series = program.chartedSeries().slice(0, SERIES_SHOWN);
  const width = series.length;
  const times = new Float64Array(width === 0 ? 0 : BARS_SHOWN);
  const kept = new Float64Array(width * BARS_SHOWN);
  let count = 0;
  return {
    add(time, value) {
      if (width === 0) return;
      const row = count % BARS_SHOWN;
      times[row] = time;
      count += 1;
      const isRead = count >= program.warmup;
      for (let at = 0; at < width; at += 1) kept[row * width + at] = isRead ? value(at) : Number.NaN;
    },
    read() {
      const length = width === 0 ? 0 : Math.min(count, BARS_SHOWN);
      const rows = Array.from({ length }, (_, index) => (count - length + index) % BARS_SHOWN);
      return {
        kind: 'series',
        times: rows.map((row) => times[row] ?? 0),
        series: series.map(({ name, isPrice }, at) => ({
          name,
          isPrice: isPrice ?? null,
          values: rows.map((row) => {
            const known = kept[row * width + at];
            return known === undefined || !Number.isFinite(known) ? null : known;
          }),
        })),
      };
    },
  };
}
