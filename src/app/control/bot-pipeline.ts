import { lastValueFrom } from 'rxjs';
import type { Engine } from '../../engine/engine.ts';
import type { CallsUsed } from '../../ports/call-budget.ts';
import type { GraphReading, SignalEvaluator } from '../../ports/strategy-host.ts';
import { toObservable } from '../../ports/to-observable.ts';

/** State of a running bot's pipeline that its journal does not contain, as sent over its control socket. */
export interface BotPipeline {
  /** Counts since the start of this run. */
  readonly seen: { readonly quotes: number; readonly bars: number; readonly signals: number };
  readonly strategies: readonly StrategyGraph[];
  /** Calls of the latest window by kind; null if the venue does not limit calls. */
  readonly calls: CallsUsed | null;
}

/** The signal graph of one strategy. */
export interface StrategyGraph {
  readonly name: string;
  /** Bars of each symbol before the first decision. */
  readonly warmup: number;
  /** Null while the strategy is busy, or after it ended. */
  readonly symbols: GraphReading['symbols'] | null;
}

export interface PipelineSources {
  readonly engine: Pick<Engine, 'flow'>;
  readonly strategies: readonly {
    readonly name: string;
    readonly signals: Pick<SignalEvaluator, 'warmup' | 'nodes'>;
  }[];
  readonly calls: () => CallsUsed | undefined;
}

/** Reads the pipeline of a bot, without interrupting a strategy that handles an event. */
export async function botPipeline({ engine, strategies, calls }: PipelineSources): Promise<BotPipeline> {
  const graphs = await Promise.all(
    strategies.map(async ({ name, signals }) => {
      const read =
        signals.nodes === undefined ? undefined : await lastValueFrom(toObservable(signals.nodes()));
      return { name, warmup: signals.warmup, symbols: read?.symbols ?? null };
    }),
  );
  const { quotes, bars, signals } = engine.flow();
  return { seen: { quotes, bars, signals }, strategies: graphs, calls: calls() ?? null };
}
