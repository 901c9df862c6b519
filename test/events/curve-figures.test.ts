import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CurveFold } from '#src/events/curve/curve-figures.ts';
import { exposureOf, HoldingCloses } from '#src/events/curve/curve-input.ts';
import { HOUR_MS, millis } from '#src/model/time.ts';

const START = millis(Date.UTC(2024, 0, 2));

/** Closes at which the same was held: few different prices and sums, so that equity meets old peaks and lows again. */
const stretches = fc.array(
  fc.record({
    cash: fc.constantFrom(0, 100, 250, 400.5, -700),
    quantity: fc.constantFrom(0, 0, 1, 2, 3.5, -1),
    closes: fc.array(
      fc.record({ hours: fc.integer({ min: 1, max: 30 }), price: fc.integer({ min: 90, max: 130 }) }),
      { minLength: 1, maxLength: 12 },
    ),
  }),
  { maxLength: 20 },
);

describe('figures of a curve', () => {
  it('are the same to the last bit of what was held as of equity close by close', () => {
    const deep = { yes: 0, back: 0 };
    fc.assert(
      fc.property(stretches, fc.constantFrom(300, 0.5, 1_000), (held, initial) => {
        const [bySpan, byRow] = [
          new CurveFold(START, initial, ['US']),
          new CurveFold(START, initial, ['US']),
        ];
        const rows: { at: number; equity: number }[] = [];
        let at: number = START;
        for (const { cash, quantity, closes } of held) {
          const span = new HoldingCloses();
          // Rows that are none of the stretch lie before and behind it.
          span.time = Float64Array.from([0, ...closes.map(({ hours }) => (at += hours * HOUR_MS)), 1e15]);
          span.close = Float64Array.from([1, ...closes.map(({ price }) => price / 10), 1]);
          Object.assign(span, { from: 1, end: closes.length + 1, cash, quantity });
          if (quantity === 0) bySpan.addCash(span);
          else bySpan.addOne(span);
          const worth = span.close.slice(1, -1).map((price) => quantity * price);
          const value = worth.map((each) => cash + each);
          const exposure = worth.map((each, row) => exposureOf(Math.abs(each), value[row] as number));
          const time = span.time.slice(1, -1);
          byRow.add(time, value, exposure, closes.length);
          for (const [row, equity] of value.entries()) rows.push({ at: time[row] as number, equity });
        }
        const figures = bySpan.figures();
        expect(figures).toEqual(byRow.figures());
        const { share, recoveredAt } = figures.drawdown;
        expect(share).toBe(deepestFall(initial, rows));
        if (share > 0) deep[recoveredAt === undefined ? 'yes' : 'back'] += 1;
      }),
    );
    expect(Math.min(deep.yes, deep.back)).toBeGreaterThan(0);
  });

  it('tell the lowest equity behind a peak, when it was there first, and when it was back', () => {
    const hours = [1, 2, 3, 4, 5, 6];
    const fold = new CurveFold(START, 100, ['US']);
    const time = Float64Array.from(hours, (hour) => START + hour * HOUR_MS);
    fold.add(time, Float64Array.of(120, 120, 90, 96, 90, 120), new Float64Array(6), 6);
    expect(fold.figures().drawdown).toEqual({
      share: 0.25,
      peakAt: START + 2 * HOUR_MS,
      troughAt: START + 3 * HOUR_MS,
      recoveredAt: START + 6 * HOUR_MS,
      durationMs: 4 * HOUR_MS,
    });
  });
});

/** Every close with the highest of all before it. */
function deepestFall(initial: number, rows: readonly { readonly equity: number }[]): number {
  const line = [initial, ...rows.map(({ equity }) => equity)];
  const falls = line.map((now, row) => {
    const peak = Math.max(...line.slice(0, row + 1));
    return peak > 0 ? 1 - now / peak : 0;
  });
  return Math.max(0, ...falls);
}
