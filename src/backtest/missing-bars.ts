import { dayKindOf } from '../markets/calendar.ts';
import { type DayHours, dayHours } from '../markets/day-hours.ts';
import { dayNumber } from '../markets/day-number.ts';
import { hasTable } from '../markets/market-records.ts';
import { dayOf } from '../markets/sessions.ts';
import { type BarColumns, lowerBound } from '../model/bar.ts';
import { rowsOf } from '../model/bar-rows.ts';
import { intradayMs } from '../model/period.ts';
import { plural } from '../model/plural.ts';
import { marketOf } from '../model/symbol.ts';
import { millis } from '../model/time.ts';
import { volumesSince } from '../simulation/market/tape.ts';
import { DEFAULT_RULES } from '../simulation/rules.ts';
import { barsBegin, endOf, type ReplaySetup } from './setup.ts';

/** Most symbols to list one by one. */
const SYMBOLS_LISTED = 20;

/**
 * Returns one sentence per symbol with missing bars: trading days without a bar, and bars without a trade. Nothing
 * fills then, and positions have the last price. Markets without a calendar are not checked.
 */
export function missingBarTexts(setup: ReplaySetup): readonly string[] {
  return [
    ...limitedList(
      setup.history.flatMap((bars) => missingBarText(bars, setup)),
      'symbols lack bars',
    ),
    ...limitedList(
      setup.history.flatMap((bars) => emptyBarText(bars, setup)),
      'symbols have bars without volume',
    ),
  ];
}

function limitedList(texts: readonly string[], summary: string): readonly string[] {
  const more = texts.length - SYMBOLS_LISTED;
  return more <= 0 ? texts : [...texts.slice(0, SYMBOLS_LISTED), `and ${more} more ${summary}`];
}

/** Returns a text about bars without a trade, if they affect fills. */
function emptyBarText(bars: BarColumns, { from, to, rules = DEFAULT_RULES }: ReplaySetup): readonly string[] {
  const { symbol } = bars;
  if (rules.fills.emptyBars !== 'wait') return [];
  const rows = rowsOf(bars);
  const begin = rows.firstFrom(barsBegin({ symbol }, from));
  const end = rows.firstFrom(endOf(symbol, to));
  const firstVolume = rows.firstFrom(volumesSince(bars));
  if (firstVolume >= end)
    return begin === end ? [] : [`${symbol} has no volumes: each of its bars is taken to have traded`];
  const view = rows.open();
  let count = 0;
  let first = 0;
  for (let row = Math.max(begin, firstVolume); row < end; row = rows.pieceEnd(row)) {
    const { time, volume } = view(row, Math.min(end, rows.pieceEnd(row)));
    // `indexOf` is native and fast; most files have no such bar, and a loop is slow until it is compiled.
    for (let at = volume.indexOf(0); at >= 0; at = volume.indexOf(0, at + 1)) {
      if (count === 0) first = time[at] as number;
      count += 1;
    }
  }
  if (count === 0) return [];
  const day = dayOf(marketOf(symbol), millis(first));
  const which =
    count === 1
      ? `has a bar without volume on ${day}`
      : `has ${count} bars without volume, the first on ${day}`;
  return [`${symbol} ${which}: there was no trade then, and nothing fills`];
}

function missingBarText(bars: BarColumns, setup: ReplaySetup): readonly string[] {
  const { from, to } = setup;
  const market = marketOf(bars.symbol);
  const isDense = bars.period === '1d' || intradayMs(bars.period) !== undefined;
  if (!hasTable(market) || !isDense || setup.rules?.fills.hours === 'bars') return [];
  const begin = lowerBound(bars, barsBegin(bars, from));
  const end = lowerBound(bars, endOf(bars.symbol, to));
  if (begin === end) return [`${bars.symbol} has no bars in this run`];
  const delisted = setup.corporateActions?.find(
    ({ kind, symbol }) => kind === 'delisting' && symbol === bars.symbol,
  )?.exDay;
  const last = delisted === undefined ? dayNumber(to) : Math.min(dayNumber(to), dayNumber(delisted) - 1);
  const missing: DayHours[] = [];
  let index = begin;
  for (let day = dayNumber(from); day <= last; day += 1) {
    const hours = dayHours(market, day);
    const next = hours.nextMidnight;
    const before = index;
    // Most days have one bar; with several, search for the last.
    if (index < end && (bars.time[index] as number) < next) index += 1;
    if (index < end && (bars.time[index] as number) < next) index = lowerBound(bars, next);
    if (index === before && dayKindOf(market, day) !== 'closed') missing.push(hours);
  }
  const [first] = missing;
  if (first === undefined) return [];
  const lastBar = millis(bars.time[end - 1] as number);
  const tail = missing.filter(({ midnight }) => midnight > lastBar).length;
  const ends = tail === 0 ? '' : `; its bars end on ${dayOf(market, lastBar)}`;
  return [
    `${bars.symbol} has no bar on ${plural(missing.length, 'trading day')}, the first ${first.date}${ends}: nothing fills then, and what is held is worth its last price`,
  ];
}
