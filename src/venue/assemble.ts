import type { FastifyInstance } from 'fastify';
import { registerCatalogue } from '../catalogue/server.ts';
import type { SimulationEvent } from '../simulation/simulation.ts';
import { AccessBook } from './access-book.ts';
import { createAdminServer } from './admin-server.ts';
import { CallCounter } from './call-counter.ts';
import { createHandlers } from './handlers.ts';
import { createHttpServer } from './http-server.ts';
import { MESSAGES_PER_SECOND, STEPPED_MESSAGES_PER_SECOND } from './limits.ts';
import type { Announce, Market } from './market.ts';
import { OrderFactsBook } from './order-facts.ts';
import { PushCounts } from './push-counts.ts';
import { QuoteDesk } from './quote-desk.ts';
import { RunningMarket } from './running-market.ts';
import { SocketServer } from './socket-server.ts';
import { SocketSessions } from './socket-sessions.ts';
import { SteppedMarket } from './stepped-market.ts';
import { TradeDesk } from './trade-desk.ts';
import type { FaultReport, VenueAccount, VenueOptions } from './venue-options.ts';

/** A venue that is put together and listens nowhere yet. */
export interface AssembledVenue {
  readonly app: FastifyInstance;
  /** Undefined when no admin port was asked for. */
  readonly admin: FastifyInstance | undefined;
  /** Hangs up on everybody and stops the market. */
  close(): Promise<void>;
}

/** Puts the venue's parts together: the market that drives, the desks that tell, the servers that ask. */
export function assembleVenue(options: VenueOptions, accounts: readonly VenueAccount[]): AssembledVenue {
  const { simulation, profile, machine, random, marketClock, history, skewToleranceMs } = options;
  const onFault = options.onFault ?? endProcess;
  const stepped = marketClock.kind === 'stepped';
  const access = new AccessBook(accounts, machine, random);
  const sessions = new SocketSessions(machine, random);
  const counts = new PushCounts();
  const facts = new OrderFactsBook(simulation);
  const counter = new CallCounter(options.rateLimits ?? 'off', marketClock.kind !== 'scaled');
  const quote = new QuoteDesk({ simulation, history, profile, limits: counter, conflates: !stepped });
  const trade = new TradeDesk(facts, profile);
  const market = startMarket(options, counts, announcer({ facts, quote, trade }));
  const sockets = new SocketServer({
    ...{ sessions, counts, machine, onFault },
    desks: { quote, trade },
    messagesPerSecond: stepped ? STEPPED_MESSAGES_PER_SECOND : MESSAGES_PER_SECOND,
    around: { before: () => market.catchUp(), after: () => market.rearrange() },
  });
  const online = (accountId: string): number => sockets.online(accountId);
  const handlers = createHandlers({ simulation, facts, profile, access, sessions, machine, online });
  const app = createHttpServer({
    ...{ simulation, market, handlers, access, counter, machine, random, skewToleranceMs, onFault },
    tls: options.tls,
  });
  if (options.catalogue !== undefined) registerCatalogue(app, { ...options.catalogue, clock: machine });
  sockets.attach(app.server);
  const admin = options.adminPort === undefined ? undefined : createAdminServer(market);
  const close = async (): Promise<void> => {
    market.stop();
    await sockets.close();
    await Promise.all([app.close(), admin?.close()]);
  };
  return { app, admin, close };
}

/** A broken invariant that nobody asked to hear of is not survived. */
const endProcess: FaultReport = (fault) => {
  queueMicrotask(() => {
    throw fault;
  });
};

function announcer(to: {
  readonly facts: OrderFactsBook;
  readonly quote: QuoteDesk;
  readonly trade: TradeDesk;
}): Announce {
  const tell = (event: SimulationEvent): void => {
    if (event.kind === 'quote') {
      to.quote.announce(event.quote);
      return;
    }
    if (event.change.execution !== undefined) to.facts.note(event.change.execution);
    to.trade.announce(event.account, event.change);
  };
  return (events) => {
    for (const event of events) tell(event);
  };
}

function startMarket(options: VenueOptions, counts: PushCounts, announce: Announce): Market {
  const { simulation, machine, marketClock, accountId } = options;
  switch (marketClock.kind) {
    case 'stepped':
      return new SteppedMarket({ simulation, announce, counts, accountId });
    case 'scaled':
      return new RunningMarket({ simulation, announce, machine, mode: 'scaled', speed: marketClock.speed });
    case 'wall':
      return new RunningMarket({ simulation, announce, machine, mode: 'wall', speed: 1 });
  }
}
