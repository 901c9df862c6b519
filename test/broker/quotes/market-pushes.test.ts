import { describe, expect, it } from 'vitest';
import { decimal } from '#src/model/decimal.ts';
import type { BrokerQueues, MarketDepth, MarketTrade } from '#src/model/market-depth.ts';
import type { SecuritySymbol } from '#src/model/symbol.ts';
import { millis } from '#src/model/time.ts';
import { Close_Code } from '#src/wire/gen/control_pb.ts';
import {
  PushBrokersSchema,
  PushDepthSchema,
  PushTradeSchema,
  SubscribeRequestSchema,
  SubscriptionResponseSchema,
  SubType,
  UnsubscribeRequestSchema,
} from '#src/wire/gen/quote_pb.ts';
import { decodeMessage, encodeMessage } from '#src/wire/message.ts';
import { eventually } from '../../fixtures/eventually.ts';
import { APPLE, benchOn, TENCENT } from '../fixtures.ts';
import { onSockets } from '../on-sockets.ts';

const on = onSockets();

const subscribes = () =>
  on.venue.lines.flatMap((line) =>
    line.requests
      .filter((frame) => line.name === 'quote' && frame.command === 6)
      .map((frame) => decodeMessage(SubscribeRequestSchema, frame.body))
      .map(({ symbol, subType, isFirstPush }) => ({ symbol, subType, isFirstPush })),
  );
const unsubscribes = () =>
  on.venue
    .line('quote')
    .requests.filter((frame) => frame.command === 7)
    .map((frame) => decodeMessage(UnsubscribeRequestSchema, frame.body))
    .map(({ symbol, subType }) => ({ symbol, subType }));

const DEPTH_OF_TENCENT = { symbol: [TENCENT], subType: [SubType.DEPTH], isFirstPush: true };

function hearDepth(symbols: readonly SecuritySymbol[] = [TENCENT]): MarketDepth[] {
  const heard: MarketDepth[] = [];
  on.listen(on.bench.client.pushes.depth(symbols).subscribe((depth) => heard.push(depth)));
  return heard;
}

function pushDepth(sequence: number, bid: readonly (readonly [number, string, bigint])[]): void {
  const levels = bid.map(([position, price, volume]) => ({ position, price, volume, orderNum: 2n }));
  on.venue
    .line('quote')
    .push(
      102,
      encodeMessage(PushDepthSchema, { symbol: TENCENT, sequence: BigInt(sequence), bid: levels, ask: [] }),
    );
}

const bidsOf = (depth: MarketDepth | undefined) =>
  depth?.bids.map(({ level, price, volume }) => `${level} ${price ?? '-'} ${volume}`);

