import { dayKind, hasTable } from '../markets/calendar.ts';
import { dayOf } from '../markets/sessions.ts';
import { type BarColumns, lowerBound } from '../model/bar.ts';
import { intradayMs } from '../model/period.ts';
import { marketOf } from '../model/symbol.ts';
import { addDays, type CalendarDay, millis } from '../model/time.ts';
import { HOUSE_RULES } from '../simulation/rules.ts';
import { volumesSince } from '../simulation/tape.ts';
import { endOf, type ReplaySetup, startOf } from './setup.ts';

/** Symbols that are named one by one. */
const SYMBOLS_TOLD = 20;

/**
 * Where bars are missing in a run, one sentence per symbol: days on which its market traded and it did not (suspended, or
 * missing from the data), and bars in which nobody traded. Nothing fills then, and positions are worth the last price. Markets without a table have no such days.
 */
export function missingBarTexts(setup: ReplaySetup): readonly string[] {
  return [
    ...someOf(
      setup.history.flatMap((bars) => missingIn(bars, setup)),
      'symbols lack bars',
    ),
    ...someOf(
      setup.history.flatMap((bars) => emptyIn(bars, setup)),
      'symbols have bars without volume',
    ),
  ];
}

function someOf(texts: readonly string[], whatMore: string): readonly string[] {
  const more = texts.length - SYMBOLS_TOLD;
  return more <= 0 ? texts : [...texts.slice(0, SYMBOLS_TOLD), `and ${more} more ${whatMore}`];
}

/** Bars in which nobody traded, where that decides what fills. */
function emptyIn(bars: BarColumns, { from, to, rules = HOUSE_RULES }: ReplaySetup): readonly string[] {
  const { symbol, time, volume } = bars;
  if (rules.fills.emptyBars !== 'wait') return [];
  const begin = lowerBound(bars, startOf([symbol], from));
  const end = lowerBound(bars, endOf(symbol, to));
  const since = volumesSince(bars);
  if (since >= (time[end - 1] ?? 0))
    return begin === end ? [] : [`${symbol} has no volumes: each of its bars is taken to have traded`];
  let count = 0;
  let first = 0;
  for (let bar = begin; bar < end; bar += 1) {
    if ((volume[bar] as number) > 0 || (time[bar] as number) <= since) continue;
    if (count === 0) first = bar;
    count += 1;
  }
  if (count === 0) return [];
  const day = dayOf(marketOf(symbol), millis(time[first] as number));
  const told =
    count === 1
      ? `has a bar without volume on ${day}`
      : `has ${count} bars without volume, the first on ${day}`;
  return [`${symbol} ${told}: nobody traded then, and nothing fills`];
}

function missingIn(bars: BarColumns, setup: ReplaySetup): readonly string[] {
  const { from, to } = setup;
  const market = marketOf(bars.symbol);
  const isDense = bars.period === '1d' || intradayMs(bars.period) !== undefined;
  if (!hasTable(market) || !isDense || setup.rules?.fills.hours === 'bars') return [];
  const begin = lowerBound(bars, startOf([bars.symbol], from));
  const end = lowerBound(bars, endOf(bars.symbol, to));
  if (begin === end) return [`${bars.symbol} has no bars in this run`];
  const delisted = setup.corporateActions?.find(
    ({ kind, symbol }) => kind === 'delisting' && symbol === bars.symbol,
  )?.exDay;
  const missing: CalendarDay[] = [];
  let index = begin;
  for (let day = from; day <= to && !(delisted !== undefined && day >= delisted); day = addDays(day, 1)) {
    const next = endOf(bars.symbol, day);
    const before = index;
    while (index < end && (bars.time[index] as number) < next) index = lowerBound(bars, next);
    if (index === before && dayKind(market, day) !== 'closed') missing.push(day);
  }
  const [first] = missing;
  if (first === undefined) return [];
  const last = dayOf(market, millis(bars.time[end - 1] as number));
  const tail = missing.filter((day) => day > last).length;
  const ends = tail === 0 ? '' : `; its bars end on ${last}`;
  return [
    `${bars.symbol} has no bar on ${missing.length} trading days, the first ${first}${ends}: nothing fills then, and what is held is worth its last price`,
  ];
}
