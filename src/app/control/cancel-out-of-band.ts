import { EMPTY, firstValueFrom } from 'rxjs';
import { BrokerError } from '../../broker/broker-error.ts';
import { MINIMAL_FACTS } from '../../broker/connect.ts';
import { createHttpClient } from '../../broker/http/http-client.ts';
import { createTimestamps } from '../../broker/http/timestamps.ts';
import { createLiveBroker } from '../../broker/orders/live-broker.ts';
import { createSecrets } from '../../broker/secrets.ts';
import { DEFAULT_BROKER_SETTINGS } from '../../broker/settings.ts';
import { httpOrigin } from '../../broker/socket/addresses.ts';
import { createConnections } from '../../broker/socket/connections.ts';
import { createCallBudget, KILL_BUDGET } from '../../execution/call-budget/call-budget.ts';
import { isTerminalStatus, type OrderId, type ReadStatus } from '../../model/order.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import { DAY_MS, millis } from '../../model/time.ts';
import { type ChangeAnswer, failureReason, type ListedOrder } from '../../ports/broker.ts';
import { UNREAD_SYMBOL, UNREADABLE_READS_MAX } from '../../ports/operator.ts';
import { toObservable } from '../../ports/to-observable.ts';
import { PROFILES } from '../../wire/profiles.ts';
import type { Credentials } from '../../wire/signature.ts';
import { brokerEnvironment } from '../broker/broker-environment.ts';
import { openSharedCallLog } from '../broker/shared-call-log.ts';
import { createSystemClock } from '../clock/system-clock.ts';
import { timestampFileForCommands } from '../credentials/timestamp-file.ts';
import { tokenFile } from '../credentials/token-file.ts';
import { credentialsKey } from '../storage/user-state.ts';
import type { BotInfo } from './bot-info.ts';
import { journaledState } from './journaled-status.ts';
import type { KillOrder, Stopped } from './kill-order.ts';

/**
 * Interval between cancels; the venue requires 20 ms between calls.
 * @see docs/reliability.md, I-17
 */
const SPACING_MS = 25;
/** Delay before a throttled cancel is repeated, and for how long: longer than the window of the call limit. */
const RETRY_MS = 1_000;
const RETRY_FOR_MS = 35_000;
/** How long the list is read for the end of orders whose cancel was accepted. */
const CONFIRM_MS = 10_000;
/** Codes of refusals for too many calls; the cancel was not executed. */
const THROTTLED: ReadonlySet<number> = new Set([429001, 429002]);

/** A bot that does not respond: its folder, and its info file. */
export interface UnresponsiveBot {
  readonly folder: string;
  readonly info: BotInfo;
}

/**
 * Cancels all live orders with a bot's tag over a separate HTTP connection, because the bot does not respond. Takes
 * credentials from the environment and the token file, as the bot does. `reason` is for the report. Always resolves.
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
    const hint = bot.info.ownVenue ? '; its embedded venue ends with it: end the process' : '';
    return {
      kind: 'marked',
      why: `${reason}, and its orders could not be cancelled from here: ${why}${hint}`,
      left: true,
    };
  }
}

type Cancels = Pick<Extract<Stopped, { kind: 'past-bot' }>, 'cancelled' | 'filled' | 'accepted' | 'failed'>;

/** An order to cancel. `status` is that of the latest list; undefined if no list contains the order. */
interface Target {
  readonly symbol: string;
  readonly status?: ReadStatus;
  /** The status as the venue sent it. */
  readonly rawStatus?: string;
  /** Reads since its cancel was accepted in which its status was unrecognised. */
  readonly unreadableReads: number;
}

/**
 * Cancels the orders that the venue lists or, if it does not answer, those in the journal. Repeats throttled and
 * unanswered cancels, and reads the list until no order is open, for ten seconds after the last cancel. The calls
 * count for other processes of the user, but none is reserved for them.
 */
