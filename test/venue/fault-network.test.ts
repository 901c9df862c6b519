import { describe, expect, it } from 'vitest';
import { quoteCommands } from '#src/wire/commands.ts';
import { PROFILES } from '#src/wire/profiles.ts';
import { call, SocketClient } from './a-client.ts';
import { aVenue } from './a-venue.ts';
import { fired, setFaults, submit, today } from './fault-kit.ts';

const QUOTE = quoteCommands(PROFILES.documented);

const isOpen = (client: SocketClient) =>
  Promise.race([
    client.closed.then(() => false),
    new Promise((resolve) => setImmediate(() => resolve(true))),
  ]);

describe('a partial network fault', () => {
  it('F-N15 net.cut with a side and a time: that side is down for that time, the other and HTTP keep working', async () => {
    const { venue, advance } = await aVenue();
    const trade = await SocketClient.loggedIn(venue, 'trade');
    const quote = await SocketClient.loggedIn(venue, 'quote');
    await setFaults(venue, { knob: 'net.cut', side: 'quote', ms: 30_000 });
    await quote.closed;
    await expect(SocketClient.loggedIn(venue, 'quote')).rejects.toThrow(/hang up|ECONNRESET/);
    expect(await isOpen(trade)).toBe(true);
    expect(await submit(venue)).toMatchObject({ code: 0 });
    advance(30_000);
    const again = await SocketClient.loggedIn(venue, 'quote');
    const { secuStaticInfo } = await again.ask(QUOTE.staticInfo, { symbol: ['700.HK'] });
    expect(secuStaticInfo).toHaveLength(1);
  });

  it('F-N15 net.dropRequest on all calls: HTTP is down, the sockets keep working', async () => {
    const { venue } = await aVenue();
    const quote = await SocketClient.loggedIn(venue, 'quote');
    await setFaults(venue, { knob: 'net.dropRequest' });
    await expect(submit(venue)).rejects.toThrow();
    const { secuStaticInfo } = await quote.ask(QUOTE.staticInfo, { symbol: ['700.HK'] });
    expect(secuStaticInfo).toHaveLength(1);
    await setFaults(venue);
    expect(await today(venue)).toEqual([]);
  });

  it('F-N16 net.refuse: connections are refused for that time, and the venue is unchanged afterwards', async () => {
    const { venue, advance } = await aVenue();
    const { data } = await submit(venue);
    const quote = await SocketClient.loggedIn(venue, 'quote');
    await setFaults(venue, { knob: 'net.refuse', ms: 240_000 });
    await quote.closed;
    await expect(today(venue)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    advance(239_999);
    await expect(today(venue)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    advance(1);
    expect(await today(venue)).toMatchObject([{ order_id: data.order_id }]);
    expect(await fired(venue)).toEqual([1]);
  });

  it('F-N16 net.refuse: a venue that is closed while it refuses leaves no timer', async () => {
    const { venue, machine } = await aVenue();
    await setFaults(venue, { knob: 'net.refuse', ms: 60_000 });
    await venue.close();
    expect(machine.nextAt()).toBe(Number.POSITIVE_INFINITY);
    await expect(fetch(`${venue.http}/v1/test`)).rejects.toThrow();
  });
});

describe('a slow connection', () => {
  it('F-N09 net.bandwidth: a request is served once its bytes would have arrived, and its answer is sent in portions', async () => {
    const { venue, advance, machine } = await aVenue();
    await setFaults(venue, { knob: 'net.bandwidth', endpoint: 'submitOrder', bytesPerS: 1_000 });
    const began = machine.now();
    let answered: number | undefined;
    const answer = submit(venue).then((reported) => {
      answered = machine.now() - began;
      return reported;
    });
    await expect.poll(() => fired(venue)).toEqual([1]);
    advance(300);
    expect(await today(venue)).toEqual([]);
    for (let passed = 300; passed < 3_000 && answered === undefined; passed += 100) {
      advance(100);
      await call(venue, 'GET', '/v1/test');
    }
    expect(await answer).toMatchObject({ code: 0 });
    expect(answered).toBeGreaterThanOrEqual(700);
    expect(answered).toBeLessThan(2_500);
    expect(await today(venue)).toHaveLength(1);
  });

  it('F-N09 net.bandwidth: keeps the connection usable for the next call', async () => {
    const { venue, advance } = await aVenue();
    await setFaults(venue, { knob: 'net.bandwidth', bytesPerS: 1_000_000, times: 1 });
    const first = call(venue, 'GET', '/v1/asset/account');
    await expect.poll(() => fired(venue)).toEqual([1]);
    advance(1_000);
    expect(await first).toMatchObject({ code: 0 });
    expect(await call(venue, 'GET', '/v1/asset/account')).toMatchObject({ code: 0 });
  });

  it('F-N09 net.bandwidth with a side: frames arrive one after the other, in order', async () => {
    const { venue, advance, machine } = await aVenue();
    const client = await SocketClient.loggedIn(venue, 'quote');
    await setFaults(venue, { knob: 'net.bandwidth', side: 'quote', bytesPerS: 100, times: 1 });
    const came: string[] = [];
    const slow = client.ask(QUOTE.staticInfo, { symbol: ['700.HK'] }).then(() => came.push('first'));
    await expect.poll(() => fired(venue)).toEqual([1]);
    const next = client.ask(QUOTE.subscriptions).then(() => came.push('second'));
    await call(venue, 'GET', '/v1/test');
    expect(came).toEqual([]);
    const until = machine.now() + 20_000;
    while (came.length < 2 && machine.now() < until) {
      advance(100);
      await call(venue, 'GET', '/v1/test');
    }
    await Promise.all([slow, next]);
    expect(came).toEqual(['first', 'second']);
  });
});
