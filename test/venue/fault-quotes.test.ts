import { describe, expect, it } from 'vitest';
import type { RunningVenue } from '#src/venue/venue-options.ts';
import { quoteCommands } from '#src/wire/commands.ts';
import { PushDepthSchema, PushQuoteSchema, type SubType } from '#src/wire/gen/quote_pb.ts';
import { decodeMessage } from '#src/wire/message.ts';
import { PROFILES } from '#src/wire/profiles.ts';
import { SocketClient, step } from './a-client.ts';
import { aVenue } from './a-venue.ts';
import { advanceMarket, setFaults } from './fault-kit.ts';

const QUOTE = quoteCommands(PROFILES.documented);
const LISTEN = { symbol: ['700.HK'], subType: [1, 2] as SubType[], isFirstPush: false };

async function listening(venue: RunningVenue): Promise<SocketClient> {
  const client = await SocketClient.loggedIn(venue, 'quote');
  await client.ask(QUOTE.subscribe, LISTEN);
  return client;
}

/** Steps to the next tick of the open market and reads what it pushed: quotes and books separately. */
async function nextPrint(venue: RunningVenue, client: SocketClient) {
  const before = client.pushes.length;
  const frames = await printed(venue);
  const pushes = (await client.pushed(before + frames)).slice(before);
  return {
    quotes: pushes.flatMap(({ command, body }) =>
      command === 101 ? [decodeMessage(PushQuoteSchema, body)] : [],
    ),
    depths: pushes.flatMap(({ command, body }) =>
      command === 102 ? [decodeMessage(PushDepthSchema, body)] : [],
    ),
  };
}

/** Steps until 700.HK has traded; both symbols trade at the same instant. */
async function printed(venue: RunningVenue): Promise<number> {
  const { frames } = await step(venue);
  return frames.quote + (await step(venue)).frames.quote;
}

describe('wrong quotes', () => {
  it('F-D01 venue.freeze: no push is sent, and pulls return the earlier quote, while the market moves', async () => {
    const { venue } = await aVenue();
    const client = await listening(venue);
    const { quotes } = await nextPrint(venue, client);
    await setFaults(venue, { knob: 'venue.freeze', symbol: '700.HK' });
    await advanceMarket(venue, 900_000);
    expect(client.pushes).toHaveLength(2);
    const last = async () =>
      (await client.ask(QUOTE.securityQuote, { symbol: ['700.HK'] })).secuQuote[0]?.lastDone;
    expect(await last()).toBe(quotes[0]?.lastDone);
    await setFaults(venue);
    expect(await last()).not.toBe(quotes[0]?.lastDone);
  });

  it.each([
    [{ factor: '10' }, '4100'],
    [{ factor: '0.01' }, '4.1'],
    [{ price: '0' }, '0'],
    [{ price: '-1' }, '-1'],
    [{ price: '' }, ''],
  ])('F-D03 venue.spike %j: the last price reads "%s"', async (how, text) => {
    const { venue } = await aVenue();
    const client = await listening(venue);
    await setFaults(venue, { knob: 'venue.spike', ...how, times: 1 });
    expect((await nextPrint(venue, client)).quotes[0]?.lastDone).toBe(text);
    expect(Number((await nextPrint(venue, client)).quotes[0]?.lastDone)).toBeGreaterThan(400);
  });

  it.each(['crossed', 'locked'] as const)('F-D04 venue.cross: a %s book', async (form) => {
    const { venue } = await aVenue();
    const client = await listening(venue);
    await setFaults(venue, { knob: 'venue.cross', form });
    const [depth] = (await nextPrint(venue, client)).depths;
    const [ask, bid] = [Number(depth?.ask[0]?.price), Number(depth?.bid[0]?.price)];
    if (form === 'crossed') expect(bid).toBeGreaterThan(ask);
    else expect(bid).toBe(ask);
  });

  it('F-D05 venue.seq: time goes back, the sequence number has a gap or repeats', async () => {
    const { venue } = await aVenue();
    const client = await listening(venue);
    const next = async (form: string) => {
      await setFaults(venue, { knob: 'venue.seq', form, symbol: '700.HK', times: 1 });
      return (await nextPrint(venue, client)).quotes;
    };
    const back = await next('back');
    expect(back).toHaveLength(2);
    expect(Number(back[0]?.timestamp) - Number(back[1]?.timestamp)).toBe(300);
    expect(Number(back[1]?.sequence)).toBeLessThan(Number(back[0]?.sequence));
    const gap = await next('gap');
    expect(Number(gap[0]?.sequence)).toBeGreaterThan(Number(back[1]?.sequence) + 500);
    const [one, two] = await next('duplicate');
    expect(two?.lastDone).toBe(one?.lastDone);
  });

  it('venue.flood: one tick is pushed a thousand times', async () => {
    const { venue } = await aVenue();
    const client = await listening(venue);
    await setFaults(venue, { knob: 'venue.flood', copies: 1_000, times: 1 });
    expect((await nextPrint(venue, client)).quotes).toHaveLength(1_000);
  });

  it('F-D02 net.stall: nothing is sent for that time, then everything in a burst', async () => {
    const { venue, advance } = await aVenue();
    const client = await listening(venue);
    await setFaults(venue, { knob: 'net.stall', ms: 30_000 });
    await advanceMarket(venue, 660_000);
    expect(client.pushes).toEqual([]);
    advance(30_000);
    const pushes = await client.pushed(8);
    expect(pushes.length).toBeGreaterThanOrEqual(8);
  });

  it('F-D06 venue.bars: a bar is changed, missing or repeated', async () => {
    const { venue } = await aVenue();
    const client = await SocketClient.loggedIn(venue, 'quote');
    const bars = async (form?: string) => {
      await setFaults(venue, ...(form === undefined ? [] : [{ knob: 'venue.bars', form }]));
      const answer = await client.ask(QUOTE.candlesticks, {
        ...{ symbol: '700.HK', count: 10, tradeSession: 100 },
        period: 1,
      });
      return answer.candlesticks;
    };
    const right = await bars();
    expect((await bars('changed')).at(-1)?.volume).toBe((right.at(-1)?.volume ?? 0n) + 1n);
    expect(await bars('missing')).toHaveLength(9);
    expect(await bars('overlap')).toHaveLength(11);
  });

  it('F-B34 venue.subPartial: confirms only some of the symbols', async () => {
    const { venue } = await aVenue();
    const client = await SocketClient.loggedIn(venue, 'quote');
    await setFaults(venue, { knob: 'venue.subPartial', keep: 1 });
    const { subList } = await client.ask(QUOTE.subscribe, { ...LISTEN, symbol: ['700.HK', '5.HK'] });
    expect(subList.map(({ symbol }) => symbol)).toEqual(['700.HK']);
  });
});
