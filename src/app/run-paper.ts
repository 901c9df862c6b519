import { join } from 'node:path';
import { catchError, EMPTY, Subject } from 'rxjs';
import { assumptionsOf } from '../backtest/assumptions.ts';
import { endOf, openingEquity, programOf, type RunSetup, startOf } from '../backtest/setup.ts';
import { createBrokerClient } from '../broker/connect.ts';
import type { BotConfig } from '../config/bot-config.ts';
import { createEngine, type Engine, type Stop } from '../engine/engine.ts';
import { createLiveSignalSource } from '../engine/live-signal-source.ts';
import type { FlowCounts, RunRecord } from '../events/run-record.ts';
import { intentIdMint } from '../execution/intent-ids.ts';
import { replayedQuoteFact } from '../execution/quote-fact.ts';
import { createWorkerHost } from '../hosts/worker.ts';
import { openSqliteJournal } from '../journal/sqlite.ts';
import { barClose } from '../markets/bar-span.ts';
import { marketOf, type SecuritySymbol } from '../model/symbol.ts';
import { type Millis, millis } from '../model/time.ts';
import type { Alarm } from '../ports/alarms.ts';
import type { Clock } from '../ports/clock.ts';
import { PROFILES } from '../wire/profiles.ts';
import { createActivity } from './activity.ts';
import { createAdminClient } from './admin-client.ts';
import { countedBroker, countedFeed, countedHost } from './counted-ports.ts';
import { createMarketClock } from './market-clock.ts';
import { makeRunFolder } from './run-folder.ts';
import { createSteppedInbox } from './stepped-inbox.ts';
import { createSystemClock } from './system-clock.ts';
import { systemRandom } from './system-random.ts';
import { spawnVenue, VenueProcessError, type VenueReady } from './venue-process.ts';

/** How a run stands right now. */
export interface Progress {
  readonly marketTime: Millis;
  readonly flow: FlowCounts;
  readonly equity: number;
}

/** What whoever starts a paper run may watch and say. */
export interface PaperOptions {
  readonly config: BotConfig;
  readonly setup: RunSetup;
  /** File of the strategy: it runs in a worker of its own. */
  readonly strategyFile: string;
  readonly project: string;
  /** Called once, with a function that tells how the run stands. */
  readonly onStart?: (progress: () => Progress) => void;
  /** Hears of everything that a person should know. */
  readonly onAlarm?: (alarm: Alarm) => void;
  /** Ends the run early and in good order. */
  readonly interrupted?: AbortSignal;
}

/**
 * Runs a config on paper against an embedded venue of its own, over signed HTTP and both sockets, until its data ends or
 * somebody interrupts. Throws what the engine throws; the venue is gone in every case.
 */
export async function runPaper(options: PaperOptions): Promise<RunRecord> {
  const machine = createSystemClock();
  const folder = makeRunFolder(options.project, options.config.path, machine.now());
  const journalPath = join(folder.path, 'journal.db');
  const venue = await spawnVenue(options.config, options.project);
  try {
    const journal = openSqliteJournal(journalPath);
    try {
      return await trade(options, {
        machine,
        journal,
        ready: venue.ready,
        journalPath: join(folder.shown, 'journal.db'),
        venueGone: venue.gone,
      });
    } finally {
      journal.close();
    }
  } finally {
    await venue.stop();
  }
}

/** Marks the orders of paper runs among others on one account. */
const DEPLOYMENT = 'DEMO';

/** A venue of our own counts no quote calls: market time, in which its limits are kept, stands still within a step. */
const OWN_VENUE_PACE = { quoteCallsMax: 1_000, quoteWindowMs: 1_000 };

interface Surroundings {
  readonly machine: Clock;
  readonly journal: ReturnType<typeof openSqliteJournal>;
  readonly ready: VenueReady;
  readonly journalPath: string;
  readonly venueGone: Promise<string>;
}

