import { EMPTY, firstValueFrom } from 'rxjs';
import type { Bar } from '../model/bar.ts';
import { type Decimal, decimal } from '../model/decimal.ts';
import { isTooManyCalls } from '../model/order-state.ts';
import { MINUTE_MS, type Millis, millis, SECOND_MS } from '../model/time.ts';
import type { Alarms } from '../ports/alarms.ts';
import { type Broker, type BrokerFacts, failureReason } from '../ports/broker.ts';
import type { CallBudget } from '../ports/call-budget.ts';
import type { Clock } from '../ports/clock.ts';
import { onlyDocumented } from '../ports/only-documented.ts';
import type { QuoteFeed } from '../ports/quote-feed.ts';
import type { Random } from '../ports/random.ts';
import { quoteCommands } from '../wire/commands.ts';
import type { EndpointName } from '../wire/endpoints.ts';
import type { WireProfile } from '../wire/profiles.ts';
import type { Credentials } from '../wire/signature.ts';
import { WireError } from '../wire/wire-error.ts';
import { BrokerError } from './broker-error.ts';
import { callEndpoint } from './http/call-endpoint.ts';
import { createHttpClient, type HttpClient } from './http/http-client.ts';
import { createReachabilityWatch } from './http/reachability.ts';
import { createSkewWatch } from './http/skew.ts';
import { createTimestamps, type TimestampStore } from './http/timestamps.ts';
import { nominalClose } from './orders/history.ts';
import { createLiveBroker, intentIdReader } from './orders/live-broker.ts';
import type { MarketPushes } from './quotes/market-pushes.ts';
import type { QuotePackage } from './quotes/quote-packages.ts';
import { alarmRaiser } from './raise-alarm.ts';
import { createSecrets } from './secrets.ts';
import { type BrokerSettings, DEFAULT_BROKER_SETTINGS } from './settings.ts';
import { httpOrigin, socketAddress } from './socket/addresses.ts';
import type { SocketCall } from './socket/command-call.ts';
import { createConnections } from './socket/connections.ts';
import { createQuoteSocketClient, createTradeSocketClient } from './socket-clients.ts';

/** Addresses, credentials, clocks and randomness of a client. */
export interface BrokerClientOptions {
  /** `https://host`; plain `http` and `ws` for loopback only. */
  readonly httpUrl: string;
  readonly quoteWsUrl: string;
  /** Not used with `onlyDocumented`. */
  readonly tradeWsUrl: string | undefined;
  readonly credentials: Credentials;
  readonly profile: WireProfile;
  readonly machine: Clock;
  /** Market time, for alarms and to determine which bars are closed. */
  readonly market: () => Millis;
  readonly random: Random;
  /** Four characters of `A-Z`, `2-7` in every tag of ours. */
  readonly deployment: string;
  /** Facts about the venue; by default the weakest: pushes may be lost, no request key, 30 calls in 30 s. */
  readonly facts?: Partial<BrokerFacts>;
  readonly alarms?: Alarms;
  /** Language of names and refusals: `en` (default), `zh-CN`, `zh-HK`. */
  readonly language?: string;
  /**
   * True for a venue that has only what the source document describes: no trade socket, no listings, no cancel or
   * replace, no pushes. Orders are then read by their ids, and bars when they close.
   */
  readonly onlyDocumented?: boolean;
  /** Subscribes the best prices of the book as well, for `feed.best`. */
  readonly withDepth?: boolean;
  /** A price that jumps farther than this share of the last one must be confirmed; default 0.2. */
  readonly quoteJump?: Decimal;
  /** Makes the venue refuse a token that trades real money. */
  readonly paperOnly?: boolean;
  readonly settings?: Partial<BrokerSettings>;
  /** When a bar closes; by default its full length after its open. */
  readonly closeOf?: (bar: Bar) => Millis;
  /** Call limit of the account; absent: calls are not counted. */
  readonly budget?: CallBudget;
  /** Stores the last X-Timestamp across restarts; absent: it is kept in memory. */
  readonly timestamps?: TimestampStore;
  /**
   * Returns a token in place of one that the venue refused; undefined if there is no newer one. Absent: there never
   * is.
   */
  readonly newerToken?: ((refused: string) => string | undefined) | undefined;
  /** Releases reserved file descriptors for a cancel that finds none; absent: there are none. */
  readonly freeDescriptors?: () => void;
  /** Called once, on connecting, with the quote packages of each market. */
  readonly onQuotePackages?: (packages: readonly QuotePackage[]) => void;
}

