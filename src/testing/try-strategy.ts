import { dayKind, nextTradingDay } from '../markets/calendar.ts';
import { intradayMs, type Period } from '../model/period.ts';
import { marketOf, type SecuritySymbol } from '../model/symbol.ts';
import { type CalendarDay, calendarDay } from '../model/time.ts';
import type { Strategy } from '../strategy/define-strategy.ts';
import { settingOf } from './given.ts';
import { type Holdings, holdingsIn } from './holdings.ts';
import { closes } from './moves.ts';
import { fillsIn, type OrderSeen, ordersIn } from './outcome.ts';
import { type BadDay, badDay, type CalmRun, SITUATIONS, type SituationName } from './situations.ts';
import { runStage, type Stage, type StageRun } from './stage.ts';
import { stampsFrom } from './timetable.ts';

/** What a bad day can bring to light. */
export type FindingKind =
  | 'throws'
  | 'never-trades'
  | 'not-repeatable'
  | 'oversells'
  | 'doubles-up'
  | 'storms'
  | 'never-recovers'
  | 'unplaceable';

/** One thing that a strategy does wrong, and on which day. */
export interface Finding {
  readonly situation: SituationName | 'calm';
  readonly kind: FindingKind;
  /** What was seen, what it means, and what to do. */
  readonly message: string;
}

/** What a strategy is tried with. */
export interface TrialSetting {
  readonly params?: Readonly<Record<string, number | boolean | string>>;
  readonly symbols?: readonly string[];
  readonly period?: Period;
  /** The days to try; all of them when absent. */
  readonly situations?: readonly SituationName[];
}

/** What came of trying a strategy on bad days. */
export interface Trial {
  /** Days that were tried, `calm` first. */
  readonly tried: readonly (SituationName | 'calm')[];
  /** Days that the market has not, such as half days where no calendar is known. */
  readonly skipped: readonly SituationName[];
  readonly findings: readonly Finding[];
}

const FIRST_DAY = calendarDay('2024-03-04');
const CASH = 10_000_000;
const BARS_MIN = 240;
const DAYS_MIN = 3;

/**
 * Runs a strategy through a calm market, then through the named bad days, each built around what it did on the calm one, and
 * says where it goes wrong: by itself, or otherwise than calmly. Throws TypeError for parameters, symbols and periods that do not fit.
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
    ...(trouble === undefined ? {} : { trouble }),
    ...(from === undefined ? {} : { from }),
  };
  return { ...stage, movesOf, setting };
}

/** What a run showed, as far as days are compared. */
interface Seen {
  readonly orders: readonly OrderSeen[];
  readonly fills: ReturnType<typeof fillsIn>;
  readonly error: string | undefined;
  readonly holdings: Holdings;
  /** Bars of all symbols. */
  readonly chances: number;
}

function seen({ events, error }: StageRun, chances: number): Seen {
  return { orders: ordersIn(events), fills: fillsIn(events), error, holdings: holdingsIn(events), chances };
}

function calmFindings(first: Seen, again: Seen): readonly Finding[] {
  const situation = 'calm';
  if (first.error !== undefined) return [{ situation, kind: 'throws', message: first.error }];
  if (first.orders.length === 0) {
    const message =
      'It asked for no order in a market of waves, so no bad day could be tried; give it the parameters, symbols and period that it is made for';
    return [{ situation, kind: 'never-trades', message }];
  }
  const repeats =
    JSON.stringify(first.orders) === JSON.stringify(again.orders) && first.error === again.error;
  const message =
    'A second run over the same bars decided otherwise: something outlives a run (a variable of the module), or comes from clock or chance; decide from the event and the context alone';
  return [
    ...(repeats ? [] : [{ situation, kind: 'not-repeatable', message } as const]),
    ...unplaceable(situation, first),
  ];
}

/** Orders that no venue would take, whatever the day. */
const UNPLACEABLE: ReadonlySet<string> = new Set(['lot-and-tick', 'known-security']);
/** Days on which prices go elsewhere, or nothing can be had: fewer orders prove nothing. */
const OTHER_MARKETS: ReadonlySet<SituationName> = new Set(['gap', 'split', 'all-rejected']);
const DOUBLED = 1.5;
/** A strategy that asked for so many orders on a calm day and for one at most now has given up. */
const LIVELY_ORDERS = 4;

function findingsOn(situation: SituationName, calm: Seen, bad: Seen): readonly Finding[] {
  const found = (kind: FindingKind, message: string): Finding => ({ situation, kind, message });
  const findings: Finding[] = [];
  if (bad.error !== undefined) {
    const kind = bad.error.includes('orders at one instant') ? 'storms' : 'throws';
    return [found(kind, bad.error)];
  }
  const { oversale } = bad.holdings;
  if (oversale !== undefined && calm.holdings.oversale === undefined) {
    const { at, quantity, symbol } = oversale;
    const what = `At ${new Date(at).toISOString()} it asked to sell ${quantity} ${symbol} that it neither holds nor has ordered`;
    findings.push(
      found('oversells', `${what}: it counts on fills that never came; ask the context for the position`),
    );
  }
  if (situation !== 'split' && bad.holdings.most > calm.holdings.most * DOUBLED) {
    const what = `It held or had ordered up to ${bad.holdings.most} shares, ${calm.holdings.most} on a calm day`;
    findings.push(
      found(
        'doubles-up',
        `${what}: it orders again while an order is on its way; count openBuys and openSells, or use target orders`,
      ),
    );
  }
  // Once a bar and symbol it may ask again; that the gate brakes.
  if (bad.orders.length > calm.orders.length && bad.orders.length > calm.chances) {
    const what = `It asked for ${bad.orders.length} orders, ${calm.orders.length} on a calm day`;
    findings.push(
      found('storms', `${what}: it asks again whenever an order fails; wait for the next signal`),
    );
  }
  if (!OTHER_MARKETS.has(situation) && calm.orders.length >= LIVELY_ORDERS && bad.orders.length <= 1) {
    const what = `It asked for ${bad.orders.length} order in all, ${calm.orders.length} on a calm day`;
    findings.push(
      found(
        'never-recovers',
        `${what}: it takes an order for done when it is asked for; listen to onFill and onOrder`,
      ),
    );
  }
  return [...findings, ...(calm.orders.some(isUnplaceable) ? [] : unplaceable(situation, bad))];
}

function unplaceable(situation: Finding['situation'], { orders }: Seen): readonly Finding[] {
  const order = orders.find(isUnplaceable);
  if (order === undefined) return [];
  const message = `At ${order.time} it asked for an order that no venue takes: ${order.why}`;
  return [{ situation, kind: 'unplaceable', message }];
}

function isUnplaceable({ rule }: OrderSeen): boolean {
  return rule !== undefined && UNPLACEABLE.has(rule);
}

/** Waves long and short, each symbol at another point of them: most strategies find something to do. */
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

/** Enough bars for waves to come and go, and for some nights. */
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

/** When the first order and the first fill came, in bars of the run. */
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
  const firstOrder = barOf(orders[0]?.time);
  return {
    symbols,
    period,
    from: FIRST_DAY,
    firstOrder,
    firstFill: fills.length === 0 ? firstOrder + 1 : barOf(fills[0]?.time),
    largestFill: Math.max(0, ...fills.map((fill) => fill.quantity)),
  };
}
