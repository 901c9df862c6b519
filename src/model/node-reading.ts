/** The values of a signal graph node at the latest bar. */
export interface NodeReading {
  /** Indicator, inputs and parameters, as in `sma(close,10)`. */
  readonly key: string;
  /** The strategy's names for the node, groups as `group.part`; empty for a node that is only an input of others. */
  readonly names: readonly string[];
  readonly kind: 'source' | 'series' | 'signal';
  /** Keys of its inputs. */
  readonly inputs: readonly string[];
  /** One value per column; direction and strength for a signal; null while undefined. */
  readonly values: readonly (number | null)[];
  /** Bars until the node no longer depends on where the feed began; 0 from then on. */
  readonly warmupLeft: number;
}
