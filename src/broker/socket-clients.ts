import { firstValueFrom, type Observable, Subject } from 'rxjs';
import type { Bar } from '../model/bar.ts';
import type { Decimal } from '../model/decimal.ts';
import type { IntentId } from '../model/order.ts';
import type { Millis } from '../model/time.ts';
import type { Broker, OrderHint } from '../ports/broker.ts';
import type { Clock } from '../ports/clock.ts';
import type { QuoteFeed } from '../ports/quote-feed.ts';
import type { Random } from '../ports/random.ts';
import type { QuoteCommands } from '../wire/commands.ts';
import { BrokerError } from './broker-error.ts';
import type { HttpClient } from './http/http-client.ts';
import { createOrderHints } from './orders/order-hints.ts';
import { createMarketPushes, type MarketPushes } from './quotes/market-pushes.ts';
import { createPolledFeed } from './quotes/polled-feed.ts';
import { createQuoteFeed } from './quotes/quote-feed.ts';
import { type QuotePackage, readQuotePackages } from './quotes/quote-packages.ts';
import type { RaiseAlarm } from './raise-alarm.ts';
import { createRateLimiter, UNLIMITED } from './rate-limiter.ts';
import type { BrokerSettings } from './settings.ts';
import { createSessions } from './socket/session.ts';
import { SessionSocket } from './socket/session-socket.ts';

/** Dependencies of both sockets. */
export interface SocketClientParts {
  readonly address: URL;
  readonly http: HttpClient;
  readonly machine: Clock;
  readonly random: Random;
  readonly settings: BrokerSettings;
  readonly language: string;
  readonly raiseAlarm: RaiseAlarm;
  /** Called whenever a socket came up; absent: no listener. */
  readonly onUp?: () => void;
}

/** The trade socket and its order hints. */
export interface TradeSocketClient {
  readonly socket: SessionSocket;
  readonly hints$: Observable<OrderHint>;
  readonly pushes$: Observable<'down' | 'up'>;
}

/** Connects order hints to a separate socket, whose requests are not counted. */
export function createTradeSocketClient(
  parts: SocketClientParts,
  intentOf: (remark: string) => IntentId | undefined,
): TradeSocketClient {
  const { http, machine, settings, raiseAlarm } = parts;
  const { safe } = http;
  const name = 'trade socket';
  const pushes$ = new Subject<'down' | 'up'>();
  const hints = createOrderHints(intentOf, safe, raiseAlarm);
  const socket = new SessionSocket({
    ...parts,
    name,
    safe,
    sessions: createSessions({ http, machine, settings, metadata: {}, name }),
    rateLimiter: UNLIMITED,
    onPush: hints.receive,
    restore: hints.restore,
    onUp: () => {
      pushes$.next('up');
      parts.onUp?.();
    },
    onDown: () => pushes$.next('down'),
    onOver: hints.fail,
  });
  return { socket, hints$: hints.hints$, pushes$: pushes$.asObservable() };
}

/** The quote socket and its feeds. */
export interface QuoteSocketClient {
  readonly socket: SessionSocket;
  readonly feed: QuoteFeed;
  readonly pushes: MarketPushes;
  /** Reads the quote packages; if the venue does not answer, an alarm is raised. */
  reportPackages(report: (packages: readonly QuotePackage[]) => void): Promise<void>;
}

/** Further dependencies of the quote side. */
export interface QuoteSocketClientParts extends SocketClientParts {
  readonly commands: QuoteCommands;
  readonly marginFactors: Broker['marginFactors'];
  readonly market: () => Millis;
  readonly closeOf: (bar: Bar) => Millis;
  readonly withDepth: boolean;
  readonly quoteJump: Decimal;
  /** Set if the venue pushes no quotes and bars are read when they close; see `PolledFeedParts`. */
  readonly lateBarsMs: readonly number[] | undefined;
}

/** Connects the quote feed to a socket with the published rate limit. */
export function createQuoteSocketClient(parts: QuoteSocketClientParts): QuoteSocketClient {
  const { http, machine, settings, language, raiseAlarm, commands } = parts;
  const { safe } = http;
  const name = 'quote socket';
  const metadata = { 'accept-language': language };
  const socket: SessionSocket = new SessionSocket({
    ...parts,
    name,
    safe,
    sessions: createSessions({ http, machine, settings, metadata, name }),
    rateLimiter: createRateLimiter(
      {
        calls: settings.quoteCallsMax,
        windowMs: settings.quoteWindowMs,
        inFlight: settings.quoteInFlightMax,
        waiting: settings.quoteWaitingMax,
      },
      machine,
    ),
    onPush: (push) => {
      quotes.receive(push);
      market.receive(push);
    },
    async restore(through) {
      await quotes.restore(through);
      await market.restore(through);
    },
    onUp: () => {
      quotes.onUp();
      market.onUp();
      parts.onUp?.();
    },
    onDown: () => {
      quotes.onDown();
      market.onDown();
    },
    onOver: (error) => {
      quotes.fail(error);
      market.fail(error);
    },
  });
  const quotes =
    parts.lateBarsMs === undefined
      ? createQuoteFeed({
          ...parts,
          call: socket.request,
          safe,
          otherSymbols: () => market.symbols(),
          keepsDepth: (symbol) => market.hasListener('depth', symbol),
        })
      : createPolledFeed({ ...parts, call: socket.request, safe, lateBarsMs: parts.lateBarsMs });
  const market = createMarketPushes({
    call: socket.request,
    commands,
    raiseAlarm,
    safe,
    otherSymbols: quotes.symbols,
    keepsDepth: (symbol) => parts.withDepth && quotes.symbols().includes(symbol),
  });

  return {
    socket,
    feed: quotes.feed,
    pushes: market.pushes,
    async reportPackages(report) {
      try {
        report(await firstValueFrom(readQuotePackages(socket.request, commands, language)));
      } catch (error) {
        if (!(error instanceof BrokerError)) throw error;
        raiseAlarm('no-quote-packages', `The venue does not state the quote permissions: ${error.message}`);
      }
    },
  };
}
