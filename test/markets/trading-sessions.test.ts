import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { barClose } from '#src/markets/bar-span.ts';
import { dayNumber } from '#src/markets/day-number.ts';
import {
  fitsSessions,
  lastCloseOf,
  nextBarClose,
  nextOpenOf,
  sessionBarSpan,
  sessionDay,
  sessionKinds,
  tradingDayIn,
} from '#src/markets/trading-sessions.ts';
import { PERIODS } from '#src/model/period.ts';
import { calendarDay, type Millis, millis } from '#src/model/time.ts';
import { TRADING_SESSIONS } from '#src/model/trading-sessions.ts';

const at = (text: string): Millis => millis(Date.parse(text));
const ny = (day: string, clock: string): Millis => at(`${day}T${clock}:00-05:00`);
const hk = (day: string, clock: string): Millis => at(`${day}T${clock}:00+08:00`);
const clockOf = (instant: number | undefined): string =>
  instant === undefined ? 'never' : new Date(instant).toISOString().slice(5, 16);

const ANY_TIME = ['regular', 'pre', 'post'] as const;
const OVERNIGHT = ['overnight'] as const;
const AUCTIONS = ['opening-auction', 'regular', 'closing-auction'] as const;

describe('bars of other sessions', () => {
  it('begin and end with their session, or are not in the run', () => {
    const span = (clock: string, held: 'regular' | 'extended' | 'all') => {
      const { open, close } = sessionBarSpan('US', '30m', ny('2024-03-05', clock), held) ?? {};
      return open === undefined ? 'none' : `${clockOf(open)} ${clockOf(close)}`;
    };
    expect(span('08:14', 'regular')).toBe('none');
    expect(span('08:14', 'extended')).toBe('03-05T13:00 03-05T13:30');
    expect(span('19:59', 'extended')).toBe('03-06T00:30 03-06T01:00');
    expect(span('21:10', 'extended')).toBe('none');
    expect(span('21:10', 'all')).toBe('03-06T02:00 03-06T02:30');
    expect(span('10:10', 'all')).toBe('03-05T15:00 03-05T15:30');
    const closing = sessionBarSpan('HK', '15m', hk('2024-03-05', '16:08'), 'extended');
    expect([clockOf(closing?.open), clockOf(closing?.close)]).toEqual(['03-05T08:00', '03-05T08:10']);
  });

  it('close at every instant of every session for a bot that builds them as they do in a file', () => {
    const periods = PERIODS.filter(fitsSessions);
    expect(periods).toEqual(['1m', '2m', '3m', '5m', '10m', '15m', '30m']);
    fc.assert(
      fc.property(
        fc.constantFrom('US', 'HK', 'XX'),
        fc.constantFrom(...periods),
        fc.constantFrom(...TRADING_SESSIONS),
        fc.integer({ min: Date.UTC(2017, 0, 1), max: Date.UTC(2026, 11, 31) }),
        (market, period, held, instant) => {
          const span = sessionBarSpan(market, period, millis(instant), held);
          if (span === undefined) return;
          expect(span.open).toBeLessThanOrEqual(instant);
          expect(instant).toBeLessThan(span.close);
          expect(barClose(market, period, span.open)).toBe(span.close);
          expect(nextBarClose(market, period, millis(instant), held)).toBe(span.close);
        },
      ),
      { numRuns: 3_000 },
    );
  });
});

describe('the day of an order', () => {
  it('is the trading day of the last of its sessions, half days included', () => {
    const day = (clock: Millis, kinds: Parameters<typeof tradingDayIn>[2]) =>
      tradingDayIn('US', clock, kinds);
    expect(day(ny('2024-03-05', '17:00'), ['regular'])).toBe('2024-03-06');
    expect(day(ny('2024-03-05', '17:00'), ANY_TIME)).toBe('2024-03-05');
    expect(day(ny('2024-03-05', '20:00'), ANY_TIME)).toBe('2024-03-06');
    expect(day(ny('2024-03-05', '21:00'), OVERNIGHT)).toBe('2024-03-06');
    expect(day(ny('2024-03-06', '03:59'), OVERNIGHT)).toBe('2024-03-06');
    expect(day(ny('2024-03-06', '04:00'), OVERNIGHT)).toBe('2024-03-07');
    // No night follows Friday's evening: the next one begins on Sunday.
    expect(day(ny('2024-03-08', '21:00'), OVERNIGHT)).toBe('2024-03-11');
    // The day after Thanksgiving ends early, and so does its post-market.
    expect(clockOf(lastCloseOf('US', dayNumber(calendarDay('2024-11-29')), ANY_TIME))).toBe('11-29T22:00');
    expect(tradingDayIn('HK', hk('2024-12-24', '12:05'), AUCTIONS)).toBe('2024-12-24');
    expect(tradingDayIn('HK', hk('2024-12-24', '12:10'), AUCTIONS)).toBe('2024-12-27');
  });

  it('begins with the earliest opening of its sessions', () => {
    const opens = (instant: Millis, kinds: Parameters<typeof nextOpenOf>[2]) =>
      clockOf(nextOpenOf('US', instant, kinds));
    expect(opens(ny('2024-03-05', '20:30'), ANY_TIME)).toBe('03-06T09:00');
    expect(opens(ny('2024-03-05', '20:30'), ['regular'])).toBe('03-06T14:30');
    expect(opens(ny('2024-03-05', '19:30'), OVERNIGHT)).toBe('03-06T01:00');
    // Daylight saving time begins that Sunday night.
    expect(opens(ny('2024-03-08', '05:00'), OVERNIGHT)).toBe('03-11T00:00');
    expect(clockOf(nextOpenOf('HK', hk('2024-03-05', '17:00'), AUCTIONS))).toBe('03-06T01:00');
  });

  it('of the evening in New York is the day after that night', () => {
    expect(sessionDay('US', ny('2024-03-05', '19:59')).date).toBe('2024-03-05');
    expect(sessionDay('US', ny('2024-03-05', '20:00')).date).toBe('2024-03-06');
    expect(sessionDay('US', ny('2024-03-08', '21:00')).date).toBe('2024-03-08');
    expect(sessionDay('HK', hk('2024-03-05', '23:59')).date).toBe('2024-03-05');
    expect(sessionKinds('extended')).not.toContain('overnight');
  });
});
