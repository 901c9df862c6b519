import { firstValueFrom, type Observable } from 'rxjs';
import { BrokerError } from '../../broker/broker-error.ts';
import { type BrokerClient, MINIMAL_FACTS } from '../../broker/connect.ts';
import { type Api, createApi } from '../../broker/http/api.ts';
import { createHttpClient } from '../../broker/http/http-client.ts';
import { createSkewWatch } from '../../broker/http/skew.ts';
import { createTimestamps, type TimestampStore } from '../../broker/http/timestamps.ts';
import { nominalClose } from '../../broker/orders/history.ts';
import { createLiveBroker, intentIdReader } from '../../broker/orders/live-broker.ts';
import { createSecrets } from '../../broker/secrets.ts';
import { DEFAULT_BROKER_SETTINGS } from '../../broker/settings.ts';
import { createConnections } from '../../broker/socket/connections.ts';
import { createQuoteSocketClient, createTradeSocketClient } from '../../broker/socket-clients.ts';
import { createCallBudget, MANUAL_BUDGET } from '../../execution/call-budget/call-budget.ts';
import { decimal } from '../../model/decimal.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import { printable } from '../../model/printable.ts';
import type { Answer } from '../../ports/broker.ts';
import type { CallBudget, SharedCalls } from '../../ports/call-budget.ts';
import type { Clock } from '../../ports/clock.ts';
import { NO_ACCOUNT } from '../../wire/account-number.ts';
import { quoteCommands } from '../../wire/commands.ts';
import { PROFILES, type ProfileName } from '../../wire/profiles.ts';
import { SOCKET_REFUSALS } from '../../wire/socket-status.ts';
import { WireError } from '../../wire/wire-error.ts';
import { createSystemClock } from '../clock/system-clock.ts';
import { systemRandom } from '../clock/system-random.ts';
import { activeCredentials, newerTokens } from '../credentials/active-credentials.ts';
import { timestampFileForCommands } from '../credentials/timestamp-file.ts';
import { type TokenFile, tokenFile } from '../credentials/token-file.ts';
import { accountKey, credentialsKey } from '../storage/user-state.ts';
import { failureText } from './api-failure.ts';
import { type ApiNeeds, type ApiTarget, apiTarget, isLoopback } from './api-target.ts';
import type { AddressOverrides } from './broker-environment.ts';
import { consumeUntilAborted } from './consume-until-aborted.ts';
import { openSharedCallLog } from './shared-call-log.ts';

/** The venue that receives a request. */
export interface ApiWhere {
  /** Host and port. */
  readonly venue: string;
  readonly isLoopback: boolean;
}

/** The venue to query, the credentials and the options. */
export interface ApiRequest {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly addresses: AddressOverrides;
  readonly needs: ApiNeeds;
  readonly profile: ProfileName;
  /** Language of names and refusals: `en`, `zh-CN`, `zh-HK`. */
  readonly language: string;
  /** Folder whose work folder has renewed tokens. */
  readonly project: string;
  /** Makes the venue refuse a token that trades real money. */
  readonly paperOnly: boolean;
  /** The required account, from a config; absent to use the account of the credentials. */
  readonly account?: string | undefined;
  /** Called before connecting; an error ends the request. */
  readonly check: (where: ApiWhere) => void;
  /** Receives warnings for the user. */
  readonly warn: (text: string) => void;
}

/**
 * An open connection to a venue. Every failure is a BrokerError that states the operation, the host, and what to do.
 */
export interface OpenedApi extends ApiWhere {
  readonly api: Api;
  readonly tokens: TokenFile;
  readonly machine: Clock;
  /** Returns the value of an answer; `tried` names the operation, as written after "Cannot". */
  ask<T>(tried: string, question: Observable<Answer<T>>): Promise<T>;
  /** The answer of the quote socket. */
  pull<T>(tried: string, question: Observable<T>): Promise<T>;
  /** Receives pushes until interrupted; broken connections reconnect. Rejects if the stream cannot be repaired. */
  watch<T>(watching: Watching<T>): Promise<void>;
  /** Number of the account of the credentials; needs the quote socket. '0' if the venue does not state it. */
  accountId(): Promise<string>;
}

