import { EMPTY, firstValueFrom } from 'rxjs';
import { BrokerError } from '../../broker/broker-error.ts';
import { LEAST_FACTS } from '../../broker/connect.ts';
import { createHttpClient } from '../../broker/http/http-client.ts';
import { createTimestamps } from '../../broker/http/timestamps.ts';
import { createLiveBroker } from '../../broker/orders/live-broker.ts';
import { createSecrets } from '../../broker/secrets.ts';
import { DEFAULT_BROKER_SETTINGS } from '../../broker/settings.ts';
import { httpOrigin } from '../../broker/socket/addresses.ts';
import { createConnections } from '../../broker/socket/connections.ts';
import { createCallBudget, KILL_BUDGET } from '../../execution/call-budget/call-budget.ts';
import { isTerminalStatus, type OrderId } from '../../model/order.ts';
import { DAY_MS, millis } from '../../model/time.ts';
import type { ChangeAnswer } from '../../ports/broker.ts';
import { observed } from '../../ports/observed.ts';
import { PROFILES } from '../../wire/profiles.ts';
import type { Credentials } from '../../wire/signature.ts';
import { brokerEnvironment } from '../broker/broker-environment.ts';
import { openSpentCalls } from '../broker/spent-calls.ts';
import { createSystemClock } from '../clock/system-clock.ts';
import { timestampFileForCommands } from '../credentials/timestamp-file.ts';
import { tokenFile } from '../credentials/token-file.ts';
import { credentialsKey } from '../storage/user-state.ts';
import type { BotInfo } from './bot-info.ts';
import { journaledState } from './journaled-status.ts';
import type { KillOrder, Stopped } from './kill-order.ts';

/** Interval between two cancels; the venue requires 20 ms between two calls. @see docs/reliability.md, I-17 */
const SPACING_MS = 25;
/** Wait before a throttled cancel is sent again, and how long it is tried: longer than the window of the call limit. */
const RETRY_MS = 1_000;
const RETRY_FOR_MS = 35_000;
/** Refusals for too many calls; the cancel did not happen. */
const THROTTLED: ReadonlySet<number> = new Set([429001, 429002]);

/** A bot that does not answer: its folder, and the file about itself that it wrote there. */
export interface UnresponsiveBot {
  readonly folder: string;
  readonly info: BotInfo;
}

/**
 * Cancels every live order that carries a bot's tag, over a separate HTTP connection, when the bot itself does not. Credentials come
 * from the environment and the token file, as the bot's do. `reason` is for the report. Resolves in every case.
 */
export async function cancelOutOfBand(
  bot: UnresponsiveBot,
  order: KillOrder,
  reason: string,
): Promise<Stopped> {
  try {
    return { kind: 'past-bot', ...(await cancelAll(bot, order)), why: reason };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const hint = bot.info.ownVenue ? '; its venue is its own and dies with it: end the process' : '';
    return {
      kind: 'marked',
      why: `${reason}, and its orders could not be cancelled from here: ${why}${hint}`,
      left: true,
    };
  }
}

type Cancels = Pick<Extract<Stopped, { kind: 'past-bot' }>, 'cancelled' | 'failed'>;

/**
 * Cancels at once what the venue lists, or, where it does not answer, what the journal knows; what the venue throttles or
 * leaves open is tried again. The calls are counted for the user's other processes, and none is held back for theirs.
 */