/** A client of interface A. */
export interface BrokerClient {
  readonly broker: Broker;
  readonly feed: QuoteFeed;
  /** Depth, broker queues and market trades as the venue pushes them. */
  readonly pushes: MarketPushes;
  /** Calls any endpoint; for `createApi`. */
  readonly http: HttpClient;
  /** Sends any command to the quote socket; for `createApi`. */
  readonly callQuotes: SocketCall;
  readonly profile: WireProfile;
  /** Signs with another access token from now on. */
  useToken(accessToken: string): void;
  /**
   * Makes a test call, opens both sockets and subscribes order changes. Rejects with BrokerError if any of it fails,
   * and then closes everything. Afterwards the sockets reconnect automatically. `interrupted` ends the wait for a venue
   * that received too many calls.
   */
  connect(interrupted?: AbortSignal): Promise<void>;
  /** Closes all connections; may be called twice, and before `connect`. */
  close(): Promise<void>;
}

const OUT_OF_DESCRIPTORS =
  'Cannot open a connection to the venue: this process, or the whole system, has reached its limit of open files';

const VENUE_REFUSES_CALLS =
  'The start waits: the venue refuses calls, as it received too many in the last half minute';

/** First and longest pause before a refused step of `connect` is repeated. */
const CONNECT_PAUSE_MS = 1_000;
const CONNECT_PAUSE_MS_MAX = 8_000;

const QUOTE_JUMP = decimal('0.2');

/**
 * Delays after which a missing bar is requested again, each after the previous one, in machine milliseconds: a venue
 * may publish a bar a moment after it closed.
 */
const LATE_BARS_MS = [250, 750, 2_000] as const;

/** The defaults of a venue's facts. */
export const MINIMAL_FACTS: BrokerFacts = { pushComplete: false, requestKey: false, callsPer30s: 30 };

/**
 * Creates the client of one account. Nothing is sent before `connect`; orders and queries use HTTP and work without
 * the sockets. Throws BrokerError (`bad-option`, `unsafe-address`) for addresses that may not be used.
 */
