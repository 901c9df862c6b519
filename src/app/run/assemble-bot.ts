import { catchError, EMPTY, firstValueFrom, merge, type Subscription } from 'rxjs';
import { assumptionsOf, expiredExitTexts } from '../../backtest/assumptions.ts';
import { daysCost } from '../../backtest/days-cost.ts';
import { dueActions, splitAdjustments } from '../../backtest/due-actions.ts';
import { firstDay } from '../../backtest/first-day.ts';
import { engineBounds } from '../../backtest/run-bounds.ts';
import { ruleFailure } from '../../backtest/run-in-full.ts';
import { seededRandom } from '../../backtest/seeded-random.ts';
import { endOf, openingEquity, type PaperSetup, runName, sessionsOf } from '../../backtest/setup.ts';
import { type BrokerClient, createBrokerClient, LEAST_FACTS } from '../../broker/connect.ts';
import { readOrigins } from '../../broker/orders/securities.ts';
import { quotePackageText } from '../../broker/quotes/quote-packages.ts';
import type { BrokerSettings } from '../../broker/settings.ts';
import { socketAddress } from '../../broker/socket/addresses.ts';
import { createEngine, type Engine, journaledDecisions } from '../../engine/engine.ts';
import { createLiveSignalSource } from '../../engine/live-signal-source.ts';
import type { RunRecord } from '../../events/run-record.ts';
import { unreturnedTexts } from '../../events/unreturned-drafts.ts';
import { CALL_BUDGET, createCallBudget } from '../../execution/call-budget/call-budget.ts';
import { feedFact, replayedQuoteFact } from '../../execution/gate/quote-fact.ts';
import { scheduledRequests } from '../../execution/operator/schedule.ts';
import { intentIdMint } from '../../execution/orders/intent-ids.ts';
import { unfinishedOrders } from '../../execution/reconciliation/final-reconciliation.ts';
import { barClose } from '../../markets/bar-span.ts';
import type { Alarm } from '../../model/notice.ts';
import type { Security } from '../../model/security.ts';
import { marketOf, type SecuritySymbol } from '../../model/symbol.ts';
import { type Millis, millis, NEVER } from '../../model/time.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import { originOf } from '../../reports/origin.ts';
import { restrictionText } from '../../reports/status.ts';
import { PROFILES } from '../../wire/profiles.ts';
import { explain } from '../broker/open-api.ts';
import { createActivity } from '../clock/activity.ts';
import { createEventLoopYield } from '../clock/event-loop-yield.ts';
import { createMarketClock, type MarketClock, wallMarket } from '../clock/market-clock.ts';
import { createSteppedInbox } from '../clock/stepped-inbox.ts';
import { systemRandom } from '../clock/system-random.ts';
import type { BotInfo } from '../control/bot-info.ts';
import { botStatus, engineShares } from '../control/bot-status.ts';
import { type Control, openControl } from '../control/control-server.ts';
import { openKillMark } from '../control/kill-mark.ts';
import { announcedSplits } from '../load/announced-splits.ts';
import { countedBroker, countedFeed, redactedRules } from '../plugins/counted-ports.ts';
import { membersOf, openPluginHosts, sourcesOf } from '../plugins/plugin-hosts.ts';
import { createAdminClient } from '../venue/admin-client.ts';
import { embeddedVenueFacts } from '../venue/embedded-venue.ts';
import { closeAll } from './close-all.ts';
import { closedMarkets } from './closed-markets.ts';
import { connectionStops } from './connection-stops.ts';
import { cronMinutes$ } from './cron-minutes.ts';
import { failStop } from './fail-stop.ts';
import { assertDocumentedSuffices } from './only-documented.ts';
import type { PaperOptions } from './run-options.ts';
import { runToEnd } from './run-to-end.ts';
import type { TradingDependencies } from './trading-dependencies.ts';
import { verifiedHistory } from './verified-history.ts';
import { type Changeable, watchRun } from './watch-run.ts';

/** A venue that replays counts no quote calls: market time, in which its limits are kept, stands still within a step. */
const REPLAYING_PACE: Partial<BrokerSettings> = { quoteCallsMax: 1_000, quoteWindowMs: 1_000 };

async function connected(client: BrokerClient, address: string): Promise<void> {
  try {
    await client.connect();
  } catch (error) {
    throw explain(error, 'connect', new URL(address).host, client);
  }
}

