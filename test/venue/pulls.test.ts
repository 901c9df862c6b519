import { describe, expect, it } from 'vitest';
import { quoteCommands } from '#src/wire/commands.ts';
import {
  Direction,
  HistoryCandlestickQueryType,
  Period,
  PushDepthSchema,
  PushTradeSchema,
  type SubType,
} from '#src/wire/gen/quote_pb.ts';
import { decodeMessage } from '#src/wire/message.ts';
import { PROFILES } from '#src/wire/profiles.ts';
import { call, SocketClient, step } from './a-client.ts';
import { aVenue } from './a-venue.ts';
import { at } from './rising-minutes.ts';

const QUOTE = quoteCommands(PROFILES.documented);
const MINUTES = { symbol: '700.HK', period: Period.ONE_MINUTE };

/** A logged-in quote socket of a market that is paused on 2 September 2025 in Hong Kong. */
async function quoteSocket(time: string) {
  const { venue } = await aVenue();
  await step(venue, at(`2025-09-02T${time}+08:00`), 'batched');
  return { venue, socket: await SocketClient.loggedIn(venue, 'quote') };
}

function clock(seconds: bigint | undefined): string {
  return new Date(Number(seconds) * 1_000 + 8 * 3_600_000).toISOString().slice(0, 16);
}

describe('bars over the quote socket', () => {
  it.each([
    ['09:31:59', '2025-09-02T09:31'],
    ['09:32:59.999', '2025-09-02T09:32'],
    ['09:45:01', '2025-09-02T09:45'],
  ])('at %s the newest bar is the open one, %s, folded from the ticks so far', async (time, newest) => {
    const { socket } = await quoteSocket(time);
    const latest = await socket.ask(QUOTE.candlesticks, { ...MINUTES, count: 2 });
    expect(clock(latest.candlesticks.at(-1)?.timestamp)).toBe(newest);
    const history = await socket.ask(QUOTE.historyCandlesticks, {
      ...MINUTES,
      queryType: HistoryCandlestickQueryType.QUERY_BY_DATE,
      dateRequest: {},
    });
    expect(history.candlesticks.at(-1)).toEqual(latest.candlesticks.at(-1));
    expect(history.candlesticks.length).toBe(30 + Number(newest.slice(-2)) - 29);
    const line = await socket.ask(QUOTE.intraday, { symbol: '700.HK' });
    const quote = (await socket.ask(QUOTE.securityQuote, { symbol: ['700.HK'] })).secuQuote[0];
    expect(clock(line.lines.at(-1)?.timestamp)).toBe(newest);
    for (const last of [latest.candlesticks.at(-1)?.close, line.lines.at(-1)?.price])
      expect(last).toBe(quote?.lastDone);
  });

  it('pages back and forth from a day and a minute', async () => {
    const { socket } = await quoteSocket('09:40:00');
    const ask = async (
      direction: Direction,
      date: string,
      minute: string,
      count: number,
    ): Promise<readonly string[]> => {
      const queryType = HistoryCandlestickQueryType.QUERY_BY_OFFSET;
      const offsetRequest = { direction, date, minute, count };
      const answer = await socket.ask(QUOTE.historyCandlesticks, { ...MINUTES, queryType, offsetRequest });
      return answer.candlesticks.map((bar) => clock(bar.timestamp));
    };
    expect(await ask(Direction.BACKWARD, '', '', 2)).toEqual(['2025-09-02T09:38', '2025-09-02T09:39']);
    expect(await ask(Direction.BACKWARD, '20250901', '', 1)).toEqual(['2025-09-01T09:59']);
    expect(await ask(Direction.BACKWARD, '20250902', '0931', 2)).toEqual([
      '2025-09-02T09:30',
      '2025-09-02T09:31',
    ]);
    expect(await ask(Direction.FORWARD, '20250901', '0958', 3)).toEqual([
      '2025-09-01T09:58',
      '2025-09-01T09:59',
      '2025-09-02T09:30',
    ]);
    expect(await ask(Direction.FORWARD, '', '', 1)).toEqual(['2025-09-02T09:30']);
    expect(await ask(Direction.FORWARD, '20250902', '0945', 5)).toEqual([]);
    await expect(ask(Direction.BACKWARD, '20250231', '', 1)).rejects.toThrow('301600');
    await expect(ask(Direction.BACKWARD, '', '', 1_001)).rejects.toThrow('301600');
  });

  it('refuses unknown symbols, periods and counts', async () => {
    const { socket } = await quoteSocket('09:40:00');
    await expect(socket.ask(QUOTE.candlesticks, { ...MINUTES, symbol: '1.HK', count: 1 })).rejects.toThrow(
      'symbol not found',
    );
    await expect(
      socket.ask(QUOTE.candlesticks, { ...MINUTES, period: 7 as Period, count: 1 }),
    ).rejects.toThrow('period');
    await expect(
      socket.ask(QUOTE.candlesticks, { ...MINUTES, period: Period.DAY, count: 1 }),
    ).rejects.toThrow('301603');
    await expect(socket.ask(QUOTE.candlesticks, { ...MINUTES, count: 0 })).rejects.toThrow('count');
    await expect(socket.ask(QUOTE.candlesticks, { ...MINUTES, count: 1_001 })).rejects.toThrow('301607');
  });
});