async function cancelAll(bot: UnresponsiveBot, order: KillOrder): Promise<Cancels> {
  const { broker, machine, close } = await cancellingBroker(bot.info, order);
  const targets = new Map<OrderId, Target>();
  const answers = new Map<OrderId, ChangeAnswer>();
  /** Orders listed after their cancel was refused: they may have filled before it arrived. */
  const seenRefused = new Set<OrderId>();
  const until = machine.now() + RETRY_FOR_MS;
  let confirmUntil: number | undefined;

  function waited(forMs: number): Promise<void> {
    return new Promise((resolve) => void machine.at(millis(machine.now() + forMs), 'timer', resolve));
  }

  async function cancel(orderId: OrderId, place: number): Promise<void> {
    await waited(place * SPACING_MS);
    const unknown = (error: unknown): ChangeAnswer => ({ kind: 'unknown', message: String(error) });
    answers.set(orderId, await firstValueFrom(toObservable(broker.cancel(orderId))).catch(unknown));
  }

  /** Records a listed order if it was open when first seen. */
  function note(
    orderId: OrderId,
    symbol: string,
    { status, rawStatus, intentId }: Pick<ListedOrder, 'status' | 'rawStatus' | 'intentId'>,
  ): void {
    const isMeant = !isTerminalStatus(status) && (order.foreign || intentId !== undefined);
    const before = targets.get(orderId);
    if (!isMeant && before === undefined) return;
    const isUnreadable = status === 'unrecognised' && answers.get(orderId)?.kind === 'accepted';
    const unreadableReads = (before?.unreadableReads ?? 0) + (isUnreadable ? 1 : 0);
    targets.set(orderId, { symbol, status, rawStatus, unreadableReads });
  }

  /** Records open orders; returns an error if the list could not be read. */
  async function poll(): Promise<BrokerError | undefined> {
    const listed = await firstValueFrom(toObservable(broker.ordersToday()));
    if (listed.kind === 'ok') {
      for (const [orderId, { kind }] of answers) if (kind === 'refused') seenRefused.add(orderId);
      for (const { orderId, terms, ...rest } of listed.value) note(orderId, terms.symbol, rest);
      const unread = broker.unread?.() ?? [];
      for (const { orderId, symbol = UNREAD_SYMBOL, ...rest } of unread) note(orderId, symbol, rest);
      // A delayed list, or one of today only, lacks orders of the journal. Day orders of earlier days have ended.
      const listedIds = new Set([...listed.value, ...unread].map(({ orderId }) => orderId));
      const others = journaledOrders(bot.folder, millis(machine.now() - DAY_MS));
      for (const [orderId, symbol] of others)
        if (!listedIds.has(orderId) && !targets.has(orderId))
          targets.set(orderId, { symbol, unreadableReads: 0 });
      return undefined;
    }
    for (const [orderId, symbol] of journaledOrders(bot.folder))
      if (!targets.has(orderId)) targets.set(orderId, { symbol, unreadableReads: 0 });
    const { retryable } = listed;
    return new BrokerError('no-answer', failureReason(listed), { endpoint: 'orders', retryable });
  }

  const open = (): readonly OrderId[] =>
    [...targets]
      .filter(([, { status }]) => status === undefined || !isTerminalStatus(status))
      .map(([id]) => id);

  /** Whether the next list may show the end of an order: its cancel was accepted, or refused since the last list. */
  const isConfirming = (orderId: OrderId): boolean => {
    const kind = answers.get(orderId)?.kind;
    const { status, unreadableReads = 0 } = targets.get(orderId) ?? {};
    const mayEnd =
      (kind === 'accepted' && unreadableReads < UNREADABLE_READS_MAX) ||
      (kind === 'refused' && !seenRefused.has(orderId));
    return status !== undefined && mayEnd;
  };

  try {
    for (;;) {
      const missing = await poll();
      await Promise.all(
        open()
          .filter((orderId) => isDue(answers.get(orderId)))
          .map(cancel),
      );
      const now = machine.now();
      const isOver = missing === undefined || !missing.retryable || now >= until;
      const isTried = now >= until || open().every((orderId) => !isDue(answers.get(orderId)));
      if (isOver && isTried) {
        if (missing !== undefined && answers.size === 0) throw missing;
        confirmUntil ??= now + CONFIRM_MS;
        if (now >= confirmUntil || !open().some(isConfirming)) return cancelsOf(targets, answers);
      }
      await waited(RETRY_MS);
    }
  } finally {
    await close();
  }
}

