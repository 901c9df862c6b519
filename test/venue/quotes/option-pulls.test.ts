import { describe, expect, it } from 'vitest';
import { quoteCommands } from '#src/wire/commands.ts';
import { SecurityQuoteResponseSchema } from '#src/wire/gen/quote_pb.ts';
import { decodeMessage, encodeMessage } from '#src/wire/message.ts';
import { PROFILES } from '#src/wire/profiles.ts';
import { SocketClient } from '../a-client.ts';
import { aVenue } from '../a-venue.ts';
import { livingSimulation } from '../living-market.ts';

const QUOTE = quoteCommands(PROFILES.documented);
const EXPIRY = '20260515';

/** A logged-in quote socket of the synthetic market, which lists four options on AAPL.US. */
async function livingSocket(access: object = {}) {
  const simulation = livingSimulation('real');
  const { venue } = await aVenue({ simulation, accountId: 'paper', moreAccounts: [], access });
  return SocketClient.loggedIn(venue, 'quote');
}

describe('options over the quote socket', () => {
  it('are listed by expiry (20) and strike (21), with both sides if both are listed', async () => {
    const socket = await livingSocket();
    expect((await socket.ask(QUOTE.optionChainDates, { symbol: 'AAPL.US' })).expiryDate).toEqual([EXPIRY]);
    const { strikePriceInfo } = await socket.ask(QUOTE.optionChainStrikes, {
      ...{ symbol: 'AAPL.US', expiryDate: EXPIRY },
    });
    expect(strikePriceInfo.map(({ price, callSymbol, putSymbol }) => [price, callSymbol, putSymbol])).toEqual(
      [
        ['180', '', 'AAPL260515P180000.US'],
        ['190', 'AAPL260515C190000.US', 'AAPL260515P190000.US'],
        ['200', 'AAPL260515C200000.US', ''],
      ],
    );
    expect(strikePriceInfo.every(({ standard }) => standard)).toBe(true);
  });

  it('have quotes (12) with strike, expiry, side and multiplier; symbols that are no options are left out', async () => {
    const socket = await livingSocket();
    const symbol = ['AAPL260515P180000.US', 'AAPL.US', 'AAPL260515C999000.US'];
    const { secuQuote } = await socket.ask(QUOTE.optionQuote, { symbol });
    expect(secuQuote).toMatchObject([
      {
        symbol: 'AAPL260515P180000.US',
        optionExtend: {
          ...{ expiryDate: EXPIRY, strikePrice: '180', direction: 'P', contractType: 'A' },
          ...{ contractMultiplier: '100', contractSize: '100', underlyingSymbol: 'AAPL.US' },
        },
      },
    ]);
    expect(Number(secuQuote[0]?.lastDone)).toBeGreaterThan(0);
  });

  it.each([
    ['a symbol that is not listed', { symbol: 'NOPE.US', expiryDate: EXPIRY }, 'symbol not found'],
    ['an invalid day', { symbol: 'AAPL.US', expiryDate: '2026-05-15' }, 'expiry_date: want YYYYMMDD'],
  ])('cannot be requested by %s: 301600', async (_what, question, reason) => {
    const socket = await livingSocket();
    await expect(socket.ask(QUOTE.optionChainStrikes, question)).rejects.toThrow(
      new RegExp(`status 7 code 301600: ${reason}`),
    );
  });

  it('are refused with 301604 to an account without access', async () => {
    const socket = await livingSocket({ quotes: { USOption: 'none' } });
    const asked = socket.ask(QUOTE.optionQuote, { symbol: ['AAPL260515P180000.US'] });
    await expect(asked).rejects.toThrow(/301604/);
  });
});

describe('warrants over the quote socket', () => {
  it('do not exist: no quotes (13), no issuers (22), an empty list (23), and 301600 for a symbol that is not listed', async () => {
    const socket = await livingSocket();
    expect((await socket.ask(QUOTE.warrantQuote, { symbol: ['21125.HK'] })).secuQuote).toEqual([]);
    expect((await socket.ask(QUOTE.warrantIssuers)).issuerInfo).toEqual([]);
    expect(await socket.ask(QUOTE.warrantFilter, { symbol: '700.HK' })).toMatchObject({
      ...{ warrantList: [], totalCount: 0 },
    });
    await expect(socket.ask(QUOTE.warrantFilter, { symbol: 'NOPE.HK' })).rejects.toThrow(/301600/);
  });
});

describe('a compressed request', () => {
  it('is read like any other', async () => {
    const socket = await livingSocket();
    const body = encodeMessage(QUOTE.securityQuote.request, { symbol: ['AAPL.US', '700.HK', 'SPY.US'] });
    const answer = await socket.exchange(QUOTE.securityQuote.code, body, { gzipFrom: 1 });
    expect(answer.status).toBe(0);
    const { secuQuote } = decodeMessage(SecurityQuoteResponseSchema, answer.body);
    expect(secuQuote.map(({ symbol }) => symbol)).toEqual(['AAPL.US', '700.HK', 'SPY.US']);
  });
});
