import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Heard } from './heard.ts';
import { configFor, loadOfficialClient, type OfficialClient, titleOf, wordsOf } from './official-client.ts';
import { aVenueProcess, type VenueProcess } from './venue-process.ts';

const client = loadOfficialClient();
const LISTED = ['700.HK', '9988.HK', 'AAPL.US', 'TSLA.US', 'SPY.US'];

describe.skipIf(client.kind === 'absent')(
  titleOf(client, '"sluice venue" alone through the official client'),
  () => {
    const sdk = (client.kind === 'loaded' ? client.sdk : undefined) as OfficialClient;
    const words = wordsOf(sdk);
    const folder = mkdtempSync(join(tmpdir(), 'venue-'));
    const flags = [
      '--profile',
      'longbridge',
      '--rate-limits',
      'off',
      '--state',
      join(folder, 'state.sqlite'),
    ];
    let venue: VenueProcess;

    beforeAll(async () => {
      venue = await aVenueProcess(...flags);
    });
    afterAll(async () => {
      await venue.close();
      rmSync(folder, { recursive: true });
    });

    it('is a market at the current time: current quotes, deep books on both sides, invented names', async () => {
      const quotes = await sdk.QuoteContext.new(configFor(sdk, venue, venue.credentials));
      const facts = await quotes.staticInfo(LISTED);
      expect(facts.map(({ symbol }) => symbol)).toEqual(LISTED);
      expect(facts.every(({ nameEn }) => nameEn.includes('(invented prices)'))).toBe(true);
      for (const quote of await quotes.quote(LISTED)) {
        expect(Date.now() - quote.timestamp.getTime()).toBeLessThan(300_000);
        expect(quote.prevClose.toNumber()).toBeGreaterThan(0);
      }
      for (const symbol of LISTED) {
        const { asks, bids } = await quotes.depth(symbol);
        expect([asks.length, bids.length]).toEqual([10, 10]);
        expect(asks[0]?.price?.toNumber()).toBeGreaterThan(bids[0]?.price?.toNumber() ?? Number.NaN);
      }
      expect((await quotes.brokers('700.HK')).bidBrokers).toHaveLength(10);
      expect((await quotes.participants()).length).toBeGreaterThan(0);
      const { Min_1, Min_5, Day, Week } = words.Period;
      for (const period of [Min_1, Min_5, Day, Week]) {
        const { NoAdjust } = words.AdjustType;
        const candles = await quotes.candlesticks(
          'SPY.US',
          period,
          20,
          NoAdjust,
          words.TradeSessions.Intraday,
        );
        expect(candles).toHaveLength(20);
        expect(candles.at(-1)?.timestamp.getTime()).toBeLessThan(Date.now());
      }
    });

    it('returns the option chain of AAPL.US with quotes, and lists no warrants', async () => {
      const quotes = await sdk.QuoteContext.new(configFor(sdk, venue, venue.credentials));
      const [expiry] = await quotes.optionChainExpiryDateList('AAPL.US');
      if (expiry === undefined) throw new Error('the venue lists no options');
      const chain = await quotes.optionChainInfoByDate('AAPL.US', expiry);
      expect(chain.map(({ price }) => price.toNumber())).toEqual([180, 190, 200]);
      const symbols = chain.flatMap(({ callSymbol, putSymbol }) => [callSymbol, putSymbol]).filter(Boolean);
      expect(symbols).toHaveLength(4);
      const reported = await quotes.optionQuote(symbols);
      expect(reported.map(({ symbol }) => symbol).toSorted()).toEqual(symbols.toSorted());
      expect(reported.every(({ underlyingSymbol }) => underlyingSymbol === 'AAPL.US')).toBe(true);
      expect(reported.every(({ contractMultiplier }) => contractMultiplier.toNumber() === 100)).toBe(true);
      expect(await quotes.warrantIssuers()).toEqual([]);
      expect(await quotes.warrantQuote(['21125.HK'])).toEqual([]);
    });

    it('pushes quotes and depth within seconds, and trades within a minute', async () => {
      const quotes = await sdk.QuoteContext.new(configFor(sdk, venue, venue.credentials));
      const heard = new Heard<string>();
      quotes.setOnQuote(() => heard.add('quote'));
      quotes.setOnDepth(() => heard.add('depth'));
      quotes.setOnTrades(() => heard.add('trade'));
      const { Quote, Depth, Trade } = words.SubType;
      await quotes.subscribe(LISTED, [Quote, Depth, Trade], false);
      const { length } = await heard.until((items) => items.includes('quote') && items.includes('depth'));
      expect(length).toBeGreaterThan(0);
      await heard.until((items) => items.includes('trade'));
    });

    it('fills a market order at once, and keeps it after a restart', async () => {
      const trade = await sdk.TradeContext.new(configFor(sdk, venue, venue.credentials));
      const heard = new Heard<number>();
      trade.setOnOrderChanged((_error, { status }) => heard.add(status));
      await trade.subscribe([words.TopicType.Private]);
      const order = {
        symbol: 'AAPL.US',
        orderType: words.OrderType.MO,
        side: words.OrderSide.Buy,
        submittedQuantity: new sdk.Decimal(3),
        timeInForce: words.TimeInForceType.Day,
      };
      const { orderId } = await trade.submitOrder(order);
      await heard.until((items) => items.includes(words.OrderStatus.Filled));
      const [before] = await trade.accountBalance();
      const detail = await trade.orderDetail(orderId);
      // One per level of the book that it took.
      const executed = (await trade.todayExecutions()).map(({ tradeId }) => tradeId);
      expect(executed.length).toBeGreaterThanOrEqual(1);

      await venue.close();
      venue = await aVenueProcess(...flags);
      const again = await sdk.TradeContext.new(configFor(sdk, venue, venue.credentials));
      const same = await again.orderDetail(orderId);
      expect(same.executedPrice?.toString()).toBe(detail.executedPrice?.toString());
      expect(same.status).toBe(words.OrderStatus.Filled);
      const [channel] = (await again.stockPositions()).channels;
      expect(channel?.positions.map(({ symbol, quantity }) => `${quantity} ${symbol}`)).toEqual([
        '3 AAPL.US',
      ]);
      const [after] = await again.accountBalance();
      const cash = (balance: typeof after) =>
        balance?.cashInfos.map(({ withdrawCash }) => withdrawCash.toString());
      expect(cash(after)).toEqual(cash(before));
      expect((await again.todayExecutions()).map(({ tradeId }) => tradeId)).toEqual(executed);
    });
  },
);