/**
 * Opens only what the work needs of a venue, and closes everything afterwards. Throws EnvironmentError before
 * connecting if the environment lacks something, and BrokerError if the venue does not answer.
 */
export async function withApi<T>(request: ApiRequest, work: (opened: OpenedApi) => Promise<T>): Promise<T> {
  const place = apiTarget(request.environment, request.addresses, request.needs);
  const venue = place.origin.host;
  request.check({ venue, isLoopback: isLoopback(place.origin) });
  const tokens = tokenFile(request.project, place.origin, place.credentials);
  const machine = createSystemClock();
  const { credentials } = activeCredentials({ ...place, tokens, machine, warn: request.warn });
  const { appKey } = credentials;
  const timestamps = timestampFileForCommands({ ...request, origin: place.origin, appKey });
  const { origin } = place;
  const calls = openSharedCallLog({
    environment: request.environment,
    warn: request.warn,
    now: machine.now,
    ...(request.account === undefined ? {} : { account: await accountKey(origin, request.account) }),
    credentials: await credentialsKey(origin, appKey),
  });
  const budget = budgetByHand(machine, calls, request.warn);
  const client = composeClient(
    { ...request, machine, budget, tokens, ...omitUndefined({ timestamps }) },
    { ...place, credentials },
  );
  const explained = async <V>(tried: string, answer: Promise<V>): Promise<V> => {
    try {
      return await answer;
    } catch (error) {
      throw explain(error, tried, venue, client);
    }
  };

  try {
    if (request.needs === 'quotes') await explained('open the quote socket', client.connect());
    const api = createApi(client, {
      saveToken: async (token) => tokens.write({ accessToken: token, expiresAt: '' }),
    });
    const pull = <V>(tried: string, question: Observable<V>): Promise<V> =>
      explained(tried, firstValueFrom(question));
    return await work({
      api,
      venue,
      tokens,
      machine,
      pull,
      isLoopback: isLoopback(place.origin),
      async ask(tried, question) {
        const answer = await pull(tried, question);
        if (answer.kind === 'ok') return answer.value;
        throw refusedWith(answer, tried, venue);
      },
      watch: ({ tried, pushed, until, show }) =>
        explained(tried, consumeUntilAborted(pushed(client), { until, show })),
      async accountId() {
        const { language } = request;
        try {
          const userProfile = await firstValueFrom(api.quotes.userQuoteProfile({ language }));
          return String(userProfile.memberId);
        } catch (error) {
          // A venue with only what the source document describes has no such command, so it cannot state the account.
          if (error instanceof BrokerError && error.venueCode === SOCKET_REFUSALS.invalidRequest.code)
            return NO_ACCOUNT;
          return explained('read the account id', Promise.reject(error));
        }
      },
    });
  } finally {
    await client.close();
    timestamps?.close();
    calls.close();
  }
}

/** The account's call budget, shared by commands and bots. A command that has to wait prints a notice. */
function budgetByHand(machine: Clock, calls: SharedCalls, warn: ApiRequest['warn']): CallBudget {
  const budget = createCallBudget(machine, MANUAL_BUDGET, calls);
  return {
    ...budget,
    acquire(kind, go, late) {
      if (!budget.hasCapacity(kind)) warn(WAITS);
      return budget.acquire(kind, go, late);
    },
  };
}

const WAITS =
  'The calls of the account in the last half minute are used up, here or by a bot: waiting for a free place';

/** What is watched, and for how long. */
export interface Watching<T> {
  readonly tried: string;
  readonly pushed: (client: Pick<BrokerClient, 'feed' | 'pushes'>) => Observable<T>;
  readonly until: AbortSignal;
  readonly show: (value: T) => void;
}

