import { Subject } from 'rxjs';
import { ruleFailure } from '../../backtest/run-in-full.ts';
import { runName, sessionsOf } from '../../backtest/setup.ts';
import { isReplay } from '../../config/data-of.ts';
import { createRunClock } from '../../engine/run-clock.ts';
import type { SluiceEvent } from '../../events/event.ts';
import type { DetailedRecord } from '../../events/run-record.ts';
import { CALL_BUDGET, createCallBudget } from '../../execution/call-budget/call-budget.ts';
import { type Millis, NEVER } from '../../model/time.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { OperatorRequest } from '../../ports/operator.ts';
import { originOf } from '../../reports/origin.ts';
import { restrictionText } from '../../reports/status.ts';
import { createActivity } from '../clock/activity.ts';
import { createMarketClock, type MarketClock, wallMarket } from '../clock/market-clock.ts';
import { createSteppedInbox } from '../clock/stepped-inbox.ts';
import type { BotInfo } from '../control/bot-info.ts';
import { botPipeline } from '../control/bot-pipeline.ts';
import { botPrices, type PriceSources, storedPrices } from '../control/bot-prices.ts';
import { botStatus } from '../control/bot-status.ts';
import { openControl } from '../control/control-server.ts';
import { openKillMark } from '../control/kill-mark.ts';
import { spanOf } from '../load/load-run.ts';
import type { PluginHosts } from '../plugins/plugin-hosts.ts';
import { openPluginHosts } from '../plugins/plugin-hosts.ts';
import type { AdminClient } from '../venue/admin-client.ts';
import { createAdminClient } from '../venue/admin-client.ts';
import { callsPer30s, connectClient, createBotClient, quotedSecurities } from './bot-client.ts';
import { type BotContext, symbolsOf } from './bot-context.ts';
import { createBotEngine, engineFeed } from './bot-engine.ts';
import { closeAll } from './close-all.ts';
import { closedMarkets } from './closed-markets.ts';
import { connectionStops } from './connection-stops.ts';
import { failStop } from './fail-stop.ts';
import { assertDocumentedSuffices } from './only-documented.ts';
import { paperRecord } from './paper-record.ts';
import type { PaperOptions } from './run-options.ts';
import { runToEnd } from './run-to-end.ts';
import type { TradingDependencies } from './trading-dependencies.ts';
import { watchRun } from './watch-run.ts';

/**
 * Assembles a bot and trades until its data ends, its engine fails, its venue ends, or the caller interrupts. Always
 * closes all parts, in reverse order of creation.
 */
export async function runBot(options: PaperOptions, given: TradingDependencies): Promise<DetailedRecord> {
  const { config, setup } = options;
  const symbols = symbolsOf(setup);
  const closers: (() => unknown)[] = [];
  const opened = <T>(part: T, close: (part: T) => unknown): T => {
    closers.unshift(() => close(part));
    return part;
  };
  // Opened first, so closed last: no timer outlives the run, however it ends and whichever part set it.
  const machine = opened(createRunClock(given.machine), (clock) => clock.end());
  const dependencies: TradingDependencies = { ...given, machine };
  const { ready, journal } = dependencies;
  try {
    const admin =
      ready.admin === undefined
        ? undefined
        : opened(createAdminClient(ready.admin, ready.adminToken ?? ''), (client) => client.close());
    const activity = createActivity();
    const hosts = opened(await openPluginHosts(options, { machine, activity }), ({ close }) => close());
    if (config.onlyDocumented === true) {
      assertDocumentedSuffices(
        config,
        strategiesOf(hosts).map(({ host }) => host.listensTo),
      );
    }
    const inbox = createSteppedInbox();
    const market = await marketClock(options, hosts, { admin, inbox, activity, machine });
    const killMark = opened(openKillMark(dependencies.folder), (mark) => mark.close());
    const stops = opened(connectionStops(), ({ close }) => close());
    const budget =
      callsPer30s(market.live) === undefined
        ? undefined
        : createCallBudget(market.clock, CALL_BUDGET, dependencies.calls);
    const context: BotContext = {
      options,
      dependencies,
      symbols,
      market,
      activity,
      inbox: market.stepped ? inbox : undefined,
      hosts,
      killMark,
      stops,
      budget,
      limits: { ...setup.limits },
      policy: { ...setup.policy },
    };

    const client = opened(createBotClient(context), ({ close }) => close());
    const now = (): Millis => market.clock.now();
    opened(failStop({ journal, now, report: (message) => options.onFault?.(message) }), (release) =>
      release(),
    );
    await connectClient(client, ready.http, options.interrupted);
    await dependencies.verify?.(client);
    const securities = await quotedSecurities(client, setup.securities, dependencies);
    if (dependencies.attend !== undefined) opened(dependencies.attend(client), (leave) => leave());
    opened(
      client.feed.state$.subscribe((state) => options.runLog?.connection('quotes', state)),
      (subscription) => subscription.unsubscribe(),
    );
    if (market.live) for (const alarm of closedMarkets(symbols, machine.now())) options.onAlarm?.(alarm);

    const feed = engineFeed(context, client);
    const commands$ = new Subject<OperatorRequest>();
    const start = startEquity();
    const onEvent = (event: SluiceEvent): void => {
      options.onEvent?.(event, engine.state);
      start.note(event);
      if (!isResume(event)) return;
      client.feed.acceptPrices?.();
      stops.resumed();
    };
    const engine = createBotEngine(context, { client, feed, securities, commands$, onEvent });
    const priceSources: PriceSources = {
      engine,
      securities,
      now,
      period: setup.period,
      sessions: sessionsOf(setup),
      latest: (of) => client.feed.latest(of),
      strategies:
        hosts.members.length === 0
          ? [{ name: undefined, signals: hosts.signals }]
          : hosts.members.map(({ setup: { name }, signals }) => ({ name, signals })),
    };
    opened(
      openControl({
        commands$,
        folder: dependencies.folder,
        mark: killMark,
        machine,
        info: botInfoOf(options, dependencies),
        onFault: (message) =>
          options.onAlarm?.({
            code: 'bot-file',
            message,
            at: machine.now(),
            facts: { folder: dependencies.folder },
          }),
        status: () =>
          botStatus({
            engine,
            mode: config.mode,
            config: setup.config,
            strategy: runName(setup),
            origin: originOf(securities),
            currency: setup.currency,
            symbols,
            members: setup.members ?? [],
            now,
            latest: (symbol) => client.feed.latest(symbol),
            alarms: () => options.alarms?.() ?? [],
            calls: () => budget?.used(),
          }),
        pipeline: () =>
          botPipeline({
            engine,
            strategies:
              hosts.members.length === 0
                ? [{ name: hosts.facts.name, signals: hosts.signals }]
                : hosts.members.map(({ setup: { name }, signals }) => ({ name, signals })),
            calls: () => budget?.used(),
          }),
        prices: (wanted) => botPrices(priceSources, wanted),
      }),
      (control) => control.close(),
    );
    options.onStart?.(
      () => ({
        origin: originOf(securities),
        marketTime: now(),
        flow: engine.flow(),
        equity: start.isKnown() ? engine.equityNow() : Number.NaN,
        gate: engine.gateNow().state,
        gateTexts: engine.restrictionsNow().map(restrictionText),
      }),
      dependencies.folder,
    );
    const changes = watchChanges(context, feed);
    opened(changes, ({ close }) => close());

    const ended = runToEnd(engine, market.drive, dependencies.venueGone, options.interrupted);
    stops.connectTo(commands$);
    await ended;
    const record = paperRecord({ ...setup, securities }, engine, market, dependencies);
    const prices = setup.history.length === 0 ? { keptPrices: await storedPrices(priceSources) } : {};
    const { redact = (text: string) => text } = options;
    const assumptions = [
      ...record.assumptions,
      ...ruleFailure(hosts.ruleFailure()).map(redact),
      ...changes.lines,
    ];
    const initialEquity = start.equity() ?? record.initialEquity;
    return { ...record, ...prices, assumptions, initialEquity, mode: config.mode };
  } finally {
    await closeAll(closers);
  }
}

