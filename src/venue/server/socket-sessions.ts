import { DAY_MS, MINUTE_MS, type Millis, millis } from '../../model/time.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Random } from '../../ports/random.ts';
import { randomToken } from '../access/random-token.ts';
import { ExpiringMap } from './expiring-map.ts';

/** Life of a one-time password. @see ADR 0019 */
const PASSWORD_LIFE_MS = MINUTE_MS;

/** Life of a socket session; afterwards a client needs a new password. */
export const SESSION_LIFE_MS = DAY_MS;

const PASSWORDS_MAX = 1_000;
const SESSIONS_MAX = 10_000;

/** A session that a client may resume once after a disconnect, by its id. */
export interface SocketSession {
  readonly id: string;
  readonly accountId: string;
  readonly expiresAt: Millis;
}

/** Passwords and sessions of the sockets, by machine time. Each is usable once; a resumed session gets a new id. */
export class SocketSessions {
  readonly #passwords = new ExpiringMap<string>(PASSWORD_LIFE_MS, PASSWORDS_MAX);
  readonly #sessions = new ExpiringMap<string>(SESSION_LIFE_MS, SESSIONS_MAX);
  readonly #machine: Pick<Clock, 'now'>;
  readonly #random: Random;

  constructor(machine: Pick<Clock, 'now'>, random: Random) {
    this.#machine = machine;
    this.#random = random;
  }

  /** Issues a password that opens one socket session of the account. */
  issuePassword(accountId: string): string {
    const password = `otp_${randomToken(this.#random, 16)}`;
    this.#passwords.set(password, accountId, this.#machine.now());
    return password;
  }

  /** Consumes a password; returns undefined if it is unknown, used or older than a minute. */
  open(password: string): SocketSession | undefined {
    return this.#begin(this.#passwords.take(password, this.#machine.now()));
  }

  /** Consumes a session and starts the account's next one; returns undefined if it is unknown, used or expired. */
  resume(sessionId: string): SocketSession | undefined {
    return this.#begin(this.#sessions.take(sessionId, this.#machine.now()));
  }

  /** Drops all passwords and sessions, as a restarted venue would. */
  clear(): void {
    this.#passwords.clear();
    this.#sessions.clear();
  }

  #begin(accountId: string | undefined): SocketSession | undefined {
    if (accountId === undefined) return undefined;
    const now = this.#machine.now();
    const id = randomToken(this.#random, 16);
    this.#sessions.set(id, accountId, now);
    return { id, accountId, expiresAt: millis(now + SESSION_LIFE_MS) };
  }
}
