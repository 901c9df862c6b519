import { Observable } from 'rxjs';
import { plural } from '../../model/plural.ts';
import { type Millis, millis } from '../../model/time.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { Random } from '../../ports/random.ts';
import type { PushFrame } from '../../wire/frame.ts';
import { BrokerError } from '../broker-error.ts';
import type { RaiseAlarm } from '../raise-alarm.ts';
import type { RateLimiter } from '../rate-limiter.ts';
import type { BrokerSettings } from '../settings.ts';
import { type Backoff, createBackoff } from './backoff.ts';
import type { SocketCall } from './command-call.ts';
import { afterEnd, type ConnectionEnd, describeEnd } from './connection-end.ts';
import { openWebSocket } from './open-web-socket.ts';
import type { Sessions } from './session.ts';
import { SocketConnection } from './socket-connection.ts';

/** Dependencies of a socket that reconnects automatically. */
export interface SessionSocketParts {
  /** `quote socket` or `trade socket`. */
  readonly name: string;
  readonly address: URL;
  readonly language: string;
  readonly sessions: Sessions;
  readonly machine: Clock;
  readonly random: Random;
  readonly settings: BrokerSettings;
  readonly rateLimiter: RateLimiter;
  readonly safe: (text: string) => string;
  readonly raiseAlarm: RaiseAlarm;
  readonly onPush: (push: PushFrame) => void;
  /** Restores subscriptions and the like on a new connection; the socket counts as up when this resolves. */
  readonly restore: (ask: SocketCall) => Promise<void>;
  readonly onUp: () => void;
  readonly onDown: () => void;
  /** Called if reconnecting is pointless: at most once, never after `close`. */
  readonly onOver: (error: BrokerError) => void;
}

/**
 * A socket of the venue that reconnects: it authenticates, restores subscriptions, and after a drop waits and logs in again with its
 * session or a new password, until it is closed or another connection replaces it.
 * @see docs/wire-protocol.md, "The sockets"; docs/reliability.md, F-N11, F-N12, F-B28, F-B29
 */
export class SessionSocket {
  readonly #parts: SessionSocketParts;
  readonly #backoff: Backoff;
  #connection: SocketConnection | undefined;
  #isUp = false;
  #isOver = false;
  #retry: { readonly due: Millis; readonly cancel: Cancel } | undefined;
  /** When the connection was lost, until it is restored, and the reasons of failed attempts that were reported. */
  #lost: { readonly at: Millis; tries: number; readonly reported: Set<string> } | undefined;
  #attempt: Promise<void> = Promise.resolve();
  readonly #closing = new AbortController();
  #unmatchedResponses = 0;

  constructor(parts: SessionSocketParts) {
    this.#parts = parts;
    this.#backoff = createBackoff(parts.settings, parts.random);
  }

