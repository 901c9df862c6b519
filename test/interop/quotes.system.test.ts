import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningVenue } from '#src/venue/venue-options.ts';
import { step } from '../venue/a-client.ts';
import { aLivingVenue, CREDENTIALS } from './a-living-venue.ts';
import { Heard } from './heard.ts';
import { configFor, loadOfficialClient, type OfficialClient, titleOf, wordsOf } from './official-client.ts';

const client = loadOfficialClient();

describe.skipIf(client.kind === 'absent')(titleOf(client, 'quotes through the official client'), () => {
  const sdk = (client.kind === 'loaded' ? client.sdk : undefined) as OfficialClient;
  const words = wordsOf(sdk);
  let venue: RunningVenue;
  let quotes: InstanceType<OfficialClient['QuoteContext']>;

  beforeAll(async () => {
    venue = await aLivingVenue();
    quotes = await sdk.QuoteContext.new(configFor(sdk, venue, CREDENTIALS));
  });
  afterAll(() => venue.close());

  it('reports the opened quote packages and who is connected', () => {
    expect(quotes.memberId()).toBe(20400500);
    expect(quotes.quoteLevel()).toBe('Lv2');
    const keys = quotes.quotePackageDetails().map(({ key }) => key);
    expect(keys.toSorted()).toEqual(['sluice-hk', 'sluice-us']);
  });

  it('reads static info with board, lot and all names, and leaves out unlisted symbols', async () => {
    const [first, second, third] = await quotes.staticInfo(['700.HK', 'AAPL.US', '1.HK']);
    expect([first?.symbol, first?.nameEn, first?.nameCn, first?.lotSize, first?.currency]).toEqual([
      '700.HK',
      'TENCENT',
      '腾讯控股',
      100,
      'HKD',
    ]);
    expect(second?.toJSON()).toMatchObject({ symbol: 'AAPL.US', board: 'USMain', lotSize: 1 });
    expect(third).toBeUndefined();
  });

  it('pulls quote, depth, brokers, participants and trades', async () => {
    const [quote] = await quotes.quote(['700.HK']);
    expect(quote?.toJSON()).toMatchObject({
      lastDone: '416',
      open: '410',
      prevClose: '400.2',
      volume: 120000,
    });
    const depth = await quotes.depth('700.HK');
    expect(depth.asks[0]?.price?.toNumber()).toBe(416.2);
    expect(depth.bids[0]?.price?.toNumber()).toBe(415.8);
    expect((await quotes.brokers('700.HK')).askBrokers).toEqual([]);
    expect(await quotes.participants()).toEqual([]);
    expect(await quotes.trades('700.HK', 10)).toEqual([]);
  });

  it('calculates the figures that follow from a quote', async () => {
    const { LastDone, ChangeValue, Amplitude, Volume } = words.CalcIndex;
    const [figures] = await quotes.calcIndexes(['700.HK'], [LastDone, ChangeValue, Amplitude, Volume]);
    expect(figures?.lastDone?.toString()).toBe('416');
    expect(figures?.changeValue?.toString()).toBe('15.8');
    expect(figures?.volume).toBe(120000);
    expect(figures?.amplitude?.toString()).toBe('1.65');
    expect(figures?.turnover).toBeNull();
  });

  it("reads the day's line, newest candles, five-minute candles and days", async () => {
    const line = await quotes.intraday('700.HK', words.TradeSessions.Intraday);
    expect(line).toHaveLength(30);
    const candles = (period: number, count: number) =>
      quotes.candlesticks('700.HK', period, count, words.AdjustType.NoAdjust, words.TradeSessions.Intraday);
    const minutes = await candles(words.Period.Min_1, 5);
    expect(minutes.map(({ close }) => close.toString())).toEqual(['415.2', '415.4', '415.6', '415.8', '416']);
    const fives = await candles(words.Period.Min_5, 2);
    expect(fives.map(({ open, close }) => `${open} to ${close}`)).toEqual(['414 to 415', '415 to 416']);
    const days = await candles(words.Period.Day, 5);
    expect(days.map(({ timestamp }) => timestamp.toISOString())).toEqual([
      '2025-08-31T16:00:00.000Z',
      '2025-09-01T16:00:00.000Z',
    ]);
    const [quote] = await quotes.quote(['700.HK']);
    const today = days.at(-1);
    expect([today?.open, today?.high, today?.low, today?.close, today?.volume].map(String)).toEqual(
      [quote?.open, quote?.high, quote?.low, quote?.lastDone, quote?.volume].map(String),
    );
  });

  it('reads candles of the past by offset, forward and backward, and by date', async () => {
    const from = new sdk.NaiveDatetime(new sdk.NaiveDate(2025, 9, 1), new sdk.Time(9, 35, 0));
    const byOffset = (forward: boolean) =>
      quotes.historyCandlesticksByOffset(
        '700.HK',
        words.Period.Min_1,
        words.AdjustType.NoAdjust,
        forward,
        from,
        3,
        words.TradeSessions.Intraday,
      );
    expect((await byOffset(true)).map(({ open }) => open.toString())).toEqual(['401', '401.2', '401.4']);
    expect((await byOffset(false)).map(({ open }) => open.toString())).toEqual(['400.6', '400.8', '401']);
    const byDate = await quotes.historyCandlesticksByDate(
      '700.HK',
      words.Period.Day,
      words.AdjustType.ForwardAdjust,
      new sdk.NaiveDate(2025, 9, 1),
      new sdk.NaiveDate(2025, 9, 2),
      words.TradeSessions.All,
    );
    expect(byDate.map(({ close }) => close.toString())).toEqual(['400.2', '416']);
  });

  it('requests 24 for the flow and 25 for the distribution, as the live service numbers them', async () => {
    const flow = await quotes.capitalFlow('700.HK');
    expect(flow).toHaveLength(30);
    const distribution = await quotes.capitalDistribution('700.HK');
    expect(distribution.capitalIn.large.toNumber()).toBeGreaterThan(0);
    expect(distribution.capitalOut.large.toNumber()).toBe(0);
  });

  it('returns trading sessions and trading days', async () => {
    const sessions = await quotes.tradingSession();
    expect(sessions).toHaveLength(2);
    const days = await quotes.tradingDays(
      words.Market.HK,
      new sdk.NaiveDate(2025, 9, 1),
      new sdk.NaiveDate(2025, 9, 5),
    );
    expect(days.tradingDays.map(String)).toEqual([
      '2025-09-01',
      '2025-09-02',
      '2025-09-03',
      '2025-09-04',
      '2025-09-05',
    ]);
  });

  it('lists the securities of a market', async () => {
    const list = await quotes.securityList(words.Market.US, words.SecurityListCategory.Overnight);
    expect(list.map(({ symbol, nameEn }) => [symbol, nameEn])).toEqual([['AAPL.US', 'APPLE']]);
  });

  it("reads a market's temperature now and of earlier days", async () => {
    // 700.HK closed at the high of its two days, above the day before; AAPL.US has no bars.
    const now = await quotes.marketTemperature(words.Market.HK);
    expect([now.temperature, now.valuation, now.sentiment, now.description]).toEqual([100, 100, 100, 'Hot']);
    expect(now.timestamp.toISOString()).toBe('2025-09-02T02:00:00.000Z');
    const [first, last] = [new sdk.NaiveDate(2025, 8, 1), new sdk.NaiveDate(2025, 9, 2)];
    const past = await quotes.historyMarketTemperature(words.Market.HK, first, last);
    expect(past.records.map(({ temperature, timestamp }) => [temperature, timestamp.toISOString()])).toEqual([
      [100, '2025-09-01T16:00:00.000Z'],
    ]);
    expect(past.granularity).toBe(1);
    await expect(quotes.marketTemperature(words.Market.US)).rejects.toThrow('no daily bars of stocks');
  });

  it('creates, updates, lists and deletes a watchlist group', async () => {
    const id = await quotes.createWatchlistGroup({ name: 'mine', securities: ['700.HK'] });
    await quotes.updateWatchlistGroup({
      id: Number(id),
      name: 'yours',
      securities: ['AAPL.US'],
      mode: words.SecuritiesUpdateMode.Add,
    });
    const group = (await quotes.watchlist()).find(({ name }) => name === 'yours');
    expect(group?.securities.map(({ symbol }) => symbol)).toEqual(['700.HK', 'AAPL.US']);
    expect(group?.securities[0]?.watchedPrice?.toString()).toBe('416');
    await quotes.deleteWatchlistGroup({ id: Number(id), purge: true });
    expect((await quotes.watchlist()).map(({ name }) => name)).toEqual(['all']);
  });

  it('receives quote, depth, brokers and trades of its subscriptions, and lists its subscriptions', async () => {
    const heard = new Heard<string>();
    quotes.setOnQuote((_error, { symbol, data }) => heard.add(`quote ${symbol} ${data.lastDone}`));
    quotes.setOnDepth((_error, { symbol, data }) => heard.add(`depth ${symbol} ${data.asks[0]?.price}`));
    quotes.setOnBrokers((_error, { symbol }) => heard.add(`brokers ${symbol}`));
    quotes.setOnTrades((_error, { symbol, data }) =>
      heard.add(`trade ${symbol} ${data.trades[0]?.price} x ${data.trades[0]?.volume}`),
    );
    const { Quote, Depth, Brokers, Trade } = words.SubType;
    await quotes.subscribe(['700.HK'], [Quote, Depth, Brokers, Trade], true);
    await heard.until((items) => items.length >= 3);
    expect(heard.items.toSorted()).toEqual(['brokers 700.HK', 'depth 700.HK 416.2', 'quote 700.HK 416']);
    expect((await quotes.subscriptions()).map(({ symbol }) => symbol)).toEqual(['700.HK']);
    await step(venue);
    await step(venue);
    await heard.until((items) => items.length >= 9);
    expect(heard.items.slice(3)).toEqual([
      'quote 700.HK 416',
      'depth 700.HK 416.2',
      'trade 700.HK 416 x 1000',
      'quote 700.HK 415.6',
      'depth 700.HK 415.8',
      'trade 700.HK 415.6 x 1000',
    ]);
    const [kept] = await quotes.realtimeQuote(['700.HK']);
    expect(kept?.lastDone.toString()).toBe('415.6');
    await quotes.unsubscribe(['700.HK'], [Quote, Depth, Brokers, Trade]);
    expect((await quotes.subscriptions()).flatMap(({ subTypes }) => subTypes)).toEqual([]);
    const before = heard.items.length;
    expect((await step(venue)).frames.quote).toBe(0);
    expect(heard.items).toHaveLength(before);
  });

  it('builds candles from its pushes', async () => {
    const before = await quotes.subscribeCandlesticks('700.HK', words.Period.Min_1, words.TradeSessions.All);
    const [quote] = await quotes.quote(['700.HK']);
    expect(before.at(-1)?.close.toString()).toBe(quote?.lastDone.toString());
    const heard = new Heard<string>();
    quotes.setOnCandlestick((_error, { data }) => heard.add(`${data.candlestick.close}`));
    await step(venue);
    await heard.until((items) => items.includes('416.2'));
    await quotes.unsubscribeCandlesticks('700.HK', words.Period.Min_1);
  });

  it("reports the venue's refusals with its texts", async () => {
    await expect(quotes.depth('1.HK')).rejects.toThrow(/301600/);
    await expect(quotes.trades('700.HK', 1_001)).rejects.toThrow(/301607/);
  });
});
