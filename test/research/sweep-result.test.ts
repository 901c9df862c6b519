import { describe, expect, it } from 'vitest';
import type { Axis } from '#src/research/axes.ts';
import { readExpression } from '#src/research/expression.ts';
import type { TrialParams } from '#src/research/param-table.ts';
import { sweepPage } from '#src/research/sweep-page.ts';
import { type SweepReport, sweepJson } from '#src/research/sweep-report.ts';
import { findingsOf } from '#src/research/sweep-result.ts';
import { sweepText } from '#src/research/sweep-text.ts';
import { FIGURES, type TrialFigures, type TrialOutcome } from '#src/research/trial.ts';
import { TrialColumns } from '#src/research/trial-columns.ts';

const A: Axis = { kind: 'listed', name: 'a', values: [1, 2, 3] };
const B: Axis = { kind: 'listed', name: 'b', values: [10, 20, 30] };
const OBJECTIVE = readExpression('sharpe', FIGURES, 'the objective');
const figures = (sharpe: number | null): TrialFigures => ({
  ...(Object.fromEntries(FIGURES.map((name) => [name, 0])) as unknown as TrialFigures),
  sharpe,
});

interface Trial {
  readonly params: TrialParams;
  readonly outcome: TrialOutcome;
}

function columnsOf(axes: readonly Axis[], trials: readonly Trial[]): TrialColumns {
  const columns = new TrialColumns(axes, OBJECTIVE, trials.length);
  for (const [trial, { params, outcome }] of trials.entries()) {
    columns.params.add(params);
    columns.set(trial, outcome);
  }
  return columns;
}

const findings = (axes: readonly Axis[], trials: readonly Trial[]) =>
  findingsOf(axes, columnsOf(axes, trials));

/** Nine trials with the objective `score`. */
function grid(score: (a: number, b: number) => number | null): readonly Trial[] {
  return [1, 2, 3].flatMap((a) =>
    [10, 20, 30].map((b) => ({
      params: { a, b },
      outcome: { kind: 'done', figures: figures(score(a, b)), returns: null } as const,
    })),
  );
}

function reportOf(trials: readonly Trial[], axes: readonly Axis[] = [A, B]): SweepReport {
  return {
    ...{ config: 'c.yaml', strategy: 's', symbols: ['SPX.US'], period: '1d', from: '2020-01-02' },
    ...{ to: '2020-12-31', method: 'grid', seed: 1, axes, where: undefined, objective: 'sharpe' },
    ...{ code: 'c0de', data: 'da7a', findings: findings(axes, trials) },
  };
}

describe('findings of a sweep', () => {
  it('rank trials by the objective, earlier trials first if it is equal, and leave out those without one', () => {
    const { best } = findings(
      [A, B],
      grid((a, b) => (a === 3 ? null : b)),
    );
    expect(best.map(({ trial }) => trial)).toEqual([2, 5, 1, 4, 0, 3]);
  });

  it('name what is one step away from a best trial, with median and worst', () => {
    const { best } = findings(
      [A, B],
      grid((a, b) => (a === 2 && b === 20 ? 99 : a + b)),
    );
    expect(best[0]?.trial).toBe(4);
    // One step on a: 1 + 20 and 3 + 20; on b: 2 + 10 and 2 + 30.
    expect(best[0]?.neighbours).toEqual({
      kind: 'step',
      trials: [
        { trial: 1, objective: 21 },
        { trial: 7, objective: 23 },
        { trial: 3, objective: 12 },
        { trial: 5, objective: 32 },
      ],
      median: 22,
      worst: 12,
    });
  });

  it('use the nearest trials if none is one step away', () => {
    const axis: Axis = { kind: 'continuous', name: 'x', from: 0, to: 1 };
    const trials = [0.1, 0.2, 0.5, 0.51, 0.55, 0.9].map((x): Trial => {
      return {
        params: { x },
        outcome: { kind: 'done', figures: figures(x === 0.5 ? 9 : x), returns: null },
      };
    });
    const { best } = findings([axis], trials);
    expect(best[0]?.neighbours).toMatchObject({ kind: 'nearest', worst: 0.1 });
    expect(best[0]?.neighbours.trials.map(({ trial }) => trial)).toEqual([3, 4, 1, 0]);
  });

  it('state the variance that an axis explains by itself: epsilon squared', () => {
    const { importance } = findings(
      [A, B],
      grid((a) => a),
    );
    expect(importance[0]).toMatchObject({ axis: 'a', share: 1 });
    // The groups of b do not differ: the share minus that of chance is below 0.
    expect(importance[1]).toMatchObject({ axis: 'b', share: 0 });
    const { importance: mixed } = findings(
      [A, B],
      grid((a, b) => a + b / 10),
    );
    // Groups of a: means 3, 4, 5; variation within groups 6 of 12 in total: 1 - (6 / 6) / (12 / 8) = 1/3.
    expect(mixed[0]?.share).toBeCloseTo(1 / 3, 12);
  });

  it('name failed trials, and continue without them', () => {
    const [first, ...others] = grid((a) => a);
    const failed: Trial = { ...(first as Trial), outcome: { kind: 'failed', message: 'threw <b>' } };
    const report = reportOf([failed, ...others]);
    expect([...report.findings.failed]).toEqual([
      { trial: 0, params: { a: 1, b: 10 }, message: 'threw <b>' },
    ]);
    expect(report.findings.trials).toHaveLength(8);
    expect(sweepText(report, { colour: false })).toContain('1 trial failed:\n  0 (a=1 b=10): threw <b>');
    expect(sweepPage(report)).toContain('threw &lt;b&gt;');
  });
});

describe('a report of a sweep', () => {
  it('is JSON whose bytes depend on the trials only', () => {
    const text = () => [...sweepJson(reportOf(grid((a, b) => a * b)))].join('');
    const read = JSON.parse(text());
    expect(read).toMatchObject({ schema: 'sluice.sweep/1', where: null, code: 'c0de' });
    expect(read.trials).toHaveLength(9);
    expect(read.best[0]).toMatchObject({ trial: 8, objective: 90 });
    expect(text()).toBe(text());
  });

  it('is a page without script or network, with a cell for every pair and a line for every trial', () => {
    const page = sweepPage(reportOf(grid((a, b) => a * b)));
    expect(page).not.toMatch(/<script|https?:\/\//);
    expect(page).toContain('default-src &#39;none&#39;');
    expect(page.match(/<td style="background/g)).toHaveLength(9);
    // The best trial has a second line under its own, which is yellow on white.
    expect(page.match(/<polyline/g)).toHaveLength(10);
    expect(page.match(/<polyline class="best"/g)).toHaveLength(1);
  });

  it('reports that no trial has a value of the objective', () => {
    const report = reportOf(grid(() => null));
    expect(sweepText(report, { colour: false })).toContain('No trial has a value of the objective');
    expect(sweepPage(report)).toContain('Best trials');
  });
});