describe('pushed depth', () => {
  it('is subscribed with a first push, and stays complete over pushes of single levels', async () => {
    await on.bench.client.connect();
    const heard = hearDepth();
    await eventually(() => subscribes().length === 1);
    expect(subscribes()).toEqual([DEPTH_OF_TENCENT]);
    pushDepth(1, [
      [1, '412.4', 300n],
      [2, '412.2', 900n],
    ]);
    pushDepth(2, [[2, '412.0', 500n]]);
    pushDepth(2, [[1, '1', 1n]]);
    pushDepth(3, [[1, '', 0n]]);
    await eventually(() => heard.length === 3);
    expect(heard.map(bidsOf)).toEqual([
      ['1 412.4 300', '2 412.2 900'],
      ['1 412.4 300', '2 412 500'],
      ['1 - 0', '2 412 500'],
    ]);
  });

  it('gives a second listener the current state at once, without another request', async () => {
    await on.bench.client.connect();
    const first = hearDepth();
    await eventually(() => subscribes().length === 1);
    pushDepth(1, [[1, '412.4', 300n]]);
    await eventually(() => first.length === 1);
    expect(bidsOf(hearDepth()[0])).toEqual(['1 412.4 300']);
    expect(subscribes()).toHaveLength(1);
  });

  it('F-N11: is subscribed again after the connection broke, with a new book', async () => {
    await on.bench.client.connect();
    const heard = hearDepth();
    await eventually(() => subscribes().length === 1);
    pushDepth(9, [
      [1, '412.4', 300n],
      [2, '412.2', 900n],
    ]);
    await eventually(() => heard.length === 1);
    on.venue.line('quote').hangUp(Close_Code.ServerShutdown);
    await eventually(() => on.bench.clock.pending() > 0);
    await eventually(() => {
      on.bench.clock.advance(1_000);
      return subscribes().length === 2;
    });
    expect(subscribes()[1]).toEqual(DEPTH_OF_TENCENT);
    pushDepth(1, [[1, '400', 100n]]);
    await eventually(() => heard.length === 2);
    expect(bidsOf(heard[1])).toEqual(['1 400 100']);
  });

  it('F-B34: names the symbols that the venue left out in one alarm', async () => {
    on.venue.onCommand('quote', 6, (frame, line) => {
      const subList = [
        { symbol: TENCENT, subType: [SubType.DEPTH] },
        { symbol: APPLE, subType: [SubType.QUOTE] },
      ];
      line.answer(frame, encodeMessage(SubscriptionResponseSchema, { subList }));
    });
    await on.bench.client.connect();
    hearDepth([TENCENT, APPLE]);
    await eventually(() => on.bench.alarms.length > 0);
    expect(on.bench.alarms).toMatchObject([
      { code: 'symbols-not-subscribed', facts: { symbols: 'AAPL.US' } },
    ]);
  });

  it('is unsubscribed by its last listener, unless the quotes of a bot need it', async () => {
    const bot = benchOn(on.venue, { withDepth: true });
    await bot.client.connect();
    on.listen(bot.client.feed.quotes([TENCENT]).subscribe());
    const watched = bot.client.pushes.depth([TENCENT, APPLE]).subscribe();
    await eventually(() => subscribes().length === 2);
    watched.unsubscribe();
    await eventually(() => unsubscribes().length === 1);
    expect(unsubscribes()).toEqual([{ symbol: [APPLE], subType: [SubType.DEPTH] }]);
    await bot.client.close();
  });

  it('is limited to 500 symbols of quotes and pushes together', async () => {
    await on.bench.client.connect();
    const many = Array.from({ length: 499 }, (_, i) => `${i + 1_000}.HK` as typeof TENCENT);
    on.listen(on.bench.client.feed.quotes(many).subscribe());
    const errors: unknown[] = [];
    const hear = (symbols: readonly SecuritySymbol[]): void => {
      on.listen(on.bench.client.pushes.depth(symbols).subscribe({ error: (error) => errors.push(error) }));
    };
    hear([TENCENT]);
    expect(errors).toEqual([]);
    hear([APPLE]);
    expect(errors).toMatchObject([{ code: 'bad-option' }]);
    on.listen(on.bench.client.feed.quotes([APPLE]).subscribe({ error: (error) => errors.push(error) }));
    expect(errors).toHaveLength(2);
  });

  it('S-02: that is meaningless is counted and dropped', async () => {
    await on.bench.client.connect();
    const heard = hearDepth();
    await eventually(() => subscribes().length === 1);
    pushDepth(1, [[0, '412.4', 300n]]);
    on.venue.line('quote').push(102, Buffer.from('ff'.repeat(40), 'hex'));
    pushDepth(2, [[1, '412.4', 300n]]);
    await eventually(() => heard.length === 1);
    expect(on.bench.alarms.filter((alarm) => alarm.code === 'unreadable-push')).toHaveLength(2);
  });
});

describe('pushed broker queues and market trades', () => {
  it('are emitted in the terms of trading', async () => {
    await on.bench.client.connect();
    const queues: BrokerQueues[] = [];
    const trades: MarketTrade[] = [];
    on.listen(on.bench.client.pushes.brokers([TENCENT]).subscribe((each) => queues.push(each)));
    on.listen(on.bench.client.pushes.trades([TENCENT]).subscribe((each) => trades.push(each)));
    await eventually(() => subscribes().length === 2);
    expect(subscribes().map(({ subType }) => subType)).toEqual([[SubType.BROKERS], [SubType.TRADE]]);
    const line = on.venue.line('quote');
    const askBrokers = [{ position: 1, brokerIds: [7738, 1138] }];
    line.push(103, encodeMessage(PushBrokersSchema, { symbol: TENCENT, sequence: 1n, askBrokers }));
    const trade = [
      { price: '412.4', volume: 200n, timestamp: 1_700_000_000n, tradeType: 'P', direction: 2 },
      { price: '412.2', volume: 100n, timestamp: 1_700_000_001n, direction: 1 },
    ];
    line.push(104, encodeMessage(PushTradeSchema, { symbol: TENCENT, sequence: 1n, trade }));
    await eventually(() => trades.length === 2);
    expect(queues).toEqual([{ symbol: TENCENT, bids: [], asks: [{ level: 1, brokers: [7738, 1138] }] }]);
    expect(trades[0]).toEqual({
      ...{ symbol: TENCENT, time: millis(1_700_000_000_000), price: decimal('412.4') },
      ...{ volume: decimal('200'), direction: 'up', condition: 'P', session: 'regular' },
    });
    expect(trades[1]).toMatchObject({ direction: 'down', condition: '' });
  });
});
