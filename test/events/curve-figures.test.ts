import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CurveFold } from '#src/events/curve/curve-figures.ts';
import { exposureOf } from '#src/events/curve/curve-input.ts';
import { HOUR_MS, millis } from '#src/model/time.ts';

const START = millis(Date.UTC(2024, 0, 2));

/**
 * Closes with a constant position: few different prices and sums, so that equity reaches old peaks and lows again.
 */
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
  it('are the same to the last bit in pieces and in one, including the maximum drawdown', () => {
    const deep = { yes: 0, back: 0 };
    fc.assert(
      fc.property(stretches, fc.constantFrom(300, 0.5, 1_000), (held, initial) => {
        const [inPieces, inOne] = [
          new CurveFold(START, initial, ['US']),
          new CurveFold(START, initial, ['US']),
        ];
        const rows: { at: number; equity: number; exposure: number }[] = [];
        let at: number = START;
        for (const { cash, quantity, closes } of held) {
          const piece = closes.map(({ hours, price }) => {
            at += hours * HOUR_MS;
            const worth = (quantity * price) / 10;
            return { at, equity: cash + worth, exposure: exposureOf(Math.abs(worth), cash + worth) };
          });
          add(inPieces, piece);
          rows.push(...piece);
        }
        add(inOne, rows);
        const figures = inPieces.figures();
        expect(figures).toEqual(inOne.figures());
        const { share, recoveredAt } = figures.drawdown;
        expect(share).toBe(deepestFall(initial, rows));
        if (share > 0) deep[recoveredAt === undefined ? 'yes' : 'back'] += 1;
      }),
    );
    expect(Math.min(deep.yes, deep.back)).toBeGreaterThan(0);
  });

  it('report the lowest equity after a peak, when it was first reached, and when the peak was regained', () => {
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

function add(fold: CurveFold, rows: readonly { at: number; equity: number; exposure: number }[]): void {
  const column = (of: 'at' | 'equity' | 'exposure') => Float64Array.from(rows, (row) => row[of]);
  fold.add(column('at'), column('equity'), column('exposure'), rows.length);
}

/** Every close with the highest of all previous ones. */
function deepestFall(initial: number, rows: readonly { readonly equity: number }[]): number {
  const line = [initial, ...rows.map(({ equity }) => equity)];
  const falls = line.map((now, row) => {
    const peak = Math.max(...line.slice(0, row + 1));
    return peak > 0 ? 1 - now / peak : 0;
  });
  return Math.max(0, ...falls);
}
