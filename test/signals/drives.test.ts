import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BarColumns } from '#src/model/bar.ts';
import { barsBetween } from '#src/model/bar-columns.ts';
import { bars } from '#src/signals/bars.ts';
import { CATALOGUE } from '#src/signals/catalogue/catalogue.ts';
import { BLOCK_BARS } from '#src/signals/column-evaluator.ts';
import { either, inverse, when } from '#src/signals/combine.ts';
import { crossover, every, first, threshold } from '#src/signals/cross.ts';
import { above } from '#src/signals/indicators/arithmetic.ts';
import { ema, sma } from '#src/signals/indicators/averages.ts';
import { rsi } from '#src/signals/indicators/momentum.ts';
import { compileSignals, type SignalProgram, type SignalRecord } from '#src/signals/program.ts';
import type { ColumnSignal } from '#src/signals/signal-events.ts';
import { eachBar, someBars, walk } from './some-bars.ts';

const cross = crossover(sma(bars.close, 3), sma(bars.close, 8));

/** Every indicator of the catalogue and every kind of signal, in one graph. */
const everything: SignalRecord = {
  ...Object.fromEntries(
    CATALOGUE.flatMap(({ entries }) => entries.map(({ name, example }) => [name, example(bars)])),
  ),
  cross,
  held: crossover(ema(bars.close, 4), 100, { ties: 'hold' }),
  strict: crossover(bars.close, bars.open, { ties: 'cancel' }),
  extremes: threshold(rsi(bars.close, 5), { above: 70, below: 30 }),
  start: first(bars),
  rising: when(every(bars), above(bars.close, sma(bars.close, 5))),
  turned: inverse(cross),
  any: either(cross, threshold(bars.close, { above: 100 })),
};

/** Signals and values of the bar-by-bar drive. */
function stepThrough(program: SignalProgram, data: BarColumns, warmupEnd: number) {
  const stepper = program.stepper({ warmupEnd });
  const values = new Map(program.names.map((name) => [name, new Float64Array(data.length)]));
  const said: ColumnSignal[] = [];
  for (const [index, bar] of eachBar(data).entries()) {
    for (const raw of stepper.push(bar)) said.push({ index, ...raw });
    for (const [name, column] of values) column[index] = stepper.value(name);
  }
  return { values, said };
}

/** First index at which two columns differ in any bit; NaN equals NaN. */
function firstDifference(a: Float64Array, b: Float64Array): number {
  return a.findIndex((value, index) => !Object.is(value, b[index]));
}

describe('the two drives of a signal graph', () => {
  const program = compileSignals(everything);

  it('emit the same crossings, over more bars than are computed at once and in runs of any length', () => {
    const alone = compileSignals({ cross });
    const data = walk(3 * BLOCK_BARS, 5);
    fc.assert(
      fc.property(fc.nat(data.length), fc.integer({ min: 500, max: 2 * BLOCK_BARS }), (warmupEnd, run) => {
        const { said } = stepThrough(alone, data, warmupEnd);
        expect([...alone.overColumns(data, { warmupEnd })]).toEqual(said);
        const scan = alone.scan({ warmupEnd });
        const inRuns: ColumnSignal[] = [];
        for (let bar = 0; bar < data.length; bar += run)
          inRuns.push(...scan.feed(barsBetween(data, bar, Math.min(bar + run, data.length))));
        expect(inRuns).toEqual(said);
      }),
      { numRuns: 20 },
    );
  });

  it('give the same bits for every indicator and the same events', () => {
    fc.assert(
      fc.property(someBars(400), fc.nat(200), (data, warmupEnd) => {
        const live = stepThrough(program, data, warmupEnd);
        const columns = program.overColumns(data, { warmupEnd });
        for (const [name, column] of live.values) {
          expect([name, firstDifference(column, columns.column(name))]).toEqual([name, -1]);
        }
        expect([...columns]).toEqual(live.said);
      }),
      { numRuns: 25 },
    );
  });

  it('give the same over more bars than one block holds', () => {
    const data = walk(5_000, 7);
    const live = stepThrough(program, data, 0);
    const columns = program.overColumns(data, { warmupEnd: 0 });
    for (const [name, column] of live.values) {
      expect([name, firstDifference(column, columns.column(name))]).toEqual([name, -1]);
    }
    expect([...columns]).toEqual(live.said);
    expect(columns.count).toBeGreaterThan(1_000);
  });

  it('emit the same when columns come in pieces', () => {
    fc.assert(
      fc.property(someBars(300), fc.array(fc.nat(300), { maxLength: 5 }), (data, cuts) => {
        const edges = [0, ...cuts.filter((cut) => cut < data.length).sort((a, b) => a - b), data.length];
        const scan = program.scan({ warmupEnd: 10 });
        const pieces = edges
          .slice(1)
          .flatMap((to, i) => [...scan.feed(barsBetween(data, edges[i] ?? 0, to))]);
        expect(pieces).toEqual([...program.overColumns(data, { warmupEnd: 10 })]);
      }),
      { numRuns: 25 },
    );
  });
});

describe('every indicator', () => {
  const data = walk(1_500, 11);

  for (const { name, example } of CATALOGUE.flatMap(({ entries }) => entries)) {
    const program = compileSignals({ [name]: example(bars) });
    const columns = program.overColumns(data, { warmupEnd: 0 });

    it(`${name} has a value from the bar it declares, and on all bars after it`, () => {
      const firsts = program.names.map((part) => columns.column(part).findIndex(Number.isFinite));
      expect(Math.max(...firsts)).toBe(program.defined);
      for (const part of program.names) {
        const column = columns.column(part);
        const start = column.findIndex(Number.isFinite);
        expect(column.subarray(start).every(Number.isFinite)).toBe(true);
      }
    });
  }

  /** Running totals keep the level of their first bar by definition. */
  const levels = new Set(['obv', 'accumulationDistribution']);
  const forgetful = CATALOGUE.flatMap(({ entries }) => entries).filter(({ name }) => !levels.has(name));

  for (const { name, example } of forgetful) {
    it(`${name} does not depend on where the feed began once it has settled`, () => {
      const program = compileSignals({ [name]: example(bars) });
      const from = 700;
      const long = walk(from + program.settled + 300, 5);
      const whole = program.overColumns(long, { warmupEnd: 0 });
      const late = program.overColumns(barsBetween(long, from), { warmupEnd: 0 });
      for (const part of program.names) {
        const [all, some] = [whole.column(part), late.column(part)];
        for (let i = program.settled; i < some.length; i++) {
          const [want, got] = [all[from + i] as number, some[i] as number];
          expect(Math.abs(got - want)).toBeLessThan(1e-7 * Math.max(1, Math.abs(want)));
        }
      }
    });
  }
});
