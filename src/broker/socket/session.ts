import { firstValueFrom } from 'rxjs';
import { omitUndefined } from '../../model/omit-undefined.ts';
import { type Millis, millis } from '../../model/time.ts';
import type { Clock } from '../../ports/clock.ts';
import { CONTROL_COMMANDS } from '../../wire/commands.ts';
import { readResponse } from '../../wire/request.ts';
import { BrokerError } from '../broker-error.ts';
import { callEndpoint } from '../http/call-endpoint.ts';
import type { HttpClient } from '../http/http-client.ts';
import type { BrokerSettings } from '../settings.ts';
import type { SocketCall } from './command-call.ts';

/** Identification on sockets: a session that can be resumed, or a new one-time password. */
export interface Sessions {
  /** True while there is a session that the venue should still know. */
  canResume(): boolean;
  resume(call: SocketCall): Promise<void>;
  /** Fetches a password; each is used once, whether the login succeeds or not. */
  password(): Promise<string>;
  begin(call: SocketCall, password: string): Promise<void>;
  discard(): void;
}

/** Dependencies of sessions of one socket. */
export interface SessionParts {
  readonly http: HttpClient;
  readonly machine: Pick<Clock, 'now'>;
  readonly settings: BrokerSettings;
  readonly metadata: Readonly<Record<string, string>>;
  readonly name: string;
}

/** @see docs/wire-protocol.md, "The sockets"; docs/reliability.md, F-B28, F-B30 */
export function createSessions({ http, machine, settings, metadata, name }: SessionParts): Sessions {
  let session: { readonly id: string; readonly until: Millis } | undefined;

  function store(answer: { readonly sessionId: string; readonly expires: bigint }): void {
    const until = sessionEnd(answer.expires, machine.now(), settings);
    session = answer.sessionId === '' ? undefined : { id: answer.sessionId, until };
  }

  return {
    canResume: () => session !== undefined && session.until > machine.now(),
    async resume(call) {
      const sessionId = session?.id ?? '';
      session = undefined;
      const fields = { sessionId, metadata: { ...metadata } };
      store(await withRedactedRefusal(firstValueFrom(call(CONTROL_COMMANDS.reconnect, fields)), name));
    },
    async password() {
      const answer = await firstValueFrom(
        callEndpoint(http, 'socketToken', {}, (data) => readResponse('socketToken', data)),
      );
      if (answer.kind === 'ok') return answer.value.otp;
      const { code, message, retryable } = answer;
      throw new BrokerError('refused', `Cannot get a one-time password for the ${name}: ${message}`, {
        endpoint: 'GET /v1/socket/token',
        retryable,
        venueCode: code,
      });
    },
    async begin(call, password) {
      const fields = { token: password, metadata: { ...metadata } };
      store(await withRedactedRefusal(firstValueFrom(call(CONTROL_COMMANDS.auth, fields)), name));
    },
    discard() {
      session = undefined;
    },
  };
}

/** A refusal may repeat the password or session that it refuses, so its text is left out. */
async function withRedactedRefusal<T>(answer: Promise<T>, name: string): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof BrokerError) || error.code !== 'socket-refused') throw error;
    const { endpoint, venueCode } = error;
    throw new BrokerError(
      'socket-refused',
      `The venue refused the login on the ${name}, code ${venueCode ?? 0}`,
      {
        endpoint,
        retryable: true,
        ...omitUndefined({ venueCode }),
      },
    );
  }
}

const EARLIEST_ABSOLUTE_MS = 1_000_000_000_000n;

/**
 * When a session ends. The field is a time, but some services have sent a duration; a value before September 2001
 * must be one. In both cases the result is bounded to between a minute and a day.
 */
function sessionEnd(expires: bigint, now: Millis, { sessionMsMin, sessionMsMax }: BrokerSettings): Millis {
  const lifeMs = expires >= EARLIEST_ABSOLUTE_MS ? Number(expires) - now : Number(expires);
  return millis(now + Math.min(Math.max(lifeMs, sessionMsMin), sessionMsMax));
}
