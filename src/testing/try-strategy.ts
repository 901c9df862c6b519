import { dayKind, nextTradingDay } from '../markets/calendar.ts';
import { omitUndefined } from '../model/omit-undefined.ts';
import { intradayMs, type Period } from '../model/period.ts';
import { marketOf, type SecuritySymbol } from '../model/symbol.ts';
import { type CalendarDay, calendarDay } from '../model/time.ts';
import type { Strategy } from '../strategy/define-strategy.ts';
import { calmFindings, type Finding, findingsOn, type Seen, seen } from './findings.ts';
import { settingOf } from './given.ts';
import { closes } from './moves.ts';
import { type BadDay, badDay, type CalmRun, SITUATIONS, type SituationName } from './situations.ts';
import { runStage, type Stage } from './stage.ts';
import { stampsFrom } from './timetable.ts';

/** Settings of a strategy test. */
export interface TrialSetting {
  readonly params?: Readonly<Record<string, number | boolean | string>>;
  readonly symbols?: readonly string[];
  readonly period?: Period;
  /** Situations to run; default all. */
  readonly situations?: readonly SituationName[];
}

/** Result of testing a strategy in situations. */
export interface Trial {
  /** Situations that were run, `calm` first. */
  readonly tried: readonly (SituationName | 'calm')[];
  /** Situations that the market does not have, such as half days without a known calendar. */
  readonly skipped: readonly SituationName[];
  readonly findings: readonly Finding[];
}

const FIRST_DAY = calendarDay('2024-03-04');
const CASH = 10_000_000;
const BARS_MIN = 240;
const DAYS_MIN = 3;

/**
 * Runs a strategy through a calm market, then through the named situations, each derived from its behaviour on the
 * calm one. Reports problems in themselves and compared with the calm day. Throws TypeError for invalid parameters,
 * symbols and periods.
 */
export function tryStrategy(strategy: Strategy, setting: TrialSetting = {}): Trial {
  const names = setting.situations ?? (Object.keys(SITUATIONS) as SituationName[]);
  const bare = settingOf(strategy, { ...setting, cash: CASH, from: FIRST_DAY });
  const tape = tapeOf(bare);
  const stage: Stage = { ...bare, movesOf: (symbol) => [closes(...tape(symbol))] };
  const chances = stage.symbols.reduce((sum, symbol) => sum + tape(symbol).length, 0);
  const first = seen(runStage(stage), chances);
  const again = seen(runStage(stage), chances);
  const findings: Finding[] = [...calmFindings(first, again)];
  const tried: (SituationName | 'calm')[] = ['calm'];
  const skipped: SituationName[] = [];
  if (first.orders.length === 0) return { tried, skipped, findings };
  const calm: CalmRun = { ...timesOf(first, stage), tape };
  for (const name of names) {
    const day = badDay(name, calm);
    if (day === undefined) skipped.push(name);
    else {
      tried.push(name);
      findings.push(...findingsOn(name, first, seen(runStage(onDay(stage, day)), chances)));
    }
  }
  return { tried, skipped, findings };
}

function onDay(stage: Stage, { movesOf, trouble, from }: BadDay): Stage {
  const setting = {
    ...stage.setting,
    ...omitUndefined({ trouble, from }),
  };
  return { ...stage, movesOf, setting };
}

/** Long and short waves, each symbol at another phase, so that most strategies trade. */
function tapeOf({ symbols, period }: Omit<Stage, 'movesOf'>): (symbol: SecuritySymbol) => readonly number[] {
  const length = barsOf(symbols[0], period);
  const tapes = symbols.map((symbol, place): [SecuritySymbol, readonly number[]] => {
    const at = (index: number): number =>
      100 *
      (1 +
        0.08 * Math.sin((2 * Math.PI * index) / 40 + place) +
        0.015 * Math.sin((2 * Math.PI * index) / 7 + 2 * place));
    return [symbol, Array.from({ length }, (_, index) => at(index + 1))];
  });
  const bySymbol = new Map(tapes);
  return (symbol) => bySymbol.get(symbol) ?? [];
}

/** Number of bars for several waves and some nights. */
function barsOf(symbol: SecuritySymbol | undefined, period: Period): number {
  if (symbol === undefined || intradayMs(period) === undefined) return BARS_MIN;
  const stamps = stampsFrom(symbol, period, FIRST_DAY);
  const end = dayAfter(symbol, DAYS_MIN);
  let bars = 0;
  for (const at of stamps) {
    if (new Date(at).toISOString().slice(0, 10) >= end) break;
    bars += 1;
  }
  return Math.max(BARS_MIN, bars);
}

function dayAfter(symbol: SecuritySymbol, count: number): CalendarDay {
  const market = marketOf(symbol);
  let day = dayKind(market, FIRST_DAY) === 'closed' ? nextTradingDay(market, FIRST_DAY) : FIRST_DAY;
  for (let left = count; left > 0; left -= 1) day = nextTradingDay(market, day);
  return day;
}

/** Returns the bars of the first order and the first fill. */
function timesOf({ orders, fills }: Seen, stage: Stage): Omit<CalmRun, 'tape'> {
  const { symbols, period } = stage;
  const [symbol] = symbols;
  const length = symbol === undefined ? 0 : barsOf(symbol, period);
  const stamps = symbol === undefined ? [] : stampsFrom(symbol, period, FIRST_DAY).take(length).toArray();
  const barOf = (time: string | undefined): number => {
    const at = time === undefined ? Number.POSITIVE_INFINITY : Date.parse(time);
    const after = stamps.findIndex((stamp) => stamp >= at);
    return after < 0 ? Math.max(0, stamps.length - 2) : Math.max(0, after - 1);
  };
  /** A fill at the open of a bar is part of that bar. */
  const fillBarOf = (time: string): number =>
    Math.max(
      0,
      stamps.findLastIndex((stamp) => stamp <= Date.parse(time)),
    );
  const firstOrder = barOf(orders[0]?.time);
  return {
    symbols,
    period,
    from: FIRST_DAY,
    firstOrder,
    firstFill: fills[0] === undefined ? firstOrder + 1 : fillBarOf(fills[0].time),
    largestFill: Math.max(0, ...fills.map((fill) => fill.quantity)),
  };
}
