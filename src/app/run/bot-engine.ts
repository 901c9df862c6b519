import { catchError, EMPTY, merge, Observable } from 'rxjs';
import { dueActions, splitAdjustments } from '../../backtest/due-actions.ts';
import { interestAccrual } from '../../backtest/interest-accrual.ts';
import { seededRandom } from '../../backtest/seeded-random.ts';
import { runName, sessionsOf } from '../../backtest/setup.ts';
import type { BrokerClient } from '../../broker/connect.ts';
import { isReplay } from '../../config/data-of.ts';
import { createEngine, type Engine } from '../../engine/engine.ts';
import type { EngineParts } from '../../engine/engine-parts.ts';
import { createLiveSignalSource } from '../../engine/live-signal-source.ts';
import type { SluiceEvent } from '../../events/event.ts';
import type { UnreturnedDrafts } from '../../events/unreturned-drafts.ts';
import { unreturnedTexts } from '../../events/unreturned-drafts.ts';
import { feedFact, replayedQuoteFact } from '../../execution/gate/quote-fact.ts';
import { startSchedule } from '../../execution/operator/schedule.ts';
import { intentIdMint } from '../../execution/orders/intent-ids.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import type { Security } from '../../model/security.ts';
import type { OperatorRequest } from '../../ports/operator.ts';
import type { QuoteFeed } from '../../ports/quote-feed.ts';
import { createEventLoopYield } from '../clock/event-loop-yield.ts';
import { systemRandom } from '../clock/system-random.ts';
import { announcedSplits } from '../load/announced-splits.ts';
import { membersOf, sourcesOf } from '../plugins/plugin-hosts.ts';
import { redactedRules, trackedBroker, trackedFeed } from '../plugins/tracked-ports.ts';
import type { BotContext } from './bot-context.ts';
import { eachMinute } from './cron-minutes.ts';
import { verifiedHistory } from './verified-history.ts';

/** Connections of an engine, once the broker client has connected. */
export interface EngineConnections {
  readonly client: BrokerClient;
  /** The client's feed as the engine reads it. */
  readonly feed: QuoteFeed;
  readonly securities: readonly Security[];
  readonly commands$: Observable<OperatorRequest>;
  readonly onEvent: (event: SluiceEvent) => void;
}

/** Returns the quote feed for an engine: its calls count as work in progress, and live history is verified. */
export function engineFeed(context: BotContext, client: BrokerClient): QuoteFeed {
  const { activity, inbox, market, dependencies, options, stops } = context;
  const feed = trackedFeed(client.feed, activity, inbox);
  if (!market.live) return feed;
  const history = verifiedHistory(feed.history, dependencies.machine.now, (alarm) => {
    options.onAlarm?.(alarm);
    stops.take(alarm);
  });
  return { ...feed, history };
}

/** Creates the engine of a bot, without starting it. */
export function createBotEngine(context: BotContext, connections: EngineConnections): Engine {
  const { options, dependencies, symbols, market, activity, inbox, hosts, budget, limits, policy } = context;
  const { client, feed, securities, commands$, onEvent } = connections;
  const { setup } = options;
  const { machine, ownVenue } = dependencies;
  const { clock, until, live } = market;
  const { redact = (text: string) => text } = options;
  const sessions = sessionsOf(setup);
  const missingQuotes = client.feed.missingQuotes?.bind(client.feed);
  const engine: Engine = createEngine({
    clock,
    source: createLiveSignalSource({
      clock,
      feed,
      symbols,
      period: setup.period,
      sessions,
      from: market.start,
      until,
      splitAdjustments: splitAdjustments(setup),
      strategies: sourcesOf(hosts, symbols),
    }),
    host: hosts.host,
    ...membersOf(hosts),
    broker: trackedBroker(client.broker, activity, inbox),
    journal: dependencies.journal,
    securities: new Map(securities.map((security) => [security.symbol, security])),
    quote: (symbol) => {
      if (live) return feedFact(client.feed, symbol);
      const quote = client.feed.latest(symbol);
      return quote && replayedQuoteFact(quote, setup.period, sessions);
    },
    // Without an answer the quote keeps its age, for which the order is denied.
    pullQuote: (symbol) => feed.pull([symbol]).pipe(catchError(() => EMPTY)),
    currency: setup.currency,
    fx: setup.fx,
    limits,
    policy,
    period: setup.period,
    sessions,
    until,
    strategy: runName(setup),
    config: setup.config,
    corporateActions: dueActions(setup, market.start),
    ...(ownVenue ? interestAccrual(setup, market.start, until) : {}),
    keepsDecisions: !live,
    yieldToEventLoop: createEventLoopYield(machine, activity),
    // A stepped run starts with an empty venue and journal, and mints the same ids as the backtest: strategies may
    // keep them for cancels.
    mintIntentId: intentIdMint(market.stepped && ownVenue ? seededRandom(setup.seed) : systemRandom),
    killMark: context.killMark,
    commands$: merge(
      commands$,
      new Observable<OperatorRequest>((subscriber) =>
        startSchedule(
          {
            ...{ schedule: setup.schedule ?? {}, symbols, clock, until },
            ...(live ? { eachMinute } : {}),
            fail: (error) => subscriber.error(error),
            earlierRuns: () => ({ state: engine.state, schedules: engine.earlierSchedules }),
            onAlarm: (alarm) => options.onAlarm?.(alarm),
          },
          (request) => subscriber.next(request),
        ),
      ),
    ),
    onEvent,
    onUnreturned: (drafts) => reportUnreturned(context, drafts),
    onAlarm: (alarm) => options.onAlarm?.(alarm),
    ...omitUndefined({
      announcedSplits: isReplay(options.config)
        ? undefined
        : announcedSplits(
            { project: options.project, config: options.config, onAlarm: options.onAlarm },
            machine,
          ),
      fxSeries: setup.fxSeries,
      lease: dependencies.lease,
      budget,
      rules: hosts.rules === undefined ? undefined : redactedRules(hosts.rules, redact),
      missingQuotes: live && missingQuotes !== undefined ? () => missingQuotes(symbols) : undefined,
    } satisfies { readonly [K in keyof EngineParts]?: EngineParts[K] | undefined }),
  });
  return engine;
}

/** Raises an alarm for drafts that a hook created and did not return. */
function reportUnreturned({ options, market }: BotContext, drafts: UnreturnedDrafts): void {
  const { hook, strategy } = drafts;
  options.onAlarm?.({
    code: 'orders-not-returned',
    message: unreturnedTexts([drafts]).join(''),
    at: market.clock.now(),
    facts: { hook, ...omitUndefined({ strategy }) },
  });
}