/** Trades until the data ends, the engine fails, the venue is gone, or somebody interrupts; hangs up in every case. */
export async function runBot(options: PaperOptions, around: TradingDependencies): Promise<RunRecord> {
  const { setup, interrupted } = options;
  const { machine, ready } = around;
  const admin =
    ready.admin === undefined ? undefined : createAdminClient(ready.admin, ready.adminToken ?? '');
  const activity = createActivity();
  const inbox = createSteppedInbox();
  const hosts = await openPluginHosts(options, { machine, activity });
  const { host, rules } = hosts;
  const { redact = (text: string) => text } = options;
  // Copies, which the engine reads at every order: a watched run changes them.
  const [limits, policy] = [{ ...setup.limits }, { ...setup.policy }];
  const changed: string[] = [];
  const hearing = hosts.members.length === 0 ? [hosts] : hosts.members;
  const quotes = hearing.some((each) => each.host.listensTo.has('quote')) ? 'each' : 'batched';
  const dataEnd = millis(Math.max(...symbolsOf(setup).map((symbol) => endOf(symbol, setup.to))));
  const end = options.config.data === undefined ? NEVER : dataEnd;
  const market: MarketClock =
    admin === undefined
      ? wallMarket(machine)
      : await createMarketClock({ admin, inbox, activity, machine, until: end, quotes });
  const { live, until } = market;
  const mark = openKillMark(around.folder);
  let control: Control | undefined;
  const stops = connectionStops();
  const raise = (alarm: Alarm): void => {
    options.onAlarm?.(alarm);
    stops.take(alarm);
  };
  const callsPer30s = live ? LEAST_FACTS.callsPer30s : undefined;
  const budget =
    callsPer30s === undefined ? undefined : createCallBudget(market.clock, CALL_BUDGET, around.calls);
  const client = createBrokerClient({
    httpUrl: ready.http,
    quoteWsUrl: ready.quoteWs,
    tradeWsUrl: ready.tradeWs,
    onlyDocumented: options.config.onlyDocumented === true,
    credentials: { appKey: ready.appKey, appSecret: ready.appSecret, accessToken: ready.accessToken },
    profile: PROFILES[around.profile],
    machine,
    market: () => market.clock.now(),
    random: systemRandom,
    deployment: around.deployment,
    facts: {
      pushComplete: market.stepped,
      callsPer30s,
      requestKey: around.requestKey,
      ...embeddedVenueFacts(options.config),
    },
    ...(budget === undefined ? {} : { budget }),
    ...(around.timestamps === undefined ? {} : { timestamps: around.timestamps }),
    alarms: { raise },
    closeOf: (bar) => barClose(marketOf(bar.symbol), bar.period, bar.time),
    ...{ paperOnly: options.config.mode === 'paper', quoteJump: setup.limits.maxQuoteJump },
    ...{ withDepth: live, freeDescriptors: stops.freeDescriptors },
    ...(options.config.broker && {
      onQuotePackages: (opened) => options.onQuotePackages?.(opened.map(quotePackageText)),
    }),
    ...(live ? {} : { settings: REPLAYING_PACE }),
  });
  let leave: Cancel = () => undefined;
  let unwatch: Cancel = () => undefined;
  let logged: Subscription | undefined;
  /** What the venue says that there is at the start; the config may know otherwise. */
  let began: number | undefined;
  /** Once the account was read. */
  let isBegun = false;
  const unguard = failStop({
    journal: around.journal,
    now: () => market.clock.now(),
    tell: (message) => options.onFault?.(message),
  });
  try {
    if (options.config.onlyDocumented === true)
      assertDocumentedSuffices(
        options.config,
        hearing.map((each) => each.host.listensTo),
      );
    await connected(client, ready.http);
    await around.verify?.(client);
    const securities = await quotedSecurities(client, setup.securities, around);
    leave = around.attend?.(client) ?? leave;
    logged = client.feed.state$.subscribe((state) => options.runLog?.connection('quotes', state));
    if (live) for (const alarm of closedMarkets(symbolsOf(setup), machine.now())) options.onAlarm?.(alarm);
    control = openControl({
      ...{ folder: around.folder, mark, machine },
      card: botInfoOf(options, around),
      onFault: (message) =>
        options.onAlarm?.({ code: 'bot-file', message, at: machine.now(), facts: { folder: around.folder } }),
      status: () => botStatus({ ...told, engine, now: () => market.clock.now() }),
    });
    const told = {
      ...{ mode: options.config.mode, config: setup.config, strategy: runName(setup) },
      ...{ currency: setup.currency, symbols: symbolsOf(setup), members: setup.members ?? [] },
      latest: (symbol: SecuritySymbol) => client.feed.latest(symbol),
      calls: () => budget?.used(),
    };
    const stepped = market.stepped ? inbox : undefined;
    const sessions = sessionsOf(setup);
    const heard = countedFeed(client.feed, activity, stepped);
    const feed = live ? { ...heard, history: verifiedHistory(heard.history, machine.now, raise) } : heard;
    const unheard = client.feed.unheard?.bind(client.feed);
    const engine = createEngine({
      keepsDecisions: !live,
      clock: market.clock,
      source: createLiveSignalSource({
        ...{ clock: market.clock, feed, symbols: symbolsOf(setup), period: setup.period, sessions },
        ...{ from: market.start, until, splitAdjustments: splitAdjustments(setup) },
        lanes: sourcesOf(hosts, symbolsOf(setup)),
      }),
      ...membersOf(hosts),
      host,
      yieldToEventLoop: createEventLoopYield(machine, activity),
      broker: countedBroker(client.broker, activity, stepped),
      corporateActions: dueActions(setup, market.start),
      ...(options.config.data === undefined
        ? {
            announcedSplits: announcedSplits(
              { project: options.project, symbols: symbolsOf(setup), onAlarm: options.onAlarm },
              machine,
            ),
          }
        : {}),
      ...(around.ownVenue ? daysCost(setup, market.start, until) : {}),
      journal: around.journal,
      securities: new Map(securities.map((security) => [security.symbol, security])),
      quote: (symbol) => {
        if (live) return feedFact(client.feed, symbol);
        const quote = client.feed.latest(symbol);
        return quote && replayedQuoteFact(quote, setup.period, sessions);
      },
      // Without an answer the quote stays as old as it is, and is denied for that.
      pullQuote: (symbol) => feed.pull([symbol]).pipe(catchError(() => EMPTY)),
      ...{ currency: setup.currency, fx: setup.fx },
      ...(setup.fxSeries === undefined ? {} : { fxSeries: setup.fxSeries }),
      ...{ limits, policy, period: setup.period, sessions, until },
      // A stepped run begins a venue and a journal of its own, with the ids of the backtest: strategies remember them, to cancel by.
      mintIntentId: intentIdMint(market.stepped && around.ownVenue ? seededRandom(setup.seed) : systemRandom),
      ...{ strategy: runName(setup), config: setup.config },
      ...(around.lease === undefined ? {} : { lease: around.lease }),
      ...(budget === undefined ? {} : { budget }),
      ...(rules === undefined ? {} : { rules: redactedRules(rules, redact) }),
      commands$: merge(
        control.commands$,
        scheduledRequests({
          schedule: setup.schedule ?? {},
          symbols: symbolsOf(setup),
          clock: market.clock,
          until,
          ...(live ? { minutes$: cronMinutes$ } : {}),
        }),
      ),
      killMark: mark,
      ...(live && unheard !== undefined ? { unheard: () => unheard(symbolsOf(setup)) } : {}),
      onEvent: (event) => {
        options.runLog?.event(event);
        if (event.kind === 'run-started') {
          began = event.equity?.toNumber();
          isBegun = true;
        }
        const isResume = event.kind === 'gate-moved' && event.by === 'operator' && event.state !== 'killed';
        if (!isResume) return;
        client.feed.believe?.();
        stops.resumed();
      },
      onUnreturned: (drafts) =>
        options.onAlarm?.({
          code: 'orders-not-returned',
          message: unreturnedTexts([drafts]).join(''),
          at: market.clock.now(),
          facts: {
            hook: drafts.hook,
            ...(drafts.strategy === undefined ? {} : { strategy: drafts.strategy }),
          },
        }),
      onAlarm: (alarm) => options.onAlarm?.(alarm),
    });
    options.onStart?.(() => ({
      origin: originOf(securities),
      marketTime: market.clock.now(),
      flow: engine.flow(),
      equity: isBegun ? engine.equityNow() : Number.NaN,
      gate: engine.gateNow().state,
      gateTexts: engine.restrictionsNow().map(restrictionText),
    }));
    unwatch = watched(options, machine, {
      ...{ limits, policy },
      swap: (next) =>
        hosts.swap(next, (symbol, count) =>
          feed.history({ symbol, period: setup.period, before: market.clock.now(), count, sessions }),
        ),
      onChanged: (line) =>
        changed.push(`Changed while it ran, at ${new Date(market.clock.now()).toISOString()}: ${line}`),
    });
    const over = runToEnd(engine, market.drive, around.venueGone, interrupted);
    stops.heard(control.commands$);
    await over;
    const record = recordOf({ ...setup, securities }, engine, { start: market.start, live }, around);
    const assumptions = [...record.assumptions, ...ruleFailure(hosts.ruleFailure()).map(redact), ...changed];
    const initialEquity = began ?? record.initialEquity;
    return { ...record, assumptions, initialEquity, mode: options.config.mode };
  } finally {
    await closeAll([
      () => logged?.unsubscribe(),
      unwatch,
      unguard,
      leave,
      () => control?.close(),
      mark.close,
      stops.close,
      client.close,
      () => admin?.close(),
      hosts.close,
    ]);
  }
}