function strategiesOf(hosts: PluginHosts): readonly Pick<PluginHosts, 'host'>[] {
  return hosts.members.length === 0 ? [hosts] : hosts.members;
}

/** Creates the clock of market time: the venue's if it has an admin port, otherwise the machine's. */
async function marketClock(
  { config, setup }: PaperOptions,
  hosts: PluginHosts,
  parts: {
    readonly admin: AdminClient | undefined;
    readonly inbox: ReturnType<typeof createSteppedInbox>;
    readonly activity: ReturnType<typeof createActivity>;
    readonly machine: Clock;
  },
): Promise<MarketClock> {
  const { admin, machine } = parts;
  if (admin === undefined) return wallMarket(machine);
  return createMarketClock({
    ...parts,
    admin,
    until: isReplay(config) ? spanOf({ setup }).to : NEVER,
    quotes: strategiesOf(hosts).some(({ host }) => host.listensTo.has('quote')) ? 'each' : 'batched',
  });
}

/** Records the account's equity at the start of the run, as the venue states it; the config may state another. */
function startEquity() {
  let isKnown = false;
  let equity: number | undefined;
  return {
    note(event: SluiceEvent): void {
      if (event.kind !== 'run-started') return;
      equity = event.equity?.toNumber();
      isKnown = true;
    },
    isKnown: () => isKnown,
    equity: () => equity,
  };
}

function isResume(event: SluiceEvent): boolean {
  return event.kind === 'gate-moved' && event.by === 'operator' && event.state !== 'killed';
}

/**
 * Applies saved changes of config and code while the bot runs, and records a line for each; without `watching`
 * applies none.
 */
function watchChanges(
  { options, dependencies, market, hosts, limits, policy }: BotContext,
  feed: ReturnType<typeof engineFeed>,
): { readonly lines: readonly string[]; readonly close: Cancel } {
  const { watching, setup } = options;
  const lines: string[] = [];
  if (watching === undefined) return { lines, close: () => undefined };
  const { period } = setup;
  const sessions = sessionsOf(setup);
  const close = watchRun(
    watching,
    {
      limits,
      policy,
      swap: (next) =>
        hosts.swap(next, (symbol, count) =>
          feed.history({ symbol, period, before: market.clock.now(), count, sessions }),
        ),
      onChanged: (line) =>
        lines.push(`Changed while it ran, at ${new Date(market.clock.now()).toISOString()}: ${line}`),
    },
    dependencies.machine,
  );
  return { lines, close };
}

function botInfoOf({ setup, config }: PaperOptions, dependencies: TradingDependencies): BotInfo {
  const { machine, ready, profile, deployment, ownVenue } = dependencies;
  return {
    pid: process.pid,
    config: config.path,
    strategy: runName(setup),
    http: ready.http,
    profile,
    mode: config.mode,
    origin: originOf(setup.securities),
    deployment,
    ownVenue,
    since: new Date(machine.now()).toISOString(),
    ...(isReplay(config) ? { span: runSpan(setup) } : {}),
  };
}

function runSpan(setup: PaperOptions['setup']): NonNullable<BotInfo['span']> {
  const { from, to } = spanOf({ setup });
  const days = { first: setup.from, last: setup.to };
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString(), days };
}
