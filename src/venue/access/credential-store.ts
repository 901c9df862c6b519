import { DAY_MS, type Millis, millis } from '../../model/time.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Random } from '../../ports/random.ts';
import type { KnownApp } from '../../wire/verify-signature.ts';
import { VenueError } from '../venue-error.ts';
import type { VenueAccount } from '../venue-options.ts';
import { randomToken } from './random-token.ts';

/** Maximum life of an access token. @see docs/wire-protocol.md, "Calls" */
const TOKEN_LIFE_MS = 90 * DAY_MS;

interface App {
  readonly appSecret: string;
  readonly tokens: Map<string, { readonly accountId: string; readonly expiresAt: Millis }>;
}

export interface NewToken {
  readonly token: string;
  readonly issuedAt: Millis;
  readonly expiresAt: Millis;
}

/** A refreshed token that replaces `oldToken`; `expiresAt` in epoch milliseconds. */
export interface RefreshedToken {
  readonly appKey: string;
  readonly oldToken: string;
  readonly token: string;
  readonly expiresAt: Millis;
}

/**
 * Valid credentials: app keys with their secrets and access tokens; each token belongs to one account. Uses machine
 * time.
 */
export class CredentialStore {
  readonly #apps = new Map<string, App>();
  readonly #machine: Pick<Clock, 'now'>;
  readonly #random: Random;

  /** Throws VenueError (`bad-option`) if two accounts share a token, or a key has two secrets. */
  constructor(accounts: readonly VenueAccount[], machine: Pick<Clock, 'now'>, random: Random) {
    this.#machine = machine;
    this.#random = random;
    for (const { id, credentials } of accounts) {
      const { appKey, appSecret, accessToken } = credentials;
      const app = this.#apps.get(appKey) ?? { appSecret, tokens: new Map() };
      if (app.appSecret !== appSecret || app.tokens.has(accessToken)) {
        throw new VenueError(
          'bad-option',
          `Cannot open account "${id}": another account has its app key with the same token or another secret`,
        );
      }
      app.tokens.set(accessToken, { accountId: id, expiresAt: millis(machine.now() + TOKEN_LIFE_MS) });
      this.#apps.set(appKey, app);
    }
  }

  appOf(appKey: string): KnownApp | undefined {
    const app = this.#apps.get(appKey);
    if (app === undefined) return undefined;
    const acceptsToken = (token: string): boolean => {
      const known = app.tokens.get(token);
      return known !== undefined && known.expiresAt > this.#machine.now();
    };
    return { appSecret: app.appSecret, acceptsToken };
  }

  /** Returns the account of an app's token; undefined if there is none. */
  accountOf(appKey: string, accessToken: string): string | undefined {
    return this.#apps.get(appKey)?.tokens.get(accessToken)?.accountId;
  }

  /** Replaces a token as it was refreshed before a restart. */
  restore({ appKey, oldToken, token, expiresAt }: RefreshedToken): void {
    const app = this.#apps.get(appKey);
    const old = app?.tokens.get(oldToken);
    if (app === undefined || old === undefined)
      throw new VenueError(
        'bad-state',
        `Cannot renew the token of app key "${appKey}": no account has that token`,
      );
    app.tokens.delete(oldToken);
    app.tokens.set(token, { accountId: old.accountId, expiresAt });
  }

  /**
   * Replaces a token; the old one is invalid immediately. Limits the expiry to `TOKEN_LIFE_MS`. Returns undefined if
   * the token does not exist.
   */
  refresh(appKey: string, accessToken: string, wantedEnd: Millis): NewToken | undefined {
    const app = this.#apps.get(appKey);
    const old = app?.tokens.get(accessToken);
    if (app === undefined || old === undefined) return undefined;
    const issuedAt = this.#machine.now();
    const expiresAt = millis(Math.min(wantedEnd, issuedAt + TOKEN_LIFE_MS));
    const token = `at_${randomToken(this.#random, 32)}`;
    app.tokens.delete(accessToken);
    app.tokens.set(token, { accountId: old.accountId, expiresAt });
    return { token, issuedAt, expiresAt };
  }
}
