import type { FastifyInstance } from 'fastify';
import { registerCatalogue } from '../catalogue/server.ts';
import { type Millis, millis, SECOND_MS } from '../model/time.ts';
import type { Cancel } from '../ports/clock.ts';
import { quoteCommands } from '../wire/commands.ts';
import { AccountAccess } from './access/account-access.ts';
import { servedRequests } from './access/authenticator.ts';
import { CredentialStore, type RefreshedToken } from './access/credential-store.ts';
import { randomToken } from './access/random-token.ts';
import { CallLimiter } from './calls/call-limiter.ts';
import { createHandlers } from './calls/handlers.ts';
import type { Watchlists } from './calls/watchlists.ts';
import { FaultActions } from './faults/fault-actions.ts';
import { Faults } from './faults/faults.ts';
import { eventPublisher } from './market/event-publisher.ts';
import type { Market, PublishEvents } from './market/market.ts';
import { createOperator } from './market/operate.ts';
import { ReplayClock } from './market/replay-clock.ts';
import { RestartableSimulation } from './market/restartable-simulation.ts';
import { restoreAccess, restoreState } from './market/restore-state.ts';
import { RunningMarket } from './market/running-market.ts';
import { REACHED_FACT, type StateRecord } from './market/state-file.ts';
import { SteppedMarket } from './market/stepped-market.ts';
import { httpPulls } from './quotes/http-pulls.ts';
import { createLivePrices } from './quotes/live-prices.ts';
import { QuoteService } from './quotes/quote-service.ts';
import { createAdminServer } from './server/admin-server.ts';
import { type ConnectionGate, createConnectionGate } from './server/connection-gate.ts';
import { ConnectionLimiter } from './server/connection-limiter.ts';
import { createHttpServer } from './server/http-server.ts';
import { MESSAGES_PER_SECOND, STEPPED_MESSAGES_PER_SECOND } from './server/limits.ts';
import { PushCounts } from './server/push-counts.ts';
import { SocketServer } from './server/socket-server.ts';
import { SocketSessions } from './server/socket-sessions.ts';
import { DEFAULT_SERVER_LIMITS } from './server/web-server.ts';
import { IdempotencyKeys } from './trading/idempotency-keys.ts';
import { OrderFactsBook } from './trading/order-facts.ts';
import { TradeService } from './trading/trade-service.ts';
import type { FaultReport, VenueAccount, VenueOptions } from './venue-options.ts';

const ADMIN_TOKEN_BYTES = 24;

/** A venue that does not listen yet. */
export interface AssembledVenue {
  readonly app: FastifyInstance;
  /** Undefined without an admin port. */
  readonly admin: FastifyInstance | undefined;
  /** Token required by every request to the admin port; undefined without an admin port. */
  readonly adminToken: string | undefined;
  close(): Promise<void>;
}

/**
 * Assembles the venue: state of the last run, market, services and servers. Throws VenueError (`bad-state`) if the
 * state cannot be restored.
 */
export function assembleVenue(options: VenueOptions, accounts: readonly VenueAccount[]): AssembledVenue {
  const { machine, random, marketClock, skewToleranceMs, state } = options;
  const onFault = options.onFault ?? endProcess;
  const stepped = marketClock.kind === 'stepped';
  const shared = sharedParts(options, accounts);
  const { simulation, counts, faults, sessions, access, callLimiter, served, quote, trade, record } = shared;
  const publish = eventPublisher(shared);
  const marketSync = { before: () => market.catchUp(), after: () => market.reschedule() };
  const faultActions = new FaultActions({
    simulation,
    publish,
    sessions,
    sockets: () => sockets,
    marketSync: () => marketSync,
    connectionGate: () => connectionGate,
    accountId: options.accountId,
    accountIds: accounts.map(({ id }) => id),
    record: (body) => record({ kind: 'fault-action', account: options.accountId, body }),
  });
  const online = (accountId: string): number => sockets.online(accountId);
  const handlers = createHandlers({ ...shared, online });
  if (state !== undefined) restoreState({ ...shared, state, handlers, publish, faultActions });
  shared.accountAccess.set(undefined, options.access ?? {});
  if (state !== undefined) restoreAccess(state, shared.accountAccess);
  const market = startMarket(options, simulation, counts, recordingTime(publish, state, simulation));
  const limits = { ...DEFAULT_SERVER_LIMITS, ...options.serverLimits };
  const connectionLimiter = new ConnectionLimiter(limits);
  const connectionGate: ConnectionGate = createConnectionGate(() => app.server, machine);
  const sockets = new SocketServer({
    sessions,
    counts,
    machine,
    onFault,
    faults,
    marketSync,
    connectionGate,
    connectionLimiter,
    services: { quote, trade },
    messagesPerSecond: messagesPerSecond(options),
  });
  const app = createHttpServer({
    pull: httpPulls(
      quoteCommands(options.profile),
      (code, body, accountId) => quote.pull(code, body, accountId),
      () => simulation.now(),
    ),
    simulation,
    market,
    handlers,
    access,
    callLimiter,
    machine,
    random,
    skewToleranceMs,
    onFault,
    served,
    faults,
    faultActions,
    accountAccess: shared.accountAccess,
    tls: options.tls,
    limits,
    connectionLimiter,
    onChange: ({ isKeyless, ...change }) => record({ kind: isKeyless ? 'keyless-call' : 'call', ...change }),
  });
  if (options.catalogue !== undefined) registerCatalogue(app, { ...options.catalogue, clock: machine });
  sockets.attach(app.server);
  const operator = createOperator({
    ...shared,
    options,
    sockets,
    faultActions,
    accountIds: accounts.map(({ id }) => id),
  });
  const adminToken =
    options.adminPort === undefined
      ? undefined
      : (options.adminToken ?? randomToken(options.random, ADMIN_TOKEN_BYTES));
  const admin = adminToken === undefined ? undefined : createAdminServer(market, operator, adminToken);
  const pushesBooks = options.book === 'deep' && !stepped;
  const stopBooks = pushesBooks ? everySecond(machine, () => quote.pushBooks()) : undefined;
  const recordTime = (): void => state?.setFact(REACHED_FACT, String(simulation.now()));
  const stopRecording = state === undefined || stepped ? undefined : everySecond(machine, recordTime);
  const stopPrices = options.prices?.(createLivePrices(simulation, market));
  const close = async (): Promise<void> => {
    stopPrices?.();
    stopBooks?.();
    stopRecording?.();
    market.stop();
    connectionGate.close();
    await sockets.close();
    await Promise.all([app.close(), admin?.close()]);
    recordTime();
    state?.close();
  };
  return { app, admin, adminToken, close };
}