export type ClientParts = Pick<ApiRequest, 'profile' | 'language' | 'paperOnly' | 'warn'> & {
  readonly machine: Clock;
  /** Read again if the venue refuses the token in use. */
  readonly tokens: TokenFile;
  readonly timestamps?: TimestampStore;
  /** Absent if the request does not concern an account. */
  readonly budget?: CallBudget;
};

const WARNING_CHARS = 300;

/** Deployment name in the tag (`remark`) of manual orders. */
export const MANUAL_DEPLOYMENT = 'HAND';

/** A client without a trade socket, whose quote socket opens on `connect`. */
export function composeClient(parts: ClientParts, { origin, quotes, credentials }: ApiTarget) {
  const { machine, language, paperOnly, warn } = parts;
  const settings = DEFAULT_BROKER_SETTINGS;
  const profile = PROFILES[parts.profile];
  const secrets = createSecrets(credentials);
  const stored = newerTokens(parts.tokens, credentials.accessToken);
  const connections = createConnections(origin, machine, settings);
  const warnPrintable = (_code: string, message: string): void => warn(printable(message, WARNING_CHARS));
  const http = createHttpClient({
    connections,
    secrets,
    profile,
    machine,
    settings,
    language,
    paperOnly,
    timestamps: createTimestamps(machine, { store: parts.timestamps, warn }),
    budget: parts.budget,
    newerToken: () => stored.newer()?.accessToken,
    onDate: createSkewWatch(() => machine.now(), warnPrintable),
  });
  const shared = { http, machine, random: systemRandom, settings, language, raiseAlarm: warnPrintable };
  const address = quotes ?? new URL(origin.href.replace(/^http/, 'ws'));
  const { hints$ } = createTradeSocketClient({ ...shared, address }, intentIdReader(MANUAL_DEPLOYMENT));
  const broker = createLiveBroker({
    http,
    hints$,
    settings,
    raiseAlarm: warnPrintable,
    facts: MINIMAL_FACTS,
    deployment: MANUAL_DEPLOYMENT,
  });
  const quote = createQuoteSocketClient({
    ...shared,
    address,
    commands: quoteCommands(profile),
    marginFactors: broker.marginFactors,
    market: () => machine.now(),
    closeOf: nominalClose,
    withDepth: false,
    quoteJump: decimal('0.2'),
    lateBarsMs: undefined,
  });
  return {
    broker,
    feed: quote.feed,
    pushes: quote.pushes,
    http,
    callQuotes: quote.socket.request,
    profile,
    useToken(accessToken) {
      stored.note(accessToken);
      secrets.renew(accessToken);
    },
    connect: () => quote.socket.open(),
    async close() {
      await Promise.all([quote.socket.close(), connections.close()]);
    },
  } satisfies BrokerClient;
}

function refusedWith(
  answer: Exclude<Answer<unknown>, { kind: 'ok' }>,
  tried: string,
  venue: string,
): BrokerError {
  const { code, message, retryable } = answer;
  const text = failureText({ tried, venue, code, message, isAnswered: code !== 0 || !retryable });
  const why = answer.kind === 'not-sent' ? 'not-sent' : code === 0 ? 'no-answer' : 'refused';
  return new BrokerError(why, text, {
    endpoint: tried,
    retryable,
    venueCode: code,
  });
}

export function explain(error: unknown, tried: string, venue: string, { http }: BrokerClient): unknown {
  if (error instanceof BrokerError) {
    const { code, endpoint, retryable, venueCode, message } = error;
    // Code 0 means that no answer arrived.
    const isAnswered = (venueCode ?? 0) !== 0 || !retryable;
    const text = failureText({ tried, venue, code: venueCode ?? 0, message, isAnswered });
    const venueCodeField = omitUndefined({ venueCode });
    return new BrokerError(code, text, { endpoint, retryable, cause: error, ...venueCodeField });
  }
  if (!(error instanceof WireError)) return error;
  const text = failureText({ tried, venue, code: 0, message: http.safe(error.message), isAnswered: true });
  return new BrokerError('bad-answer', text, { endpoint: tried, retryable: false, cause: error });
}
