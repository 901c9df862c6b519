import type { Caveat, Comparison } from '../reports/compare.ts';

/** Kinds of saved results, by their folders. */
export const RUN_KINDS = [
  'backtests',
  'runs',
  'sweeps',
  'walk-forward',
  'cross-validation',
  'monte-carlo',
] as const;
export type RunKind = (typeof RUN_KINDS)[number];

/** A run by its folder, and the folder that contains it. */
export interface RunName {
  readonly kind: RunKind;
  readonly name: string;
}

/** A saved run as one row; a field is empty or null if its file does not have it. */
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
  /** Of a single run; shares are fractions. */
  readonly figures: {
    readonly totalReturn: number | null;
    readonly maxDrawdown: number | null;
    readonly sharpe: number | null;
    readonly closedTrades: number | null;
  } | null;
  /** Of a sweep: its objective, and the best value of it. */
  readonly objective: { readonly text: string; readonly best: number | null } | null;
  /** True if it can be compared with another run. */
  readonly isComparable: boolean;
  readonly hasReport: boolean;
  /** Why its file cannot be read; null if it can. */
  readonly problem: string | null;
}

/** Equity over time, epoch milliseconds and the account's currency. */
export interface RunCurve {
  readonly time: readonly number[];
  readonly equity: readonly number[];
  /** Equity before the first point, from which returns are computed; null if a file does not have it. */
  readonly initial: number | null;
}

/** Two runs side by side. */
export interface RunComparison {
  readonly comparison: Comparison;
  /** The caveats of the comparison as data, for the page's texts. */
  readonly caveats: readonly Caveat[];
  readonly curves: { readonly a: RunCurve; readonly b: RunCurve };
}

/** A report as one HTML file. */
export interface RunReport {
  readonly html: string;
  /** `own`: created here from a run's figures, with scripts of the program; `stored`: read from the disk. */
  readonly origin: 'own' | 'stored';
}

/** The saved runs of a project. */
export interface RunSource {
  /** Returns all rows, the newest first; yields to other work between two files that must be read. */
  list(): Promise<readonly RunRow[]>;
  /** Returns the row of one run; undefined if it does not exist. */
  find(run: RunName): RunRow | undefined;
  /** Undefined if one of them does not exist or is not comparable. Throws if a file cannot be read. */
  compare(a: RunName, b: RunName): RunComparison | undefined;
  /** Undefined if there is none. Throws if its file cannot be read. */
  report(run: RunName): RunReport | undefined;
}
