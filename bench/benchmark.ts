/** How much work a benchmark does: `smoke` only shows that it runs and that its gates hold. */
export type Scale = 'full' | 'smoke';

/** Something that must hold, or the figure of its row means nothing. */
export interface Gate {
  readonly what: string;
  readonly holds: boolean;
  readonly saw: string;
}

/** What a row's ratio should come to; a goal is compared, and missing it fails nothing. */
export interface Goal {
  readonly is: 'at least' | 'at most';
  readonly ratio: number;
}

/** One line of the table: ours compared with a yardstick, alternating, in one run. */
export interface Row {
  readonly id: string;
  readonly work: string;
  /** Medians of all rounds, in `unit`; undefined where it did not run, which `notes` explain. */
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

/** One benchmark, run alone or with the others; its rows are found by `name`, or begin with it. */
export interface Benchmark {
  readonly name: string;
  /** Whether it runs the built package, which is built once before all of them. */
  readonly usesPackage?: boolean;
  /** `bars` replaces the number of bars of a benchmark whose size can be chosen. */
  readonly run: (scale: Scale, bars?: number) => readonly Row[] | Promise<readonly Row[]>;
}

export const atLeast = (ratio: number): Goal => ({ is: 'at least', ratio });
export const atMost = (ratio: number): Goal => ({ is: 'at most', ratio });

/** Whether a row reaches its goal; undefined when it has none, or no ratio. */
export function reaches({ ratio, goal }: Pick<Row, 'ratio' | 'goal'>): boolean | undefined {
  if (ratio === undefined || goal === undefined) return undefined;
  return goal.is === 'at least' ? ratio >= goal.ratio : ratio <= goal.ratio;
}
