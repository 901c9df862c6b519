import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import type { Axis } from '#src/research/axes.ts';
import { readExpression } from '#src/research/expression.ts';
import { overfittingOf } from '#src/research/overfitting.ts';
import { ParamTable } from '#src/research/param-table.ts';
import { seededRandom } from '#src/research/seeded-random.ts';
import { sweepPage } from '#src/research/sweep-page.ts';
import { sweepJson } from '#src/research/sweep-report.ts';
import { findingsOf } from '#src/research/sweep-result.ts';
import { FIGURES, momentsOf, type TrialFigures, type TrialOutcome } from '#src/research/trial.ts';
import { TrialColumns, TrialList } from '#src/research/trial-columns.ts';

const MODE: Axis = { kind: 'listed', name: 'mode', values: ['slow', 'quick'] };
const LONG: Axis = { kind: 'listed', name: 'long', values: [false, true] };
const LENGTH: Axis = { kind: 'listed', name: 'length', values: [5, 10, 15] };
const WEIGHT: Axis = { kind: 'continuous', name: 'weight', from: 0, to: 1 };
const OBJECTIVE = readExpression('sharpe', FIGURES, 'the objective');

const random = seededRandom(5);
/** An outcome as a process sends it, without values shared with another one. */
function outcome(days = 40): TrialOutcome {
  const returns = momentsOf(Float64Array.from({ length: days }, () => random() - 0.5));
  const figures = Object.fromEntries(FIGURES.map((name) => [name, random()])) as unknown as TrialFigures;
  return JSON.parse(JSON.stringify({ kind: 'done', figures, returns }));
}

describe('a table of parameters', () => {
  it('returns the added values of every kind', () => {
    const table = new ParamTable([MODE, LONG, LENGTH, WEIGHT]);
    const rows = Array.from({ length: 200 }, (_, at) => ({
      mode: ['slow', 'quick'][at % 2] as string,
      long: at % 3 === 0,
      length: [5, 10, 15][at % 3] as number,
      weight: random(),
    }));
    for (const row of rows) table.add(row);
    expect([...table]).toEqual(rows);
    expect(Object.keys(table.paramsOf(7))).toEqual(['mode', 'long', 'length', 'weight']);
  });

  it('accepts no value that is not on its axis, and returns no trial that was not added', () => {
    const table = new ParamTable([LENGTH]);
    expect(() => table.add({ length: 7 })).toThrow('"7" is no value of axis "length"');
    expect(table.length).toBe(0);
    expect(() => table.paramsOf(0)).toThrow('There is no trial 0');
  });
});

describe('columns of trials', () => {
  it('are read as lists, which JSON writes whole', () => {
    const list = new TrialList(Uint32Array.of(4, 2, 7), (trial) => ({ trial }));
    expect(JSON.parse(JSON.stringify({ list }))).toEqual({
      list: [{ trial: 4 }, { trial: 2 }, { trial: 7 }],
    });
    expect([list.length, list.at(-1), list.first(2)]).toEqual([
      3,
      { trial: 7 },
      [{ trial: 4 }, { trial: 2 }],
    ]);
  });

  it('return the stored outcomes', () => {
    const columns = new TrialColumns([LENGTH], OBJECTIVE, 3);
    const first = outcome();
    const without = { ...outcome(), returns: null } as TrialOutcome;
    for (const length of [5, 10, 15]) columns.params.add({ length });
    columns.set(0, first);
    columns.set(2, without);
    if (first.kind !== 'done' || first.returns === null) throw new Error('no returns');
    expect([columns.has(0), columns.has(1), columns.has(2)]).toEqual([true, false, true]);
    expect(columns.figuresOf(0)).toEqual(first.figures);
    expect(columns.scoreOf(0)).toBe(first.figures.sharpe);
    const { blocks, ...moments } = first.returns;
    expect(columns.momentsOf(0)).toEqual(moments);
    expect(columns.momentsOf(2)).toBeNull();
    expect(Array.from(columns.samples, (each) => [...Array.from(each.blocks)])).toEqual([blocks]);
    columns.set(1, { kind: 'failed', message: 'it threw' });
    expect([...columns.numbersOf('done')]).toEqual([0, 2]);
    expect([...columns.numbersOf('failed')]).toEqual([1]);
    expect([columns.messageOf(1), columns.scoreOf(1)]).toEqual(['it threw', null]);
  });

  it('keep a missing figure as null', () => {
    const columns = new TrialColumns([LENGTH], OBJECTIVE, 1);
    const made = outcome();
    if (made.kind !== 'done') throw new Error('not done');
    columns.params.add({ length: 5 });
    columns.set(0, { ...made, figures: { ...made.figures, sharpe: null, wins: 0 } });
    expect(columns.scoreOf(0)).toBeNull();
    expect(columns.figuresOf(0)).toMatchObject({ sharpe: null, wins: 0, cagr: made.figures.cagr });
  });

  it('keep returns of more than 500 trials in 8 pieces, for the same probability of overfitting', () => {
    const samples = Array.from({ length: 501 }, () => outcome());
    const columns = new TrialColumns([WEIGHT], OBJECTIVE, samples.length);
    for (const [trial, each] of samples.entries()) {
      columns.params.add({ weight: trial / samples.length });
      columns.set(trial, each);
    }
    const whole = samples.flatMap((each) => (each.kind === 'done' ? (each.returns ?? []) : []));
    expect(overfittingOf(columns.samples)).toEqual(overfittingOf(whole));
    expect(overfittingOf(columns.samples)).toMatchObject({ blocks: 8, splits: 70, trials: 501 });
  });

  it('use no heap per trial, and neither do the findings', () => {
    setFlagsFromString('--expose-gc');
    const collect: () => void = runInNewContext('gc');
    const used = (): number => {
      collect();
      return process.memoryUsage().heapUsed;
    };
    const axes = [LENGTH, WEIGHT];
    const columns = new TrialColumns(axes, OBJECTIVE, 8_000);
    const until = (count: number): void => {
      for (let trial = columns.length; trial < count; trial += 1) {
        columns.params.add({ length: [5, 10, 15][trial % 3] as number, weight: random() });
        columns.set(trial, trial % 1_000 === 999 ? { kind: 'failed', message: 'it threw' } : outcome());
      }
    };
    until(2_000);
    const before = used();
    until(8_000);
    const findings = findingsOf(axes, columns);
    const after = used();
    // Outcomes as objects take some 3,000 bytes each.
    expect((after - before) / 6_000).toBeLessThan(60);
    expect([findings.trials.length, findings.failed.length]).toEqual([7_992, 8]);
    const description = { config: 'c', strategy: 's', symbols: ['A.US'], period: '1d', from: 'a', to: 'b' };
    const more = {
      method: 'random',
      seed: 1,
      where: undefined,
      objective: 'sharpe',
      code: '',
      data: '',
    } as const;
    const report = { ...description, ...more, axes, findings };
    expect(sweepPage(report).length).toBeLessThan(250_000);
    let [lines, longest] = [0, 0];
    for (const text of sweepJson(report)) {
      lines += text.split('\n').length - 1;
      longest = Math.max(longest, text.length);
    }
    expect(lines).toBeGreaterThan(8_000);
    expect(longest).toBeLessThan(5_000);
  });
});
