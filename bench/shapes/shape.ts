import type { BarColumns } from '../../src/model/bar.ts';
import type { Security } from '../../src/model/security.ts';
import type { PeerName, PeerRules } from '../peers.ts';
import type { RunResult } from '../run-result.ts';

/** The market of a shape: securities, and their bars in the same order. */
export interface ShapeMarket {
  readonly securities: readonly Security[];
  readonly history: readonly BarColumns[];
}

/** A typical kind of strategy, compared with a hand-written loop that makes the same fills. */
export interface Shape {
  /** Name of the row, of the strategy in `shapes/strategies/`, and of its config. */
  readonly id: string;
  readonly work: string;
  /** Goal for loop time / run time. */
  readonly loopRatio: number;
  /** Settings of the config other than name, symbols, period, account, data and wide limits. */
  readonly config: string;
  /** Limits that replace those of the default `risk` section. */
  readonly risk?: Readonly<Record<string, string>>;
  /** Maximum bars in total; a shape of daily bars ends with the calendar. No maximum if absent. */
  readonly barsMax?: number;
  /** True if a hook is called at every bar. Such a bar may cost 10 times one of s1, otherwise 2 times. */
  readonly hearsEveryBar?: boolean;
  /** The same shape for other libraries, if they support it. */
  readonly peers?: { readonly rules: PeerRules; readonly names: readonly PeerName[] };
  readonly market: (bars: number) => ShapeMarket;
  readonly loop: (history: readonly BarColumns[]) => RunResult;
}

/** Opening cash of every shape, in its account's currency. */
export const CASH = 100_000_000;
