import { describe, expect, it } from 'vitest';
import type { RunningVenue } from '#src/venue/venue-options.ts';
import { CONTROL_COMMANDS, quoteCommands, TRADE_COMMANDS } from '#src/wire/commands.ts';
import { PushQuoteSchema } from '#src/wire/gen/quote_pb.ts';
import { NotificationSchema } from '#src/wire/gen/trade_pb.ts';
import { decodeMessage } from '#src/wire/message.ts';
import { PROFILES } from '#src/wire/profiles.ts';
import { call, SocketClient, step } from './a-client.ts';
import { aVenue, type VenueUnderTest } from './a-venue.ts';
import { at } from './rising-minutes.ts';

const QUOTE = quoteCommands(PROFILES.documented);
const OPEN = at('2025-09-02T09:30:00+08:00');
const MARKET_BUY = {
  symbol: '700.HK',
  order_type: 'MO',
  side: 'Buy',
  submitted_quantity: '100',
  time_in_force: 'Day',
  remark: 'demo',
};

/** Both sockets of one bot, subscribed to 700.HK and to order changes. */
async function aBot({ venue }: VenueUnderTest) {
  const quote = await SocketClient.loggedIn(venue, 'quote');
  const trade = await SocketClient.loggedIn(venue, 'trade');
  await quote.ask(QUOTE.subscribe, { symbol: ['700.HK'], subType: [1], isFirstPush: false });
  const { current } = await trade.ask(TRADE_COMMANDS.subscribe, { topics: ['private', 'public'] });
  expect(current).toEqual(['private']);
  return { quote, trade };
}

function eventOf(body: Uint8Array) {
  return JSON.parse(new TextDecoder().decode(decodeMessage(NotificationSchema, body).data));
}

