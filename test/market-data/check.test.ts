import { describe, expect, it } from 'vitest';
import {
  type BarCheck,
  type CheckOptions,
  checkBars,
  type FindingKind,
} from '../../src/market-data/check.ts';
import { openBarStore } from '../../src/market-data/store.ts';
import type { BarColumns } from '../../src/model/bar.ts';
import type { Security } from '../../src/model/security.ts';
import { aSecurity, type BarRow, columnsOf } from './fixtures.ts';

const REAL_PRICES = new URL('../oracles/data/prices', import.meta.url).pathname;

/** Kind and line of each finding, by line. */
function found(columns: BarColumns, options: CheckOptions = {}, facts: Partial<Security> = {}): string[] {
  const { findings } = checkBars(columns, aSecurity(columns.symbol, facts), options);
  return findings.map(({ kind, line }) => `${kind}:${line}`);
}

const total = (check: BarCheck): number => Object.values(check.counts).reduce((sum, count) => sum + count, 0);

/** A minute of AAPL on 2 January 2024, this number of minutes after the opening. */
const minute = (after: number, price = 10, volume = 1): BarRow => {
  const stamp = new Date(Date.parse('2024-01-02T14:30:00Z') + after * 60_000).toISOString();
  return [stamp, price, price, price, price, volume];
};
const day = (date: string, price: number): BarRow => [`${date}T05:00:00Z`, price, price, price, price, 100];

describe('checkBars', () => {
  it('finds nothing in valid bars, and counts them', () => {
    const check = checkBars(
      columnsOf('AAPL.US', '1m', [minute(0), minute(1), minute(3)]),
      aSecurity('AAPL.US'),
    );
    expect([check.rows, total(check), check.findings]).toEqual([3, 0, []]);
  });

  it('finds stamps that repeat or go back, at their lines', () => {
    const bars = columnsOf('AAPL.US', '1m', [minute(0), minute(2), minute(2), minute(1)]);
    expect(found(bars)).toEqual(['duplicate:4', 'unsorted:5']);
    expect(found(bars, { firstLine: 100 })).toEqual(['duplicate:102', 'unsorted:103']);
  });

  it('finds bars without an adjacent bar: five minutes taken for one, weeks taken for days', () => {
    const apart = (step: number) => Array.from({ length: 30 }, (_, place) => minute(place * step));
    const findings = (step: number, period: '1m' | '5m') =>
      checkBars(columnsOf('AAPL.US', period, apart(step)), aSecurity('AAPL.US')).findings.filter(
        ({ kind }) => kind === 'period',
      );
    expect(findings(5, '1m')).toMatchObject([
      { line: 3, message: 'No two of 30 bars are closer than those of 5m: is "1m" the right period?' },
    ]);
    expect([findings(5, '5m'), findings(1, '1m')]).toEqual([[], []]);
    expect(found(columnsOf('AAPL.US', '5m', [minute(0), minute(5), minute(6), minute(10)]))).toEqual([
      ...['period:4', 'period:5'],
    ]);
    const weeks = Array.from({ length: 30 }, (_, place) =>
      day(new Date(Date.UTC(2022, 0, 3) + place * 7 * 86_400_000).toISOString().slice(0, 10), 10),
    );
    expect(found(columnsOf('AAPL.US', '1d', weeks))).toContain('period:3');
    expect(found(columnsOf('AAPL.US', '1w', weeks))).not.toContain('period:3');
  });

  it('finds gaps within a session, from its opening to its close, and none over lunch or night', () => {
    expect(
      found(columnsOf('AAPL.US', '1m', [minute(4), minute(9), minute(15), minute(390 + 17.5 * 60)])),
    ).toEqual(['gap:4', 'gap:5']);
    expect(found(columnsOf('AAPL.US', '1m', [minute(5)]))).toEqual(['gap:2']);
    const overNight = [minute(389), minute(390 + 17.5 * 60)];
    expect(found(columnsOf('AAPL.US', '1m', overNight))).toEqual(['gap:2']);
    const overLunch = columnsOf('700.HK', '30m', [
      ['2025-09-01T03:30:00Z', 10, 10, 10, 10, 1],
      ['2025-09-01T05:00:00Z', 10, 10, 10, 10, 1],
    ]);
    expect(found(overLunch)).toEqual(['gap:2']);
  });

  it('finds trading days without a bar, but no weekend and no holiday', () => {
    const bars = columnsOf('AAPL.US', '1d', [
      day('2024-01-11', 10),
      day('2024-01-12', 10.01),
      day('2024-01-16', 10.02),
      day('2024-01-19', 10.03),
    ]);
    const { findings } = checkBars(bars, aSecurity('AAPL.US'));
    expect(findings.map(({ message }) => message)).toEqual([
      'No bar on 2 trading days, 2024-01-17 to 2024-01-18',
    ]);
  });

  it('finds bars on weekends and holidays, by name', () => {
    const bars = columnsOf('AAPL.US', '1d', [day('2024-01-01', 10), day('2024-01-06', 10)]);
    const { findings } = checkBars(bars, aSecurity('AAPL.US'));
    expect(findings.filter(({ kind }) => kind === 'closed-day').map(({ line }) => line)).toEqual([2, 3]);
    expect(findings.map(({ message }) => message).join()).toContain("New Year's Day");
    expect(findings.map(({ message }) => message).join()).toContain('a weekend');
  });

  it('finds bars outside the session, unless extended hours are included', () => {
    const bars = columnsOf('AAPL.US', '1m', [minute(-1), minute(0)]);
    expect(found(bars)).toEqual(['out-of-session:2']);
    expect(found(bars, { extendedHours: true })).toEqual([]);
  });

  it('finds days that are not stamped at midnight', () => {
    const bars = columnsOf('AAPL.US', '1d', [['2024-01-02T00:00:00Z', 10, 10, 10, 10, 1]]);
    expect(found(bars)).toContain('off-midnight:2');
  });

  it('finds prices off the price step of their day, for unadjusted prices of securities with price steps', () => {
    const bars = columnsOf('700.HK', '1d', [
      ['2025-08-31T16:00:00Z', 65, 65.1, 65, 65.05, 1],
      ['2025-09-01T16:00:00Z', 65, 65.12, 65, 65.05, 1],
    ]);
    const { findings } = checkBars(bars, aSecurity('700.HK'));
    expect(findings.map(({ line, message }) => [line, message])).toEqual([
      [3, 'high 65.12 is not a multiple of the tick size 0.05 in force on 2025-09-02'],
    ]);
    expect(found(bars, { adjusted: true })).toEqual([]);
    expect(found(bars, {}, { kind: 'index' })).toEqual([]);
  });

  it.each([
    [100, 50, '2-for-1'],
    [645.57, 92.69, '7-for-1'],
    [90, 60.5, '3-for-2'],
    [0.5, 10.1, '1-for-20 reverse'],
  ])('suspects a split when %d opens at %d', (before, after, name) => {
    const { findings } = checkBars(
      columnsOf('AAPL.US', '1d', [day('2024-01-02', before), day('2024-01-03', after)]),
      aSecurity('AAPL.US'),
    );
    expect(findings.map(({ kind, line }) => [kind, line])).toEqual([['split', 3]]);
    expect(findings[0]?.message).toContain(name);
  });

  it('finds jumps and ranges that no valid print makes', () => {
    const rows = Array.from({ length: 40 }, (_, at) => minute(at, 10 + (at % 2) / 100));
    rows[20] = [minute(20)[0], 10, 15, 10, 10, 1];
    rows[30] = [minute(30)[0], 7, 7, 7, 7, 1];
    expect(found(columnsOf('AAPL.US', '1m', rows))).toEqual(['outlier:22', 'outlier:32', 'outlier:33']);
  });

  it('counts all and lists no more of a kind than requested', () => {
    const rows = Array.from({ length: 60 }, (_, at) => minute(at, 10.001, at + 1));
    const bars = columnsOf('AAPL.US', '1m', rows);
    const check = checkBars(bars, aSecurity('AAPL.US'));
    expect([check.counts['off-tick'], check.findings.length]).toEqual([60, 50]);
    expect(checkBars(bars, aSecurity('AAPL.US'), { findingsPerKind: 3 }).findings).toHaveLength(3);
  });

  it('finds nothing in no bars', () => {
    expect(total(checkBars(columnsOf('AAPL.US', '1d', []), aSecurity('AAPL.US')))).toBe(0);
  });
});

