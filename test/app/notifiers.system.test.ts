import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createSystemClock } from '#src/app/clock/system-clock.ts';
import { lastCompletedDay } from '#src/app/logs/last-completed-day.ts';
import { openNotices } from '#src/app/logs/notices.ts';
import type { PaperOptions, Progress } from '#src/app/run/run-options.ts';
import { NoticeQueue } from '#src/hosts/notifier/notice-queue.ts';
import {
  createNotifierHost,
  type NotifierHost,
  type NotifierLimits,
} from '#src/hosts/notifier/notifier-thread.ts';
import { decimal } from '#src/model/decimal.ts';
import type { Alarm, FillNotice, Notice, NotifyingBot } from '#src/model/notice.ts';
import { redaction } from '#src/model/redaction.ts';
import { calendarDay, millis } from '#src/model/time.ts';
import { eventually } from '../fixtures/eventually.ts';
import { pluginFile } from '../fixtures/hosts.ts';
import { at } from '../fixtures/market.ts';

/** A server that receives notifications. */
let server: Server;
let posted: { readonly path: string; readonly message: string }[] = [];
beforeEach(async () => {
  posted = [];
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      posted.push({ path: request.url ?? '', message: JSON.parse(body).message });
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
const open: NotifierHost[] = [];
afterEach(async () => {
  for (const host of open.splice(0)) await host.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const BOT: NotifyingBot = { name: 'a', config: 'a.yaml', strategy: 's', mode: 'paper', currency: 'USD' };
const portOf = (): number => (server.address() as AddressInfo).port;
const alarm = (message: string): Alarm => ({ code: 'test', message, at: millis(1), facts: { why: 'it is' } });

function hostThat(way: string, limits: Partial<NotifierLimits> = {}) {
  const news: string[] = [];
  const host = createNotifierHost({
    notifier: {
      ...{ name: 'own', file: pluginFile('notifier-that') },
      ...{ params: { way, port: portOf() }, secrets: { token: 'door-1234' }, bot: BOT },
    },
    clock: createSystemClock(),
    redact: redaction(['door-1234']),
    onStateChange: (message) => news.push(message),
    limits,
  });
  open.push(host);
  return { host, news };
}

describe('a notifier in its own thread', () => {
  it('sends alarms and days in order, with its secrets and over the network', async () => {
    const { host, news } = hostThat('carries');
    host.deliver({ kind: 'alarm', notice: alarm('first') });
    host.deliver({ kind: 'alarm', notice: alarm('second') });
    host.deliver({
      kind: 'day',
      notice: {
        ...{ day: calendarDay('2024-03-05'), at: millis(5), strategy: 's', currency: 'USD', gate: 'active' },
        ...{ equity: decimal('100000.25'), fills: 3, orders: 4, denied: 0 },
      },
    });
    await host.close();
    expect(posted).toEqual([
      { path: '/door-1234', message: 'first' },
      { path: '/door-1234', message: 'second' },
      { path: '/door-1234', message: '2024-03-05 100000.25 USD 3' },
    ]);
    expect(news).toEqual([]);
  });

  it('that fails is reported once, and once more when it works again', async () => {
    const { host, news } = hostThat('fails at first');
    for (const each of ['lost', 'next', 'last']) host.deliver({ kind: 'alarm', notice: alarm(each) });
    await host.close();
    expect(posted.map(({ message }) => message)).toEqual(['next', 'last']);
    expect(news).toEqual([
      expect.stringMatching(/^Notifier "own" failed: engaged/),
      'Notifier "own" carries notices again',
    ]);
  });

  it('that repeats its secret where the text is cut shows no part of it (I-20)', async () => {
    const { host, news } = hostThat('repeats its secret');
    host.deliver({ kind: 'alarm', notice: alarm('first') });
    await host.close();
    expect(news).toEqual([expect.stringMatching(/^Notifier "own" failed: x+ \[redac\.\.\.$/)]);
  });

  it('that waits for an answer receives an abort at its timeout, and continues in the same thread', async () => {
    const { host, news } = hostThat('waits for its signal', { deliveryMsMax: 1_000 });
    for (const each of ['one', 'two']) host.deliver({ kind: 'alarm', notice: alarm(each) });
    await eventually(() => news.length > 0);
    expect(news).toEqual([expect.stringMatching(/^Notifier "own" failed: time is up: 1000 ms, after 1/)]);
  });

  it('whose service requests a wait while the bot ends does not delay the end', async () => {
    const { host, news } = hostThat('requests a wait', { deliveryMsMax: 500_000 });
    host.deliver({ kind: 'alarm', notice: alarm('one') });
    await host.close();
    expect([news, posted]).toEqual([[expect.stringMatching(/^Notifier "own" failed: later/)], []]);
  });

  it('that always throws is reported once, however many alarms there are', async () => {
    const { host, news } = hostThat('throws');
    for (let count = 0; count < 20; count += 1) host.deliver({ kind: 'alarm', notice: alarm(`${count}`) });
    await host.close();
    expect(news).toEqual([expect.stringMatching(/^Notifier "own" failed: no line to the moon/)]);
  });

  it.each([
    ['loops', { deliveryMsMax: 300 }, 'did not carry a notice within 300 ms'],
    ['never resolves', { deliveryMsMax: 300 }, 'did not carry a notice within 300 ms'],
    // Closing a notifier that was abandoned does not wait for its hour.
    ['ends its process', { deliveryMsMax: 3_600_000 }, 'ended its own process, exit code 3'],
  ])(
    'that %s is ended, and abandoned after three threads (I-16, F-G01)',
    async (way, limits, words) => {
      const { host, news } = hostThat(way, limits);
      for (let count = 0; count < 5; count += 1) host.deliver({ kind: 'alarm', notice: alarm(`${count}`) });
      await eventually(() => news.length >= 2);
      expect(news[0]).toContain(words);
      expect(news[1]).toContain('is given up after 3 failures in a row');
      host.deliver({ kind: 'alarm', notice: alarm('not delivered') });
      await host.close();
      expect(news).toHaveLength(2);
      expect(posted).toEqual([]);
    },
    30_000,
  );

  it('that allocates without limit is ended at its memory limit (I-16, F-G05)', async () => {
    const { host, news } = hostThat('fills buffers', { threadsMax: 1, deliveryMsMax: 60_000 });
    host.deliver({ kind: 'alarm', notice: alarm('one') });
    await eventually(() => news.length >= 2);
    expect(news[0]).toBe('Notifier "own" used more than 512 MB of memory at one event');
  });

  it.each([
    ['reads files', 'A notifier cannot import "node:fs", as it reaches beyond its thread'],
    ['takes the builtin', 'cannot use process.getBuiltinModule'],
  ])('that %s is refused', async (way, words) => {
    const { host, news } = hostThat(way);
    host.deliver({ kind: 'alarm', notice: alarm('one') });
    await host.close();
    expect(news).toEqual([expect.stringContaining(words)]);
  });

  it('whose file exports something else is rejected, with what it should export', async () => {
    const news: string[] = [];
    const host = createNotifierHost({
      notifier: { name: 'own', file: pluginFile('echo'), params: {}, secrets: {}, bot: BOT },
      clock: createSystemClock(),
      redact: redaction([]),
      onStateChange: (message) => news.push(message),
    });
    open.push(host);
    host.deliver({ kind: 'alarm', notice: alarm('one') });
    await eventually(() => news.length === 2);
    expect(news).toEqual([
      'Notifier "own" has a default export that did not come from defineNotifier, want "export default defineNotifier({ ... })"',
      expect.stringContaining('is given up after 3 failures in a row'),
    ]);
  });

  it('that still loads when the bot ends delivers its notice', async () => {
    const news: string[] = [];
    const host = createNotifierHost({
      notifier: {
        ...{ name: 'own', file: pluginFile('notifier-that-loads-slowly'), bot: BOT },
        ...{ params: { port: portOf() }, secrets: {} },
      },
      clock: createSystemClock(),
      redact: redaction([]),
      onStateChange: (message) => news.push(message),
      limits: { deliveryMsMax: 6_000, startMsMax: 30_000 },
    });
    open.push(host);
    host.deliver({ kind: 'alarm', notice: alarm('the end') });
    await host.close();
    expect([posted, news]).toEqual([[{ path: '/slow', message: 'the end' }], []]);
  });

  it('sees no variable of the environment', async () => {
    const { host, news } = hostThat('reads the environment');
    host.deliver({ kind: 'alarm', notice: alarm('one') });
    await host.close();
    expect([news, posted.length]).toEqual([[], 1]);
  });

  it('keeps the newest of a hundred that wait (I-23)', async () => {
    const { host, news } = hostThat('carries', { waitingMax: 3 });
    for (let count = 0; count < 10; count += 1) host.deliver({ kind: 'alarm', notice: alarm(`${count}`) });
    await host.close();
    expect(posted.map(({ message }) => message)).toEqual(['7', '8', '9']);
    expect(news[0]).toContain('is too slow: more than 3 notices waited, the oldest are lost');
  });
});

describe('notices that wait for a notifier', () => {
  it('join days into one, which has the counts of all', () => {
    const queue = new NoticeQueue(3);
    const dayOf = (day: string, fills: number): Notice => ({
      kind: 'day',
      notice: {
        ...{ day: calendarDay(day), at: millis(5), strategy: 's', currency: 'USD', gate: 'active' },
        ...{ equity: decimal(`${fills}`), fills, orders: 2 * fills, denied: 1 },
      },
    });
    for (const [day, fills] of [
      ['2024-03-05', 1],
      ['2024-03-06', 3],
      ['2024-03-07', 5],
    ] as const)
      queue.push(dayOf(day, fills));
    expect(queue.shift()).toMatchObject({
      kind: 'day',
      notice: {
        ...{ from: '2024-03-05', day: '2024-03-07', fills: 9, orders: 18, denied: 3 },
        equity: decimal('5'),
      },
    });
    expect(queue.length).toBe(0);
  });

  it('join fills into one, which counts those that it does not list (I-23)', async () => {
    const { host } = hostThat('carries');
    const fill = { symbol: 'AAPL.US', quantity: decimal('1') } as FillNotice;
    host.deliver({ kind: 'alarm', notice: alarm('first') });
    for (let count = 0; count < 150; count += 1)
      host.deliver({ kind: 'fills', notice: { fills: [fill], more: 0 } });
    host.deliver({ kind: 'alarm', notice: alarm('last') });
    await host.close();
    expect(posted.map(({ message }) => message)).toEqual(['first', '100 fills and 50 more', 'last']);
  });
});

describe('redaction', () => {
  it('removes the path and the keys of a secret that is an address, which a server may repeat', () => {
    const hook =
      'https://hooks.example.com/services/T00000000/B00000000/aWebhookTokenOf24Letters?key=0123456789abcdef01';
    const { pathname } = new URL(hook);
    const redact = redaction([hook]);
    expect(redact(`Cannot POST ${pathname}, see https://hooks.example.com/services/`)).toBe(
      'Cannot POST [redacted], see https://hooks.example.com/services/',
    );
    expect(redact('token aWebhookTokenOf24Letters, key 0123456789abcdef01')).toBe(
      'token [redacted], key [redacted]',
    );
  });

  it('replaces a secret as it is, in an address, in JSON and as base64 (I-20, S-11)', () => {
    const redact = redaction(['s3cr/t "x"', 'abc']);
    const base64 = Buffer.from('s3cr/t "x"').toString('base64');
    expect(
      redact(`a s3cr/t "x" b ${encodeURIComponent('s3cr/t "x"')} ${base64} ${JSON.stringify('s3cr/t "x"')}`),
    ).toBe('a [redacted] b [redacted] [redacted] "[redacted]"');
    expect(redact('abc stays: it is a word like others')).toBe('abc stays: it is a word like others');
  });
});

describe('a trading day', () => {
  it('is in the log with the counts since the one before, or with the others that ended in one second', () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    let written = '';
    const setup = { strategy: { name: 's' }, securities: [{ symbol: 'AAPL.US' }], currency: 'USD' };
    const config = { path: 'a.yaml', mode: 'paper', account: { currency: 'USD' } };
    const log = {
      level: 'info',
      stderr: {
        format: 'plain',
        write: (text: string) => {
          written += text;
        },
      },
    };
    const notices = openNotices({ config, setup, log } as unknown as PaperOptions, createSystemClock());
    let [marketTime, fills] = [at('2024-03-05T15:00:00Z'), 3];
    const progress = () => ({
      marketTime,
      flow: { fills, orders: fills, denied: 0 },
      equity: 100,
      gate: 'active',
    });
    notices.watchDays(progress as unknown as () => Progress);
    for (const [time, count] of [
      ['2024-03-05T22:00:00Z', 4],
      // A weekend is no part of the days, which begin with the first that is not in the line before.
      ['2024-03-12T22:00:00Z', 9],
    ] as const) {
      [marketTime, fills] = [at(time), count];
      vi.advanceTimersByTime(1_000);
    }
    [marketTime, fills] = [at('2024-03-18T22:00:00Z'), 10];
    void notices.close();
    expect(written.match(/days? \d.*orders \d+/g)).toEqual([
      'day 2024-03-05 is over: equity 100.00 USD, orders 1',
      'days 2024-03-06 to 2024-03-12 are over: equity 100.00 USD, orders 5',
      'days 2024-03-13 to 2024-03-18 are over: equity 100.00 USD, orders 1',
    ]);
  });

  it('is over once all markets of the bot have closed, skipping weekends and holidays', () => {
    expect(lastCompletedDay(['US'], at('2024-03-05T15:59:59-05:00'))).toBe('2024-03-04');
    expect(lastCompletedDay(['US'], at('2024-03-05T16:00:00-05:00'))).toBe('2024-03-05');
    expect(lastCompletedDay(['US', 'HK'], at('2024-03-05T16:00:00+08:00'))).toBe('2024-03-04');
    expect(lastCompletedDay(['US'], at('2024-03-03T12:00:00-05:00'))).toBe('2024-03-01');
  });
});