describe('pulls over the quote socket', () => {
  it('return static info and quotes of known symbols and leave out the others', async () => {
    const { socket } = await quoteSocket('09:30:00');
    const info = await socket.ask(QUOTE.staticInfo, { symbol: ['AAPL.US', '1.HK', 'x', '700.HK'] });
    expect(info.secuStaticInfo.map((each) => each.symbol)).toEqual(['AAPL.US', '700.HK']);
    expect(info.secuStaticInfo[1]).toMatchObject({
      board: 'HKEquity',
      lotSize: 100,
      exchange: 'SEHK',
      nameEn: 'TENCENT',
    });
    const quotes = await socket.ask(QUOTE.securityQuote, { symbol: ['700.HK', 'AAPL.US'] });
    expect(quotes.secuQuote).toHaveLength(1);
    expect(quotes.secuQuote[0]).toMatchObject({ symbol: '700.HK', lastDone: '406' });
    await expect(socket.ask(QUOTE.staticInfo, { symbol: Array(501).fill('700.HK') })).rejects.toThrow(
      '301607',
    );
  });

  it('return the close of the day before', async () => {
    const { socket } = await quoteSocket('09:31:30');
    const quotes = await socket.ask(QUOTE.securityQuote, { symbol: ['700.HK'] });
    expect(quotes.secuQuote[0]).toMatchObject({ prevClose: '406', open: '410' });
  });

  it('return the opened packages, trading days and hours', async () => {
    const { socket } = await quoteSocket('09:31:30');
    const profile = await socket.ask(QUOTE.userQuoteProfile, { language: 'en' });
    expect(Object.keys(profile.quoteLevelDetail?.byPackageKey ?? {})).toEqual(['sluice-hk', 'sluice-us']);
    expect(profile.quoteLevelDetail?.byMarketCode['SG']?.warningMsg).toBe('no access to the SG market');
    const days = await socket.ask(QUOTE.marketTradeDay, {
      market: 'HK',
      begDay: '20251220',
      endDay: '20251231',
    });
    expect(days.tradeDay).toEqual(['20251222', '20251223', '20251229', '20251230']);
    expect(days.halfTradeDay).toEqual(['20251224', '20251231']);
    for (const market of ['US', 'SG', 'CN']) {
      await socket.ask(QUOTE.marketTradeDay, { market, begDay: '20251220', endDay: '20251231' });
    }
    await expect(
      socket.ask(QUOTE.marketTradeDay, { market: 'HK', begDay: '20251201', endDay: '20260131' }),
    ).rejects.toThrow('month');
    const { marketTradeSession } = await socket.ask(QUOTE.marketTradePeriod);
    const hours = (name: string) =>
      marketTradeSession
        .find((each) => each.market === name)
        ?.tradeSession.map((each) => [each.begTime, each.endTime, each.tradeSession]);
    expect(hours('HK')).toEqual([
      [930, 1200, 0],
      [1300, 1600, 0],
    ]);
    expect(hours('US')).toContainEqual([930, 1600, 0]);
    expect(hours('US')).toContainEqual([2000, 400, 3]);
  });

  it('return an invented book of one level, recent trades and the line of the day', async () => {
    const { socket } = await quoteSocket('09:32:00');
    const depth = await socket.ask(QUOTE.depth, { symbol: '700.HK' });
    expect(depth.ask).toMatchObject([{ position: 1, price: '410.6', volume: 100n }]);
    expect(depth.bid).toMatchObject([{ position: 1, price: '410.2', volume: 100n }]);
    const { trades } = await socket.ask(QUOTE.trades, { symbol: '700.HK', count: 2 });
    expect(trades.map((trade) => trade.price)).toEqual(['410.6', '410.4']);
    expect(trades.map((trade) => trade.direction)).toEqual([2, 1]);
    const { lines } = await socket.ask(QUOTE.intraday, { symbol: '700.HK' });
    expect(lines.map((line) => line.price)).toEqual(['410.2', '410.4']);
    const { askBrokers } = await socket.ask(QUOTE.brokers, { symbol: '700.HK' });
    expect(askBrokers).toEqual([]);
    await expect(socket.ask(QUOTE.depth, { symbol: '1.HK' })).rejects.toThrow('symbol not found');
  });

  it.each(['documented', 'longbridge'] as const)(
    'return money flow under the numbers of profile %s',
    async (name) => {
      const profile = PROFILES[name];
      const { venue } = await aVenue({ profile });
      await step(venue, at('2025-09-02T09:32:00+08:00'), 'batched');
      const socket = await SocketClient.loggedIn(venue, 'quote');
      const commands = quoteCommands(profile);
      expect(commands.capitalFlow.code).toBe(name === 'longbridge' ? 24 : 25);
      const flow = await socket.ask(commands.capitalFlow, { symbol: '700.HK' });
      expect(flow.capitalFlowLines.map((line) => line.inflow)).toEqual(['1640200', '3281200']);
      const distribution = await socket.ask(commands.capitalDistribution, { symbol: '700.HK' });
      expect(distribution.capitalIn).toMatchObject({ large: '3281200', medium: '0', small: '0' });
      expect(distribution.capitalOut).toMatchObject({ large: '0' });
    },
  );
});

