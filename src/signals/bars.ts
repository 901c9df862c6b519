import type { BarSeries, Feed } from './bar-series.ts';
import { mapped } from './indicators/mapped.ts';
import { onLongerBars } from './longer-bars.ts';
import { named, source } from './node.ts';
import type { Series } from './series.ts';

function barSeries(feed?: Feed): BarSeries {
  const [open, high, low, close] = [source('open'), source('high'), source('low'), source('close')];
  let place = 0;
  const typical = mapped('typical', [high, low, close], (h, l, c) => (h + l + c) / 3);
  const median = mapped('median', [high, low], (h, l) => (h + l) / 2);
  const weighted = mapped('weighted', [high, low, close], (h, l, c) => (h + l + 2 * c) / 4);
  const average = mapped('average', [open, high, low, close], (o, h, l, c) => (o + h + l + c) / 4);
  return {
    open,
    high,
    low,
    close,
    volume: source('volume'),
    typical: plain('typical', typical),
    median: plain('median', median),
    weighted: plain('weighted', weighted),
    average: plain('average', average),
    session: source('session'),
    every: (period, make) => {
      place += 1;
      return onLongerBars(feed, period, make, { bars, place });
    },
  };
}

function plain(label: string, inner: Series): Series {
  return { ...named(label, [], inner), label };
}

/** Returns the bars of a feed with a known period, so that longer bars can be built from them. */
export function barsOf(feed: Feed): BarSeries {
  return barSeries(feed);
}

/** Bars of a feed with an unknown period; longer bars cannot be built from them. */
export const bars: BarSeries = barSeries();
