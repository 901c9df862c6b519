/** How much work a benchmark does. `smoke` only shows that it runs and that its gates hold. */
export type Scale = 'full' | 'smoke';

/** A condition without which the figure of a row is meaningless. The run fails if one does not hold. */
export interface Gate {
  readonly what: string;
  readonly holds: boolean;
  readonly saw: string;
}

/** The ratio that a row aims at. Missing a goal is reported and fails nothing. */
export interface Goal {
  readonly is: 'at least' | 'at most';
  readonly ratio: number;
}

/** One line of the table: our program and a yardstick, measured in alternation in one run. */
export interface Row {
  readonly id: string;
  readonly work: string;
  /** Medians of all rounds, in `unit`; undefined if not run, as `notes` explain. */
  readonly ours: number | undefined;
  readonly yardstick: number | undefined;
  readonly unit: string;
  readonly ratio: number | undefined;
  readonly goal: Goal | undefined;
  readonly gates: readonly Gate[];
  /** What the yardstick is, and what the figures leave out. */
  readonly notes: readonly string[];
  /** Further fields of the row in JSON. */
  readonly figures?: Readonly<Record<string, unknown>>;
}

/** One benchmark. The names of its rows are its `name` or begin with it. */
export interface Benchmark {
  readonly name: string;
  /** True if it runs the built package, which is built once for all of them. */
  readonly usesPackage?: boolean;
  /** `bars` overrides the number of bars, for benchmarks whose size can be chosen. */
  readonly run: (scale: Scale, bars?: number) => readonly Row[] | Promise<readonly Row[]>;
}

export const atLeast = (ratio: number): Goal => ({ is: 'at least', ratio });
export const atMost = (ratio: number): Goal => ({ is: 'at most', ratio });

/** Whether a row reaches its goal; undefined if it has no goal or no ratio. */
export function reaches({ ratio, goal }: Pick<Row, 'ratio' | 'goal'>): boolean | undefined {
  if (ratio === undefined || goal === undefined) return undefined;
  return goal.is === 'at least' ? ratio >= goal.ratio : ratio <= goal.ratio;
}