describe('subscriptions', () => {
  it('are confirmed for known symbols, listed, and removed on request', async () => {
    const { socket } = await quoteSocket('09:31:00');
    const confirmed = await socket.ask(QUOTE.subscribe, { symbol: ['700.HK', '1.HK'], subType: [1, 2] });
    expect(confirmed.subList).toMatchObject([{ symbol: '700.HK', subType: [1, 2] }]);
    await socket.ask(QUOTE.subscribe, { symbol: ['5.HK'], subType: [4] });
    await socket.ask(QUOTE.unsubscribe, { symbol: ['700.HK'], subType: [2] });
    const list = async () =>
      (await socket.ask(QUOTE.subscriptions)).subList.map((each) => [each.symbol, each.subType]);
    expect(await list()).toEqual([
      ['700.HK', [1]],
      ['5.HK', [4]],
    ]);
    await socket.ask(QUOTE.unsubscribe, { symbol: [], subType: [], unsubAll: true });
    expect(await list()).toEqual([]);
    await expect(
      socket.ask(QUOTE.subscribe, { symbol: ['700.HK'], subType: [9 as SubType] }),
    ).rejects.toThrow('sub_type');
  });

  it('push depth and trades in addition to quotes', async () => {
    const { venue, socket } = await quoteSocket('09:29:00');
    await socket.ask(QUOTE.subscribe, { symbol: ['5.HK'], subType: [2, 4] });
    await step(venue);
    const { frames } = await step(venue);
    expect(frames.quote).toBe(2);
    const [depth, trade] = await socket.pushed(2);
    expect([depth?.command, trade?.command]).toEqual([102, 104]);
    expect(decodeMessage(PushDepthSchema, depth?.body ?? new Uint8Array()).ask).toHaveLength(1);
    expect(decodeMessage(PushTradeSchema, trade?.body ?? new Uint8Array()).trade).toMatchObject([
      { price: '410' },
    ]);
  });
});

describe('watchlist and security list over HTTP', () => {
  it('keep groups: create, change, pin, remove', async () => {
    const { venue } = await aVenue();
    const groups = async () => (await call(venue, 'GET', '/v1/watchlist/groups')).data.groups;
    const made = await call(venue, 'POST', '/v1/watchlist/groups', {
      body: { name: 'tech', securities: ['700.HK', 'AAPL.US'] },
    });
    const id = made.data.id;
    expect(id).toMatch(/^\d+$/);
    expect((await groups())[1]).toMatchObject({
      id,
      name: 'tech',
      securities: [{ symbol: '700.HK', name: 'TENCENT' }, { symbol: 'AAPL.US' }],
    });
    await call(venue, 'PUT', '/v1/watchlist/groups', {
      body: { id: Number(id), name: '科技股', securities: ['5.HK'], mode: 'add' },
    });
    expect((await groups())[1].securities.map((each: { symbol: string }) => each.symbol)).toEqual([
      '700.HK',
      'AAPL.US',
      '5.HK',
    ]);
    expect(
      (await call(venue, 'POST', '/v1/watchlist/pinned', { body: { mode: 'add', securities: ['5.HK'] } }))
        .code,
    ).toBe(0);
    expect((await groups())[0].securities[2]).toMatchObject({ symbol: '5.HK', is_pinned: true });
    expect((await call(venue, 'PUT', '/v1/watchlist/groups', { body: { id: '77', name: 'x' } })).code).toBe(
      602001,
    );
    expect(
      (await call(venue, 'POST', '/v1/watchlist/groups', { body: { name: 'x', securities: ['1.HK'] } })).code,
    ).toBe(602001);
    await call(venue, 'DELETE', '/v1/watchlist/groups', { body: { id, purge: true } });
    expect(await groups()).toMatchObject([{ name: 'all', securities: [] }]);
  });

  it('name securities in the requested language and leave the other names empty', async () => {
    const { venue } = await aVenue();
    const list = async (language: string) =>
      (
        await call(venue, 'GET', '/v1/quote/get_security_list?market=US&category=Overnight', {
          headers: { 'accept-language': language },
        })
      ).data.list;
    expect(await list('en')).toEqual([{ symbol: 'AAPL.US', name_cn: '', name_hk: '', name_en: 'APPLE' }]);
    expect(await list('zh-HK,en;q=0.5')).toEqual([
      { symbol: 'AAPL.US', name_cn: '', name_hk: 'APPLE hk', name_en: '' },
    ]);
  });
});
