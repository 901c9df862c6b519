import { catchError, concatMap, defer, finalize, from, map, type Observable, of, share } from 'rxjs';
import type { Millis } from '../../model/time.ts';
import type { Answer } from '../../ports/broker.ts';
import { readResponse } from '../../wire/request.ts';
import { callEndpointOnce } from '../http/call-endpoint.ts';
import type { HttpClient } from '../http/http-client.ts';

/** Dependencies of a renewal. */
export interface TokenRenewalParts {
  readonly http: HttpClient;
  /** Resolves when the token would survive a power cut; rejects if it cannot be saved. */
  readonly save: (accessToken: string) => Promise<void>;
  readonly use: (accessToken: string) => void;
}

/** Facts of a new token; never the token itself. */
export interface RenewedToken {
  /** As the venue stated it, RFC 3339; '' if it did not. */
  readonly expiresAt: string;
  /** Why the token could not be saved: it is in use, and lost with this process. Absent if it was saved. */
  readonly saveError?: unknown;
}

/**
 * Renews the access token, wanted until an instant. The old token is dead once the venue has answered, so the new one is
 * saved before it is used, the request is never repeated, and callers during that time share the one under way. A new token
 * that cannot be saved is used all the same: no other one opens the account. Emits once.
 * @see docs/reliability.md, I-19; docs/wire-protocol.md, "Calls"
 */
export function createTokenRenewal({
  http,
  save,
  use,
}: TokenRenewalParts): (expiresAt: Millis) => Observable<Answer<RenewedToken>> {
  let underWay: Observable<Answer<RenewedToken>> | undefined;

  function renew(expiresAt: Millis): Observable<Answer<RenewedToken>> {
    return callEndpointOnce(http, 'refreshToken', { expiresAt }, (data) =>
      readResponse('refreshToken', data),
    ).pipe(
      concatMap((answer) => {
        if (answer.kind !== 'ok') return of(answer);
        const { token, expired_at: until } = answer.value;
        return from(save(token)).pipe(
          map((): RenewedToken => ({ expiresAt: until })),
          catchError((saveError: unknown) => of<RenewedToken>({ expiresAt: until, saveError })),
          map((value): Answer<RenewedToken> => {
            use(token);
            return { kind: 'ok', value };
          }),
        );
      }),
      finalize(() => {
        underWay = undefined;
      }),
      share({ resetOnRefCountZero: false }),
    );
  }

  return (expiresAt) =>
    defer(() => {
      underWay ??= renew(expiresAt);
      return underWay;
    });
}