export function createBrokerClient(options: BrokerClientOptions): BrokerClient {
  const { machine, random, market, profile, language = 'en' } = options;
  const settings: BrokerSettings = { ...DEFAULT_BROKER_SETTINGS, ...options.settings };
  const origin = httpOrigin(options.httpUrl);
  const secrets = createSecrets(options.credentials);
  const raiseAlarm = alarmRaiser(options.alarms, market);
  const connections = createConnections(origin, machine, settings);
  const http = createHttpClient({
    connections,
    secrets,
    timestamps: createTimestamps(machine, {
      store: options.timestamps,
      warn: (message) => raiseAlarm('stamps-ahead', message),
    }),
    profile,
    machine,
    settings,
    language,
    paperOnly: options.paperOnly ?? false,
    budget: options.budget,
    newerToken: options.newerToken,
    onDate: createSkewWatch(() => machine.now(), raiseAlarm),
    onReach: createReachabilityWatch(() => retrySockets()),
    onStarved: onOutOfDescriptors,
  });

  let starvedAt: Millis | undefined;
  /** Reported once while it lasts. */
  function onOutOfDescriptors(name: EndpointName): boolean {
    const before = starvedAt;
    starvedAt = machine.now();
    if (before === undefined || starvedAt - before >= MINUTE_MS)
      raiseAlarm('out-of-descriptors', OUT_OF_DESCRIPTORS);
    if (name !== 'cancelOrder' || options.freeDescriptors === undefined) return false;
    options.freeDescriptors();
    return true;
  }

  /** Any answer shows that the venue is reachable. */
  const retrySockets = (): void => {
    trade?.socket.retryNow();
    quote.socket.retryNow();
  };
  const shared = { http, machine, random, settings, language, raiseAlarm, onUp: retrySockets };
  const intentOf = intentIdReader(options.deployment);
  const { deployment, onlyDocumented: isMinimal = false } = options;
  const trade = isMinimal
    ? undefined
    : createTradeSocketClient({ ...shared, address: socketAddress(options.tradeWsUrl ?? '') }, intentOf);
  const facts = { ...MINIMAL_FACTS, ...options.facts, ...(isMinimal ? { requestKey: false } : {}) };
  const pushes = trade === undefined ? {} : { pushes$: trade.pushes$ };
  const fullBroker = createLiveBroker({
    http,
    facts,
    deployment,
    settings,
    raiseAlarm,
    ...pushes,
    hints$: trade?.hints$ ?? EMPTY,
  });
  const broker = isMinimal ? onlyDocumented(fullBroker) : fullBroker;
  const quote = createQuoteSocketClient({
    ...shared,
    address: socketAddress(options.quoteWsUrl),
    commands: quoteCommands(profile),
    marginFactors: broker.marginFactors,
    market,
    closeOf: options.closeOf ?? nominalClose,
    withDepth: options.withDepth ?? false,
    quoteJump: options.quoteJump ?? QUOTE_JUMP,
    lateBarsMs: isMinimal ? (facts.pushComplete ? [] : LATE_BARS_MS) : undefined,
  });

  const closing = new AbortController();

  /**
   * Returns a function that repeats steps of the start that the venue refused because of too many calls, such as of an
   * earlier start. All steps have one deadline.
   */
  function startRepeater(stop: AbortSignal) {
    const until = machine.now() + settings.connectRetryMs;
    let isReported = false;

    function reportWait(): void {
      if (isReported) return;
      isReported = true;
      const seconds = Math.round((until - machine.now()) / SECOND_MS);
      raiseAlarm('start-waits', `${VENUE_REFUSES_CALLS}; it tries again for up to ${seconds} s`);
    }

    return async <T>(step: () => Promise<T>): Promise<T> => {
      for (let waitMs = CONNECT_PAUSE_MS; ; waitMs = Math.min(2 * waitMs, CONNECT_PAUSE_MS_MAX)) {
        try {
          return await step();
        } catch (error) {
          const isThrottled = error instanceof BrokerError && isTooManyCalls(error.venueCode ?? 0);
          if (!isThrottled || stop.aborted || machine.now() + waitMs > until) throw error;
          reportWait();
          await pause(machine, waitMs, stop);
          if (stop.aborted) throw error;
        }
      }
    };
  }

  async function close(): Promise<void> {
    closing.abort();
    await Promise.all([quote.socket.close(), trade?.socket.close(), connections.close()]);
  }

  async function connect(interrupted?: AbortSignal): Promise<void> {
    const repeated = startRepeater(
      interrupted === undefined ? closing.signal : AbortSignal.any([closing.signal, interrupted]),
    );
    try {
      await repeated(() => testCall(http));
      const opened = await Promise.allSettled([trade?.socket.open(repeated), quote.socket.open(repeated)]);
      for (const each of opened) if (each.status === 'rejected') throw each.reason;
      if (options.onQuotePackages !== undefined && !isMinimal)
        await quote.reportPackages(options.onQuotePackages);
    } catch (error) {
      await close();
      throw error;
    }
  }

  return {
    broker,
    feed: quote.feed,
    pushes: quote.pushes,
    http,
    callQuotes: quote.socket.request,
    profile,
    useToken: secrets.renew,
    connect,
    close,
  };
}

/** Waits on machine time, until `stop` at the latest. */
function pause(machine: Clock, waitMs: number, stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const cancel = machine.at(millis(machine.now() + waitMs), 'timer', over);
    stop.addEventListener('abort', over);
    function over(): void {
      cancel();
      stop.removeEventListener('abort', over);
      resolve();
    }
  });
}

/** Detects a wrong address, key, secret or token before anything else. */
async function testCall(http: HttpClient): Promise<void> {
  const endpoint = 'GET /v1/test';
  try {
    const answer = await firstValueFrom(callEndpoint(http, 'connectivityTest', {}, () => true));
    if (answer.kind === 'ok') return;
    const { code, retryable } = answer;
    const reason = failureReason(answer);
    throw new BrokerError(code === 0 ? 'no-answer' : 'refused', `Cannot reach the broker: ${reason}`, {
      endpoint,
      retryable,
      venueCode: code,
    });
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    throw new BrokerError('bad-option', `Cannot sign requests: ${http.safe(error.message)}`, {
      endpoint,
      retryable: false,
      cause: error,
    });
  }
}
