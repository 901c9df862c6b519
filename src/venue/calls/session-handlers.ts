import type { Clock } from '../../ports/clock.ts';
import { PAPER_CHANNEL } from '../../wire/mapper/account.ts';
import type { CredentialStore, RefreshedToken } from '../access/credential-store.ts';
import { CONNECTIONS_PER_ACCOUNT } from '../server/limits.ts';
import type { SocketSessions } from '../server/socket-sessions.ts';
import { type Handler, ok, refused } from './call.ts';

export interface SessionParts {
  readonly access: CredentialStore;
  readonly sessions: SocketSessions;
  readonly machine: Pick<Clock, 'now'>;
  readonly online: (accountId: string) => number;
  /** Called with a refreshed token before its owner receives it. */
  readonly onRefresh: (token: RefreshedToken, accountId: string) => void;
}

const BAD_PARAMETERS = 602001;
const TOKEN_REFUSED = 401003;

export function sessionHandlers({ access, sessions, machine, online, onRefresh }: SessionParts) {
  const refreshToken: Handler<'refreshToken'> = ({ expiresAt }, call) => {
    if (expiresAt <= machine.now()) return refused(BAD_PARAMETERS, 'expired_at: want a time in the future');
    const fresh = access.refresh(call.appKey, call.accessToken, expiresAt);
    if (fresh === undefined) return refused(TOKEN_REFUSED, 'token expired');
    const { appKey, accessToken: oldToken } = call;
    onRefresh({ appKey, oldToken, token: fresh.token, expiresAt: fresh.expiresAt }, call.account.id);
    return ok({
      token: fresh.token,
      expired_at: new Date(fresh.expiresAt).toISOString(),
      issued_at: new Date(fresh.issuedAt).toISOString(),
      account_info: { member_id: call.account.id, aaid: call.account.id, account_channel: PAPER_CHANNEL },
    });
  };

  const socketToken: Handler<'socketToken'> = (_request, { account }) =>
    ok({
      otp: sessions.issuePassword(account.id),
      limit: CONNECTIONS_PER_ACCOUNT,
      online: online(account.id),
    });

  const socketTokenV2: Handler<'socketTokenV2'> = (request, call) => socketToken(request, call);

  return { connectivityTest, refreshToken, socketToken, socketTokenV2, signatureSelfTest };
}

const connectivityTest: Handler<'connectivityTest'> = () => ok({});

const signatureSelfTest: Handler<'signatureSelfTest'> = ({ orderId }) => ok({ order_id: orderId });
