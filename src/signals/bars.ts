import type { Period } from '../model/period.ts';
import { mapped } from './indicators/mapped.ts';
import { type Feed, type Made, onLongerBars } from './longer-bars.ts';
import { named, source } from './node.ts';
import type { Series } from './series.ts';

/** The bars of one symbol as a strategy's `signals` gets them: the columns, and common prices made of them. */
export interface BarSeries {
  readonly open: Series;
  readonly high: Series;
  readonly low: Series;
  readonly close: Series;
  readonly volume: Series;
  /** (high + low + close) / 3. */
  readonly typical: Series;
  /** (high + low) / 2. */
  readonly median: Series;
  /** (high + low + 2 close) / 4. */
  readonly weighted: Series;
  /** (open + high + low + close) / 4. */
  readonly average: Series;
  /** The exchange's trading day as a day number; indicators that restart with the session read it. */
  readonly session: Series;
  /**
   * Builds series on longer bars made of these: `bars.every('1h', (hour) => sma(hour.close, 20))` on minutes. At each bar
   * stands the value of the newest longer bar that was complete at its close, so no bar knows how its hour, or its day, ends.
   * Throws RangeError for a period that these bars do not add up to.
   */
  every<M extends Made>(period: Period, make: (bars: BarSeries) => M): M;
}

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

/** The bars of a feed whose period is known, so that longer ones can be made of them. */
export function barsOf(feed: Feed): BarSeries {
  return barSeries(feed);
}

/** The bars that signals are built on where nobody makes longer ones of them. */
export const bars: BarSeries = barSeries();
