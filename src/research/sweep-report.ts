import type { SweepMethod } from '../config/sweep/sweep-axes.ts';
import type { Axis } from './axes.ts';
import type { Overfitting } from './overfitting.ts';
import { SWEEP_SCHEMA, type SweepFindings } from './sweep-result.ts';

/** Definition of a sweep: everything that determines its trials, and the objective that ranks them. */
export interface SweepDescription {
  readonly config: string;
  /** Names of the strategies. */
  readonly strategy: string;
  readonly symbols: readonly string[];
  readonly period: string;
  readonly from: string;
  readonly to: string;
  readonly method: SweepMethod;
  readonly seed: number;
  readonly axes: readonly Axis[];
  readonly where: string | undefined;
  readonly objective: string;
  /** SHA-256 of the strategies' code, and of their data. */
  readonly code: string;
  readonly data: string;
}

/** A finished sweep. */
export interface SweepReport extends SweepDescription {
  readonly findings: SweepFindings;
  /** Of this sweep's trials only; absent if fewer than two have daily returns. */
  readonly overfitting?: Overfitting | undefined;
}

/**
 * The result file, piece by piece: keys in a fixed order, a line per trial, no machine times. Equal sweeps give equal
 * bytes.
 */
export function* sweepJson(report: SweepReport): Generator<string> {
  const { findings, where, overfitting, ...description } = report;
  const head = {
    schema: SWEEP_SCHEMA,
    ...description,
    where: where ?? null,
    overfitting: overfitting ?? null,
  };
  yield `${JSON.stringify(head).slice(0, -1)},\n"best": `;
  yield* listed(findings.best);
  yield ',\n"importance": ';
  yield* listed(findings.importance);
  yield ',\n"failed": ';
  yield* listed(findings.failed);
  yield ',\n"trials": ';
  yield* listed(findings.trials, '[\n]');
  yield '}\n';
}

/** A list with a line per value, piece by piece; `none` is the empty list. */
function* listed(values: Iterable<unknown>, none = '[]'): Generator<string> {
  let separator = '[';
  for (const value of values) {
    yield `${separator}\n${JSON.stringify(value)}`;
    separator = ',';
  }
  yield separator === '[' ? none : '\n]';
}
