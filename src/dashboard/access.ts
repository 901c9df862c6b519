import { createHash, timingSafeEqual } from 'node:crypto';
import { HOUR_MS, MINUTE_MS } from '../model/time.ts';
import type { Machine } from './bot-source.ts';

/** What a session may do. */
export type Right = 'command' | 'read';

/** A signed-in browser. */
export interface Session {
  readonly right: Right;
  /** Sent as a cookie. */
  readonly cookie: string;
  /** Sent in a header of every request; other servers of this machine never see it. */
  readonly token: string;
}

/** Number of wrong login attempts within a minute after which further ones are refused. */
const WRONG_LOGINS_MAX = 5;
const SESSIONS_MAX = 16;
const SESSION_MS = 12 * HOUR_MS;

/** Result of a login. */
export type Login =
  | { readonly kind: 'in'; readonly session: Session }
  | { readonly kind: 'wrong' }
  | { readonly kind: 'too-many' };

/** Access to the dashboard: login links, each valid for one login, and the resulting sessions. */
export class Access {
  readonly #machine: Pick<Machine, 'now' | 'secret'>;
  readonly #links = new Map<string, Right>();
  readonly #sessions = new Map<string, { readonly session: Session; usedAt: number }>();
  #wrong: readonly number[] = [];

  constructor(machine: Pick<Machine, 'now' | 'secret'>) {
    this.#machine = machine;
  }

  /** Creates a secret that is valid for one login. */
  link(right: Right): string {
    const secret = this.#machine.secret();
    this.#links.set(digest(secret), right);
    return secret;
  }

  /** Signs in with the secret of a link, which becomes invalid. */
  login(secret: string): Login {
    const now = this.#machine.now();
    this.#wrong = this.#wrong.filter((at) => at > now - MINUTE_MS);
    if (this.#wrong.length >= WRONG_LOGINS_MAX) return { kind: 'too-many' };
    // The map is keyed by digests, so that the duration of a look-up reveals nothing about a secret.
    const key = digest(secret);
    const right = this.#links.get(key);
    if (right === undefined) {
      this.#wrong = [...this.#wrong, now];
      return { kind: 'wrong' };
    }
    this.#links.delete(key);
    const session = { right, cookie: this.#machine.secret(), token: this.#machine.secret() };
    this.#forgetOld(now);
    this.#sessions.set(digest(session.cookie), { session, usedAt: now });
    return { kind: 'in', session };
  }

  /** Returns the session of a cookie and a header token that belong together; undefined for any other pair. */
  session(cookie: string | undefined, token: string | undefined): Session | undefined {
    if (cookie === undefined || token === undefined) return undefined;
    const now = this.#machine.now();
    this.#forgetOld(now);
    const found = this.#sessions.get(digest(cookie));
    if (found === undefined || !isSame(found.session.token, token)) return undefined;
    found.usedAt = now;
    return found.session;
  }

  /** True if a session is still valid; counts as a use of it. */
  lasts({ cookie, token }: Session): boolean {
    return this.session(cookie, token) !== undefined;
  }

  logout({ cookie }: Session): void {
    this.#sessions.delete(digest(cookie));
  }

  #forgetOld(now: number): void {
    for (const [key, { usedAt }] of this.#sessions) if (usedAt < now - SESSION_MS) this.#sessions.delete(key);
    const oldest = [...this.#sessions].toSorted(([, one], [, other]) => one.usedAt - other.usedAt);
    for (const [key] of oldest.slice(0, Math.max(0, oldest.length - SESSIONS_MAX + 1)))
      if (this.#sessions.size >= SESSIONS_MAX) this.#sessions.delete(key);
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function isSame(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(digest(one)), Buffer.from(digest(other)));
}

/** Parts of a request that show its origin. */
export interface RequestOrigin {
  readonly method: string;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly fetchSite: string | undefined;
  /** True for the page's own files, which a link on any page may open. */
  readonly isPageFile: boolean;
}

/** Returns why a request must be refused; undefined if it comes from the dashboard's page, or from no page. */
export function foreignOrigin(
  { method, host, origin, fetchSite, isPageFile }: RequestOrigin,
  port: number,
): string | undefined {
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  // With DNS rebinding, the request carries the other domain's name.
  if (host === undefined || !hosts.includes(host)) return 'The Host header names another server';
  if (origin !== undefined && origin !== `http://${host}`) return 'The request comes from another page';
  if (method !== 'GET' && origin === undefined) return 'The Origin header is missing';
  if (!isPageFile && fetchSite !== undefined && fetchSite !== 'same-origin' && fetchSite !== 'none')
    return 'The request comes from another page';
  return undefined;
}