describe('the stepped market', () => {
  it('does not advance until the bot steps', async () => {
    const { venue, advance } = await aVenue();
    const clock = async () =>
      (
        await fetch(`${venue.admin}/clock`, { headers: { authorization: `Bearer ${venue.adminToken}` } })
      ).json();
    expect(await clock()).toEqual({ time: at('2025-09-02T09:20:00+08:00'), mode: 'stepped' });
    advance(3_600_000);
    expect(await clock()).toEqual({ time: at('2025-09-02T09:20:00+08:00'), mode: 'stepped' });
  });

  it("fires the bot's timer before a tick of the same instant and after an internal event of it", async () => {
    const { venue } = await aVenue();
    expect(await step(venue, OPEN - 60_000)).toEqual({
      time: OPEN - 60_000,
      phase: 'timer',
      frames: { quote: 0, trade: 0 },
    });
    await call(venue, 'POST', '/v1/trade/order', { body: MARKET_BUY });
    expect(await step(venue, OPEN - 60_000)).toMatchObject({ time: OPEN - 60_000, phase: 'venue' });
    expect(await step(venue, OPEN - 60_000)).toMatchObject({ time: OPEN - 60_000, phase: 'timer' });
    const phases: string[] = [];
    for (let count = 0; count < 4; count += 1) {
      const { time, phase } = await step(venue, phases.includes('timer') ? null : OPEN);
      phases.push(phase);
      expect(time).toBe(OPEN);
    }
    expect(phases.indexOf('venue')).toBeLessThan(phases.indexOf('timer'));
    expect(phases.indexOf('timer')).toBeLessThan(phases.indexOf('print'));
  });

  it('signs, submits, steps and gets the fill as an order-changed push with all 25 fields', async () => {
    const world = await aVenue();
    const { trade } = await aBot(world);
    const { data } = await call(world.venue, 'POST', '/v1/trade/order', { body: MARKET_BUY });
    let frames = 0;
    let answer = await step(world.venue);
    for (; answer.phase !== 'end' && answer.phase !== 'print'; answer = await step(world.venue))
      frames += answer.frames.trade;
    frames += answer.frames.trade;
    await trade.pushed(frames);
    const events = trade.pushes.map((push) => eventOf(push.body));
    const filled = events.find((event) => event.data.status === 'FilledStatus');
    expect(Object.keys(filled.data)).toHaveLength(25);
    expect(filled.event).toBe('order_changed_lb');
    expect(filled.data).toMatchObject({
      order_id: data.order_id,
      side: 'Buy',
      stock_name: 'TENCENT',
      submitted_quantity: '100',
      submitted_price: '0',
      executed_quantity: '100',
      executed_price: '410',
      last_share: '100',
      last_price: '410',
      account_no: 'paper-1',
      remark: 'demo',
    });
    const detail = await call(world.venue, 'GET', `/v1/trade/order?order_id=${data.order_id}`);
    expect(detail.data).toMatchObject({ status: 'FilledStatus', last_done: '410', stock_name: 'TENCENT' });
    expect(detail.data.history[0]).toMatchObject({ status: 'FilledStatus', quantity: '100' });
    expect(Number(detail.data.charge_detail.total_amount)).toBeGreaterThan(0);
    const { data: positions } = await call(world.venue, 'GET', '/v1/asset/stock');
    expect(positions.list[0].stock_info[0]).toMatchObject({ symbol: '700.HK', quantity: '100' });
    const { data: executions } = await call(
      world.venue,
      'GET',
      `/v1/trade/execution/today?order_id=${data.order_id}`,
    );
    expect(executions.trades).toMatchObject([
      { order_id: data.order_id, quantity: '100', price: '410', side: 'Buy' },
    ]);
  });

  it('counts exactly the frames that it pushes, step by step to the end', async () => {
    const world = await aVenue();
    const { quote, trade } = await aBot(world);
    await call(world.venue, 'POST', '/v1/trade/order', { body: MARKET_BUY });
    const seen = { quote: 0, trade: 0 };
    for (;;) {
      const { phase, frames } = await step(world.venue);
      if (phase === 'end') break;
      seen.quote += frames.quote;
      seen.trade += frames.trade;
      await Promise.all([quote.pushed(seen.quote), trade.pushed(seen.trade)]);
      expect([quote.pushes.length, trade.pushes.length]).toEqual([seen.quote, seen.trade]);
    }
    expect(seen.quote).toBe(120);
    expect(seen.trade).toBeGreaterThan(1);
  });

  it('counts first pushes with the step after them', async () => {
    const world = await aVenue();
    const quote = await SocketClient.loggedIn(world.venue, 'quote');
    await quote.ask(QUOTE.subscribe, { symbol: ['700.HK'], subType: [1], isFirstPush: true });
    await quote.pushed(1);
    expect((await step(world.venue)).frames.quote).toBe(2);
  });

  it('steps through in batches to the next order change, the timer or 2,000 quotes', async () => {
    const world = await aVenue();
    const { quote } = await aBot(world);
    const ten = at('2025-09-02T09:40:00+08:00');
    expect(await step(world.venue, ten, 'batched')).toEqual({
      time: ten,
      phase: 'timer',
      frames: { quote: 40, trade: 0 },
    });
    await call(world.venue, 'POST', '/v1/trade/order', { body: MARKET_BUY });
    const taken = await step(world.venue, null, 'batched');
    expect(taken).toMatchObject({ time: ten, phase: 'venue' });
    expect(taken.frames.trade).toBeGreaterThan(0);
    const filled = await step(world.venue, null, 'batched');
    expect(filled).toMatchObject({ time: ten, phase: 'print', frames: { quote: 1, trade: 1 } });
    let rest = 0;
    let answer = await step(world.venue, null, 'batched');
    for (; answer.phase !== 'end'; answer = await step(world.venue, null, 'batched'))
      rest += answer.frames.quote;
    expect(rest).toBe(79);
    expect(answer.frames).toEqual({ quote: 0, trade: 0 });
    await quote.pushed(120);
  });

  it('pushes the current day with rising sequence numbers', async () => {
    const world = await aVenue();
    const { quote } = await aBot(world);
    await step(world.venue, at('2025-09-02T09:32:00+08:00'), 'batched');
    const pushes = (await quote.pushed(8)).map((push) => decodeMessage(PushQuoteSchema, push.body));
    expect(pushes.map((push) => push.sequence)).toEqual(pushes.map((_, index) => BigInt(index + 1)));
    expect(pushes[0]).toMatchObject({
      symbol: '700.HK',
      lastDone: '410',
      open: '410',
      currentVolume: 1_000n,
    });
    expect(pushes[0]?.turnover).toBe('410000');
    const sum = pushes.reduce((total, push) => total + Number(push.currentTurnover), 0);
    expect(Number(pushes.at(-1)?.turnover)).toBeCloseTo(sum, 6);
  });

  it('gives the same transcript twice', async () => {
    const run = async (): Promise<readonly string[]> => {
      const world = await aVenue();
      const { quote, trade } = await aBot(world);
      const lines: string[] = [];
      const total = { quote: 0, trade: 0 };
      for (let count = 0; ; count += 1) {
        if (count % 40 === 7) {
          const body = { ...MARKET_BUY, side: count % 80 === 7 ? 'Buy' : 'Sell' };
          lines.push((await call(world.venue, 'POST', '/v1/trade/order', { body })).text);
        }
        const answer = await step(world.venue);
        total.quote += answer.frames.quote;
        total.trade += answer.frames.trade;
        lines.push(JSON.stringify(answer));
        if (answer.phase === 'end') break;
      }
      await Promise.all([quote.pushed(total.quote), trade.pushed(total.trade)]);
      lines.push(...[...quote.pushes, ...trade.pushes].map((push) => Buffer.from(push.body).toString('hex')));
      lines.push((await call(world.venue, 'GET', '/v1/asset/account')).text);
      return lines;
    };
    const first = await run();
    expect(first.length).toBeGreaterThan(200);
    expect(await run()).toEqual(first);
  });

  it('refuses a step that it cannot read, and a step of a market that runs by itself', async () => {
    const { venue } = await aVenue();
    const post = (to: RunningVenue, body: string) =>
      fetch(`${to.admin}/clock/step`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${to.adminToken}` },
        body,
      });
    expect((await post(venue, '{"timer": "soon", "quotes": "each"}')).status).toBe(400);
    const wall = await aVenue({ marketClock: { kind: 'wall' } });
    expect((await post(wall.venue, '{"timer": null, "quotes": "each"}')).status).toBe(409);
    expect((await fetch(`${venue.http}/clock`)).status).toBe(404);
  });
});

describe('the running market', () => {
  it('runs the configured number of times as fast as the machine and fires ticks by its timers', async () => {
    const world = await aVenue({ marketClock: { kind: 'scaled', speed: 60 } });
    const quote = await SocketClient.loggedIn(world.venue, 'quote');
    await quote.ask(QUOTE.subscribe, { symbol: ['700.HK'], subType: [1], isFirstPush: false });
    world.advance(9_999);
    await quote.ask({ ...CONTROL_COMMANDS.heartbeat, request: undefined });
    expect(quote.pushes).toHaveLength(0);
    world.advance(1);
    await quote.pushed(1);
    world.advance(1_000);
    await quote.pushed(5);
    const clock = await (
      await fetch(`${world.venue.admin}/clock`, {
        headers: { authorization: `Bearer ${world.venue.adminToken}` },
      })
    ).json();
    expect(clock).toEqual({ time: OPEN + 60_000, mode: 'scaled', speed: 60 });
  });

  it('processes an order from HTTP without a tick', async () => {
    const world = await aVenue({ marketClock: { kind: 'wall' } });
    const trade = await SocketClient.loggedIn(world.venue, 'trade');
    await trade.ask(TRADE_COMMANDS.subscribe, { topics: ['private'] });
    world.advance(1_000);
    await call(world.venue, 'POST', '/v1/trade/order', { body: MARKET_BUY });
    world.advance(1);
    const [first] = await trade.pushed(1);
    expect(eventOf(first?.body ?? new Uint8Array()).data.status).toBe('NotReported');
  });
});
