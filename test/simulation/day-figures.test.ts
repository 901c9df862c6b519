import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DayTally } from '#src/simulation/market/day-figures.ts';
import { Tape } from '#src/simulation/market/tape.ts';
import { PRINT_FILLS } from '#src/simulation/models.ts';
import { at, type BarRow, bars } from './world.ts';

const OPENS = at('2024-03-05T15:00:00-05:00');
const HOUR_MS = 3_600_000;

const aPrice = fc.integer({ min: 1, max: 1_000 });
/** Bars of two days, an hour each, and the queried prints. */
const aTape = fc.record({
  rows: fc.array(fc.tuple(aPrice, aPrice, aPrice, aPrice, fc.integer({ min: 0, max: 9_999 })), {
    minLength: 2,
    maxLength: 12,
  }),
  asked: fc.uniqueArray(fc.nat(47), { minLength: 1, maxLength: 8 }),
});

describe('the figures of a day', () => {
  it('are the same whether every print was asked about or a few', () => {
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

/** The first bar is the last of its day, the others follow from the next open on, in days of six. */
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
