import { describe, expect, it } from 'vitest';
import { MESSAGES_PER_SECOND } from '#src/venue/server/limits.ts';
import { CONTROL_COMMANDS, quoteCommands } from '#src/wire/commands.ts';
import { encodeFrame } from '#src/wire/frame.ts';
import {
  AuthRequestSchema,
  AuthResponseSchema,
  Close_Code,
  CloseSchema,
  ReconnectRequestSchema,
} from '#src/wire/gen/control_pb.ts';
import { decodeMessage } from '#src/wire/message.ts';
import { PROFILES } from '#src/wire/profiles.ts';
import { call, SocketClient } from './a-client.ts';
import { aVenue, CREDENTIALS, OTHER_CREDENTIALS } from './a-venue.ts';
import { MACHINE_START } from './fixed-times.ts';

const QUOTE = quoteCommands(PROFILES.documented);
const AUTH = { ...CONTROL_COMMANDS.auth, request: AuthRequestSchema, response: AuthResponseSchema };
const RECONNECT = {
  ...CONTROL_COMMANDS.reconnect,
  request: ReconnectRequestSchema,
  response: AuthResponseSchema,
};

async function password(venue: Parameters<typeof call>[0], credentials = CREDENTIALS): Promise<string> {
  return (await call(venue, 'GET', '/v1/socket/token', { credentials })).data.otp;
}

async function reasonOf(client: SocketClient): Promise<{ readonly code: number; readonly reason: string }> {
  await client.closed;
  const close = client.pushes.find((push) => push.command === CONTROL_COMMANDS.close.code);
  if (close === undefined) throw new Error('The venue hung up without a close push');
  return decodeMessage(CloseSchema, close.body);
}

describe('logging in to a socket', () => {
  it('returns the password with whole numbers for limit and connections', async () => {
    const { venue } = await aVenue();
    const { data } = await call(venue, 'GET', '/v2/socket/token');
    expect(data).toMatchObject({ limit: 10, online: 0 });
    await SocketClient.loggedIn(venue, 'quote');
    expect((await call(venue, 'GET', '/v1/socket/token')).data.online).toBe(1);
    expect(
      (await call(venue, 'GET', '/v1/socket/token', { credentials: OTHER_CREDENTIALS })).data.online,
    ).toBe(0);
  });

  it.each(['', '?version=2&codec=1&platform=9', '?version=1&codec=2&platform=9', '?version=1&codec=1'])(
    'refuses the handshake query "%s" before the upgrade',
    async (query) => {
      const { venue } = await aVenue();
      await expect(SocketClient.open(venue.quoteWs, query)).rejects.toThrow('400');
    },
  );

  it('refuses another path', async () => {
    const { venue } = await aVenue();
    await expect(SocketClient.open(`${venue.http.replace('http', 'ws')}/news`)).rejects.toThrow('404');
  });

  it('S-22: accepts a one-time password once, within a minute', async () => {
    const { venue, advance } = await aVenue();
    const token = await password(venue);
    const client = await SocketClient.open(venue.quoteWs);
    const { sessionId, expires } = await client.ask(AUTH, { token });
    expect(sessionId).toMatch(/^[0-9a-f]{32}$/);
    expect(expires).toBe(BigInt(MACHINE_START + 86_400_000));
    const second = await SocketClient.open(venue.tradeWs);
    await expect(second.ask(AUTH, { token })).rejects.toThrow('status 5 code 401003');
    const fresh = await password(venue);
    const third = await SocketClient.open(venue.tradeWs);
    await expect(third.ask(AUTH, { token: `${fresh}0` })).rejects.toThrow('status 5');
    await third.ask(AUTH, { token: fresh });
    const late = await password(venue);
    advance(60_000);
    const fourth = await SocketClient.open(venue.tradeWs);
    await expect(fourth.ask(AUTH, { token: late })).rejects.toThrow('status 5');
  });

  it('continues a session under a new id and refuses the spent one', async () => {
    const { venue } = await aVenue();
    const first = await SocketClient.open(venue.quoteWs);
    const { sessionId } = await first.ask(AUTH, { token: await password(venue) });
    first.close();
    await first.closed;
    const again = await SocketClient.open(venue.quoteWs);
    const resumed = await again.ask(RECONNECT, { sessionId });
    expect(resumed.sessionId).not.toBe(sessionId);
    const third = await SocketClient.open(venue.quoteWs);
    await expect(third.ask(RECONNECT, { sessionId })).rejects.toThrow('status 5');
    await third.ask(AUTH, { token: await password(venue) });
  });

  it('answers nothing but auth and reconnect before login', async () => {
    const { venue } = await aVenue();
    const client = await SocketClient.open(venue.quoteWs);
    await expect(client.ask(QUOTE.staticInfo, { symbol: ['700.HK'] })).rejects.toThrow('status 5');
    await client.ask(AUTH, { token: await password(venue) });
    expect((await client.ask(QUOTE.staticInfo, { symbol: ['700.HK'] })).secuStaticInfo).toHaveLength(1);
  });

  it('accepts ten connections of one account and refuses the eleventh', async () => {
    const { venue } = await aVenue();
    for (let count = 0; count < 10; count += 1) await SocketClient.loggedIn(venue, 'quote');
    await expect(SocketClient.loggedIn(venue, 'quote')).rejects.toThrow('status 6');
    await SocketClient.loggedIn(venue, 'quote', OTHER_CREDENTIALS);
  });
});

