import { describe, expect, it } from 'vitest';
import { CONTROL_COMMANDS, quoteCommands, TRADE_COMMANDS } from '#src/wire/commands.ts';
import { decodeFrame } from '#src/wire/frame.ts';
import { AuthRequestSchema, AuthResponseSchema, CloseSchema } from '#src/wire/gen/control_pb.ts';
import { NotificationSchema } from '#src/wire/gen/trade_pb.ts';
import { decodeMessage, encodeMessage } from '#src/wire/message.ts';
import { PROFILES } from '#src/wire/profiles.ts';
import { call, SocketClient } from './a-client.ts';
import { aVenue } from './a-venue.ts';
import { advanceMarket, fired, setFaults, submit } from './fault-kit.ts';
import { MACHINE_START } from './fixed-times.ts';

const QUOTE = quoteCommands(PROFILES.documented);
describe('wrong frames', () => {
  const FORMS = [
    ...[
      'reserved-bits',
      'trailer',
      'short-length',
      'long-length',
      'big',
      'bomb',
      'bad-gzip',
      'noise',
      'empty',
    ],
  ];
  const read = { 'reserved-bits': 'response', trailer: 'response' } as Readonly<Record<string, string>>;

  it.each(FORMS)(
    'F-B31 and F-B32 venue.frame %s: our decoder reads or refuses it, and nothing else',
    async (form) => {
      const { venue } = await aVenue();
      const client = await SocketClient.loggedIn(venue, 'quote');
      await setFaults(venue, { knob: 'venue.frame', form, side: 'quote', times: 1 });
      const bytes = client.nextBytes();
      const { code, request } = QUOTE.staticInfo;
      void client.exchange(code, encodeMessage(request, { symbol: ['700.HK'] }));
      expect(decodeFrame(await bytes).kind).toBe(read[form] ?? 'broken');
      expect(await fired(venue)).toEqual([1]);
    },
  );

  it('F-B33 venue.reqid: an answer to no request, an answer twice, no answer', async () => {
    const { venue } = await aVenue();
    const client = await SocketClient.loggedIn(venue, 'quote');
    const heard = async (form: string): Promise<number> => {
      await setFaults(venue, { knob: 'venue.reqid', form, times: 1 });
      const before = client.responses;
      if (form === 'silent') void client.exchange(QUOTE.subscriptions.code, new Uint8Array());
      await client.ask(QUOTE.subscriptions);
      return client.responses - before;
    };
    expect(await heard('unknown')).toBe(2);
    expect(await heard('silent')).toBe(1);
    await heard('twice');
    await client.ask(QUOTE.subscriptions);
    expect(client.responses).toBe(7);
  });

  it('F-N19 net.slicer with a side: one message in fragments of three bytes reads as before', async () => {
    const { venue } = await aVenue();
    const client = await SocketClient.loggedIn(venue, 'quote');
    await setFaults(venue, { knob: 'net.slicer', side: 'quote', bytes: 3 });
    const { secuStaticInfo } = await client.ask(QUOTE.staticInfo, { symbol: ['700.HK'] });
    expect(secuStaticInfo[0]?.symbol).toBe('700.HK');
  });

  it('F-N10 net.blackhole with a side: the socket stays open, and neither answers nor reads any more', async () => {
    const { venue } = await aVenue();
    const client = await SocketClient.loggedIn(venue, 'quote');
    await setFaults(venue, { knob: 'net.blackhole', side: 'quote', times: 1 });
    void client.exchange(QUOTE.subscriptions.code, new Uint8Array());
    await expect.poll(() => fired(venue)).toEqual([1]);
    let isClosed = false;
    void client.closed.then(() => {
      isClosed = true;
    });
    await call(venue, 'GET', '/v1/test');
    expect(isClosed).toBe(false);
  });
});

