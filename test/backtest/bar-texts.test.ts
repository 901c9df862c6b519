import { describe, expect, it } from 'vitest';
import { splitTexts, warmupText } from '#src/backtest/bar-texts.ts';
import { runBacktest } from '#src/backtest/run-backtest.ts';
import { runInFull } from '#src/backtest/run-in-full.ts';
import type { RunSetup } from '#src/backtest/setup.ts';
import { decimal } from '#src/model/decimal.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { calendarDay } from '#src/model/time.ts';
import { threshold } from '#src/signals/cross.ts';
import { sma } from '#src/signals/indicators/averages.ts';
import { defineStrategy } from '#src/strategy/define-strategy.ts';
import { setupOf } from '../fixtures/backtest.ts';
import { type BarRow, bars } from '../simulation/world.ts';

const at = (stamp: string, open: number, close: number): BarRow =>
  [
    `2024-03-${stamp}+08:00`,
    ...[open, Math.max(open, close), Math.min(open, close), close, 100],
  ] as unknown as BarRow;
const day = (date: string, open: number, close: number): BarRow => at(`${date}T00:00:00`, open, close);

const idle = defineStrategy({ name: 'idle', params: {}, onBar: () => undefined });
const setup = (
  rows: readonly BarRow[],
  change: Partial<RunSetup> = {},
  period: '1d' | '1m' = '1d',
): RunSetup => setupOf(idle, [bars('700.HK', period, rows)], change);

const SPLIT = [day('04', 700, 700), day('05', 101, 100), day('06', 100, 102), day('07', 51, 50)];
const action = (exDay: string, ratio: string) =>
  ({
    kind: 'split',
    symbol: securitySymbol('700.HK'),
    exDay: calendarDay(exDay),
    ratio: decimal(ratio),
  }) as const;

describe('what a report states about prices that jump as at a split', () => {
  const reported =
    'PRICES JUMP: 700.HK opens on 2024-03-05 and on 1 day more like after a 7-for-1 split, and events.csv has no such split: if it was one, import adjusted prices, or add it to events.csv and set "simulation: { corporateActions: true }"';

  it('names the first day and counts the others', () => {
    expect(splitTexts(setup(SPLIT))).toEqual([reported]);
  });

  it('distinguishes an open that the rest of the day contradicts, whatever splits are listed', () => {
    const rows = [day('04', 80, 80), day('05', 159, 81), day('06', 81, 80), day('07', 41, 79)];
    const odd =
      'ODD OPEN: 700.HK opens at 159 on 2024-03-05, after 80 the day before, and closes at 81, and so on 1 day more: if there was no trade at that price, correct that line, as orders fill at it';
    expect(splitTexts(setup(rows))).toEqual([odd]);
    expect(splitTexts(setup(rows, { corporateActions: [action('2024-02-05', '7')] }))).toEqual([odd]);
  });

  it('is in the report of both engines', () => {
    expect(runBacktest(setup(SPLIT)).assumptions).toContain(reported);
    expect(runInFull(setup(SPLIT)).assumptions).toContain(reported);
  });

  it('is empty if splits of events.csv are applied: a price may also halve without a split', () => {
    expect(splitTexts(setup(SPLIT, { corporateActions: [action('2024-03-05', '7')] }))).toEqual([]);
  });

  it('names the splits of events.csv that are not carried out, unless prices are adjusted for them', () => {
    const actions = [action('2024-03-05', '7'), action('2024-03-07', '2')];
    expect(splitTexts(setup(SPLIT, { unapplied: actions }))).toEqual([
      'PRICES JUMP: 700.HK opens on 2024-03-05 and on 1 day more like after the split in events.csv, which this run does not apply: set "simulation: { corporateActions: true }", or import adjusted prices',
    ]);
    const adjusted = [day('04', 100, 100), day('05', 101, 100), day('06', 100, 102), day('07', 51, 50)];
    expect(splitTexts(setup(adjusted, { unapplied: actions.slice(0, 1) }))).toEqual([]);
  });

  it('is reported where events.csv lists only other events', () => {
    expect(
      splitTexts(setup(SPLIT, { unapplied: [{ ...action('2024-03-05', '7'), kind: 'delisting' }] })),
    ).toHaveLength(1);
  });

  it('is empty before the run, within a day, and for moves that are no split', () => {
    expect(
      splitTexts(setup(SPLIT, { from: calendarDay('2024-03-06'), to: calendarDay('2024-03-06') })),
    ).toEqual([]);
    const minutes = [at('04T09:30:00', 100, 100), at('04T09:31:00', 50, 50), at('05T09:30:00', 50, 50)];
    expect(splitTexts(setup(minutes, {}, '1m'))).toEqual([]);
    const overnight = [at('04T09:30:00', 100, 100), at('05T09:30:00', 50, 50)];
    expect(splitTexts(setup(overnight, {}, '1m'))).toHaveLength(1);
    expect(splitTexts(setup([day('04', 100, 100), day('05', 76, 76), day('06', 100, 100)]))).toEqual([]);
  });

  it('is empty for warrants, whose prices often move as far', () => {
    const run = setup(SPLIT);
    const securities = run.securities.map((security) => ({ ...security, kind: 'warrant' as const }));
    expect(splitTexts({ ...run, securities })).toEqual([]);
  });
});

describe('what a report states about a short warm-up', () => {
  const days = ['04', '05', '06', '07', '08', '11', '12'].map((date) => day(date, 100, 101));
  const slow = defineStrategy({
    name: 'slow',
    params: {},
    signals: ({ bars: feed }) => ({ over: threshold(sma(feed.close, 5), { above: 1, below: 0 }) }),
    onSignal: () => undefined,
  });
  const textsFrom = (from: string, options = {}) =>
    runBacktest(
      setupOf(slow, [bars('700.HK', '1d', days)], {
        from: calendarDay(from),
        to: calendarDay('2024-03-12'),
      }),
      options,
    ).assumptions.filter((text) => text.startsWith('SHORT WARM-UP'));

  it('names the required bars, the available ones, and the day from which the symbol is traded', () => {
    const text =
      'SHORT WARM-UP: the signals need 5 bars of 700.HK before 2024-03-06, 2 are there: it trades from 2024-03-11 on';
    expect(textsFrom('2024-03-06')).toEqual([text]);
    expect(textsFrom('2024-03-06', { onEvent: () => undefined })).toEqual([text]);
  });

  it('has no remark if there are enough', () => {
    expect(textsFrom('2024-03-11')).toEqual([]);
  });

  it('states that a symbol never trades if there are too few in all', () => {
    const textTo = (to: string) =>
      warmupText(
        bars('700.HK', '1d', days),
        { from: calendarDay('2024-03-05'), to: calendarDay(to) },
        to === '2024-03-08' ? 5 : 7,
      );
    const missing = (needed: number) =>
      `SHORT WARM-UP: the signals need ${needed} bars of 700.HK before 2024-03-05, 1 is there: it never trades, as there are ${needed} bars until`;
    expect(textTo('2024-12-31')).toBe(`${missing(7)} 2024-12-31`);
    // The file has bars after the last day of the run.
    expect(textTo('2024-03-08')).toBe(`${missing(5)} 2024-03-08`);
  });
});