/** The securities of a run as the venue quotes them: a bot with data of its own does not trade at the prices in it. */
async function quotedSecurities(
  { askQuotes: ask }: BrokerClient,
  securities: readonly Security[],
  { ownVenue, ready }: TradingDependencies,
): Promise<readonly Security[]> {
  if (ownVenue) return securities;
  const address = socketAddress(ready.quoteWs);
  const symbols = securities.map(({ symbol }) => symbol);
  const origins = await firstValueFrom(readOrigins(symbols, { ask, address }));
  const unlisted = { kind: 'unknown', source: address.host } as const;
  return securities.map((each) => ({ ...each, origin: origins.get(each.symbol) ?? unlisted }));
}

function watched({ watching }: PaperOptions, machine: Clock, bot: Changeable): Cancel {
  return watching === undefined ? () => undefined : watchRun(watching, bot, machine);
}

function symbolsOf(setup: PaperSetup): readonly SecuritySymbol[] {
  return setup.securities.map((security) => security.symbol);
}

function recordOf(
  setup: PaperSetup,
  engine: Engine,
  { start, live }: { readonly start: Millis; readonly live: boolean },
  { journalPath: journal, journal: written, ownVenue }: TradingDependencies,
): RunRecord {
  const { equity } = engine;
  const decisions = live ? journaledDecisions(written.replay()) : engine.decisions;
  return {
    mode: 'paper',
    strategy: runName(setup),
    ...(setup.members === undefined ? {} : { strategies: engineShares({ members: setup.members, engine }) }),
    config: setup.config,
    securities: setup.securities,
    currency: setup.currency,
    // A bot on an account has no bars of the past, and its market time may differ from the machine's: its run begins when it starts.
    from: setup.history.length === 0 ? start : millis(Math.max(start, firstDay(setup))),
    to: millis(equity.at(-1)?.time ?? start),
    initialEquity: openingEquity(setup),
    equity: {
      time: Float64Array.from(equity, (mark) => mark.time),
      value: Float64Array.from(equity, (mark) => mark.equity),
      exposure: Float64Array.from(equity, (mark) => mark.exposure),
    },
    flow: engine.flow(),
    decisions,
    ...(ownVenue ? { bounds: engineBounds(setup, start, (symbol) => engine.lastClose(symbol)) } : {}),
    ...(engine.unreturned().length === 0 ? {} : { unreturned: engine.unreturned() }),
    assumptions: [...assumptionsOf(setup), ...expiredExitTexts(decisions)],
    journal,
    gate: engine.state.gate.standing,
    ...(ownVenue ? {} : { left: unfinishedOrders(engine.state) }),
  };
}

/** What a bot says of itself to whoever looks into its folder. */
export function botInfoOf({ setup, config }: PaperOptions, around: TradingDependencies): BotInfo {
  const { machine, ready, profile, deployment, ownVenue } = around;
  return {
    ...{ pid: process.pid, config: config.path, strategy: runName(setup) },
    ...{ http: ready.http, profile, deployment, ownVenue },
    since: new Date(machine.now()).toISOString(),
  };
}