describe('an open socket', () => {
  it('pings every 15 s and closes for a client that does not answer, with the reason', async () => {
    const { venue, advance } = await aVenue();
    const deaf = await SocketClient.loggedIn(venue, 'quote');
    deaf.ignorePings();
    const alive = await SocketClient.loggedIn(venue, 'trade');
    advance(15_000);
    await deaf.ask({ ...CONTROL_COMMANDS.heartbeat, request: undefined });
    await alive.ask({ ...CONTROL_COMMANDS.heartbeat, request: undefined });
    advance(15_000);
    expect((await reasonOf(deaf)).code).toBe(Close_Code.HeartbeatTimeout);
    await alive.ask({ ...CONTROL_COMMANDS.heartbeat, request: undefined });
  });

  it('S-21: closes for a client that does not log in within 5 s', async () => {
    const { venue, advance } = await aVenue();
    const client = await SocketClient.open(venue.quoteWs);
    advance(5_000);
    expect((await reasonOf(client)).code).toBe(Close_Code.AuthError);
  });

  it.each([
    ['a text message', 'hello'],
    ['a frame of no known type', Uint8Array.of(0x0f, 1, 2, 3)],
    ['a push', encodeFrame({ kind: 'push', command: 101, body: new Uint8Array() })],
  ])('S-02: closes after %s with a reason', async (_what, data) => {
    const { venue } = await aVenue();
    const client = await SocketClient.loggedIn(venue, 'quote');
    client.raw(data);
    expect((await reasonOf(client)).code).toBe(Close_Code.UnpackError);
  });

  it('refuses an invalid body and an unknown command, and stays open', async () => {
    const { venue } = await aVenue();
    const client = await SocketClient.loggedIn(venue, 'quote');
    expect((await client.exchange(QUOTE.depth.code, Uint8Array.of(0xff))).status).toBe(3);
    expect((await client.exchange(99, new Uint8Array())).status).toBe(3);
    expect((await client.exchange(QUOTE.staticInfo.code, new Uint8Array())).status).toBe(0);
  });

  it('S-21: closes after more messages in a second than all announced limits admit', async () => {
    const { venue, advance } = await aVenue({ marketClock: { kind: 'wall' }, rateLimits: 'endpoint' });
    const client = await SocketClient.loggedIn(venue, 'quote');
    advance(1_000);
    for (let count = 0; count < MESSAGES_PER_SECOND; count += 1)
      await client.exchange(QUOTE.staticInfo.code, new Uint8Array());
    client.raw(
      encodeFrame({ kind: 'request', command: 10, requestId: 1, timeoutMs: 1, body: new Uint8Array() }),
    );
    expect((await reasonOf(client)).reason).toBe('too many messages');
  });

  it('notifies all clients that it closes, and releases the port', async () => {
    const { venue } = await aVenue();
    const client = await SocketClient.loggedIn(venue, 'quote');
    await venue.close();
    expect((await reasonOf(client)).code).toBe(Close_Code.ServerShutdown);
    await expect(fetch(`${venue.http}/v1/test`)).rejects.toThrow();
    const port = Number(new URL(venue.http).port);
    const next = await aVenue({ port });
    expect(next.venue.http).toBe(venue.http);
  });

  it('names host, port and what to do when the port is busy', async () => {
    const { venue } = await aVenue();
    const port = Number(new URL(venue.http).port);
    await expect(aVenue({ port })).rejects.toMatchObject({
      name: 'VenueError',
      code: 'port-busy',
      message: expect.stringContaining(`127.0.0.1:${port}`),
    });
    const adminPort = Number(new URL(venue.admin ?? '').port);
    await expect(aVenue({ adminPort })).rejects.toMatchObject({ code: 'port-busy' });
  });

  it('refuses invalid options', async () => {
    await expect(aVenue({ accountId: 'missing' })).rejects.toMatchObject({ code: 'bad-option' });
    await expect(aVenue({ marketClock: { kind: 'scaled', speed: 0 } })).rejects.toMatchObject({
      code: 'bad-option',
    });
    const moreAccounts = [{ id: 'paper-2', credentials: CREDENTIALS }];
    await expect(aVenue({ moreAccounts })).rejects.toMatchObject({ code: 'bad-option' });
  });
});