async function cancelAll(bot: UnresponsiveBot, order: KillOrder): Promise<Cancels> {
  const { broker, machine, close } = await cancellingBroker(bot.info, order);
  const answers = new Map<OrderId, ChangeAnswer['kind']>();
  const until = machine.now() + RETRY_FOR_MS;

  function waited(forMs: number): Promise<void> {
    return new Promise((resolve) => void machine.at(millis(machine.now() + forMs), 'timer', resolve));
  }

  async function cancel(orderId: OrderId, place: number): Promise<void> {
    await waited(place * SPACING_MS);
    const unknown = (error: unknown): ChangeAnswer => ({ kind: 'unknown', message: String(error) });
    const answer = await firstValueFrom(observed(broker.cancel(orderId))).catch(unknown);
    const isThrottled = answer.kind === 'refused' && THROTTLED.has(answer.code);
    answers.set(orderId, isThrottled ? 'not-sent' : answer.kind);
  }

  /** Orders known to be open; `missing` states why the list may be incomplete. */
  async function open(): Promise<{ readonly ids: readonly OrderId[]; readonly missing?: BrokerError }> {
    const listed = await firstValueFrom(observed(broker.ordersToday()));
    if (listed.kind === 'ok') {
      const live = listed.value.filter(
        ({ status, intentId }) => !isTerminalStatus(status) && (order.foreign || intentId !== undefined),
      );
      // A list that is late, or of today alone, leaves out orders that the journal knows. Orders for an earlier day are over.
      const listedIds = new Set(listed.value.map(({ orderId }) => orderId));
      const others = journaledOrders(bot.folder, millis(machine.now() - DAY_MS)).filter(
        (orderId) => !listedIds.has(orderId),
      );
      return { ids: [...live.map(({ orderId }) => orderId), ...others] };
    }
    const { code, message, retryable } = listed;
    const missing = new BrokerError('no-answer', `${code}, ${message}`, { endpoint: 'orders', retryable });
    return { ids: journaledOrders(bot.folder), missing };
  }

  try {
    for (;;) {
      const { ids, missing } = await open();
      const due = ids.filter((orderId) => isDue(answers.get(orderId)));
      await Promise.all(due.map(cancel));
      const isOver = missing === undefined || !missing.retryable || machine.now() >= until;
      const isTried = machine.now() >= until || ids.every((orderId) => !isDue(answers.get(orderId)));
      if (isOver && isTried) {
        if (missing !== undefined && answers.size === 0) throw missing;
        const done = (kind: ChangeAnswer['kind']): boolean => kind === 'accepted';
        return {
          cancelled: [...answers].filter(([, kind]) => done(kind)).map(([orderId]) => orderId),
          failed: [...answers].filter(([, kind]) => !done(kind)).map(([orderId]) => orderId),
        };
      }
      await waited(RETRY_MS);
    }
  } finally {
    await close();
  }
}

/** Whether a cancel is to be sent, or sent again: cancelling twice does no harm. */
function isDue(answer: ChangeAnswer['kind'] | undefined): boolean {
  return answer === undefined || answer === 'not-sent' || answer === 'unknown';
}

/** Orders that are open according to the journal, without day orders of before an instant; none if it cannot be read. */
function journaledOrders(folder: string, daysSince = millis(0)): readonly OrderId[] {
  try {
    const { live } = journaledState(folder).state;
    return [...live.values()]
      .filter(({ terms, decidedAt }) => terms.timeInForce !== 'day' || decidedAt >= daysSince)
      .flatMap(({ facets: { submission, twins } }) => [
        ...(submission.kind === 'acked' ? [submission.orderId] : []),
        ...twins,
      ]);
  } catch {
    return [];
  }
}

/** A client of the bot's account that sends orders and nothing else. */
async function cancellingBroker(info: BotInfo, { environment, project }: KillOrder) {
  const machine = createSystemClock();
  const origin = httpOrigin(info.http);
  const { credentials } = brokerEnvironment(environment, {
    httpUrl: info.http,
    quoteWsUrl: '-',
    tradeWsUrl: '-',
  });
  const settings = DEFAULT_BROKER_SETTINGS;
  const { appKey } = credentials;
  const timestamps = timestampFileForCommands({ project, origin, appKey, warn: () => undefined });
  const connections = createConnections(origin, machine, settings);
  const calls = openSpentCalls({
    environment,
    now: machine.now,
    warn: () => undefined,
    credentials: await credentialsKey(origin, appKey),
  });
  const http = createHttpClient({
    connections,
    machine,
    settings,
    secrets: createSecrets({ ...credentials, accessToken: currentToken(project, origin, credentials) }),
    timestamps: createTimestamps(machine, { memory: timestamps }),
    profile: PROFILES[info.profile],
    language: 'en',
    paperOnly: false,
    budget: createCallBudget(machine, KILL_BUDGET, calls),
    onDate: () => undefined,
  });
  const parts = { http, hints$: EMPTY, facts: LEAST_FACTS, settings, raiseAlarm: () => undefined };
  return {
    machine,
    broker: createLiveBroker({ ...parts, deployment: info.deployment }),
    async close() {
      await connections.close();
      timestamps?.close();
      calls.close();
    },
  };
}

/** The renewed token, or the one of the environment where no renewed one can be read. */
function currentToken(project: string, origin: URL, credentials: Credentials): string {
  try {
    return tokenFile(project, origin, credentials).read()?.accessToken ?? credentials.accessToken;
  } catch {
    return credentials.accessToken;
  }
}
