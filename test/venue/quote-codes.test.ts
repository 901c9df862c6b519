import { describe, expect, it } from 'vitest';
import { quoteCommands } from '#src/wire/commands.ts';
import { SubType } from '#src/wire/gen/quote_pb.ts';
import { PROFILES } from '#src/wire/profiles.ts';
import { call, SocketClient } from './a-client.ts';
import { aVenue } from './a-venue.ts';

const QUOTE = quoteCommands(PROFILES.documented);

describe('codes of the quote side', () => {
  it('301605: a subscription to more than 500 symbols', async () => {
    const { venue } = await aVenue();
    const client = await SocketClient.loggedIn(venue, 'quote');
    const subscribe = (count: number) =>
      client.ask(QUOTE.subscribe, {
        symbol: Array.from({ length: count }, (_, index) => `${index + 1}.HK`),
        ...{ subType: [SubType.QUOTE], isFirstPush: false },
      });
    await expect(subscribe(501)).rejects.toThrow('status 7 code 301605');
    expect((await subscribe(500)).subList.map(({ symbol }) => symbol)).toEqual(['5.HK']);
  });

  it('310010: a security list of no market', async () => {
    const { venue } = await aVenue();
    expect(await call(venue, 'GET', '/v1/quote/get_security_list')).toMatchObject({
      status: 400,
      code: 310010,
    });
  });

  it('301602: an internal fault, reported to the operator, and the venue keeps running', async () => {
    const faults: unknown[] = [];
    const { venue } = await aVenue({
      onFault: (fault) => faults.push(fault),
      history: () => {
        throw new Error('the disk is gone');
      },
    });
    const client = await SocketClient.loggedIn(venue, 'quote');
    await expect(client.ask(QUOTE.candlesticks, { symbol: '700.HK', period: 1, count: 1 })).rejects.toThrow(
      'status 7 code 301602',
    );
    expect(faults).toHaveLength(1);
    expect(await call(venue, 'GET', '/v1/test')).toMatchObject({ code: 0 });
  });
});
