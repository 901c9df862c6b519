import type { Caveat, Comparison } from '../reports/compare.ts';

/** What is kept of a project, by the folder that it is kept in. */
export const RUN_KINDS = [
  'backtests',
  'runs',
  'sweeps',
  'walk-forward',
  'cross-validation',
  'monte-carlo',
] as const;
export type RunKind = (typeof RUN_KINDS)[number];

/** Which run: its folder, and the folder that this is in. */
export interface RunName {
  readonly kind: RunKind;
  readonly name: string;
}

/** A run that was saved, as one row; a field is empty or null where its file does not say. */
export interface RunRow extends RunName {
  /** When its file was written, epoch milliseconds. */
  readonly savedAt: number;
  readonly strategy: string;
  readonly config: string;
  /** Options of the command that changed the config, such as `--param fast=5`. */
  readonly options: readonly string[];
  /** First and last day, ISO 8601. */
  readonly from: string;
  readonly to: string;
  /** Of a single run: shares as fractions. */
  readonly figures: {
    readonly totalReturn: number | null;
    readonly maxDrawdown: number | null;
    readonly sharpe: number | null;
    readonly closedTrades: number | null;
  } | null;
  /** Of a sweep: what ranks its trials, and the best value of it. */
  readonly objective: { readonly text: string; readonly best: number | null } | null;
  /** Whether it can be held against another run. */
  readonly isComparable: boolean;
  readonly hasReport: boolean;
  /** Why its file cannot be read; null when it can. */
  readonly problem: string | null;
}

/** Equity over time, epoch milliseconds and the account's currency. */
export interface RunCurve {
  readonly time: readonly number[];
  readonly equity: readonly number[];
  /** Equity before the first point, which returns are reckoned from; null where a file does not have it. */
  readonly initial: number | null;
}

/** Two runs side by side. */
export interface RunComparison {
  readonly comparison: Comparison;
  /** The caveats of the comparison, for the words of the page. */
  readonly caveats: readonly Caveat[];
  readonly curves: { readonly a: RunCurve; readonly b: RunCurve };
}

/** A report as one HTML file. */
export interface RunReport {
  readonly html: string;
  /** `own`: made here of a run's figures, with scripts that ship with the program; `stored`: read from the disk. */
  readonly origin: 'own' | 'stored';
}

/** The runs that a project keeps. */
export interface RunSource {
  /** The newest first. Other work of the process has its turn between two files that have to be read. */
  list(): Promise<readonly RunRow[]>;
  /** The row of one run; undefined where it is not there. */
  find(run: RunName): RunRow | undefined;
  /** Undefined where one of them is not there or is not comparable. Throws when a file cannot be read. */
  compare(a: RunName, b: RunName): RunComparison | undefined;
  /** Undefined where there is none. Throws when its file cannot be read. */
  report(run: RunName): RunReport | undefined;
}
