import { BrokerError } from '../../broker/broker-error.ts';
import { DAY_MS, millis } from '../../model/time.ts';
import { EnvironmentError } from '../broker/environment-error.ts';
import { type ApiRequest, withApi } from '../broker/open-api.ts';

/** File of the new token, and its expiry as the venue stated it (RFC 3339), or '' if it did not. */
export interface TokenRenewed {
  readonly path: string;
  readonly expiresAt: string;
}

/**
 * Renews the access token and stores the new one in its file. The old one is invalid after the venue's answer; the
 * request is never repeated. Throws EnvironmentError if the file cannot be written, BrokerError if the venue refuses.
 */
export function renewToken(request: ApiRequest, days: number): Promise<TokenRenewed> {
  return withApi(request, ({ api, ask, tokens, machine }) =>
    tokens.withLock(async () => {
      const wanted = millis(machine.now() + days * DAY_MS);
      const { expiresAt, saveError } = await orDoubt(
        ask('renew the access token', api.http.refreshToken({ expiresAt: wanted })),
      );
      if (saveError !== undefined) throw lost(saveError);
      const stored = tokens.read();
      if (stored !== undefined) tokens.write({ ...stored, expiresAt });
      return { path: tokens.path, expiresAt };
    }),
  );
}

/** The venue rejected the renewal or never received it: the old token remains valid. */
const PROVES_NOTHING_CHANGED: ReadonlySet<string> = new Set(['refused', 'not-sent']);
const LOST = 'The venue has replaced the token already and the new one is lost: create one at the broker';
const IN_DOUBT =
  'It is unknown whether the old token is still valid: try "sluice ping", and if that is refused create a new one at the broker';

function lost(cause: unknown): EnvironmentError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new EnvironmentError(`${why}\n  ${LOST}`, { cause });
}

/** Describes the state of the token after a renewal that failed halfway. */
async function orDoubt<T>(renewal: Promise<T>): Promise<T> {
  try {
    return await renewal;
  } catch (cause) {
    if (!(cause instanceof BrokerError) || PROVES_NOTHING_CHANGED.has(cause.code)) throw cause;
    const { code, endpoint, retryable, message } = cause;
    throw new BrokerError(code, `${message}\n  ${IN_DOUBT}`, { endpoint, retryable, cause });
  }
}
