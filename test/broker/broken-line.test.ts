import { describe, expect, it } from 'vitest';
import type { FeedState } from '#src/ports/quote-feed.ts';
import { success } from '#src/wire/envelope.ts';
import { Close_Code } from '#src/wire/gen/control_pb.ts';
import { eventually } from '../fixtures/eventually.ts';
import { answerOf } from '../fixtures/tasks.ts';
import { answerJson, type FakeVenue } from './fake-venue.ts';
import { TENCENT } from './fixtures.ts';
import { onSockets } from './on-sockets.ts';

const on = onSockets();

describe('a connection that breaks', () => {
  async function live(): Promise<readonly FeedState[]> {
    await on.bench.client.connect();
    on.hearQuotes([TENCENT]);
    const states = on.hearStates();
    await eventually(() => states.at(-1) === 'live');
    return states;
  }

  /** Cuts the quote connection and makes the venue forget its session, so that the next login needs a password. */
  async function lostForGood(): Promise<readonly FeedState[]> {
    const states = await live();
    on.venue.knowsSessions = false;
    on.venue.line('quote').socket.terminate();
    await eventually(() => states.at(-1) === 'down');
    return states;
  }

  it('F-N11: reconnects after half of the first backoff, resumes its session and subscribes again', async () => {
    const states = await live();
    on.venue.line('quote').socket.terminate();
    await eventually(() => states.at(-1) === 'down');
    on.bench.clock.advance(249);
    expect(on.venue.lines).toHaveLength(2);
    on.bench.clock.advance(1);
    await eventually(() => states.at(-1) === 'live');
    expect(states).toEqual(['connecting', 'live', 'down', 'live']);
    expect(on.venue.sessionsResumed).toHaveLength(1);
    expect(on.venue.passwordsUsed).toHaveLength(2);
    expect(on.subscribesSeen()).toEqual([[TENCENT], [TENCENT]]);
    expect(on.venue.line('quote').requests.map((frame) => frame.command)).toEqual([3, 6, 11]);
  });

  it('F-B28: gets a fresh password when the venue forgot the session', async () => {
    const states = await lostForGood();
    on.bench.clock.advance(250);
    await eventually(() => states.at(-1) === 'live');
    expect(on.venue.passwordsUsed).toHaveLength(3);
    expect(new Set(on.venue.passwordsUsed).size).toBe(3);
  });

  const reported = (code: string) =>
    on.bench.alarms.filter((alarm) => alarm.code === code && alarm.facts['socket'] === 'quote socket');
  /** Quote connections that logged in with a password, after the first one. */
  const attempts = () =>
    on.venue.lines.filter(
      ({ name, requests }) => name === 'quote' && requests.some((frame) => frame.command === 2),
    ).length - 1;

  /**
   * Waits until this number of attempts were made and the next one is planned: the clock then has as many timers as
   * before.
   */
  async function failedAgain(count: number, timers: number): Promise<void> {
    let still = 0;
    await eventually(() => {
      still = attempts() === count && on.bench.clock.pending() === timers ? still + 1 : 0;
      return still > 200;
    }, `attempt ${count} to have failed`);
  }

  it('F-N11: waits twice as long after each failure, reports once that it cannot connect, and once that it is back', async () => {
    const states = await lostForGood();
    on.venue.acceptsPasswords = false;
    const timers = on.bench.clock.pending();
    for (const [index, wait] of [250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000].entries()) {
      on.bench.clock.advance(wait - 1);
      expect(attempts()).toBe(index);
      on.bench.clock.advance(1);
      await failedAgain(index + 1, timers);
    }
    expect(reported('socket-unreachable')).toHaveLength(1);
    on.venue.acceptsPasswords = true;
    on.bench.clock.advance(15_000);
    await eventually(() => states.at(-1) === 'live');
    expect(reported('socket-unreachable')).toHaveLength(1);
    expect(reported('socket-back').map(({ message }) => message)).toEqual([
      'The quote socket is back after 60.8 s and 9 attempts',
    ]);
  });

  it('F-N11, F-N15: makes its next attempt within half a second once any other request to the venue is answered', async () => {
    const states = await lostForGood();
    on.venue.acceptsPasswords = false;
    const timers = on.bench.clock.pending();
    for (const [index, wait] of [250, 500, 1_000, 2_000, 4_000, 8_000].entries()) {
      on.bench.clock.advance(wait);
      await failedAgain(index + 1, timers);
    }
    on.venue.acceptsPasswords = true;
    const ask = () => answerOf(on.bench.client.broker.positions());
    on.venue.on('/v1/asset/stock', (_request, response) => answerJson(response, 200, success({ list: [] })));
    expect(await ask()).toMatchObject({ kind: 'ok' });
    on.bench.clock.advance(500);
    expect(states.at(-1)).toBe('down');
    on.venue.on('/v1/asset/stock', (_request, response) => response.destroy());
    expect(await ask()).toMatchObject({ kind: 'failed' });
    on.venue.on('/v1/asset/stock', (_request, response) => answerJson(response, 200, success({ list: [] })));
    expect(await ask()).toMatchObject({ kind: 'ok' });
    on.bench.clock.advance(250);
    await eventually(() => states.at(-1) === 'live');
  });

  it('F-N10: counts as dead after 10 s without data, ping or pong', async () => {
    const states = await live();
    const line = on.venue.line('quote');
    line.socket.pause();
    on.bench.clock.advance(4_000);
    on.bench.clock.advance(4_000);
    on.bench.clock.advance(1_999);
    expect(states.at(-1)).toBe('live');
    on.bench.clock.advance(1);
    await eventually(() => states.at(-1) === 'down');
    expect(on.bench.alarms.some((alarm) => /Nothing was received for 10000 ms/.test(alarm.message))).toBe(
      true,
    );
  });

  it('pings every 4 s and stays open if pongs arrive', async () => {
    const states = await live();
    const line = on.venue.line('quote');
    for (let i = 1; i <= 6; i += 1) {
      on.bench.clock.advance(4_000);
      await eventually(() => line.pings === i);
      await new Promise((resolve) => line.socket.ping(resolve));
      await new Promise((resolve) => line.socket.once('pong', resolve));
    }
    expect(states.at(-1)).toBe('live');
  });

  it.each([
    ['a text message', (line: FakeVenue['lines'][number]) => line.socket.send('hello')],
    [
      'a frame of unknown type',
      (line: FakeVenue['lines'][number]) => line.socket.send(Buffer.from('0f', 'hex')),
    ],
    [
      'a body shorter than announced',
      (line: FakeVenue['lines'][number]) => line.socket.send(Buffer.from('0365ffffff00', 'hex')),
    ],
    [
      'an invalid gzip body',
      (line: FakeVenue['lines'][number]) => line.socket.send(Buffer.from('236500000100', 'hex')),
    ],
    ['an empty message', (line: FakeVenue['lines'][number]) => line.socket.send(Buffer.alloc(0))],
    ['a message above 1 MB', (line: FakeVenue['lines'][number]) => line.socket.send(Buffer.alloc(1_048_577))],
  ])('S-02, F-B31: is closed after %s, and opened again', async (_what, send) => {
    const states = await live();
    send(on.venue.line('quote'));
    await eventually(() => states.at(-1) === 'down');
    on.bench.clock.advance(250);
    await eventually(() => states.at(-1) === 'live');
  });

  it('S-02: is closed after a body that unpacks to a thousand times its size', async () => {
    const states = await live();
    on.venue.line('quote').push(101, new Uint8Array(3_000_000), 1);
    await eventually(() => states.at(-1) === 'down');
  });

  it.each([
    ['resumes', Close_Code.HeartbeatTimeout, 1, 2],
    ['resumes', Close_Code.ServerError, 1, 2],
    ['resumes', Close_Code.ServerShutdown, 1, 2],
    ['begins again', Close_Code.UnpackError, 0, 3],
    ['begins again', Close_Code.AuthError, 0, 3],
    ['begins again', Close_Code.SessExpired, 0, 3],
  ])('F-B29: %s after close code %i', async (_what, code, resumed, passwords) => {
    const states = await live();
    on.venue.line('quote').hangUp(code);
    await eventually(() => states.at(-1) === 'down');
    on.bench.clock.advance(250);
    await eventually(() => states.at(-1) === 'live');
    expect(on.venue.sessionsResumed).toHaveLength(resumed);
    expect(on.venue.passwordsUsed).toHaveLength(passwords);
  });

  it('F-B29: stays closed when another connection took its place', async () => {
    await on.bench.client.connect();
    const { errors } = on.hearQuotes();
    const states = on.hearStates();
    await eventually(() => states.at(-1) === 'live');
    on.venue.line('quote').hangUp(Close_Code.ConnectDuplicate);
    await eventually(() => errors.length === 1);
    expect(errors).toMatchObject([{ code: 'duplicate-connection', retryable: false }]);
    on.bench.clock.advance(600_000);
    expect(on.venue.lines.filter((line) => line.name === 'quote')).toHaveLength(1);
    expect(on.bench.alarms.map((alarm) => alarm.code)).toContain('duplicate-connection');
  });

  it('F-N12: that breaks more than 5 times in 5 minutes raises an alarm, and waits longer each time', async () => {
    const states = await live();
    for (let i = 0; i < 6; i += 1) {
      const lines = on.venue.lines.length;
      on.venue.line('quote').socket.terminate();
      await eventually(() => states.at(-1) === 'down');
      on.bench.clock.advance(250 * 2 ** i);
      await eventually(() => on.venue.lines.length === lines + 1 && states.at(-1) === 'live');
    }
    expect(on.bench.alarms.filter((alarm) => alarm.code === 'socket-flapping')).toHaveLength(1);
  });

  it('fails the requests in progress, which may be repeated', async () => {
    await live();
    on.venue.onCommand('quote', 11, () => undefined);
    const failed = new Promise((resolve) =>
      on.bench.client.feed.pull([TENCENT]).subscribe({ error: resolve }),
    );
    await eventually(
      () => on.venue.line('quote').requests.filter((frame) => frame.command === 11).length === 2,
    );
    on.venue.line('quote').socket.terminate();
    expect(await failed).toMatchObject({ code: 'socket-lost', retryable: true });
  });
});
