import { plural } from '../../model/plural.ts';
import { DAY_MS, type Millis, millis } from '../../model/time.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Credentials } from '../../wire/signature.ts';
import { EnvironmentError } from '../broker/environment-error.ts';
import type { StoredToken, TokenFile } from './token-file.ts';

/** The current credentials of the account. */
export interface ActiveCredentials {
  readonly credentials: Credentials;
  /** When the token expires; undefined if unknown, as for a token of the environment. */
  readonly expiresAt: Millis | undefined;
}

/** Sources of credentials, and the callback for a token that expires soon. */
export interface CredentialSources {
  readonly tokens: TokenFile;
  /** As in the environment. */
  readonly credentials: Credentials;
  readonly machine: Pick<Clock, 'now'>;
  readonly warn: (text: string) => void;
}

/** Days before the expiry at which a warning is raised. @see docs/reliability.md, I-19 */
export const WARNED_DAYS = [14, 7, 3, 1] as const;

/**
 * Returns the credentials of the environment, with the renewed token in place of an expired one. Throws
 * EnvironmentError.
 */
export function activeCredentials({
  tokens,
  credentials,
  machine,
  warn,
}: CredentialSources): ActiveCredentials {
  const renewed = tokens.read();
  if (renewed === undefined) return { credentials, expiresAt: undefined };
  const expiresAt = expiryOf(renewed.expiresAt);
  if (expiresAt !== undefined && daysLeft(expiresAt, machine.now()) < WARNED_DAYS[0])
    warn(expiryWarning(expiresAt, machine.now()));
  return { credentials: { ...credentials, accessToken: renewed.accessToken }, expiresAt };
}

/** Tokens that other processes store while this one runs. */
export interface NewerTokens {
  /**
   * The stored token, unless it was in use here and is therefore invalid. Undefined also if the file cannot be read.
   */
  newer(): StoredToken | undefined;
  /** The stored token; undefined also if the file cannot be read. */
  read(): StoredToken | undefined;
  /** Records a token that is in use here. */
  note(accessToken: string): void;
}

/** Reads the file of a token that opened the account at first. @see docs/reliability.md, F-B06 */
export function newerTokens(tokens: Pick<TokenFile, 'read'>, first: string): NewerTokens {
  const used = new Set([first]);
  return {
    newer() {
      const stored = readOrNone(tokens);
      if (stored === undefined || used.has(stored.accessToken)) return undefined;
      used.add(stored.accessToken);
      return stored;
    },
    read: () => readOrNone(tokens),
    note: (accessToken) => void used.add(accessToken),
  };
}

function readOrNone(tokens: Pick<TokenFile, 'read'>): StoredToken | undefined {
  try {
    return tokens.read();
  } catch (error) {
    if (error instanceof EnvironmentError) return undefined;
    throw error;
  }
}

/** The time of an RFC 3339 text; undefined for other text. */
export function expiryOf(text: string): Millis | undefined {
  const end = Date.parse(text);
  return Number.isNaN(end) ? undefined : millis(end);
}

/** Whole days until then, negative after it. */
export function daysLeft(expiresAt: Millis, now: Millis): number {
  return Math.floor((expiresAt - now) / DAY_MS);
}

/** Explains when the token expires and what to do. */
export function expiryWarning(expiresAt: Millis, now: Millis): string {
  const days = daysLeft(expiresAt, now);
  const when = days < 0 ? 'has ended' : days < 1 ? 'ends within a day' : `ends in ${plural(days, 'day')}`;
  return `The access token ${when}: run "sluice token refresh"`;
}
