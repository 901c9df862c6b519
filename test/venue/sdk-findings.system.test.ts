import { firstValueFrom, from, of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { readSecurities } from '#src/broker/orders/securities.ts';
import { CHARGE_SCHEDULES } from '#src/markets/charge-schedules.ts';
import { dayOf } from '#src/markets/sessions.ts';
import { decimal } from '#src/model/decimal.ts';
import type { CompanyFigures } from '#src/model/security.ts';
import { marketOf, securitySymbol } from '#src/model/symbol.ts';
import { DAY_MS, type Millis, millis } from '#src/model/time.ts';
import { createSimulation } from '#src/simulation/create-simulation.ts';
import { CASH_ACCOUNT, NO_LATENCY, PRINT_FILLS } from '#src/simulation/models.ts';
import { syntheticHistory } from '#src/venue/synthetic/synthetic-history.ts';
import { syntheticMarket } from '#src/venue/synthetic/synthetic-market.ts';
import { quoteCommands } from '#src/wire/commands.ts';
import { type CalcIndex, Period } from '#src/wire/gen/quote_pb.ts';
import { PROFILES } from '#src/wire/profiles.ts';
import { call, SocketClient } from './a-client.ts';
import { aVenue } from './a-venue.ts';
import { during, LIVING_START, paper, terms } from './living-market.ts';

const QUOTE = quoteCommands(PROFILES.documented);
const MARKET = syntheticMarket({ seed: 11, hours: 'always', start: LIVING_START, daysAhead: 6 });

type Lots = Readonly<Record<string, number>>;
type Companies = Readonly<Record<string, CompanyFigures | undefined>>;

/** The synthetic market of `sluice venue`: it trades round the clock, and days end at midnight. */
function simulation(start: Millis = LIVING_START, companies: Companies = {}, lots: Lots = {}) {
  return createSimulation({
    ...{
      securities: MARKET.securities.map(({ company, ...facts }) => {
        const security = { ...facts, lotSize: lots[facts.symbol] ?? facts.lotSize };
        const own = security.symbol in companies ? companies[security.symbol] : company;
        return own === undefined ? security : { ...security, company: own };
      }),
      bars: MARKET.minutes,
      start,
      seed: 3,
      quotes: true,
      roundTheClock: true,
    },
    accounts: [
      {
        id: 'paper',
        currency: 'USD',
        cash: { USD: decimal('10000000'), HKD: decimal('10000000') },
        fx: { USDHKD: decimal('7.80') },
      },
    ],
    models: {
      fills: { ...PRINT_FILLS, hours: 'bars' },
      ...{ charges: CHARGE_SCHEDULES.none, latency: NO_LATENCY, margin: CASH_ACCOUNT },
    },
  });
}

async function livingVenue(companies?: Companies, lots?: Lots) {
  return aVenue({
    ...{
      simulation: simulation(LIVING_START, companies, lots),
      accountId: 'paper',
      moreAccounts: [],
      hours: 'always',
      book: 'deep',
    },
    history: syntheticHistory(MARKET, 'always'),
  });
}

describe('findings of official SDKs', () => {
  it.each(['2026-03-05T15:00:00Z', '2026-03-05T22:00:00Z', '2026-03-07T12:00:00Z'])(
    'a day order of a market round the clock expires at the midnight after its day, sent at %s',
    (sent) => {
      for (const [symbol, price] of [
        ['AAPL.US', '20'],
        ['700.HK', '30'],
      ] as const) {
        const market = simulation(millis(Date.parse(sent)));
        const account = paper(market);
        const submission = account.submit(terms(symbol, 'LO', 'buy', 100, { price: decimal(price) }), '');
        if (submission.kind === 'refused') throw new Error(submission.message);
        const { orderId } = submission;
        const exchange = marketOf(terms(symbol, 'LO', 'buy', 100).symbol);
        const day = market.tradingDay(exchange);
        const statusOf = () => account.order(orderId)?.status;
        for (let hour = 0; hour < 96 && statusOf() !== 'ExpiredStatus'; hour += 1) {
          expect(dayOf(exchange, market.now()) <= day).toBe(true);
          during(market, DAY_MS / 24);
        }
        expect(statusOf()).toBe('ExpiredStatus');
        expect(dayOf(exchange, market.now()) > day).toBe(true);
      }
    },
  );

  it("today's orders are listed completely for a client without paging, and in pages for one with it", async () => {
    const { venue } = await livingVenue();
    const order = {
      symbol: 'AAPL.US',
      order_type: 'LO',
      side: 'Buy',
      submitted_quantity: '1',
      submitted_price: '20',
    };
    for (let count = 0; count < 1_010; count += 1)
      expect(
        (await call(venue, 'POST', '/v1/trade/order', { body: { ...order, time_in_force: 'Day' } })).code,
      ).toBe(0);
    const whole = await call(venue, 'GET', '/v1/trade/order/today');
    expect([whole.data.orders.length, whole.data.has_more]).toEqual([1_010, false]);
    const page = await call(venue, 'GET', '/v1/trade/order/today?page=1');
    expect([page.data.orders.length, page.data.has_more]).toEqual([1_000, true]);
  });

  it.each(['documented', 'longbridge'] as const)(
    'the tag of a long order is "Gtc" in profile %s',
    async (profile) => {
      const { venue } = await aVenue({ profile: PROFILES[profile] });
      const order = {
        symbol: '700.HK',
        order_type: 'LO',
        side: 'Buy',
        submitted_quantity: '100',
        submitted_price: '300',
      };
      await call(venue, 'POST', '/v1/trade/order', { body: { ...order, time_in_force: 'GTC' } });
      expect((await call(venue, 'GET', '/v1/trade/order/today')).data.orders).toMatchObject([{ tag: 'Gtc' }]);
    },
  );

  it('the overnight list has no options, and the list without a category has', async () => {
    const { venue } = await livingVenue();
    const listed = async (query: string) =>
      (await call(venue, 'GET', `/v1/quote/get_security_list?${query}`)).data.list.map(
        ({ symbol }: { symbol: string }) => symbol,
      );
    expect(await listed('market=US&category=Overnight')).toEqual(['AAPL.US', 'TSLA.US', 'SPY.US']);
    expect(await listed('market=US')).toHaveLength(7);
  });

  it('a fund of the US is listed on NYSE Arca', async () => {
    const { venue } = await livingVenue();
    const socket = await SocketClient.loggedIn(venue, 'quote');
    const { secuStaticInfo } = await socket.ask(QUOTE.staticInfo, {
      symbol: ['SPY.US', 'AAPL.US', '700.HK'],
    });
    expect(secuStaticInfo.map(({ exchange }) => exchange)).toEqual(['ARCX', 'NASD', 'SEHK']);
  });

  it('all 18 calculated indexes of a stock exist, and agree with the candles and static info', async () => {
    const { venue } = await livingVenue();
    const socket = await SocketClient.loggedIn(venue, 'quote');
    const calcIndex = Array.from({ length: 18 }, (_, index): CalcIndex => (index + 1) as CalcIndex);
    const [figures] = (await socket.ask(QUOTE.calcIndexes, { symbols: ['AAPL.US'], calcIndex }))
      .securityCalcIndex;
    if (figures === undefined) throw new Error('no figures');
    const { lastDone, fiveDayChangeRate, fiveMinutesChangeRate, halfYearChangeRate } = figures;
    const candles = async (period: Period, count: number) =>
      (await socket.ask(QUOTE.candlesticks, { symbol: 'AAPL.US', period, count })).candlesticks;
    const days = await candles(Period.DAY, 6);
    const minutes = await candles(Period.ONE_MINUTE, 6);
    const since = (close: string | undefined) => ((Number(lastDone) / Number(close) - 1) * 100).toFixed(2);
    expect(Number(fiveDayChangeRate).toFixed(2)).toBe(since(days[0]?.close));
    expect(Number(fiveMinutesChangeRate).toFixed(2)).toBe(since(minutes[0]?.close));
    expect(Number(halfYearChangeRate)).not.toBeNaN();
    const { ytdChangeRate, tenDayChangeRate, capitalFlow, volumeRatio } = figures;
    for (const text of [ytdChangeRate, tenDayChangeRate, capitalFlow, volumeRatio])
      expect(text).toMatch(/^-?\d+(\.\d+)?$/);
    const [company] = (await socket.ask(QUOTE.staticInfo, { symbol: ['AAPL.US'] })).secuStaticInfo;
    if (company === undefined) throw new Error('no static info');
    const over = (part: string | bigint, whole: string | bigint) => Number(part) / Number(whole);
    expect(Number(figures.turnoverRate)).toBeCloseTo(
      100 * over(figures.volume, company.circulatingShares),
      2,
    );
    expect(Number(figures.totalMarketValue)).toBeCloseTo(Number(lastDone) * Number(company.totalShares), 0);
    expect(Number(figures.peTtmRatio)).toBeCloseTo(over(lastDone, company.epsTtm), 2);
    expect(Number(figures.pbRatio)).toBeCloseTo(over(lastDone, company.bps), 2);
    expect(figures.dividendRatioTtm).toBe(company.dividendYield);
  });

  it('lots below one share are reported to a client that supports our addition, and orders of a fraction fill', async () => {
    const { venue } = await livingVenue({}, { 'AAPL.US': 0.01 });
    const socket = await SocketClient.loggedIn(venue, 'quote');
    const symbols = ['AAPL.US', 'TSLA.US'].map(securitySymbol);
    const { secuStaticInfo } = await socket.ask(QUOTE.staticInfo, { symbol: symbols });
    expect(secuStaticInfo.map(({ lotSize }) => lotSize)).toEqual([1, 1]);
    const read = readSecurities(symbols, {
      call: (command, body) => from(socket.ask(command, body) as Promise<never>),
      address: new URL(venue.quoteWs),
      commands: QUOTE,
      marginFactors: () => of({ kind: 'failed', code: 0, message: '', retryable: false }),
    });
    expect((await firstValueFrom(read)).map(({ lotSize }) => lotSize)).toEqual([0.01, 1]);
    const order = { symbol: 'AAPL.US', order_type: 'MO', side: 'Buy', time_in_force: 'Day' };
    const submit = (submitted_quantity: string) =>
      call(venue, 'POST', '/v1/trade/order', { body: { ...order, submitted_quantity } });
    expect((await submit('0.255')).code).toBe(602001);
    expect((await submit('0.25')).code).toBe(0);
    const [detail] = (await call(venue, 'GET', '/v1/trade/order/today')).data.orders;
    expect(detail.quantity).toBe('0.25');
  });

  it('an option has its expiry and strike among its calculated indexes, and a share has none', async () => {
    const { venue } = await livingVenue();
    const socket = await SocketClient.loggedIn(venue, 'quote');
    const option = MARKET.securities.find(({ kind }) => kind === 'option')?.symbol ?? '';
    const [, day, strike] = /^AAPL(\d{6})[CP](\d+)\.US$/.exec(option) ?? [];
    const symbols = [option, 'AAPL.US'];
    const { securityCalcIndex } = await socket.ask(QUOTE.calcIndexes, { symbols, calcIndex: [19, 20] });
    expect(securityCalcIndex.map(({ expiryDate, strikePrice }) => [expiryDate, strikePrice])).toEqual([
      [`20${day}`, String(Number(strike) / 1000)],
      ['', ''],
    ]);
  });

  it("a company's figure that was not given is left out, and division by a zero one is avoided", async () => {
    const known = { totalShares: 200, epsTtm: '-2', bps: '0' };
    const { venue } = await livingVenue({ 'AAPL.US': known, 'SPY.US': undefined });
    const socket = await SocketClient.loggedIn(venue, 'quote');
    const { secuStaticInfo } = await socket.ask(QUOTE.staticInfo, { symbol: ['AAPL.US', 'SPY.US'] });
    expect(secuStaticInfo.map(({ eps, epsTtm, totalShares }) => [eps, epsTtm, totalShares])).toEqual([
      ['', '-2', 200n],
      ['', '', 0n],
    ]);
    const calcIndex = [7, 8, 12, 13, 14] as CalcIndex[];
    const symbols = ['AAPL.US', 'SPY.US'];
    const [half, none] = (await socket.ask(QUOTE.calcIndexes, { symbols, calcIndex })).securityCalcIndex;
    expect(Number(half?.peTtmRatio)).toBeLessThan(0);
    expect(Number(half?.turnoverRate)).toBeGreaterThan(0);
    for (const text of [half?.pbRatio, half?.dividendRatioTtm, none?.peTtmRatio, none?.totalMarketValue])
      expect(text).toBe('');
  });
});
