import type { BarColumns } from '../../src/model/bar.ts';
import type { Security } from '../../src/model/security.ts';
import type { PeerName, PeerRules } from '../peers.ts';
import type { RunResult } from '../run-result.ts';

/** The market of a shape: securities and their bars in the same order. */
export interface ShapeMarket {
  readonly securities: readonly Security[];
  readonly history: readonly BarColumns[];
}

/** One kind of strategy as users write it, compared with a hand-written loop that makes the same fills. */
export interface Shape {
  /** Name of the row, of the strategy in `shapes/strategies/`, and of its config. */
  readonly id: string;
  readonly work: string;
  /** Loop time / run time that the shape should reach. */
  readonly loopRatio: number;
  /** What the strategy's config sets beyond name, symbols, period, account, data and wide limits. */
  readonly config: string;
  /** Limits of its `risk` section in place of those. */
  readonly risk?: Readonly<Record<string, string>>;
  /** Most bars in total; a shape of daily bars ends with the calendar. Unlimited when absent. */
  readonly barsMax?: number;
  /** True where a hook is called at every bar: such a bar may cost 10 times one of s1, otherwise twice. */
  readonly hearsEveryBar?: boolean;
  /** The same shape for other libraries, where they can do it. */
  readonly peers?: { readonly rules: PeerRules; readonly names: readonly PeerName[] };
  readonly market: (bars: number) => ShapeMarket;
  readonly loop: (history: readonly BarColumns[]) => RunResult;
}

/** Opening cash of every shape, in its account's currency. */
export const CASH = 100_000_000;
