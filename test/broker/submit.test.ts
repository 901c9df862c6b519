import { createHash } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { beforeEach, describe, expect, it } from 'vitest';
import type { WrittenRequest } from '#src/model/order.ts';
import type { SubmitAnswer } from '#src/ports/broker.ts';
import { toObservable } from '#src/ports/to-observable.ts';
import { failure, success } from '#src/wire/envelope.ts';
import { makeTag } from '#src/wire/tag.ts';
import { eventually } from '../fixtures/eventually.ts';
import { answerOf } from '../fixtures/tasks.ts';
import { answerJson, CREDENTIALS } from './fake-venue.ts';
import { benchOn, DEPLOYMENT, INTENT, TERMS } from './fixtures.ts';
import { onSockets } from './on-sockets.ts';

const ORDER = '/v1/trade/order';

const on = onSockets();

function submit(): Promise<SubmitAnswer> {
  return answerOf(on.bench.client.broker.submit({ intentId: INTENT, terms: TERMS }));
}

describe('a submit that is answered', () => {
  it('names the intent in the remark, and signs the bytes that it sends', async () => {
    on.venue.on(ORDER, (_request, response) =>
      answerJson(response, 200, success({ order_id: '709043056541253632' })),
    );
    expect(await submit()).toEqual({ kind: 'accepted', orderId: '709043056541253632' });
    expect(on.venue.signaturesRefused()).toBe(0);
    const [sent] = on.venue.of(ORDER);
    expect(sent?.method).toBe('POST');
    expect(JSON.parse(sent?.body ?? '')).toEqual({
      symbol: '700.HK',
      order_type: 'LO',
      side: 'Buy',
      submitted_quantity: '100',
      submitted_price: '412.4',
      time_in_force: 'Day',
      remark: makeTag({ deployment: DEPLOYMENT, intentId: INTENT }),
    });
  });

  it('reports body, digest and time stamp before it is sent (I-1, T-04)', async () => {
    on.venue.on(ORDER, (_request, response) => answerJson(response, 200, success({ order_id: '1' })));
    const written: (WrittenRequest | undefined)[] = [];
    const beforeSend = (request?: WrittenRequest) => void written.push(request);
    const answer = await answerOf(
      on.bench.client.broker.submit({ intentId: INTENT, terms: TERMS, beforeSend }),
    );
    expect(answer).toEqual({ kind: 'accepted', orderId: '1' });
    const [sent] = on.venue.of(ORDER);
    const body = sent?.body ?? '';
    const digest = createHash('sha256').update(body).digest('hex');
    expect(written).toEqual([{ body, digest, timestamp: sent?.headers['x-timestamp'] }]);
  });

  it('sends no byte when these cannot be recorded (I-1, T-04)', async () => {
    const { broker } = on.bench.client;
    const beforeSend = () => {
      throw new Error('The disk is full');
    };
    const answer = answerOf(broker.submit({ intentId: INTENT, terms: TERMS, beforeSend }));
    await expect(answer).rejects.toThrow('The disk is full');
    await answerOf(broker.ordersToday());
    expect(on.venue.of(ORDER)).toEqual([]);
  });

  it('sends nothing if it is vetoed once it is recorded (I-14)', async () => {
    const answer = on.bench.client.broker.submit({
      ...{ intentId: INTENT, terms: TERMS, beforeSend: () => undefined, blockedReason: () => 'killed' },
    });
    expect(await answerOf(answer)).toEqual({ kind: 'not-sent', message: 'killed' });
    expect(on.venue.of(ORDER)).toEqual([]);
  });

  it('sends the request key if the venue supports one', async () => {
    const keyed = benchOn(on.venue, { facts: { requestKey: true } });
    on.venue.on(ORDER, (_request, response) => answerJson(response, 200, success({ order_id: '1' })));
    await answerOf(keyed.client.broker.submit({ intentId: INTENT, terms: TERMS }));
    expect(JSON.parse(on.venue.of(ORDER)[0]?.body ?? '')).toMatchObject({ client_request_id: INTENT });
    await keyed.client.close();
  });

  it('F-B07: keeps an order id that was sent as a number above 2^53', async () => {
    on.venue.on(ORDER, (_request, response) =>
      answerJson(response, 200, '{"code":0,"message":"success","data":{"order_id":683615454870679552}}'),
    );
    expect(await submit()).toEqual({ kind: 'accepted', orderId: '683615454870679552' });
  });

  it.each([
    ['no data', '{"code":0,"msg":"success"}'],
    ['an empty id', '{"code":0,"data":{"order_id":""}}'],
    ['a list', '{"code":0,"data":[]}'],
    ['an id that lost its digits', '{"code":0,"data":{"order_id":6.83e17}}'],
    ['an id that lost its digits and its point', '{"code":0,"data":{"order_id":7e17}}'],
    ['no id at all: zero', '{"code":0,"data":{"order_id":0}}'],
  ])('T-06: classifies success with %s as unknown', async (_what, body) => {
    on.venue.on(ORDER, (_request, response) => answerJson(response, 200, body));
    expect((await submit()).kind).toBe('unknown');
  });

  it.each([
    [400, 602001],
    [401, 401003],
    [403, 403201],
    [403, 403203],
    [403, 403205],
    [429, 429001],
    [429, 429002],
  ])('F-B03, F-B05, F-B06: takes HTTP %i with code %i as proof of refusal', async (status, code) => {
    on.venue.on(ORDER, (_request, response) => answerJson(response, status, failure(code, 'no')));
    expect(await submit()).toEqual({ kind: 'refused', code, message: 'no' });
    expect(on.venue.of(ORDER)).toHaveLength(1);
  });

  it.each([
    ['F-B04, F-N17: 403202', 403, JSON.stringify(failure(403202, 'duplicate request'))],
    ['F-B01: 500 with an envelope', 500, JSON.stringify(failure(500000, 'internal error'))],
    ['F-B02: 500 without a body', 500, ''],
    ['F-N18: an HTML error page', 502, '<html><body>Bad Gateway</body></html>'],
    ['429 without an envelope', 429, 'slow down'],
    ['400 without an envelope', 400, 'Bad Request'],
    ['success under a redirect', 302, '{"code":0,"data":{"order_id":"1"}}'],
    ['a body cut in the middle', 200, '{"code":0,"data":{"order'],
  ])('classifies %s as unknown, and sends once', async (_what, status, body) => {
    on.venue.on(ORDER, (_request, response) => answerJson(response, status, body));
    expect((await submit()).kind).toBe('unknown');
    expect(on.venue.of(ORDER)).toHaveLength(1);
  });

  it('F-N18: follows no redirect', async () => {
    on.venue.on(ORDER, (_request, response) => {
      response.writeHead(307, { location: `${on.venue.httpUrl}/elsewhere` });
      response.end();
    });
    on.venue.on('/elsewhere', (_request, response) => answerJson(response, 200, success({ order_id: '1' })));
    expect((await submit()).kind).toBe('unknown');
    expect(on.venue.of('/elsewhere')).toHaveLength(0);
  });

  it('I-20: redacts secrets that the venue repeats', async () => {
    on.venue.on(ORDER, (_request, response) =>
      answerJson(
        response,
        400,
        failure(602001, `bad ${CREDENTIALS.accessToken} of ${CREDENTIALS.appKey}\u001b[2J`),
      ),
    );
    expect(await submit()).toMatchObject({ message: 'bad [redacted] of [redacted]\\u001b[2J' });
  });
});

