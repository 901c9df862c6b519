import { create, type DescMessage, toJson } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { millis } from '#src/model/time.ts';
import { syntheticHistory } from '#src/venue/synthetic/synthetic-history.ts';
import { syntheticMarket } from '#src/venue/synthetic/synthetic-market.ts';
import { quoteCommands } from '#src/wire/commands.ts';
import { PROFILES } from '#src/wire/profiles.ts';
import { OPTION_CONTRACTS_PATH, QUOTE_PATHS } from '#src/wire/quote-paths.ts';
import { call, SocketClient } from '../a-client.ts';
import { aVenue } from '../a-venue.ts';
import { LIVING_START, livingSimulation } from '../living-market.ts';

const QUOTE = quoteCommands(PROFILES.documented);
const SYMBOL = { symbol: 'AAPL.US' };

/** Bodies as longbridge 5.3.0 sends them. */
const BODIES: Readonly<Record<keyof typeof QUOTE_PATHS, object>> = {
  '/quote/static-info': { symbol: ['700.HK', 'AAPL.US'] },
  '/quote/quotes': { symbol: ['700.HK', 'AAPL.US'] },
  '/quote/options/quotes': { symbol: ['AAPL260515C190000.US'] },
  '/quote/options/expiry-dates': SYMBOL,
  '/quote/warrants': {
    ...{ symbol: '700.HK', language: 1 },
    filter_config: {
      sort_by: 0,
      sort_count: 0,
      sort_offset: 0,
      sort_order: 0,
      type: [],
      issuer: [],
      status: [],
    },
  },
  '/quote/warrants/quotes': { symbol: ['1.HK'] },
  '/quote/warrants/issuers': {},
  '/quote/depth': SYMBOL,
  '/quote/brokers': { symbol: '700.HK' },
  '/quote/participants': {},
  '/quote/trades': { count: 10, ...SYMBOL },
  '/quote/intraday': { ...SYMBOL, trade_session: 100 },
  '/quote/candlesticks': { adjust_type: 1, count: 10, period: 1000, ...SYMBOL, trade_session: 100 },
  '/quote/history-candlesticks': {
    ...{ adjust_type: 0, query_type: 1, period: 1, ...SYMBOL, trade_session: 100 },
    offset_request: { count: 10, date: '20260304', direction: 0, minute: '1000' },
  },
  '/quote/markets/trading-sessions': {},
  '/quote/markets/trading-days': { beg_day: '20260302', end_day: '20260309', market: 'HK' },
  '/quote/capital-flow': SYMBOL,
  '/quote/capital-distribution': SYMBOL,
  '/quote/calc-indexes': { calc_index: [1, 4, 5], symbols: ['700.HK'] },
};

async function livingVenue() {
  const market = syntheticMarket({ seed: 11, hours: 'always', start: LIVING_START, daysAhead: 2 });
  return aVenue({
    simulation: livingSimulation('always', millis(LIVING_START), market),
    ...{ accountId: 'paper', moreAccounts: [], hours: 'always', book: 'deep' },
    history: syntheticHistory(market, 'always'),
  });
}

describe('quotes over HTTP, as longbridge 5 requests them', () => {
  it('are the answers of the quote socket, as JSON', async () => {
    const { venue } = await livingVenue();
    const socket = await SocketClient.loggedIn(venue, 'quote');
    for (const [path, name] of Object.entries(QUOTE_PATHS)) {
      const body = BODIES[path as keyof typeof BODIES];
      const { status, code, data } = await call(venue, 'POST', path, { body });
      expect([path, status, code]).toEqual([path, 200, 0]);
      const command: {
        readonly code: number;
        readonly request: DescMessage | undefined;
        readonly response: DescMessage;
      } = QUOTE[name];
      const { response } = command;
      const asked = await socket.ask(command, command.request === undefined ? {} : camel(body));
      const expected = toJson(response, create(response, asked as Record<string, unknown>), {
        ...{ alwaysEmitImplicit: true, useProtoFieldName: true, enumAsInteger: true },
      });
      expect(data, path).toEqual(expected);
    }
  });

  it('list the contracts of an option chain, each side of a strike separately', async () => {
    const { venue } = await livingVenue();
    const body = { symbol: 'AAPL.US', expiry_date: '20260515' };
    const { data } = await call(venue, 'POST', OPTION_CONTRACTS_PATH, { body });
    const contract = (symbol: string, direction: string, strike: string) => ({
      ...{ symbol, expiry_date: '20260515', strike_price: strike, direction },
      ...{ option_type: '', standard_attr: '', days_to_expiry: 71 },
    });
    expect(data.list).toEqual([
      contract('AAPL260515P180000.US', 'P', '180'),
      contract('AAPL260515C190000.US', 'C', '190'),
      contract('AAPL260515P190000.US', 'P', '190'),
      contract('AAPL260515C200000.US', 'C', '200'),
    ]);
  });

  it('are refused with the codes of the socket, counted with it, and signed like any other request', async () => {
    const { venue } = await aVenue({ rateLimits: 'endpoint' });
    const depth = (symbol: string) => call(venue, 'POST', '/quote/depth', { body: { symbol } });
    expect(await depth('1.HK')).toMatchObject({ status: 400, code: 301600 });
    expect(
      await call(venue, 'POST', '/quote/trades', { body: { symbol: '700.HK', count: 1_001 } }),
    ).toMatchObject({
      status: 400,
      code: 301607,
    });
    expect(await call(venue, 'POST', '/quote/trades', { body: { symbol: ['700.HK'] } })).toMatchObject({
      code: 301600,
    });
    for (let count = 0; count < 19; count += 1) expect((await depth('700.HK')).code).toBe(0);
    expect(await depth('700.HK')).toMatchObject({ status: 429, code: 301606 });
    const unsigned = await fetch(`${venue.http}/quote/depth`, {
      method: 'POST',
      body: '{"symbol":"700.HK"}',
    });
    expect(unsigned.status).toBe(403);
  });
});

/** A body with the field names of the generated messages. */
// biome-ignore lint/suspicious/noExplicitAny: any JSON
function camel(value: any): any {
  if (Array.isArray(value)) return value.map(camel);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase()),
      camel(each),
    ]),
  );
}
