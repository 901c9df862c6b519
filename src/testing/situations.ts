import { dayOf } from '../markets/sessions.ts';
import { intradayMs, type Period } from '../model/period.ts';
import { type Market, marketOf, type SecuritySymbol } from '../model/symbol.ts';
import { type CalendarDay, calendarDay, HOUR_MS, type Millis } from '../model/time.ts';
import { closes, gap, halt, type Move, volume } from './moves.ts';
import { daysBefore, stampsFrom } from './timetable.ts';
import type { Trouble } from './trouble.ts';

/** Situations by name, with descriptions. */
export const SITUATIONS = {
  gap: 'The price opens 15% lower right after the first fill',
  halt: 'Nothing trades for 5 bars right after the first order',
  'half-day': 'The exchange closes early right after the first order',
  split: 'Two shares are made of one in the night after the first fill',
  'feed-loss': 'The bot hears nothing of 10 bars right after the first fill',
  'late-fill': 'Every order reaches the market three bars late, three hours where bars are days',
  'partial-fills': 'Orders fill in many small parts, over several bars',
  'rejected-order': 'The venue refuses the first order',
  'all-rejected': 'The venue refuses every order',
} as const;
export type SituationName = keyof typeof SITUATIONS;

/** A calm market on which a strategy has traded; situations are derived from it. */
export interface CalmRun {
  readonly symbols: readonly SecuritySymbol[];
  readonly period: Period;
  readonly from: CalendarDay;
  /** Closes of each symbol, one per bar. */
  readonly tape: (symbol: SecuritySymbol) => readonly number[];
  /** Index of the bar after which the first order was requested, and of the one with the first fill. */
  readonly firstOrder: number;
  readonly firstFill: number;
  /** Quantity of the largest fill. */
  readonly largestFill: number;
}

/** Differences from the calm run; absent fields are unchanged. */
export interface BadDay {
  readonly movesOf: (symbol: SecuritySymbol) => readonly Move[];
  readonly trouble?: Trouble;
  readonly from?: CalendarDay;
}

const GAP = -0.15;
const HALT_BARS = 5;
const LOST_BARS = 10;
const LATE_BARS = 3;
const LATE_MS = 3 * HOUR_MS;
const HALF_DAYS: Readonly<Record<Market, string>> = { US: '2024-11-29', HK: '2024-12-24' };

/**
 * Creates a situation around the strategy's behaviour on a calm day; undefined if its market has no such situation.
 */
export function badDay(name: SituationName, calm: CalmRun): BadDay | undefined {
  const { tape, firstOrder, firstFill } = calm;
  const movesOf = (symbol: SecuritySymbol): readonly Move[] => [closes(...tape(symbol))];
  switch (name) {
    case 'gap':
      return { movesOf: (symbol) => broken(tape(symbol), firstFill + 1, [gap(GAP)], 1 + GAP) };
    case 'halt':
      return { movesOf: (symbol) => broken(tape(symbol), firstOrder + 1, [halt(HALT_BARS)], 1) };
    case 'half-day':
      return halfDay(calm, movesOf);
    case 'split':
      return overnightSplit(calm);
    case 'feed-loss':
      return {
        movesOf,
        trouble: { unheard: Array.from({ length: LOST_BARS }, (_, index) => firstFill + 1 + index) },
      };
    case 'late-fill':
      return { movesOf, trouble: { ordersTakeMs: lateBy(calm.period) } };
    case 'partial-fills':
      return {
        movesOf: (symbol) => [volume(Math.max(1, calm.largestFill)), ...movesOf(symbol)],
        trouble: { fillsAtMost: 0.5 },
      };
    case 'rejected-order':
      return { movesOf, trouble: { refuses: [1] } };
    case 'all-rejected':
      return { movesOf, trouble: { refuses: 'all' } };
  }
}

function lateBy(period: Period): number {
  const length = intradayMs(period);
  return length === undefined ? LATE_MS : LATE_BARS * length;
}

/** Inserts something before a bar, and scales everything after it by a factor. */
function broken(
  tape: readonly number[],
  at: number,
  between: readonly Move[],
  factor: number,
): readonly Move[] {
  const after = tape.slice(at).map((price) => price * factor);
  return [closes(...tape.slice(0, at)), ...between, closes(...after)];
}

function halfDay({ symbols, period, firstOrder }: CalmRun, movesOf: BadDay['movesOf']): BadDay | undefined {
  const [symbol] = symbols;
  const day = symbol === undefined ? undefined : HALF_DAYS[marketOf(symbol)];
  if (symbol === undefined || day === undefined) return undefined;
  const short = calendarDay(day);
  return {
    movesOf,
    from: intradayMs(period) === undefined ? daysBefore(symbol, short, firstOrder + 1) : short,
  };
}

/** The split is on the first trading day after the first fill. */
function overnightSplit({ symbols, period, from, tape, firstFill }: CalmRun): BadDay | undefined {
  const [symbol] = symbols;
  if (symbol === undefined) return undefined;
  const length = tape(symbol).length;
  const stamps = stampsFrom(symbol, period, from).take(length).toArray();
  const dayAt = (index: number): CalendarDay | undefined => {
    const at: Millis | undefined = stamps[index];
    return at === undefined ? undefined : dayOf(marketOf(symbol), at);
  };
  const filled = dayAt(firstFill);
  const at = stamps.findIndex((_, index) => index > firstFill && dayAt(index) !== filled);
  const day = dayAt(at);
  if (at < 0 || day === undefined) return undefined;
  return {
    movesOf: (each) => {
      if (each !== symbol) return [closes(...tape(each))];
      return broken(tape(each), at, [gap(-0.5)], 0.5);
    },
    trouble: { split: { symbol, day, ratio: 2 } },
  };
}
