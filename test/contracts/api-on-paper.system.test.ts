import { firstValueFrom, type Observable } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSystemClock } from '#src/app/clock/system-clock.ts';
import { type Api, createApi } from '#src/broker/http/api.ts';
import { decimal } from '#src/model/decimal.ts';
import { type OrderTerms, orderId } from '#src/model/order.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { calendarDay, DAY_MS, MINUTE_MS, millis } from '#src/model/time.ts';
import type { Answer } from '#src/ports/broker.ts';
import type { ProfileName } from '#src/wire/profiles.ts';
import { CONTRACT_START } from './describe-broker.ts';
import { type PaperVenue, startPaperVenue } from './paper-venue.ts';

const TENCENT = securitySymbol('700.HK');
const TERMS: OrderTerms = {
  symbol: TENCENT,
  side: 'buy',
  type: 'LO',
  quantity: decimal('200'),
  timeInForce: 'day',
  price: decimal('400'),
};

async function okay<T>(question: Observable<Answer<T>>): Promise<T> {
  const answer = await firstValueFrom(question);
  if (answer.kind === 'ok') return answer.value;
  throw new Error(`Was not answered: ${answer.code}, ${answer.message}`);
}

describe.each<ProfileName>(['documented', 'longbridge'])('the whole API on paper, profile %s', (profile) => {
  let paper: PaperVenue;
  let api: Api;

  beforeEach(async () => {
    paper = await startPaperVenue(profile);
    api = createApi(paper.client, { saveToken: async () => undefined });
  });

  afterEach(() => paper.close());

  async function place(): Promise<ReturnType<typeof orderId>> {
    const answer = await firstValueFrom(api.http.submitOrder({ terms: TERMS, remark: 'by hand' }));
    if (answer.kind !== 'accepted') throw new Error(`Was not accepted: ${answer.message}`);
    return answer.orderId;
  }

  it('replaces and cancels an order', async () => {
    const id = await place();
    await paper.runUntil(millis(CONTRACT_START + 11 * MINUTE_MS));
    const change = { orderId: id, quantity: decimal('300'), price: decimal('401') };
    expect(await firstValueFrom(api.http.replaceOrder(change))).toEqual({ kind: 'accepted' });
    await paper.runUntil(millis(CONTRACT_START + 12 * MINUTE_MS));
    expect((await okay(api.http.orderDetail({ orderId: id }))).terms).toMatchObject({
      quantity: decimal('300'),
      price: decimal('401'),
    });
    expect(await firstValueFrom(api.http.cancelOrder({ orderId: id }))).toEqual({ kind: 'accepted' });
    await paper.runUntil(millis(CONTRACT_START + 13 * MINUTE_MS));
    expect((await okay(api.http.todayOrders({ symbol: TENCENT })))[0]?.status).toBe('CanceledStatus');
  });

  it('lists orders, executions, money and securities', async () => {
    const buy = { terms: { ...TERMS, price: decimal('420') }, remark: '' };
    await firstValueFrom(api.http.submitOrder(buy));
    await paper.runUntil(millis(CONTRACT_START + 15 * MINUTE_MS));
    expect(await okay(api.http.todayExecutions({}))).toHaveLength(1);
    expect(await okay(api.http.allExecutions({}))).toHaveLength(1);
    expect(await okay(api.http.historyExecutions({}))).toEqual([]);
    expect(await okay(api.http.historyOrders({}))).toEqual([]);
    expect(await okay(api.http.positions({ symbols: [TENCENT] }))).toHaveLength(1);
    expect(await okay(api.http.account({ currency: 'HKD' }))).toHaveLength(1);
    expect(await okay(api.http.funds({ isins: [] }))).toEqual([]);
    expect((await okay(api.http.marginRatio({ symbol: TENCENT }))).initial.gt(0)).toBe(true);
    const question = { symbol: TENCENT, side: 'buy', type: 'LO', price: decimal('400') } as const;
    expect((await okay(api.http.buyLimit(question))).cash.gt(0)).toBe(true);
    const span = { from: millis(CONTRACT_START - DAY_MS), to: millis(CONTRACT_START + DAY_MS) };
    const flow = await okay(api.http.cashFlow(span));
    expect(flow.every((row) => row.currency === 'HKD')).toBe(true);
    const listed = await okay(api.http.securityList({ market: 'US', category: 'Overnight' }));
    expect(Array.isArray(listed)).toBe(true);
  });

  it("reads the status of markets and a market's temperature, or why there is none", async () => {
    const { market_time: rows } = await okay(api.http.marketStatus({}));
    expect(rows.map(({ market }) => market)).toContain('HK');
    const days = { from: calendarDay('2016-01-01'), to: calendarDay('2035-12-31') };
    const [now, past] = [
      await firstValueFrom(api.http.marketTemperature({ market: 'SG' })),
      await firstValueFrom(api.http.historyMarketTemperature({ market: 'SG', ...days })),
    ];
    for (const answer of [now, past])
      expect(answer).toMatchObject({
        kind: 'failed',
        message: expect.stringContaining('no daily bars of stocks in market "SG"'),
      });
  });

  it('creates, changes, pins and deletes watchlist groups', async () => {
    const id = await okay(api.http.createGroup({ name: 'tech', symbols: [TENCENT] }));
    expect(await firstValueFrom(api.http.updateGroup({ id, name: 'technology' }))).toEqual({
      kind: 'accepted',
    });
    expect(await firstValueFrom(api.http.pinSymbols({ mode: 'add', symbols: [TENCENT] }))).toEqual({
      kind: 'accepted',
    });
    const group = (await okay(api.http.watchlistGroups({}))).find((each) => each.id === id);
    expect(group).toMatchObject({ name: 'technology', securities: [{ symbol: TENCENT, isPinned: true }] });
    expect(await firstValueFrom(api.http.deleteGroup({ id, purge: false }))).toEqual({ kind: 'accepted' });
    expect((await okay(api.http.watchlistGroups({}))).some((each) => each.id === id)).toBe(false);
  });

  it('checks signatures, issues passwords and renews the token', async () => {
    expect(await okay(api.http.connectivityTest({}))).toBe(true);
    expect(await okay(api.http.signatureSelfTest({ orderId: orderId('900100200300400500') }))).toBe(
      '900100200300400500',
    );
    const [first, second] = [await okay(api.http.socketToken({})), await okay(api.http.socketTokenV2({}))];
    expect(first.otp).not.toBe(second.otp);
    expect(first.limit).toBeGreaterThan(first.online);
    const wanted = millis(createSystemClock().now() + 30 * DAY_MS);
    expect((await okay(api.http.refreshToken({ expiresAt: wanted }))).expiresAt).not.toBe('');
    expect(await okay(api.http.connectivityTest({}))).toBe(true);
  });

  it('answers every request of the quote socket for a stock', async () => {
    await paper.runUntil(millis(CONTRACT_START + 13 * MINUTE_MS));
    const { quotes } = api;
    const symbol = TENCENT;
    const one = { symbol };
    const answers = await Promise.all([
      firstValueFrom(quotes.userQuoteProfile({ language: 'en' })),
      firstValueFrom(quotes.subscriptions({})),
      firstValueFrom(quotes.marketTradePeriod()),
      firstValueFrom(quotes.marketTradeDay({ market: 'HK', begDay: '20250901', endDay: '20250905' })),
      firstValueFrom(quotes.depth(one)),
      firstValueFrom(quotes.brokers(one)),
      firstValueFrom(quotes.trades({ symbol, count: 10 })),
      firstValueFrom(quotes.intraday(one)),
      firstValueFrom(quotes.candlesticks({ symbol, period: 1, count: 2 })),
      firstValueFrom(quotes.capitalFlow(one)),
      firstValueFrom(quotes.capitalDistribution(one)),
    ]);
    expect(answers).toHaveLength(11);
    expect(answers[1]?.subList.map((each) => each.symbol)).toEqual([TENCENT]);
    expect(answers[3]?.tradeDay).toEqual(['20250901', '20250902', '20250903', '20250904', '20250905']);
    expect(answers[6]?.trades.length).toBeGreaterThan(0);
    expect(answers[8]?.candlesticks).toHaveLength(2);
    expect(answers[10]?.symbol).toBe(TENCENT);
  });
});
