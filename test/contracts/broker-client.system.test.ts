import { firstValueFrom } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decimal } from '#src/model/decimal.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { MINUTE_MS, millis } from '#src/model/time.ts';
import type { ProfileName } from '#src/wire/profiles.ts';
import { answered, type BrokerUnderTest, CONTRACT_START, describeBroker } from './describe-broker.ts';
import { type PaperVenue, startPaperVenue } from './paper-venue.ts';

async function onPaper(profile: ProfileName): Promise<BrokerUnderTest> {
  const { client, runUntil, close } = await startPaperVenue(profile);
  return { broker: client.broker, ask: answered, runUntil, close };
}

describeBroker('the client of the embedded venue', () => onPaper('documented'));
describeBroker('the client of the embedded venue, longbridge profile', () => onPaper('longbridge'));

describe('the QuoteFeed port: the client of the embedded venue', () => {
  const TENCENT = securitySymbol('700.HK');
  const OPEN = millis(CONTRACT_START + 10 * MINUTE_MS);
  let paper: PaperVenue;

  beforeEach(async () => {
    paper = await startPaperVenue('documented');
  });

  afterEach(() => paper.close());

  it('emits one quote for every frame that the venue counted', async () => {
    await paper.runUntil(millis(OPEN + 5 * MINUTE_MS));
    expect(paper.arrived().quotes).toBe(20);
    expect(paper.client.feed.latest(TENCENT)).toMatchObject({ symbol: TENCENT, last: decimal('411') });
    expect(paper.alarms).toEqual([]);
  });

  it('pulls quotes, and leaves out unknown symbols', async () => {
    await paper.runUntil(millis(OPEN + MINUTE_MS));
    const pulled = await firstValueFrom(paper.client.feed.pull([TENCENT, securitySymbol('1.HK')]));
    expect(pulled.map((quote) => quote.symbol)).toEqual([TENCENT]);
    expect(pulled[0]?.last).toEqual(paper.client.feed.latest(TENCENT)?.last);
  });

  it('reads securities from static info and margin ratio', async () => {
    const [known, ...rest] = await firstValueFrom(
      paper.client.feed.securities([TENCENT, securitySymbol('1.HK')]),
    );
    expect(rest).toEqual([]);
    expect(known).toMatchObject({
      symbol: TENCENT,
      names: { en: 'TENCENT', zhCn: '腾讯控股', zhHk: '騰訊控股' },
      kind: 'stock',
      board: 'HKEquity',
      currency: 'HKD',
      lotSize: 100,
      tradable: true,
    });
    expect(known?.margin.initial.gt(0)).toBe(true);
  });

  it('reads the newest closed bars before an instant', async () => {
    const { feed } = paper.client;
    const request = { symbol: TENCENT, period: '1m', before: OPEN, count: 5 } as const;
    const bars = await firstValueFrom(feed.history(request));
    expect(bars.map((bar) => bar.open)).toEqual([405, 405.2, 405.4, 405.6, 405.8]);
    await paper.runUntil(millis(OPEN + 3 * MINUTE_MS));
    const more = await firstValueFrom(
      feed.history({ ...request, before: millis(OPEN + 60 * MINUTE_MS), count: 4 }),
    );
    expect(more.map((bar) => bar.open)).toEqual([405.8, 410, 410.2, 410.4]);
  });
});
