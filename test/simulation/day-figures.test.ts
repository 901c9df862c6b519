import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DayTally } from '#src/simulation/market/day-figures.ts';
import { NO_PRINT, Tape } from '#src/simulation/market/tape.ts';
import { PRINT_FILLS } from '#src/simulation/models.ts';
import { at, type BarRow, bars } from './world.ts';

const OPENS = at('2024-03-05T15:00:00-05:00');
const HOUR_MS = 3_600_000;

const aPrice = fc.integer({ min: 1, max: 1_000 });
/** Hourly bars of two days, and the queried ticks. */
const aTape = fc.record({
  rows: fc.array(fc.tuple(aPrice, aPrice, aPrice, aPrice, fc.integer({ min: 0, max: 9_999 })), {
    minLength: 2,
    maxLength: 12,
  }),
  asked: fc.uniqueArray(fc.nat(47), { minLength: 1, maxLength: 8 }),
});

describe('the figures of a day', () => {
  it('are the same whether every tick was queried or a few', () => {
    fc.assert(
      fc.property(aTape, ({ rows, asked }) => {
        const tape = new Tape(bars('AAPL.US', '1h', rows.map(rowOf)), PRINT_FILLS);
        const whole = new DayTally(tape);
        const every = Array.from({ length: rows.length * 4 }, (_, print) => whole.at(print));
        const hasty = new DayTally(tape);
        for (const print of asked.toSorted((one, other) => one - other)) {
          if (print < every.length) expect(hasty.at(print)).toEqual(every[print]);
        }
      }),
    );
  });
});

describe('the first tick from an instant on', () => {
  it('is the same for any order of instants', () => {
    const asked = fc.array(fc.tuple(fc.integer({ min: -8, max: 60 }), fc.boolean()), { minLength: 1 });
    fc.assert(
      fc.property(aTape, asked, ({ rows }, instants) => {
        const tape = new Tape(bars('AAPL.US', '1h', rows.map(rowOf)), PRINT_FILLS);
        const times = Array.from({ length: rows.length * 4 }, (_, print) => tape.time(print));
        for (const [quarters, isAfter] of instants) {
          const instant = OPENS - 5 * HOUR_MS + (quarters * HOUR_MS) / 4;
          const first = times.findIndex((time) => (isAfter ? time > instant : time >= instant));
          expect(tape.firstFrom(instant, isAfter)).toBe(first < 0 ? NO_PRINT : first);
        }
      }),
    );
  });
});

/** The first bar is the last of its day; the others follow from the next open on, six per day. */
function rowOf(
  [one, two, three, four, volume]: readonly [number, number, number, number, number],
  place: number,
): BarRow {
  const day = Math.floor((place + 5) / 6);
  const hour = (place + 5) % 6;
  const opens = OPENS + (day * 24 - 5 + hour) * HOUR_MS;
  const low = Math.min(one, two, three, four);
  const high = Math.max(one, two, three, four);
  return [opens, one, high, low, two, volume];
}
