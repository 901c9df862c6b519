import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CommandLine, startCommandLine } from './a-command-line.ts';

const UPSTREAM = ['venue', '--upstream', '--symbol', '700.HK', '--port', '0'];

let elsewhere: CommandLine;
let venue: CommandLine;
beforeAll(async () => {
  elsewhere = await startCommandLine(['--profile', 'longbridge']);
  const flags = ['--upstream', '--symbol', '700.HK', '--symbol', 'AAPL.US', '--sessions', 'always'];
  venue = await startCommandLine(flags, elsewhere.environment);
});
afterAll(async () => {
  await venue?.close();
  await elsewhere.close();
});

interface Row {
  readonly symbol: string;
  readonly last: string;
}

/** Last price of 700.HK at a venue. */
async function lastAt(at: CommandLine): Promise<number> {
  const [row] = (await at.json(['quote', '700.HK'])) as readonly Row[];
  return Number(row?.last);
}

describe('sluice venue --upstream on a market that is open now', () => {
  it('fills at prices of that market, keeps money and positions locally, and sends no order there', async () => {
    const before = await lastAt(elsewhere);
    const sent = await venue.json([
      'order',
      'submit',
      '700.HK',
      '--side',
      'buy',
      '--quantity',
      '100',
      '--type',
      'MO',
    ]);
    const { orderId } = sent as { readonly orderId: string };
    await expect
      .poll(() => venue.json(['order', 'show', orderId]), { timeout: 60_000, interval: 200 })
      .toMatchObject({ status: 'FilledStatus', executedQuantity: '100' });
    const filled = (await venue.json(['order', 'show', orderId])) as { readonly executedPrice: string };
    const after = await lastAt(elsewhere);
    // Generated prices move by fractions of a percent between two reads.
    expect(Number(filled.executedPrice)).toBeGreaterThan(Math.min(before, after) * 0.9);
    expect(Number(filled.executedPrice)).toBeLessThan(Math.max(before, after) * 1.1);
    expect(await venue.json(['positions'])).toMatchObject([{ symbol: '700.HK', quantity: '100' }]);
    expect(await elsewhere.json(['orders'])).toEqual([]);
    expect(await elsewhere.json(['positions'])).toEqual([]);
  });

  it.each([
    ['HTTP address without a server', { SLUICE_HTTP_URL: 'http://127.0.0.1:1' }, 4, 'Check the address'],
    ['socket address without a server', { SLUICE_QUOTE_WS_URL: 'ws://127.0.0.1:1' }, 4, 'ws://127.0.0.1:1'],
    ['address that is not encrypted', { SLUICE_HTTP_URL: 'http://broker.test' }, 3, 'use "https://"'],
    ['unknown token', { SLUICE_ACCESS_TOKEN: 'at_wrong' }, 4, '401003'],
  ])('ends with the reason for: %s', async (_what, wrong, code, said) => {
    const ended = await elsewhere.sluice(UPSTREAM, wrong);
    expect([ended.code, ended.out]).toEqual([code, '']);
    expect(ended.err).toContain(said);
    expect(ended.err).not.toContain('    at ');
  });
});