describe('checkBars on real bars', () => {
  const store = openBarStore({ dir: REAL_PRICES });
  const linesOf = (check: BarCheck, kind: FindingKind): number[] =>
    check.findings.filter((finding) => finding.kind === kind).map(({ line }) => line);

  it('suspects every split of AAPL in its raw days', () => {
    const bars = store.bars('AAPL.US', '1d');
    const check = checkBars(bars, aSecurity('AAPL.US'));
    const days = linesOf(check, 'split').map((line) =>
      new Date(bars.time[line - 2] ?? 0).toISOString().slice(0, 10),
    );
    expect(days).toEqual(expect.arrayContaining(['2000-06-21', '2005-02-28', '2014-06-09', '2020-08-31']));
    expect(days.length).toBeLessThanOrEqual(5);
  });

  it('finds the gap of QQQ and the bad print of AAPL', () => {
    const hole = checkBars(store.bars('QQQ.US', '1d'), aSecurity('QQQ.US')).findings.find(
      ({ kind }) => kind === 'gap',
    );
    expect(hole?.message).toContain('2004-12-01 to 2011-03-22');
    const extended = store.bars('AAPL.US', '1m', { variant: 'ext' });
    const bad = checkBars(extended, aSecurity('AAPL.US'), { extendedHours: true });
    expect(bad.findings.map(({ message }) => message)).toEqual([
      'Implausible range from low 92.23 to high 645.57',
    ]);
  });

  it('finds the bars after the early close of GOOG on Christmas Eve', () => {
    const check = checkBars(store.bars('GOOG.US', '1m'), aSecurity('GOOG.US'), { gapMinutes: 60 });
    expect([check.counts['out-of-session'], check.counts['closed-day'], check.counts.gap]).toEqual([
      14, 0, 0,
    ]);
  });
});
