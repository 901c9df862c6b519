import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { barClose, barCloser, barCloses, barSpan, openTime, sessionPieces } from '#src/markets/bar-span.ts';
import { dayKind } from '#src/markets/calendar.ts';
import { dayOf, isOpen } from '#src/markets/sessions.ts';
import { intradayMs, PERIODS, type Period } from '#src/model/period.ts';
import { calendarDay, type Millis, millis } from '#src/model/time.ts';
import { priceRows } from './price-rows.ts';

function at(text: string): Millis {
  return millis(Date.parse(text));
}

function iso(time: Millis): string {
  return new Date(time).toISOString().replace('.000Z', 'Z');
}

function span(
  market: string,
  period: Period,
  text: string,
  grid: 'session' | 'clock' = 'session',
): readonly string[] {
  const found = barSpan(market, period, at(text), grid);
  return found === undefined ? [] : [iso(found.open), iso(found.close)];
}

function close(market: string, period: Period, text: string): string {
  return iso(barClose(market, period, at(text)));
}

describe('barSpan', () => {
  it.each<[string, Period, string, string, string]>([
    ['HK', '1m', '2025-11-21T01:30:59.999Z', '2025-11-21T01:30:00Z', '2025-11-21T01:31:00Z'],
    ['HK', '1h', '2025-11-21T03:45:00Z', '2025-11-21T03:30:00Z', '2025-11-21T04:00:00Z'],
    ['HK', '1h', '2025-11-21T05:10:00Z', '2025-11-21T05:00:00Z', '2025-11-21T06:00:00Z'],
    ['HK', '4h', '2025-11-21T07:10:00Z', '2025-11-21T05:00:00Z', '2025-11-21T08:00:00Z'],
    ['HK', '1h', '2025-12-24T03:50:00Z', '2025-12-24T03:30:00Z', '2025-12-24T04:00:00Z'],
    ['US', '1h', '2025-11-21T14:30:00Z', '2025-11-21T14:30:00Z', '2025-11-21T15:30:00Z'],
    ['US', '1h', '2025-11-21T20:40:00Z', '2025-11-21T20:30:00Z', '2025-11-21T21:00:00Z'],
    ['HK', '1d', '2025-11-21T02:00:00Z', '2025-11-20T16:00:00Z', '2025-11-21T08:00:00Z'],
    ['US', '1d', '2025-11-28T15:00:00Z', '2025-11-28T05:00:00Z', '2025-11-28T18:00:00Z'],
    ['US', '1w', '2025-11-26T15:00:00Z', '2025-11-24T05:00:00Z', '2025-11-28T18:00:00Z'],
    ['US', '1M', '2025-11-26T15:00:00Z', '2025-11-01T04:00:00Z', '2025-11-28T18:00:00Z'],
    ['US', '1Q', '2025-11-26T15:00:00Z', '2025-10-01T04:00:00Z', '2025-12-31T21:00:00Z'],
    ['HK', '1Y', '2025-11-21T02:00:00Z', '2024-12-31T16:00:00Z', '2025-12-31T04:00:00Z'],
  ])('%s %s at %s goes from %s to %s', (market, period, text, open, end) => {
    expect(span(market, period, text)).toEqual([open, end]);
  });

  it('starts at the hour on the clock grid', () => {
    expect(span('US', '1h', '2025-11-21T14:30:00Z', 'clock')).toEqual([
      '2025-11-21T14:00:00Z',
      '2025-11-21T15:00:00Z',
    ]);
    expect(span('HK', '2h', '2025-11-21T03:00:00Z', 'clock')).toEqual([
      '2025-11-21T02:00:00Z',
      '2025-11-21T04:00:00Z',
    ]);
  });

  it.each<[string, Period, string]>([
    ['HK', '1m', '2025-11-21T04:00:00Z'],
    ['HK', '1d', '2025-11-21T04:30:00Z'],
    ['US', '1d', '2025-11-21T21:00:00Z'],
    ['US', '1m', '2025-11-21T12:00:00Z'],
    ['US', '1w', '2025-11-27T15:00:00Z'],
  ])('%s %s has none at %s', (market, period, text) => {
    expect(span(market, period, text)).toEqual([]);
  });

  it.each<[Period, string, string]>([
    ['1h', '2024-12-25T03:00:00Z', '2024-12-25T04:00:00Z'],
    ['1d', '2024-12-25T00:00:00Z', '2024-12-26T00:00:00Z'],
    ['1w', '2024-12-23T00:00:00Z', '2024-12-30T00:00:00Z'],
    ['1M', '2024-12-01T00:00:00Z', '2025-01-01T00:00:00Z'],
    ['1Q', '2024-10-01T00:00:00Z', '2025-01-01T00:00:00Z'],
    ['1Y', '2024-01-01T00:00:00Z', '2025-01-01T00:00:00Z'],
  ])('is %s of UTC without a table: %s to %s', (period, open, end) => {
    expect(span('CRYPTO', period, '2024-12-25T03:10:00Z')).toEqual([open, end]);
  });
});

