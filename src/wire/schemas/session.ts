import { z } from 'zod';
import { type Millis, millis } from '../../model/time.ts';
import type { WireParameters } from './parameter-fields.ts';
import * as field from './parameter-fields.ts';
import * as answer from './response-fields.ts';

export interface RefreshToken {
  readonly expiresAt: Millis;
}

const RFC_3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/;

const instant = field.parsedText(
  'want a time such as "2027-02-18T12:00:00.000Z"',
  (text): Millis | undefined => {
    const at = RFC_3339.test(text) ? Date.parse(text) : Number.NaN;
    return Number.isNaN(at) ? undefined : millis(at);
  },
);

/** No parameters; any that are sent are ignored. */
export const none = z.object({}).transform(() => ({}));
export const writeNone = (): WireParameters => ({});

/** Query of GET /v1/token/refresh. @see docs/wire-protocol.md, "Calls" */
export const refreshToken = z
  .object({ expired_at: field.required(instant) })
  .transform((query): RefreshToken => ({ expiresAt: query.expired_at }));

export const writeRefreshToken = (request: RefreshToken): WireParameters => ({
  expired_at: new Date(request.expiresAt).toISOString(),
});

/** `data` of a token refresh; the old token becomes invalid. */
export const refreshResponse = z.looseObject({
  token: answer.required,
  expired_at: answer.text,
  issued_at: answer.text,
});

/** `data` of the socket token: a one-time password, and the allowed and current numbers of connections. */
export const socketTokenResponse = z.looseObject({
  otp: answer.required,
  limit: answer.smallInteger,
  online: answer.smallInteger,
});

/** `data` of the signature self-test: the order id that was sent; nothing is created. */
export const selfTestResponse = z.looseObject({ order_id: answer.text });