describe('sessions and closes', () => {
  it.each([
    ['absolute-s', (MACHINE_START + 86_400_000) / 1_000],
    ['relative-ms', 86_400_000],
    ['relative-s', 86_400],
    ['zero', 0],
  ])('F-B30 venue.expires %s: the end of a session reads %i', async (form, expected) => {
    const { venue } = await aVenue();
    await setFaults(venue, { knob: 'venue.expires', form });
    const { data } = await call(venue, 'GET', '/v1/socket/token');
    const client = await SocketClient.open(venue.tradeWs);
    const auth = { ...CONTROL_COMMANDS.auth, request: AuthRequestSchema, response: AuthResponseSchema };
    const { expires } = await client.ask(auth, { token: data.otp });
    expect(Number(expires)).toBe(Math.floor(expected));
  });

  it('F-B28 venue.restart: disconnects all clients and forgets sessions and passwords', async () => {
    const { venue } = await aVenue();
    const client = await SocketClient.loggedIn(venue, 'trade');
    const { data } = await call(venue, 'GET', '/v1/socket/token');
    await setFaults(venue, { knob: 'venue.restart' });
    await client.closed;
    const fresh = await SocketClient.open(venue.tradeWs);
    const body = encodeMessage(AuthRequestSchema, { token: data.otp });
    expect(await fresh.exchange(CONTROL_COMMANDS.auth.code, body)).toMatchObject({ status: 5 });
  });

  it.each([0, 1, 2, 3, 4, 5, 6])('F-B29 venue.close: closes with reason %i', async (code) => {
    const { venue } = await aVenue();
    const client = await SocketClient.loggedIn(venue, 'trade');
    await setFaults(venue, { knob: 'venue.close', side: 'trade', code });
    await client.closed;
    const close = client.pushes.find((push) => push.command === CONTROL_COMMANDS.close.code);
    expect(close && decodeMessage(CloseSchema, close.body).code).toBe(code);
  });
});

describe('wrong order pushes', () => {
  async function trading() {
    const { venue, advance } = await aVenue();
    const client = await SocketClient.loggedIn(venue, 'trade');
    const reported = await client.ask(TRADE_COMMANDS.subscribe, { topics: ['private'] });
    return { venue, advance, client, reported };
  }
  const fieldsOf = (body: Uint8Array) =>
    JSON.parse(new TextDecoder().decode(decodeMessage(NotificationSchema, body).data)).data;

  it('F-B12 venue.push.late: is sent later by that time', async () => {
    const { venue, advance, client } = await trading();
    await setFaults(venue, { knob: 'venue.push.late', ms: 5_000 });
    await submit(venue);
    await advanceMarket(venue, 1_000);
    expect(client.pushes).toEqual([]);
    advance(5_000);
    expect(await client.pushed(1)).toHaveLength(1);
  });

  it('F-B13 venue.push.drop of fills alone: everything else is pushed', async () => {
    const { venue, client } = await trading();
    await setFaults(
      venue,
      { knob: 'venue.push.drop', only: 'fill' },
      { knob: 'venue.fillDuring', endpoint: 'account' },
    );
    await submit(venue);
    await advanceMarket(venue, 700_000);
    await call(venue, 'GET', '/v1/asset/account');
    await submit(venue);
    await advanceMarket(venue, 1_000);
    const statuses = client.pushes.map(({ body }) => fieldsOf(body).status);
    expect(statuses).not.toContain('FilledStatus');
    expect((await fired(venue))[0]).toBe(1);
  });

  it('F-B20 and F-B27 venue.push.garbage: any field of an order push has the configured value', async () => {
    const { venue, client } = await trading();
    await setFaults(venue, { knob: 'venue.push.garbage', field: 'status', value: 'Teleported' });
    await submit(venue);
    await advanceMarket(venue, 1_000);
    const [push] = await client.pushed(1);
    expect(fieldsOf(push?.body ?? new Uint8Array()).status).toBe('Teleported');
  });

  it('venue.without push.private: the topic is refused, and nothing is pushed', async () => {
    const { venue } = await aVenue({ without: ['push.private'] });
    const client = await SocketClient.loggedIn(venue, 'trade');
    const reported = await client.ask(TRADE_COMMANDS.subscribe, { topics: ['private'] });
    expect(reported).toMatchObject({ success: [], fail: [{ topic: 'private' }], current: [] });
  });

  it('venue.without push.complete: about half of the fills are not pushed', async () => {
    const { venue } = await aVenue({ without: ['push.complete'] });
    const client = await SocketClient.loggedIn(venue, 'trade');
    await client.ask(TRADE_COMMANDS.subscribe, { topics: ['private'] });
    await advanceMarket(venue, 660_000);
    for (let each = 0; each < 20; each += 1) await submit(venue, { submitted_price: '500' });
    await advanceMarket(venue, 60_000);
    const filled = client.pushes.filter(({ body }) => fieldsOf(body).status === 'FilledStatus').length;
    expect(filled).toBeGreaterThan(2);
    expect(filled).toBeLessThan(18);
  });
});