describe('barClose', () => {
  it.each<[string, Period, string, string, string]>([
    ['US', '1d', '2025-11-28T05:00:00Z', '2025-11-28T18:00:00Z', 'an early close'],
    ['HK', '1d', '2025-11-20T16:00:00Z', '2025-11-21T08:00:00Z', 'a day'],
    ['US', '1d', '2025-11-21T00:00:00Z', '2025-11-21T21:00:00Z', 'a day stamped at midnight of UTC'],
    ['US', '1w', '2025-11-23T05:00:00Z', '2025-11-28T18:00:00Z', 'a week stamped on Sunday'],
    ['US', '1h', '2025-11-21T14:00:00Z', '2025-11-21T15:00:00Z', 'an hour of the clock that holds the open'],
    ['US', '1h', '2025-11-21T20:30:00Z', '2025-11-21T21:00:00Z', 'the last hour of the session grid'],
    ['HK', '2h', '2025-11-21T03:30:00Z', '2025-11-21T04:00:00Z', 'the stub before lunch'],
    [
      'HK',
      '2h',
      '2025-11-21T04:00:00Z',
      '2025-11-21T06:00:00Z',
      'two hours of the clock with lunch in front',
    ],
    ['HK', '4h', '2025-11-21T03:00:00Z', '2025-11-21T07:00:00Z', 'four hours of the clock around lunch'],
    ['US', '1m', '2025-11-21T12:00:00Z', '2025-11-21T12:01:00Z', 'a minute before the open'],
    ['US', '1h', '2025-11-22T00:30:00Z', '2025-11-22T01:00:00Z', 'the end of the late session'],
    ['US', '1h', '2025-11-24T01:00:00Z', '2025-11-24T02:00:00Z', 'an hour of the night'],
    [
      'US',
      '1m',
      '2025-11-22T15:00:00Z',
      '2025-11-22T15:01:00Z',
      'a minute of a Saturday that should not exist',
    ],
    ['HK', '1d', '2023-08-31T16:00:00Z', '2023-09-01T08:00:00Z', 'a day that our calendar calls closed'],
    ['EU', '1d', '2006-01-01T23:00:00Z', '2006-01-02T23:00:00Z', 'a day stamped at its own midnight'],
    ['CRYPTO', '1M', '2012-01-31T00:00:00Z', '2012-02-29T00:00:00Z', 'a month stamped on its last day'],
    ['CRYPTO', '1w', '2024-12-23T00:00:00Z', '2024-12-30T00:00:00Z', 'a week'],
  ])('%s %s stamped %s closes at %s: %s', (market, period, stamp, end) => {
    expect(close(market, period, stamp)).toBe(end);
  });

  it('is the close of the span for every stamp of barSpan, on either grid', () => {
    const from = Date.UTC(2000, 0, 3);
    fc.assert(
      fc.property(
        fc.constantFrom('HK', 'US', 'CRYPTO'),
        fc.constantFrom(...PERIODS),
        fc.constantFrom('session' as const, 'clock' as const),
        fc.integer({ min: from, max: Date.UTC(2035, 11, 1) }),
        (market, period, grid, time) => {
          const found = barSpan(market, period, millis(time), grid);
          fc.pre(found !== undefined);
          expect(found.open).toBeLessThanOrEqual(time);
          expect(found.close).toBeGreaterThan(time);
          const ends = sessionPieces(market, period, found.open).map((piece) => piece.close);
          expect(ends).toContain(found.close);
          if (grid === 'session') expect(barClose(market, period, found.open)).toBe(found.close);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('is after the stamp and within a day of trading, for any stamp', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('HK', 'US', 'FX'),
        fc.constantFrom(...PERIODS),
        fc.integer({ min: Date.UTC(1998, 0, 3), max: Date.UTC(2035, 11, 1) }),
        (market, period, stamp) => {
          expect(barClose(market, period, millis(stamp))).toBeGreaterThan(stamp);
        },
      ),
    );
  });

  it('depends only on the stamp, in any order of days', () => {
    const stamps = ['2025-11-28T05:00:00Z', '2025-11-20T05:00:00Z', '2025-11-28T05:00:00Z'].map(at);
    const closes = stamps.map((stamp) => barClose('US', '1d', stamp));
    expect(closes[0]).toBe(closes[2]);
    expect(closes[1]).toBe(at('2025-11-20T21:00:00Z'));
  });
});

describe('openTime and sessionPieces', () => {
  it('open a daily bar with its session and cut it at lunch', () => {
    const stamp = at('2025-11-20T16:00:00Z');
    expect(iso(openTime('HK', '1d', stamp))).toBe('2025-11-21T01:30:00Z');
    expect(sessionPieces('HK', '1d', stamp).map((piece) => [iso(piece.open), iso(piece.close)])).toEqual([
      ['2025-11-21T01:30:00Z', '2025-11-21T04:00:00Z'],
      ['2025-11-21T05:00:00Z', '2025-11-21T08:00:00Z'],
    ]);
  });

  it('open a clock hour at 9:30', () => {
    expect(iso(openTime('US', '1h', at('2025-11-21T14:00:00Z')))).toBe('2025-11-21T14:30:00Z');
  });

  it('split a week into its trading days', () => {
    expect(sessionPieces('US', '1w', at('2025-11-24T05:00:00Z'))).toHaveLength(4);
  });

  it('keep a bar without a table or of extended hours unchanged', () => {
    const stamp = at('2024-12-25T03:00:00Z');
    expect(sessionPieces('FX', '1h', stamp)).toEqual([{ open: stamp, close: at('2024-12-25T04:00:00Z') }]);
    expect(openTime('US', '1m', at('2025-11-21T12:00:00Z'))).toBe(at('2025-11-21T12:00:00Z'));
  });

  it('return ordered pieces inside the bar that are traded', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('HK', 'US'),
        fc.constantFrom(...PERIODS),
        fc.integer({ min: Date.UTC(2000, 0, 3), max: Date.UTC(2030, 11, 1) }),
        (market, period, time) => {
          const found = barSpan(market, period, millis(time));
          fc.pre(found !== undefined);
          let before: number = found.open;
          for (const piece of sessionPieces(market, period, found.open)) {
            expect(piece.open).toBeGreaterThanOrEqual(before);
            expect(isOpen(market, piece.open)).toBe(true);
            expect(isOpen(market, millis(piece.close - 1))).toBe(true);
            before = piece.close;
          }
          expect(before).toBe(found.close);
        },
      ),
    );
  });
});