  /** Connects for the first time; rejects with BrokerError if that fails. `repeated` may repeat the attempt. */
  async open(repeated: (step: () => Promise<void>) => Promise<void> = (step) => step()): Promise<void> {
    try {
      await repeated(async () => {
        await this.#closeConnection();
        await this.#establish();
      });
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** True between restoration and the next drop. */
  get isUp(): boolean {
    return this.#isUp;
  }

  /** Number of unexpected answers over all connections so far. */
  get unmatchedResponses(): number {
    return this.#unmatchedResponses + (this.#connection?.unmatchedResponses ?? 0);
  }

  /** Sends a request when the rate limiter admits it; fails immediately while the socket is down. */
  readonly request: SocketCall = (command, fields) =>
    this.#parts.rateLimiter.schedule(
      new Observable((subscriber) => {
        const connection = this.#connection;
        if (connection !== undefined) return connection.request(command, fields).subscribe(subscriber);
        const endpoint = `${this.#parts.name}, command ${command.code}`;
        const message = `Cannot send on the ${endpoint}: the connection is down`;
        subscriber.error(new BrokerError('socket-lost', message, { endpoint, retryable: !this.#isOver }));
        return undefined;
      }),
    );

  /** Closes the connection and stops a pending attempt; resolves when nothing is left. */
  async close(): Promise<void> {
    this.#isOver = true;
    this.#isUp = false;
    this.#retry?.cancel();
    this.#closing.abort();
    await this.#closeConnection();
    await this.#attempt;
  }

  /**
   * The venue answered on another connection after a silence: a socket that waits makes its next attempt now, within
   * the first delay. Otherwise a bot would stay disconnected for up to half a minute after an outage of a minute.
   */
  retryNow(): void {
    const { machine, random, settings } = this.#parts;
    const due = machine.now() + Math.floor(random.fraction() * settings.backoffFirstMs);
    if (this.#isOver || this.#retry === undefined || this.#retry.due <= due) return;
    this.#retry.cancel();
    this.#tryAt(millis(due));
  }

  async #closeConnection(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    await connection?.close();
  }

  async #establish(): Promise<void> {
    const { sessions, restore, onUp, machine } = this.#parts;
    if (!(sessions.canResume() && (await this.#resumed()))) {
      const password = await sessions.password();
      await this.#openConnection();
      await sessions.begin(this.request, password);
    }
    await restore(this.request);
    if (this.#connection === undefined) throw this.#lostError();
    this.#isUp = true;
    this.#backoff.up(machine.now());
    this.#reportRestored();
    onUp();
  }

  /** False if the venue no longer knows the session; the connection is closed then. */
  async #resumed(): Promise<boolean> {
    await this.#openConnection();
    try {
      await this.#parts.sessions.resume(this.request);
      return true;
    } catch (error) {
      if (!(error instanceof BrokerError) || error.code !== 'socket-refused') throw error;
      await this.#closeConnection();
      return false;
    }
  }

  async #openConnection(): Promise<void> {
    const { name, address, language, machine, settings, safe, onPush } = this.#parts;
    const socket = await openWebSocket({
      address,
      language,
      machine,
      openMs: settings.socketOpenMs,
      name,
      signal: this.#closing.signal,
    });
    const connection: SocketConnection = new SocketConnection({
      socket,
      name,
      machine,
      settings,
      safe,
      onPush,
      onEnd: (end) => this.#onEnd(connection, end),
    });
    this.#connection = connection;
    if (!this.#isOver) return;
    await this.#closeConnection();
    throw this.#lostError();
  }

  #onEnd(connection: SocketConnection, end: ConnectionEnd): void {
    if (this.#connection !== connection) return;
    const { sessions, raiseAlarm, name, onDown } = this.#parts;
    this.#unmatchedResponses += connection.unmatchedResponses;
    this.#connection = undefined;
    const next = afterEnd(end);
    if (next === 'new-session') sessions.discard();
    const wasUp = this.#isUp;
    this.#isUp = false;
    if (wasUp) onDown();
    if (next === 'stop') this.#stopPermanently(end);
    if (!wasUp || this.#isOver) return;
    raiseAlarm('socket-lost', `Lost the ${name}. ${describeEnd(end)}`, { socket: name });
    this.#lost = { at: this.#parts.machine.now(), tries: 0, reported: new Set() };
    this.#scheduleRetry();
  }

  #stopPermanently(end: ConnectionEnd): void {
    if (this.#isOver || end.kind === 'closed-by-us') return;
    this.#isOver = true;
    const { name, raiseAlarm, onOver } = this.#parts;
    const message = `The ${name} stopped permanently: another connection of this account replaced it. Stop the other bot, then restart`;
    raiseAlarm('duplicate-connection', message, { socket: name });
    onOver(new BrokerError('duplicate-connection', message, { endpoint: name, retryable: false }));
  }

  #scheduleRetry(): void {
    const { machine, settings, raiseAlarm, name } = this.#parts;
    const now = machine.now();
    const waitMs = this.#backoff.failed(now);
    const drops = this.#backoff.drops(now);
    if (drops > settings.flapsMax) {
      raiseAlarm(
        'socket-flapping',
        `Lost the ${name} ${plural(drops, 'time')} in ${settings.flapWindowMs} ms`,
        {
          socket: name,
        },
      );
    }
    this.#tryAt(millis(now + waitMs));
  }

  #tryAt(due: Millis): void {
    const cancel = this.#parts.machine.at(due, 'timer', () => {
      this.#retry = undefined;
      this.#attempt = this.#establish().catch((error: unknown) => this.#onAttemptFailed(error));
    });
    this.#retry = { due, cancel };
  }

  async #onAttemptFailed(error: unknown): Promise<void> {
    await this.#closeConnection();
    if (this.#isOver) return;
    if (!(error instanceof BrokerError)) {
      this.#isOver = true;
      const { name, safe } = this.#parts;
      const message = `The ${name} stopped permanently: ${safe(String(error))}`;
      this.#parts.onOver(
        new BrokerError('bad-answer', message, { endpoint: name, retryable: false, cause: error }),
      );
      return;
    }
    this.#reportUnreachable(error);
    this.#scheduleRetry();
  }

  /** Reports each kind of failure once per loss of the connection. */
  #reportUnreachable(error: BrokerError): void {
    const lost = this.#lost;
    const kind = `${error.code} ${error.venueCode ?? 0}`;
    if (lost !== undefined) lost.tries += 1;
    if (lost?.reported.has(kind) === true) return;
    lost?.reported.add(kind);
    this.#parts.raiseAlarm('socket-unreachable', error.message, { socket: this.#parts.name });
  }

  #reportRestored(): void {
    const lost = this.#lost;
    this.#lost = undefined;
    if (lost === undefined || lost.reported.size === 0) return;
    const { name, machine, raiseAlarm } = this.#parts;
    const seconds = ((machine.now() - lost.at) / 1_000).toFixed(1);
    raiseAlarm(
      'socket-back',
      `The ${name} is back after ${seconds} s and ${plural(lost.tries + 1, 'attempt')}`,
      {
        socket: name,
      },
    );
  }

  #lostError(): BrokerError {
    const { name } = this.#parts;
    return new BrokerError('socket-lost', `Lost the ${name} while it was connecting`, {
      endpoint: name,
      retryable: !this.#isOver,
    });
  }
}
