import { DAY_MS, MINUTE_MS, type Millis, millis } from '../../model/time.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Random } from '../../ports/random.ts';
import { randomToken } from '../access/random-token.ts';
import { Expiring } from './expiring.ts';

/** Life of a one-time password. @see ADR 0019 */
const PASSWORD_LIFE_MS = MINUTE_MS;

/** Life of a socket session; after it a client needs a new password. */
export const SESSION_LIFE_MS = DAY_MS;

const PASSWORDS_MAX = 1_000;
const SESSIONS_MAX = 10_000;

/** A session that a client may continue after a drop, once, under its id. */
export interface SocketSession {
  readonly id: string;
  readonly accountId: string;
  readonly expiresAt: Millis;
}

/** Passwords and sessions of the sockets, by machine time. Each is good once; a session continues under a new id. */
export class SocketSessions {
  readonly #passwords = new Expiring<string>(PASSWORD_LIFE_MS, PASSWORDS_MAX);
  readonly #sessions = new Expiring<string>(SESSION_LIFE_MS, SESSIONS_MAX);
  readonly #machine: Pick<Clock, 'now'>;
  readonly #random: Random;

  constructor(machine: Pick<Clock, 'now'>, random: Random) {
    this.#machine = machine;
    this.#random = random;
  }

  /** A password that opens one socket session for that account. */
  issuePassword(accountId: string): string {
    const password = `otp_${randomToken(this.#random, 16)}`;
    this.#passwords.set(password, accountId, this.#machine.now());
    return password;
  }

  /** Spends a password; undefined when it is unknown, spent or older than a minute. */
  open(password: string): SocketSession | undefined {
    return this.#begin(this.#passwords.take(password, this.#machine.now()));
  }

  /** Spends a session and begins the next one of the same account; undefined when it is unknown, spent or expired. */
  resume(sessionId: string): SocketSession | undefined {
    return this.#begin(this.#sessions.take(sessionId, this.#machine.now()));
  }

  /** Forgets every password and session, as a venue does that was started again. */
  forget(): void {
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