describe('real bars', () => {
  it('of SPY, hourly since 1998, follow each other; only on half days did the vendor keep later prices', () => {
    const late = new Set<string>();
    let previous = 0;
    for (const [stamp] of priceRows('SPY.US/1h.csv.gz')) {
      const open = at(`${stamp}`);
      const end = barClose('US', '1h', open);
      if (open < previous) expect.fail(`Bar ${stamp} begins before the one in front of it closes`);
      previous = end;
      if (!isOpen('US', millis(end - 1))) late.add(dayOf('US', open));
    }
    expect([...late].filter((day) => dayKind('US', calendarDay(day)) !== 'half')).toEqual([]);
    expect(late.size).toBe(23);
  });

  it('of SPY, per minute, are minutes of open sessions', () => {
    for (const [stamp] of priceRows('SPY.US/1m.csv.gz')) {
      expect(barClose('US', '1m', at(`${stamp}`)) - at(`${stamp}`)).toBe(60_000);
      expect(isOpen('US', at(`${stamp}`))).toBe(true);
    }
  });

  it('of the Hang Seng index are outside lunch', () => {
    for (const [stamp] of priceRows('HSI.HK/1h.csv')) {
      const open = at(`${stamp}`);
      expect(isOpen('HK', millis(barClose('HK', '1h', open) - 1))).toBe(true);
    }
  });
});

describe('barCloser', () => {
  it('returns the close of every bar, in any order and repeatedly', () => {
    const stamps = fc.array(
      fc.integer({ min: at('2024-01-01').valueOf(), max: at('2025-12-31').valueOf() }),
      {
        minLength: 1,
        maxLength: 30,
      },
    );
    const periods = fc.constantFrom<Period>('1m', '1h', '1d', '1w', '1M', '1Q');
    fc.assert(
      fc.property(fc.constantFrom('US', 'HK', 'SG', 'BTC'), periods, stamps, (market, period, asked) => {
        const closes = barCloser(market, period);
        for (const stamp of [...asked, ...asked.toReversed()].map(millis))
          expect(closes(stamp)).toBe(barClose(market, period, stamp));
      }),
    );
  });
});

describe('barCloses', () => {
  it('returns the value of barClose for many stamps, on the grid of a session and off it', () => {
    const someStamps = fc.record({
      market: fc.constantFrom('HK', 'US', 'XX'),
      period: fc.constantFrom(...PERIODS),
      minute: fc.integer({ min: 0, max: 60 * 24 * 700 }),
      steps: fc.array(fc.constantFrom('bar', 'bar', 'bar', 7, 390, 60 * 24), { maxLength: 60 }),
      first: fc.integer({ min: 0, max: 3 }),
    });
    fc.assert(
      fc.property(someStamps, ({ market, period, minute, steps, first }) => {
        const stamps = [at('2024-01-02T00:30:00Z') + minute * 60_000];
        for (const step of steps)
          stamps.push(
            (stamps.at(-1) ?? 0) +
              (typeof step === 'number' ? step * 60_000 : (intradayMs(period) ?? 24 * 3_600_000)),
          );
        const closes = stamps.slice(first).map((stamp) => barClose(market, period, millis(stamp)));
        expect([...barCloses(market, period, Float64Array.from(stamps), first)]).toEqual(closes);
      }),
    );
  });
});
