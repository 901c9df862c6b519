import { setImmediate } from 'node:timers/promises';
import type { BotFollower, BotSnapshot } from '../../dashboard/bot-follower.ts';
import type { CommandResult, ListedBot, LivePrices } from '../../dashboard/bot-source.ts';
import { Bots } from '../../dashboard/bots.ts';
import { PERIODS } from '../../model/period.ts';
import { securitySymbol } from '../../model/symbol.ts';
import { type Millis, millis } from '../../model/time.ts';
import { EnvironmentError } from '../broker/environment-error.ts';
import { type MarketEvent, nextMarketEvent } from './market-event.ts';
import { projectBots } from './project-bots.ts';

/** Everything known of a bot at one time: its own status, its journal and its market. */
export interface BotView extends BotSnapshot {
  /** Absent while the bot does not run or does not answer. */
  readonly market?: BotMarket | undefined;
  /** First and last market time of a run on data; absent for a market in real time. */
  readonly span?:
    | {
        readonly from: Millis;
        readonly to: Millis;
        /** First and last day at the exchange; absent for runs of earlier versions. */
        readonly days?: { readonly first: string; readonly last: string } | undefined;
      }
    | undefined;
}

/** The newest price of each symbol, and the next event of its market. */
export interface BotMarket {
  readonly period: string;
  readonly marks: LivePrices['marks'];
  readonly next: MarketEvent | undefined;
}

/** Everything that led to an order and resulted from it. */
export type OrderStory = NonNullable<ReturnType<BotFollower['why']>>;

/** One bot of a project, read as by the dashboard. */
export interface FollowedBot {
  /**
   * Reads new records of the journal and requests the bot's status. Rejects if the folder of the bot no longer
   * exists.
   */
  refresh(): Promise<BotView>;
  /** The history of an order by its id, from the part of the journal that was read; undefined if it is not there. */
  why(order: string): OrderStory | undefined;
  command(kind: 'halt' | 'resume', reason: string): Promise<CommandResult>;
  /** Kills the bot, even one that hangs or does not run. */
  kill(reason: string): Promise<CommandResult>;
  close(): void;
}

/** Follows a bot of this project; `by` is the origin of its commands in the journal. */
export function followedBot(project: string, name: string, by: string): FollowedBot {
  const source = projectBots(project, by);
  const bots = new Bots(source, { pause: () => setImmediate() });
  return {
    async refresh() {
      const bot = bots.find(name);
      if (bot === undefined)
        throw new EnvironmentError(`Cannot follow bot "${name}": its folder is gone from this project`);
      const [snapshot, prices] = await Promise.all([
        bots.refresh(bot, 'some'),
        bot.state === 'running' ? source.prices(name, undefined) : undefined,
      ]);
      const view = { ...snapshot, span: spanOf(bot) };
      if (prices === undefined || view.state !== 'running' || view.marketTime === null) return view;
      const { marks } = prices;
      const period = PERIODS.find((each) => each === prices.period);
      const symbols = marks.map(({ symbol }) => securitySymbol(symbol));
      const now = millis(Date.parse(view.marketTime));
      const next = period === undefined ? undefined : nextMarketEvent(symbols, period, now, prices.sessions);
      return { ...view, market: { period: prices.period, marks, next } };
    },
    why: (order) => bots.follower({ name }).why(order),
    command: (kind, reason) => source.command(name, { kind }, reason),
    kill: (reason) => source.kill(name, reason),
    close: () => bots.close(),
  };
}

function spanOf({ span }: ListedBot): BotView['span'] {
  return span && { from: millis(Date.parse(span.from)), to: millis(Date.parse(span.to)), days: span.days };
}