/** Returns the maximum number of messages per socket and second of machine time; unlimited if call limits are off. */
function messagesPerSecond({ rateLimits = 'off', marketClock }: VenueOptions): number {
  if (rateLimits === 'off') return Number.POSITIVE_INFINITY;
  return marketClock.kind === 'stepped' ? STEPPED_MESSAGES_PER_SECOND : MESSAGES_PER_SECOND;
}

function sharedParts(options: VenueOptions, accounts: readonly VenueAccount[]) {
  const { profile, machine, random, marketClock, history, skewToleranceMs } = options;
  const { book = 'thin', hours = 'calendar' } = options;
  const simulation = new RestartableSimulation(options.simulation, hours);
  const replayClock = new ReplayClock(machine);
  const facts = new OrderFactsBook(simulation);
  const marketNow = () => simulation.now();
  const accountAccess = new AccountAccess();
  const faults = new Faults(
    { marketNow, machineNow: () => machine.now() },
    options.without,
    options.onlyDocumented,
  );
  const callLimiter = new CallLimiter(options.rateLimits ?? 'off', marketClock.kind !== 'scaled');
  const conflates = marketClock.kind !== 'stepped';
  const record = recorder(options, simulation);
  return {
    simulation,
    facts,
    faults,
    callLimiter,
    record,
    history,
    hours,
    machine: replayClock,
    access: new CredentialStore(accounts, machine, random),
    sessions: new SocketSessions(machine, random),
    served: servedRequests(skewToleranceMs),
    counts: new PushCounts(),
    keys: new IdempotencyKeys(),
    watchlists: new Map<string, Watchlists>(),
    accountAccess,
    quote: new QuoteService({
      simulation,
      history,
      profile,
      limits: callLimiter,
      conflates,
      book,
      hours,
      faults,
      machine,
      accountAccess,
    }),
    trade: new TradeService({ facts, faults, machine }),
    onRefresh: (token: RefreshedToken, account: string) =>
      record({ kind: 'token', account, body: JSON.stringify(token) }),
  };
}

/** Ends the process with an unhandled rejection: a broken invariant has no other handler. */
const endProcess: FaultReport = (fault) => {
  void Promise.reject(fault);
};

/** Returns a function that records a state change, with the simulation step at which it happened. */
function recorder({ state, machine }: VenueOptions, simulation: RestartableSimulation) {
  return (what: Pick<StateRecord, 'kind' | 'account' | 'body'> & Partial<StateRecord>): void => {
    if (state === undefined) return;
    const place = { steps: simulation.steps, marketTime: simulation.now(), machineTime: machine.now() };
    state.append({ name: '', query: '', replayKey: '', ...what, ...place });
    state.setFact(REACHED_FACT, String(place.marketTime));
  };
}

/**
 * Notes the market time before an order change is published: a venue that is killed and started again continues
 * from there, with every execution that it reported.
 */
function recordingTime(
  publish: PublishEvents,
  state: VenueOptions['state'],
  simulation: RestartableSimulation,
): PublishEvents {
  if (state === undefined) return publish;
  return (events) => {
    if (events.some(({ kind }) => kind === 'order')) state.setFact(REACHED_FACT, String(simulation.now()));
    publish(events);
  };
}

function everySecond(machine: VenueOptions['machine'], work: () => void): Cancel {
  let next: Cancel = () => {};
  const plan = (after: Millis): void => {
    const due = millis(after + SECOND_MS);
    next = machine.at(due, 'venue', () => {
      work();
      plan(millis(Math.max(due, machine.now() - SECOND_MS)));
    });
  };
  plan(machine.now());
  return () => next();
}

function startMarket(
  { machine, marketClock, accountId }: VenueOptions,
  simulation: RestartableSimulation,
  counts: PushCounts,
  publish: PublishEvents,
): Market {
  switch (marketClock.kind) {
    case 'stepped':
      return new SteppedMarket({ simulation, publish, counts, accountId });
    case 'scaled': {
      const { speed } = marketClock;
      return new RunningMarket({
        simulation,
        publish,
        machine,
        mode: 'scaled',
        speed,
        from: 'simulation',
      });
    }
    case 'wall': {
      const from = marketClock.from ?? 'simulation';
      return new RunningMarket({ simulation, publish, machine, mode: 'wall', speed: 1, from });
    }
  }
}
