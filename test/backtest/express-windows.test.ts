import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type CompletedRun, runExpress } from '#src/backtest/express/run-express.ts';
import { runBacktest } from '#src/backtest/run-backtest.ts';
import { openingEquity } from '#src/backtest/setup.ts';
import { curveFigures, marketsOf } from '#src/events/curve/curve-figures.ts';
import { readBarsCached } from '#src/market-data/cache.ts';
import { writeBars } from '#src/market-data/csv-text.ts';
import type { BarColumns } from '#src/model/bar.ts';
import { expectEqual } from '../fixtures/expect-equal.ts';
import { figuresOf } from '../fixtures/outcomes.ts';
import { someBehaviour, someSample, strategyOf, withLongLivedOrders } from '../fixtures/random-behaviours.ts';
import { randomCases } from '../fixtures/random-cases.ts';

const runs = Number(process.env['SLUICE_RUNS'] ?? randomCases(40, 30));

/** Every other run has orders that outlive the bars which are evaluated together. */
const someLasting = fc
  .record({
    sample: someSample,
    behaviour: fc.oneof(fc.constant(undefined), withLongLivedOrders(someBehaviour)),
  })
  .map(({ sample, behaviour = sample.behaviour }) => ({ ...sample, behaviour }));

describe('a run in plain numbers', () => {
  it('is the same to the last bit however few of its bars are evaluated together, whatever contexts the strategy keeps', () => {
    const completed = { yes: 0, no: 0 };
    fc.assert(
      fc.property(someLasting, fc.integer({ min: 1, max: 40 }), ({ setup, behaviour }, rowsAtOnce) => {
        const [seen, seenInPieces]: [unknown[], unknown[]] = [[], []];
        const whole = runExpress(
          { ...setup, strategy: strategyOf(behaviour, seen, []) },
          Number.MAX_SAFE_INTEGER,
        );
        const pieces = runExpress(
          { ...setup, strategy: strategyOf(behaviour, seenInPieces, []) },
          rowsAtOnce,
        );
        completed[whole.kind === 'completed' ? 'yes' : 'no'] += 1;
        if (whole.kind === 'bailed-out' || pieces.kind === 'bailed-out') {
          expect(pieces).toMatchObject({
            kind: whole.kind,
            why: whole.kind === 'bailed-out' ? whole.why : '',
          });
          // A run over more bars looks farther ahead and may bail out at an earlier event; the full engine repeats
          // both from the start.
          const both = Math.min(seen.length, seenInPieces.length);
          expectEqual(seenInPieces.slice(0, both), seen.slice(0, both));
          return;
        }
        expectEqual(seenInPieces, seen);
        expectEqual(outcomeOf(pieces), outcomeOf(whole));
        const { curve, equity } = whole;
        expectEqual(pieces.equity(), equity());
        expect(
          curveFigures(whole.begin, openingEquity(setup), equity(), marketsOf(setup.securities)),
        ).toEqual(curve);
      }),
      { numRuns: runs, endOnFailure: Boolean(process.env['SLUICE_RUNS']) },
    );
    expect(completed.yes).toBeGreaterThan(runs / 5);
    expect(completed.no).toBeGreaterThan(0);
  });

  it('is the same to the last bit over cached bars', () => {
    let completed = 0;
    const dir = mkdtempSync(join(tmpdir(), 'sluice-windows-'));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    fc.assert(
      fc.property(someSample, fc.integer({ min: 1, max: 40 }), ({ setup, behaviour }, blockRows) => {
        const history = setup.history.map((bars) => cached(bars, dir, blockRows));
        const [seen, seenInFile]: [unknown[], unknown[]] = [[], []];
        const memory = runBacktest({ ...setup, strategy: strategyOf(behaviour, seen, []) });
        const file = runBacktest({ ...setup, history, strategy: strategyOf(behaviour, seenInFile, []) });
        expectEqual(seenInFile, seen);
        if (file.curve !== undefined) completed += 1;
        expectEqual(figuresOf(file), figuresOf(memory));
        expectEqual(file.equity, memory.equity);
        expectEqual(file.fillColumns, memory.fillColumns);
        expect(file.bounds).toEqual(memory.bounds);
        expect(file.assumptions).toEqual(memory.assumptions);
        expectEqual(file.fills, memory.fills);
      }),
      { numRuns: Math.ceil(runs / 6), endOnFailure: Boolean(process.env['SLUICE_RUNS']) },
    );
    expect(completed).toBeGreaterThan(0);
  });
});

/** The result of a run without the decisions of its strategy. */
function outcomeOf({ decisions: _, equity: _curve, ...outcome }: CompletedRun) {
  return outcome;
}

/** The same bars from a cache with blocks of a few rows. */
function cached(bars: BarColumns, dir: string, blockRows: number): BarColumns {
  const file = join(dir, `${bars.symbol}.${bars.period}.csv`);
  const cache = { dir: join(dir, 'cache'), blockRows };
  const source = { file, symbol: bars.symbol, period: bars.period };
  writeFileSync(file, writeBars(bars));
  rmSync(cache.dir, { recursive: true, force: true });
  readBarsCached(file, source, cache);
  return readBarsCached(file, source, cache).columns;
}