/** Whether a cancel must be sent, or repeated: a repeated cancel is harmless. */
function isDue(answer: ChangeAnswer | undefined): boolean {
  if (answer?.kind === 'refused') return THROTTLED.has(answer.code);
  return answer?.kind !== 'accepted';
}

/** Sorts orders by their listed status, and open ones by the answer to their cancel. */
function cancelsOf(
  targets: ReadonlyMap<OrderId, Target>,
  answers: ReadonlyMap<OrderId, ChangeAnswer>,
): Cancels {
  const ended = [...targets].filter(([, { status }]) => status !== undefined && isTerminalStatus(status));
  const open = [...targets]
    .filter(([, { status }]) => status === undefined || !isTerminalStatus(status))
    .map(([id, target]) => {
      const answer = answers.get(id);
      const isAccepted = answer?.kind === 'accepted';
      const state = statusText(target);
      return {
        isAccepted,
        order: { id, symbol: target.symbol, state: isAccepted ? state : `${state}, ${refusalText(answer)}` },
      };
    });
  const filled = ended.filter(([, { status }]) => status === 'FilledStatus').map(([id]) => id);
  return {
    cancelled: ended.map(([id]) => id).filter((id) => !filled.includes(id)),
    filled,
    accepted: open.filter(({ isAccepted }) => isAccepted).map(({ order }) => order),
    failed: open.filter(({ isAccepted }) => !isAccepted).map(({ order }) => order),
  };
}

function statusText({ status, rawStatus }: Target): string {
  if (status === 'unrecognised') return `state unreadable ("${rawStatus}")`;
  return status ?? 'not listed';
}

function refusalText(answer: ChangeAnswer | undefined): string {
  if (answer === undefined || answer.kind === 'accepted') return 'cancel not sent';
  if (answer.kind === 'refused') return `cancel refused (${answer.code}, ${answer.message})`;
  return `cancel ${answer.kind === 'unknown' ? 'not answered' : 'not sent'} (${answer.message})`;
}

/**
 * Returns the orders that are open according to the journal, without day orders older than `daysSince`; empty if it
 * cannot be read.
 */
function journaledOrders(folder: string, daysSince = millis(0)): ReadonlyMap<OrderId, SecuritySymbol> {
  try {
    const { live } = journaledState(folder).state;
    return new Map(
      [...live.values()]
        .filter(({ terms, decidedAt }) => terms.timeInForce !== 'day' || decidedAt >= daysSince)
        .flatMap(({ terms: { symbol }, facets: { submission, twins } }) =>
          [...(submission.kind === 'acked' ? [submission.orderId] : []), ...twins].map(
            (orderId) => [orderId, symbol] as const,
          ),
        ),
    );
  } catch {
    return new Map();
  }
}

/** Creates a client of the bot's account that only handles orders. */
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
  const calls = openSharedCallLog({
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
    timestamps: createTimestamps(machine, { store: timestamps }),
    profile: PROFILES[info.profile],
    language: 'en',
    paperOnly: false,
    budget: createCallBudget(machine, KILL_BUDGET, calls),
    onDate: () => undefined,
  });
  const parts = { http, hints$: EMPTY, facts: MINIMAL_FACTS, settings, raiseAlarm: () => undefined };
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

/** Returns the renewed token, or that of the environment if there is no readable renewed one. */
function currentToken(project: string, origin: URL, credentials: Credentials): string {
  try {
    return tokenFile(project, origin, credentials).read()?.accessToken ?? credentials.accessToken;
  } catch {
    return credentials.accessToken;
  }
}
