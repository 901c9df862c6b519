import { lastValueFrom } from 'rxjs';
import type { Engine } from '../../engine/engine.ts';
import type { CallsUsed } from '../../ports/call-budget.ts';
import { observed } from '../../ports/observed.ts';
import type { GraphReading, SignalDrive } from '../../ports/strategy-host.ts';

/** What a running bot knows of its pipeline in addition to its journal, as sent over its control socket. */
export interface BotPipeline {
  /** Since the start of this run. */
  readonly seen: { readonly quotes: number; readonly bars: number; readonly signals: number };
  readonly strategies: readonly StrategyGraph[];
  /** Calls of the newest window by kind; null where the venue counts none. */
  readonly calls: CallsUsed | null;
}

/** The signal graph of one strategy. */
export interface StrategyGraph {
  readonly name: string;
  /** Bars of each symbol before the first that is decided on. */
  readonly warmup: number;
  /** Null while the strategy is at work, or has ended. */
  readonly symbols: GraphReading['symbols'] | null;
}

/** What a pipeline is read from. */
export interface PipelineSources {
  readonly engine: Pick<Engine, 'flow'>;
  readonly strategies: readonly {
    readonly name: string;
    readonly signals: Pick<SignalDrive, 'warmup' | 'nodes'>;
  }[];
  readonly calls: () => CallsUsed | undefined;
}

/** Reads the pipeline of a bot. A strategy that has an event to answer is left alone. */
export async function botPipeline({ engine, strategies, calls }: PipelineSources): Promise<BotPipeline> {
  const graphs = await Promise.all(
    strategies.map(async ({ name, signals }) => {
      const read = signals.nodes === undefined ? undefined : await lastValueFrom(observed(signals.nodes()));
      return { name, warmup: signals.warmup, symbols: read?.symbols ?? null };
    }),
  );
  const { quotes, bars, signals } = engine.flow();
  return { seen: { quotes, bars, signals }, strategies: graphs, calls: calls() ?? null };
}
