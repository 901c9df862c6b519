import { mapped } from './mapped.ts';
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
}

function barSeries(): BarSeries {
  const [open, high, low, close] = [source('open'), source('high'), source('low'), source('close')];
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
  };
}

function plain(label: string, inner: Series): Series {
  return { ...named(label, [], inner), label };
}

/** The bars that every strategy's signals are built on. */
export const bars: BarSeries = barSeries();