describe('a submit without an answer', () => {
  it('F-N01: is unknown when the answer is lost, and is not sent again', async () => {
    on.venue.on(ORDER, (_request, response) => {
      response.socket?.destroy();
    });
    expect((await submit()).kind).toBe('unknown');
    expect(on.venue.of(ORDER)).toHaveLength(1);
  });

  it('F-N05: is unknown when the connection breaks in the middle of the answer', async () => {
    on.venue.on(ORDER, (_request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"code":0,', () => response.socket?.resetAndDestroy());
    });
    expect((await submit()).kind).toBe('unknown');
  });

  it('F-N02, F-N14: is unknown at the deadline of machine time', async () => {
    on.venue.on(ORDER, () => undefined);
    const answer = submit();
    await eventually(() => on.venue.of(ORDER).length === 1);
    on.bench.clock.advance(4_999);
    on.bench.clock.advance(1);
    expect(await answer).toEqual({ kind: 'unknown', message: 'no complete response within 5000 ms' });
    on.bench.clock.advance(10 * 60_000);
    expect(on.bench.clock.pending()).toBe(0);
  });

  it('F-N08: is unknown when the answer takes longer than the deadline', async () => {
    on.venue.on(ORDER, (_request, response) => {
      response.writeHead(200, { 'content-length': '60' });
      response.write('{');
    });
    const answer = submit();
    await eventually(() => on.venue.of(ORDER).length === 1);
    on.bench.clock.advance(5_000);
    expect((await answer).kind).toBe('unknown');
  });

  it('is unknown when the answer is longer than 4 MB', async () => {
    on.venue.on(ORDER, (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.on('error', () => undefined);
      response.end(Buffer.alloc(4 * 1_048_576 + 1, 0x20));
    });
    expect((await submit()).kind).toBe('unknown');
  });

  it('aborts when no caller waits any more', async () => {
    let gone = false;
    on.venue.on(ORDER, (_request, response) => {
      response.on('close', () => {
        gone = true;
      });
    });
    const waiting = toObservable(
      on.bench.client.broker.submit({ intentId: INTENT, terms: TERMS }),
    ).subscribe();
    await eventually(() => on.venue.of(ORDER).length === 1);
    waiting.unsubscribe();
    await eventually(() => gone, 'the venue to see the line close');
    expect(on.bench.clock.pending()).toBe(0);
  });
});

