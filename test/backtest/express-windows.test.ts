import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runExpress } from '#src/backtest/express/run-express.ts';
import { openingEquity } from '#src/backtest/setup.ts';
import { curveFigures } from '#src/events/curve-figures.ts';
import { someSample, strategyOf } from '../fixtures/some-habits.ts';

const runs = Number(process.env['SLUICE_RUNS'] ?? 60);

describe('a run that plain numbers carry', () => {
  it('is the same to the last bit however few of its bars are looked at together, whatever contexts it keeps', () => {
    const arrived = { yes: 0, no: 0 };
    fc.assert(
      fc.property(someSample, fc.integer({ min: 1, max: 40 }), ({ setup, habit }, rowsAtOnce) => {
        const [seen, seenInPieces]: [unknown[], unknown[]] = [[], []];
        const whole = runExpress(
          { ...setup, strategy: strategyOf(habit, seen, []) },
          Number.MAX_SAFE_INTEGER,
        );
        const pieces = runExpress({ ...setup, strategy: strategyOf(habit, seenInPieces, []) }, rowsAtOnce);
        expect(seenInPieces).toEqual(seen);
        arrived[whole.kind === 'arrived' ? 'yes' : 'no'] += 1;
        if (whole.kind === 'left' || pieces.kind === 'left') {
          expect(pieces).toMatchObject({ kind: whole.kind, why: whole.kind === 'left' ? whole.why : '' });
          return;
        }
        const { curve, equity, lastBars, fills, signals, orders, bars } = whole;
        expect(pieces).toMatchObject({ curve, lastBars, fills, signals, orders, bars });
        expect(pieces.equity()).toEqual(equity());
        expect(curveFigures(whole.start, openingEquity(setup), equity())).toEqual(curve);
      }),
      { numRuns: runs, endOnFailure: Boolean(process.env['SLUICE_RUNS']) },
    );
    expect(arrived.yes).toBeGreaterThan(runs / 5);
    expect(arrived.no).toBeGreaterThan(0);
  });
});
