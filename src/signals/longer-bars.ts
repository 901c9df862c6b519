import type { Bar } from '../model/bar.ts';
import { intradayMs, PERIODS, type Period } from '../model/period.ts';
import { securitySymbol } from '../model/symbol.ts';
import { millis } from '../model/time.ts';
import type { BarSeries, Feed, Made } from './bar-series.ts';
import { createColumnEvaluator } from './column-evaluator.ts';
import { graphOf } from './graph.ts';
import { outputs, source } from './node.ts';
import type { Bind, Series } from './series.ts';
import { NO_SLOT } from './slots.ts';

/**
 * Maximum number of trading days in longer periods: for markets that close at weekends, and for those that do not.
 */
const DAYS: Partial<Record<Period, readonly [resting: number, steady: number]>> = {
  '1d': [1, 1],
  '1w': [5, 7],
  '1M': [23, 31],
  '1Q': [66, 92],
  '1Y': [262, 366],
};

const DAY_LENGTH = 86_400_000;
const MONTHS: Partial<Record<Period, number>> = { '1M': 1, '1Q': 3, '1Y': 12 };

/** Maximum number of feed bars in one longer bar; undefined if the feed's period does not divide it. */
export function barsPerLonger(feed: Feed, longer: Period): number | undefined {
  const { period, dayPieces } = feed;
  const [part, whole] = [intradayMs(period), intradayMs(longer)];
  if (whole !== undefined)
    return part !== undefined && part < whole && whole % part === 0 ? whole / part : undefined;
  const months = MONTHS[period];
  if (months !== undefined) {
    const all = MONTHS[longer];
    return all !== undefined && all > months ? all / months : undefined;
  }
  if (part === undefined && (period !== '1d' || longer === '1d')) return undefined;
  const [resting, steady] = DAYS[longer] ?? [1, 1];
  const days = dayPieces.reduce((sum, piece) => sum + piece, 0) >= DAY_LENGTH ? steady : resting;
  return days * (part === undefined ? 1 : barsPerDay(feed, part));
}

/** Number of feed bars in a full trading day, extended hours included. */
function barsPerDay({ dayPieces, otherPieces = [] }: Feed, length: number): number {
  return [...dayPieces, ...otherPieces].reduce((sum, piece) => sum + Math.ceil(piece / length), 0);
}

/**
 * Number of feed bars after which that many longer bars are complete, wherever in a full trading day the feed begins.
 * Bars of extended hours lie between the hours of two days and belong to none of them, so whole days are counted
 * there.
 */
function barsForLonger(feed: Feed, longer: Period, perLonger: number, count: number): number {
  const [part, whole] = [intradayMs(feed.period), intradayMs(longer)];
  if (part === undefined || whole === undefined || (feed.otherPieces ?? []).length === 0)
    return count * perLonger;
  const aDay = feed.dayPieces.reduce((sum, piece) => sum + Math.ceil(piece / whole), 0);
  return Math.ceil(count / aDay) * barsPerDay(feed, part);
}

/**
 * Builds series on the longer bars of a period and aligns them with the feed's bars: the value at each bar is that of
 * the newest longer bar that is complete by then. A longer bar ends with its span (an hour of a session, a day). If
 * its last bars are missing, it ends when a bar of the next one has closed. Bars of extended hours belong to none.
 * Undefined until as many longer bars are complete as the series need. Throws RangeError for a period that the feed
 * does not divide.
 */