describe('a connection that breaks while the request is being sent', () => {
  it('F-N04: makes the outcome unknown instead of not sent', async () => {
    const broken = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.resetAndDestroy());
    });
    const port = await listen(broken);
    const other = benchOn(on.venue, { httpUrl: `http://127.0.0.1:${port}` });
    const answer = await answerOf(other.client.broker.submit({ intentId: INTENT, terms: TERMS }));
    expect(answer.kind).toBe('unknown');
    await other.client.close();
    await new Promise((resolve) => broken.close(resolve));
  });
});

describe('a submit that was never sent', () => {
  it('F-N03: is not sent when the connection is refused', async () => {
    const unreachable = benchOn(on.venue, { httpUrl: await freeAddress('http') });
    const answer = await answerOf(unreachable.client.broker.submit({ intentId: INTENT, terms: TERMS }));
    expect(answer).toMatchObject({ kind: 'not-sent', message: expect.stringContaining('ECONNREFUSED') });
    await unreachable.client.close();
  });

  it('F-N03: is not sent when the name is not found', async () => {
    const unreachable = benchOn(on.venue, { httpUrl: 'https://missing.invalid' });
    const answer = await answerOf(unreachable.client.broker.submit({ intentId: INTENT, terms: TERMS }));
    expect(answer.kind).toBe('not-sent');
    await unreachable.client.close();
  });

  it('F-N03: is not sent when TLS fails', async () => {
    const plain = benchOn(on.venue, { httpUrl: on.venue.httpUrl.replace('http:', 'https:') });
    const answer = await answerOf(plain.client.broker.submit({ intentId: INTENT, terms: TERMS }));
    expect(answer.kind).toBe('not-sent');
    expect(on.venue.arrived).toHaveLength(0);
    await plain.client.close();
  });

  it('is not sent when the deadline comes while TLS still waits for the other end', async () => {
    const sockets: Socket[] = [];
    const bytes: Buffer[] = [];
    const silent = createServer((socket) => {
      sockets.push(socket);
      socket.on('data', (chunk) => bytes.push(chunk));
      socket.on('error', () => undefined);
    });
    const port = await listen(silent);
    const waiting = benchOn(on.venue, { httpUrl: `https://127.0.0.1:${port}` });
    const answer = answerOf(waiting.client.broker.submit({ intentId: INTENT, terms: TERMS }));
    await eventually(() => bytes.length > 0);
    waiting.clock.advance(5_000);
    expect((await answer).kind).toBe('not-sent');
    await waiting.client.close();
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => silent.close(resolve));
  });
});

describe('the connection of a submit', () => {
  beforeEach(() => {
    on.venue.on(ORDER, (_request, response) => answerJson(response, 200, success({ order_id: '1' })));
  });

  it('F-N06: is reused within 2 s of machine time', async () => {
    await submit();
    on.bench.clock.advance(2_000);
    await submit();
    expect(on.venue.connections()).toBe(1);
  });

  it('F-N06: is a new one after it was idle for more than 2 s', async () => {
    await submit();
    on.bench.clock.advance(2_001);
    await submit();
    expect(on.venue.connections()).toBe(2);
  });

  it('F-N06: that the venue closed leads to an unknown outcome or a new connection, never to two copies', async () => {
    await submit();
    on.venue.on(ORDER, (_request, response) => {
      response.socket?.destroy();
    });
    const answer = await submit();
    expect(answer.kind).toBe('unknown');
    expect(on.venue.of(ORDER)).toHaveLength(2);
  });

  it('stamps strictly rising microseconds while the machine clock does not advance', async () => {
    for (let i = 0; i < 5; i += 1) await submit();
    const stamps = on.venue.timestamps.map(Number);
    expect(stamps).toEqual(stamps.toSorted((a, b) => a - b));
    expect(new Set(on.venue.timestamps).size).toBe(5);
  });
});

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

/** An address whose port was free a moment ago. */
async function freeAddress(scheme: string): Promise<string> {
  const server = createServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return `${scheme}://127.0.0.1:${port}`;
}