async function trade(options: PaperOptions, around: Surroundings): Promise<RunRecord> {
  const { setup, interrupted } = options;
  const { machine, ready } = around;
  const admin = createAdminClient(ready.admin ?? '');
  const activity = createActivity();
  const inbox = createSteppedInbox();
  const worker = await createWorkerHost({
    file: options.strategyFile,
    params: setup.params,
    symbols: symbolsOf(setup),
    clock: machine,
    startsAt: startOf(symbolsOf(setup), setup.from),
    seed: setup.seed,
  });
  const host = countedHost(worker, activity);
  const until = millis(Math.max(...symbolsOf(setup).map((symbol) => endOf(symbol, setup.to))));
  const market = await createMarketClock({
    admin,
    inbox,
    activity,
    machine,
    until,
    quotes: host.listensTo.has('quote') ? 'each' : 'batched',
  });
  const client = createBrokerClient({
    httpUrl: ready.http,
    quoteWsUrl: ready.quoteWs,
    tradeWsUrl: ready.tradeWs,
    credentials: { appKey: ready.appKey, appSecret: ready.appSecret, accessToken: ready.accessToken },
    profile: PROFILES.documented,
    machine,
    market: () => market.clock.now(),
    random: systemRandom,
    deployment: DEPLOYMENT,
    facts: { pushComplete: market.stepped, callsPer30s: undefined },
    alarms: { raise: (alarm) => options.onAlarm?.(alarm) },
    closeOf: (bar) => barClose(marketOf(bar.symbol), bar.period, bar.time),
    paperOnly: true,
    settings: OWN_VENUE_PACE,
  });
  try {
    await client.connect();
    const stepped = market.stepped ? inbox : undefined;
    const feed = countedFeed(client.feed, activity, stepped);
    const engine = createEngine({
      clock: market.clock,
      source: createLiveSignalSource({
        clock: market.clock,
        feed,
        program: programOf(setup),
        symbols: symbolsOf(setup),
        period: setup.period,
        from: market.start,
        until,
        listensTo: host.listensTo,
      }),
      host,
      broker: countedBroker(client.broker, activity, stepped),
      journal: around.journal,
      securities: new Map(setup.securities.map((security) => [security.symbol, security])),
      quote: (symbol) => {
        const quote = client.feed.latest(symbol);
        return quote === undefined ? undefined : replayedQuoteFact(quote, setup.period);
      },
      // Without an answer the quote stays as old as it is, and is denied for that.
      pullQuote: (symbol) => feed.pull([symbol]).pipe(catchError(() => EMPTY)),
      currency: setup.currency,
      fx: setup.fx,
      limits: setup.limits,
      policy: setup.policy,
      mintIntentId: intentIdMint(systemRandom),
      strategy: setup.strategy.name,
      config: setup.config,
      onAlarm: (alarm) => options.onAlarm?.(alarm),
    });
    options.onStart?.(() => ({
      marketTime: market.clock.now(),
      flow: engine.flow(),
      equity: engine.equityNow(),
    }));
    await runToEnd(engine, market.drive, around.venueGone, interrupted);
    return recordOf(setup, engine, market.start, around.journalPath);
  } finally {
    await client.close();
    await admin.close();
    await worker.close();
  }
}

/** Drives the market until the data ends, the engine fails, the venue is gone, or somebody interrupts. */
async function runToEnd(
  engine: Engine,
  drive: (stopped: () => boolean) => Promise<void>,
  venueGone: Promise<string>,
  interrupted: AbortSignal | undefined,
): Promise<void> {
  const stop$ = new Subject<Stop>();
  let over = false;
  const done = new Promise<void>((resolve, reject) => {
    engine.run(stop$).subscribe({ error: reject, complete: resolve });
  }).finally(() => {
    over = true;
  });
  const died = venueGone.then((said): never => {
    throw new VenueProcessError(
      `The embedded venue ended while the bot was trading: ${said === '' ? 'without a word' : said}`,
    );
  });
  try {
    await Promise.race([drive(() => over || interrupted?.aborted === true), done, died]);
    const reason = interrupted?.aborted === true ? 'interrupted' : 'finished';
    stop$.next({ reason, message: '' });
  } catch (error) {
    stop$.next({ reason: 'failed', message: error instanceof Error ? error.message : String(error) });
    await done;
    throw error;
  }
  await done;
}

function symbolsOf(setup: RunSetup): readonly SecuritySymbol[] {
  return setup.securities.map((security) => security.symbol);
}

function recordOf(setup: RunSetup, engine: Engine, start: Millis, journal: string): RunRecord {
  const { equity } = engine;
  return {
    mode: 'paper',
    strategy: setup.strategy.name,
    config: setup.config,
    securities: setup.securities,
    currency: setup.currency,
    from: start,
    to: millis(equity.at(-1)?.time ?? start),
    initialEquity: openingEquity(setup),
    equity: {
      time: Float64Array.from(equity, (mark) => mark.time),
      value: Float64Array.from(equity, (mark) => mark.equity),
      exposure: Float64Array.from(equity, (mark) => mark.exposure),
    },
    flow: engine.flow(),
    decisions: engine.decisions,
    assumptions: assumptionsOf(setup),
    journal,
  };
}
