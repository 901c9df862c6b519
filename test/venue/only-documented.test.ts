import { describe, expect, it } from 'vitest';
import { quoteCommands } from '#src/wire/commands.ts';
import { ENDPOINTS } from '#src/wire/endpoints.ts';
import { PROFILES } from '#src/wire/profiles.ts';
import { call, SocketClient } from './a-client.ts';
import { aVenue } from './a-venue.ts';

/** The table of the source document, section 4, and the calls that open a quote connection. */
const DESCRIBED = [
  'GET /v1/test',
  'GET /v1/asset/stock',
  'POST /v1/trade/order',
  'GET /v1/trade/order',
  'GET /v1/trade/estimate/buy_limit',
  'GET /v1/asset/account',
  'GET /v1/quote/get_security_list',
  'GET /v1/risk/margin-ratio',
  'GET /v1/watchlist/groups',
  'POST /v1/trade/order/submit',
  'GET /v1/token/refresh',
  'GET /v1/socket/token',
];

describe('a venue with only what the source document describes', () => {
  it('serves those endpoints, and answers every other like an unknown path', async () => {
    const { venue } = await aVenue({ onlyDocumented: true });
    const served: string[] = [];
    for (const { method, path } of Object.values(ENDPOINTS)) {
      const { code } = await call(venue, method, path, method === 'GET' ? {} : { body: {} });
      if (code === 404000 || code === 405000) continue;
      served.push(`${method} ${path}`);
    }
    expect(served.toSorted()).toEqual(DESCRIBED.toSorted());
  });

  it('serves commands 10, 24, 25 and 27 of the quote connection and refuses every other', async () => {
    const { venue } = await aVenue({ onlyDocumented: true });
    const client = await SocketClient.loggedIn(venue, 'quote');
    const served: number[] = [];
    for (const command of Object.values(quoteCommands(PROFILES.documented))) {
      if (command.kind !== 'request') continue;
      const { status, body } = await client.exchange(command.code, new Uint8Array());
      if (status !== 0 && Buffer.from(body).includes('unknown command')) continue;
      served.push(command.code);
    }
    expect(served.toSorted((a, b) => a - b)).toEqual([10, 24, 25, 27]);
  });

  it('has no trade socket', async () => {
    const { venue } = await aVenue({ onlyDocumented: true });
    await expect(SocketClient.open(venue.tradeWs)).rejects.toThrow('404');
  });
});
