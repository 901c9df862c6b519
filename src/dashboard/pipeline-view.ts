import type { BotSnapshot } from './bot-follower.ts';
import type { BotSource, ListedBot, LivePipeline } from './bot-source.ts';
import type { Bots } from './bots.ts';

/** Everything that the page of a pipeline shows. */
export type PipelineView = Pick<
  BotSnapshot,
  | 'name'
  | 'state'
  | 'strategy'
  | 'mode'
  | 'gate'
  | 'marketTime'
  | 'since'
  | 'zone'
  | 'quoteAgesMs'
  | 'flow'
  | 'seq'
  | 'unread'
  | 'fault'
> & {
  /** The rules of the gate, in the order in which they check an order. */
  readonly rules: readonly string[];
  /** Null for a bot that does not run or answer. */
  readonly live: LivePipeline | null;
};

/** Reads new records of a bot's journal and, while it runs, requests its pipeline. */
export async function pipelineOf(bot: ListedBot, bots: Bots, source: BotSource): Promise<PipelineView> {
  const [snapshot, live] = await Promise.all([
    bots.refresh(bot, 'some'),
    bot.state === 'running' ? source.pipeline(bot.name) : undefined,
  ]);
  const { name, state, strategy, mode, gate, marketTime, since, zone } = snapshot;
  const { quoteAgesMs, flow, seq, unread, fault } = snapshot;
  return {
    name,
    state,
    strategy,
    mode,
    gate,
    marketTime,
    since,
    zone,
    quoteAgesMs,
    flow,
    seq,
    unread,
    fault,
    rules: source.rules,
    live: live ?? null,
  };
}
