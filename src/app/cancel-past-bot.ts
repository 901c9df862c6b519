import { catchError, concatMap, defer, EMPTY, firstValueFrom, from, map, mergeMap, of, toArray } from 'rxjs';
import { httpOrigin } from '../broker/addresses.ts';
import { BrokerError } from '../broker/broker-error.ts';
import { LEAST_FACTS } from '../broker/connect.ts';
import { createConnections } from '../broker/connections.ts';
import { createHttpClient } from '../broker/http-client.ts';
import { createLiveBroker } from '../broker/live-broker.ts';
import { createSecrets } from '../broker/secrets.ts';
import { DEFAULT_BROKER_SETTINGS } from '../broker/settings.ts';
import { createTimestamps } from '../broker/timestamps.ts';
import { isTerminalStatus, type OrderId } from '../model/order.ts';
import { millis } from '../model/time.ts';
import { PROFILES } from '../wire/profiles.ts';
import type { BotCard } from './bot-card.ts';
import { brokerEnvironment } from './broker-environment.ts';
import type { Killed, KillOrder } from './kill-bot.ts';
import { createSystemClock } from './system-clock.ts';
import { timestampFileByHand } from './timestamp-file.ts';
import { tokenFile } from './token-file.ts';

/** Cancels leave this far apart; the venue wants 20 ms between two calls. @see reliability.md, I-17 */
const SPACING_MS = 25;
/** What a bot that has just hung may have left of its 28 calls in 31 s: the reserve, less the listing. Then a window passes. */
const FIRST_MAX = 9;
const WINDOW_MAX = 28;
const WINDOW_MS = 31_000;

/**
 * Cancels every live order that carries a bot's tag, over HTTP of its own, when the bot itself does not. Credentials come
 * from the environment and the token file, as the bot's do. `because` says why it comes to that. Resolves in every case.
 */
export async function cancelPastBot(card: BotCard, order: KillOrder, because: string): Promise<Killed> {
  try {
    return { kind: 'past-bot', ...(await cancelAll(card, order)), why: because };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const hint = card.ownVenue ? '; its venue is its own and dies with it: end the process' : '';
    return {
      kind: 'marked',
      why: `${because}, and its orders could not be cancelled from here: ${why}${hint}`,
      left: true,
    };
  }
}

async function cancelAll(
  card: BotCard,
  { foreign, environment, project }: KillOrder,
): Promise<Pick<Extract<Killed, { kind: 'past-bot' }>, 'cancelled' | 'failed'>> {
  const machine = createSystemClock();
  const origin = httpOrigin(card.http);
  const { credentials } = brokerEnvironment(environment, {
    httpUrl: card.http,
    quoteWsUrl: '-',
    tradeWsUrl: '-',
  });
  const renewed = tokenFile(project, origin, credentials).read()?.accessToken;
  const settings = DEFAULT_BROKER_SETTINGS;
  const { appKey } = credentials;
  const timestamps = timestampFileByHand({ project, origin, appKey, machine, warn: () => undefined });
  const connections = createConnections(origin, machine, settings);
  const http = createHttpClient({
    ...{ connections, machine, settings },
    secrets: createSecrets(renewed === undefined ? credentials : { ...credentials, accessToken: renewed }),
    timestamps: createTimestamps(machine, timestamps),
    profile: PROFILES[card.profile],
    language: 'en',
    paperOnly: false,
    onDate: () => undefined,
  });
  const parts = { http, hints$: EMPTY, facts: LEAST_FACTS, settings, tell: () => undefined };
  const broker = createLiveBroker({ ...parts, deployment: card.deployment });
  const began = machine.now();

  function cancelAt(orderId: OrderId, place: number) {
    const due = place < FIRST_MAX ? 0 : Math.ceil((place + 1 - FIRST_MAX) / WINDOW_MAX) * WINDOW_MS;
    return defer(() => waited(millis(began + due + (place + 1) * SPACING_MS))).pipe(
      concatMap(() => broker.cancel(orderId)),
      catchError((error: unknown) => of({ kind: 'unknown' as const, message: String(error) })),
      map((answer) => ({ orderId, done: answer.kind === 'accepted' })),
    );
  }

  function waited(until: number): Promise<void> {
    return new Promise((resolve) => void machine.at(millis(until), 'timer', resolve));
  }

  try {
    const listed = await firstValueFrom(broker.ordersToday());
    if (listed.kind !== 'ok')
      throw new BrokerError('no-answer', `${listed.code}, ${listed.message}`, {
        endpoint: 'orders',
        retryable: true,
      });
    const live = listed.value.filter(
      ({ status, intentId }) => !isTerminalStatus(status) && (foreign || intentId !== undefined),
    );
    const cancels = from(live.map(({ orderId }, place) => ({ orderId, place }))).pipe(
      mergeMap(({ orderId, place }) => cancelAt(orderId, place), live.length + 1),
      toArray(),
    );
    const answers = await firstValueFrom(cancels);
    return {
      cancelled: answers.filter(({ done }) => done).map(({ orderId }) => orderId),
      failed: answers.filter(({ done }) => !done).map(({ orderId }) => orderId),
    };
  } finally {
    await connections.close();
    timestamps?.close();
  }
}
