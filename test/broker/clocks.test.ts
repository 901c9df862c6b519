import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSkewWatch } from '#src/broker/http/skew.ts';
import { createTimestamps } from '#src/broker/http/timestamps.ts';
import { MINUTE_MS, millis, SECOND_MS } from '#src/model/time.ts';

describe('timestamps', () => {
  it('I-18: rise, and are never further ahead of the clock than a venue accepts, whatever the clock does', () => {
    const steps = fc.oneof(
      fc.integer({ min: -10 * MINUTE_MS, max: 10 * MINUTE_MS }),
      fc.integer({ min: -1_000_000_000_000, max: 1_000_000_000_000 }),
    );
    fc.assert(
      fc.property(fc.array(steps, { minLength: 2, maxLength: 100 }), (moves) => {
        let now = 1_700_000_000_000;
        let kept = now * 1_000;
        const memory = {
          last: () => kept,
          save: (micros: number) => {
            kept = micros;
          },
        };
        const stamps = createTimestamps({ now: () => millis(now) }, { store: memory });
        for (const move of moves) {
          now = Math.max(0, now + move);
          const before = kept;
          const text = stamps.next();
          expect(text).toMatch(/^\d{1,11}\.\d{6}$/);
          const stamp = Number(text.replace('.', ''));
          expect(stamp).toBe(kept);
          expect(stamp).toBeGreaterThanOrEqual(now * 1_000);
          expect(stamp).toBeLessThanOrEqual((now + 5 * MINUTE_MS) * 1_000 + 1);
          if (before <= (now + 5 * MINUTE_MS) * 1_000) expect(stamp).toBeGreaterThan(before);
        }
      }),
    );
  });
});

describe('the check of the clocks', () => {
  const START = Date.parse('2026-01-05T10:00:00Z');

  function aWatch() {
    let now = START;
    const reported: string[] = [];
    const heard = createSkewWatch(
      () => millis(now),
      (code) => reported.push(code),
    );
    return {
      reported,
      /** An answer some minutes later, whose header is this number of milliseconds behind the machine. */
      date: (minutes: number, behindMs: number) => {
        now = START + minutes * MINUTE_MS;
        heard(new Date(now - behindMs).toUTCString(), { sentAt: millis(now), answeredAt: millis(now) });
      },
      /** An answer that took this long, whose date is exact and was set at the given share of that time. */
      took: (tookMs: number, share: number) => {
        const sentAt = millis(now);
        now += tookMs;
        heard(new Date(sentAt + tookMs * share).toUTCString(), { sentAt, answeredAt: millis(now) });
      },
      raw: (minutes: number, text: string) => {
        now = START + minutes * MINUTE_MS;
        heard(text, { sentAt: millis(now), answeredAt: millis(now) });
      },
    };
  }

  it('I-18: warns above 2 s and halts above 5 s in three answers, once per crossing', () => {
    const watch = aWatch();
    watch.date(0, 2_000);
    expect(watch.reported).toEqual([]);
    for (const behindMs of [4_000, 4_000, 7_000, 7_000]) watch.date(1, behindMs);
    expect(watch.reported).toEqual(['clock-skew']);
    for (const behindMs of [7_000, 7_000, 0, 4_000]) watch.date(1, behindMs);
    expect(watch.reported).toEqual(['clock-skew', 'clock-skew-halt', 'clock-skew']);
  });

  it('I-18: never halts on one answer, or on several that do not agree', () => {
    const watch = aWatch();
    for (const behindMs of [60_000, 0, -60_000, 60_000, 60_000, 0, 60_000, -60_000, 60_000])
      watch.date(1, behindMs);
    expect(watch.reported).not.toContain('clock-skew-halt');
  });

  it('I-18: an answer that comes late or in pieces is no skew, whenever the venue wrote its date', () => {
    const watch = aWatch();
    for (const tookMs of [50, 900, 2_000, 6_000, 9_000, 20_000])
      for (const share of [0, 0.5, 1]) for (let count = 0; count < 4; count += 1) watch.took(tookMs, share);
    expect(watch.reported).toEqual([]);
  });

  it('F-C02: a drift of 500 ppm warns at 2 s and halts at 5 s, each once and within the one-second resolution of dates (I-18)', () => {
    const watch = aWatch();
    const driftMsPerMinute = MINUTE_MS * 500e-6;
    const crossed: number[] = [];
    for (let minute = 0; minute <= 240; minute += 1) {
      watch.date(minute, minute * driftMsPerMinute);
      if (watch.reported.length > crossed.length) crossed.push((minute * driftMsPerMinute) / SECOND_MS);
    }
    expect(watch.reported).toEqual(['clock-skew', 'clock-skew-halt']);
    const [warnedAt = 0, haltedAt = 0] = crossed;
    for (const [at, limit] of [
      [warnedAt, 2],
      [haltedAt, 5],
    ] as const) {
      expect(at).toBeGreaterThan(limit);
      expect(at).toBeLessThan(limit + 1.1);
    }
  });

  it('F-C03: a leap second, also one smeared over a day, is no skew (I-18)', () => {
    const watch = aWatch();
    watch.date(0, 0);
    watch.raw(1, 'Mon, 05 Jan 2026 10:00:60 GMT');
    for (const behindMs of [1_000, 500, 0, -500, -1_000]) watch.date(2, behindMs);
    expect(watch.reported).toEqual([]);
  });

  it('F-C07: trusts the last good date for 5 minutes, then reports once that the skew is unknown', () => {
    const watch = aWatch();
    watch.date(0, 0);
    for (const [minutes, text] of [
      [1, ''],
      [2, 'soon'],
      [3, 'Thu, 01 Jan 1970 00:00:00 GMT'],
      [4.99, 'Fri, 01 Jan 2100 00:00:00 GMT'],
    ] as const)
      watch.raw(minutes, text);
    expect(watch.reported).toEqual([]);
    watch.raw(5, '');
    watch.raw(9, '');
    expect(watch.reported).toEqual(['clock-skew-unknown']);
    watch.date(10, 0);
    watch.raw(15, '');
    expect(watch.reported).toEqual(['clock-skew-unknown', 'clock-skew-unknown']);
  });

  it('F-C05: stamps requests one microsecond apart while the clock does not advance', () => {
    const stamps = createTimestamps({ now: () => millis(START) });
    const texts = Array.from({ length: 1_000 }, () => stamps.next());
    expect(new Set(texts).size).toBe(1_000);
    expect(texts.toSorted()).toEqual(texts);
  });
});