export function onLongerBars<M extends Made>(
  feed: Feed | undefined,
  longer: Period,
  make: (bars: BarSeries) => M,
  { bars, place }: { readonly bars: BarSeries; readonly place: number },
): M {
  const most = feed === undefined ? undefined : barsPerLonger(feed, longer);
  if (feed === undefined || most === undefined) throw notPossible(feed, longer);
  const barsFor = (count: number): number => barsForLonger(feed, longer, most, count);
  const made = make(bars);
  const single = made.kind === 'series';
  const inner = single ? [made as Series] : Object.values(made as Readonly<Record<string, Series>>);
  const names = single ? ['value'] : Object.keys(made);
  const key = inner.map(({ node, output }) => `${node.key}#${output}`).join(',');
  const latest = (pick: 'defined' | 'settled'): number =>
    inner.reduce((last, { node }) => Math.max(last, node[pick]), 0);
  const least = { longerBars: latest('defined') + 1, bars: barsFor(latest('defined') + 1) };
  const parts = outputs(
    {
      name: 'longerBars',
      inputs: [
        ...[source('open'), source('high'), source('low'), source('close'), source('volume')],
        ...[source('session'), source(`slot:${longer}`), source(`full:${longer}`)],
      ],
      params: [longer, place, key],
      own: inner.some(({ node }) => node.own),
      defined: least.bars,
      settled: barsFor(latest('settled') + 2),
      bind: longerKernel(inner, longer, least),
    },
    names,
  );
  const labelled = names.map((name, index): [string, Series] => {
    const label = `${longer} ${inner[index]?.label ?? name}`;
    return [name, { ...(parts[name] as Series), label }];
  });
  return (single ? labelled[0]?.[1] : Object.fromEntries(labelled)) as M;
}

/** Longer bars have no symbol; nothing that is computed from them reads it. */
const NO_SYMBOL = securitySymbol('LONGER.BARS');

/**
 * How many bars must pass before series on longer bars have values. The number of feed bars is an estimate for the
 * warm-up: it is too low on half days, and where a feed has bars outside its market's hours.
 */
interface LeastBars {
  readonly longerBars: number;
  readonly bars: number;
}

function longerKernel(inner: readonly Series[], period: Period, least: LeastBars): Bind {
  return (...columns) => {
    const input = (index: number): Float64Array => columns[index] as Float64Array;
    const [open, high, low, close, volume] = [input(0), input(1), input(2), input(3), input(4)];
    const [session, slot, full] = [input(5), input(6), input(7)];
    const outs = columns.slice(8);
    let day = Number.NaN;
    const evaluator = createColumnEvaluator(graphOf(inner.map(({ node }) => node)), 1, () => day);
    const values = inner.map(() => Number.NaN);
    let building: Bar | undefined;
    let [seen, completed, missing] = [0, 0, 0];

    function complete(): void {
      if (building === undefined) return;
      completed += 1;
      const position = evaluator.takeBar(building);
      for (const [index, series] of inner.entries()) {
        values[index] = evaluator.columnOf(series)[position] ?? Number.NaN;
      }
      building = undefined;
    }

    function add(i: number): void {
      const time = slot[i] as number;
      if (building !== undefined && building.time !== time) complete();
      day = session[i] as number;
      building =
        building === undefined
          ? {
              symbol: NO_SYMBOL,
              period,
              time: millis(time),
              open: open[i] as number,
              high: high[i] as number,
              low: low[i] as number,
              close: close[i] as number,
              volume: volume[i] as number,
            }
          : {
              ...building,
              high: Math.max(building.high, high[i] as number),
              low: Math.min(building.low, low[i] as number),
              close: close[i] as number,
              volume: building.volume + (volume[i] as number),
            };
    }

    const run = (from: number, to: number): void => {
      missing = 0;
      for (let i = from; i < to; i++) {
        if (slot[i] !== NO_SLOT) add(i);
        if (full[i] === 1) complete();
        seen += 1;
        const known = seen > least.bars && completed >= least.longerBars;
        if (!known) missing += 1;
        for (const [index, out] of outs.entries()) out[i] = known ? (values[index] as number) : Number.NaN;
      }
    };
    return Object.assign(run, { missing: () => missing });
  };
}

function notPossible(feed: Feed | undefined, longer: Period): RangeError {
  if (feed === undefined)
    return new RangeError(`Cannot make ${longer} bars: the period of the bars at hand is not known here`);
  const can = PERIODS.filter((period) => barsPerLonger(feed, period) !== undefined);
  return new RangeError(
    `Cannot make ${longer} bars of ${feed.period} bars, want one of ${can.length === 0 ? 'none' : can.join(', ')}`,
  );
}
