/** A node of a signal graph at the newest bar. */
export interface NodeReading {
  /** Indicator, inputs and parameters, as in `sma(close,10)`. */
  readonly key: string;
  /** What the strategy calls it, groups as `group.part`; empty for a node that is only an input of others. */
  readonly names: readonly string[];
  readonly kind: 'source' | 'series' | 'signal';
  /** Keys of its inputs. */
  readonly inputs: readonly string[];
  /** One for each column, of a signal direction and strength; null while undefined. */
  readonly values: readonly (number | null)[];
  /** Bars until it has forgotten where the feed began; 0 from then on. */
  readonly warmupLeft: number;
}
