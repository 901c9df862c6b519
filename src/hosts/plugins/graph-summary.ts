/** What a strategy's signal graph is, seen from outside. */
export interface GraphSummary {
  /** Names of signals and series; a graph that names nothing is not asked about bars. */
  readonly names: readonly string[];
  /** Bars of each symbol that are fed before the first is decided on. */
  readonly warmup: number;
}

export const NO_GRAPH: GraphSummary = { names: [], warmup: 0 };
