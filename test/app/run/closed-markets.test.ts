import { describe, expect, it } from 'vitest';
import { closedMarkets } from '#src/app/run/closed-markets.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { millis } from '#src/model/time.ts';

const TENCENT = securitySymbol('700.HK');
const APPLE = securitySymbol('AAPL.US');
const reported = (iso: string) => closedMarkets([TENCENT, APPLE], millis(Date.parse(iso)));

describe('a bot that starts', () => {
  it('lists on a Saturday when each of its markets opens', () => {
    const alarms = reported('2026-11-21T14:00:00Z');
    expect(alarms.map(({ code, facts }) => [code, facts['symbols']])).toEqual([
      ['market-closed', '700.HK'],
      ['market-closed', 'AAPL.US'],
    ]);
    expect(alarms[0]?.message).toContain('HK market is closed until 2026-11-23T01:30Z');
    expect(alarms[0]?.message).toContain(
      '. Until it opens, quotes build no bars, so the bot makes no decision that',
    );
    expect(alarms[1]?.message).toContain('US market is closed until 2026-11-23T14:30Z');
  });

  it('lists no market that is open, and the opening after the break for one in its lunch break', () => {
    expect(reported('2026-11-23T02:00:00Z').map(({ facts }) => facts['symbols'])).toEqual(['AAPL.US']);
    expect(reported('2026-11-23T04:30:00Z')[0]?.message).toContain('until 2026-11-23T05:00Z');
  });
});
