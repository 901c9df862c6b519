import { describe, expect, it } from 'vitest';
import type { BarColumns } from '#src/model/bar.ts';
import { barColumns } from '#src/model/bar-columns.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { DAY_MS } from '#src/model/time.ts';
import { call } from './a-client.ts';
import { aVenue } from './a-venue.ts';
import { at } from './rising-minutes.ts';

/** Daily bars that end on Monday, 1 September 2025; the venue starts on Tuesday before the open. */
function days(symbol: string, closes: readonly number[]): BarColumns {
  const last = at('2025-09-01T00:00:00+08:00');
  const column = Float64Array.from(closes);
  return barColumns({ symbol: securitySymbol(symbol), period: '1d' }, (figure) => {
    if (figure === 'time') return column.map((_, index) => last - (closes.length - 1 - index) * DAY_MS);
    return figure === 'volume' ? column.map(() => 1_000) : column;
  });
}

async function venueWith(bars: readonly BarColumns[]) {
  const { venue } = await aVenue({
    history: (symbol, period) => bars.find((each) => each.symbol === symbol && each.period === period),
  });
  return venue;
}

describe('market temperature', () => {
  it('is the mean of the position in the range of 250 days and of the share of stocks that rose', async () => {
    // 700.HK closes at 125 between 100 and 200, down from 200.
    const venue = await venueWith([days('700.HK', [150, 100, 200, 125])]);
    const now = await call(venue, 'GET', '/v1/quote/market_temperature?market=HK');
    expect(now.data).toEqual({
      temperature: 13,
      valuation: 25,
      sentiment: 0,
      description: 'Cold',
      updated_at: String(at('2025-09-02T09:20:00+08:00') / 1_000),
    });
    const past = await call(
      venue,
      'GET',
      '/v1/quote/history_market_temperature?market=HK&start_date=20250830&end_date=20250831',
    );
    expect(past.data.type).toBe('daily');
    expect(
      past.data.list.map(({ valuation, sentiment }: Record<string, number>) => [valuation, sentiment]),
    ).toEqual([
      [0, 0],
      [100, 100],
    ]);
  });

  it('ignores closes that are more than 250 days old', async () => {
    const venue = await venueWith([days('700.HK', [1, ...Array.from({ length: 249 }, () => 150), 100, 125])]);
    const now = await call(venue, 'GET', '/v1/quote/market_temperature?market=HK');
    expect([now.data.valuation, now.data.sentiment]).toEqual([50, 100]);
  });

  it.each([
    ['market_temperature?market=SG', 'no daily bars of stocks in market "SG"'],
    ['market_temperature', 'market: is missing'],
    ['history_market_temperature?market=HK&start_date=20250901&end_date=20250801', 'is after end_date'],
    ['history_market_temperature?market=HK&start_date=01.09.2025&end_date=20250801', 'YYYYMMDD'],
    ['history_market_temperature?market=HK&start_date=20250230&end_date=20250801', 'YYYYMMDD'],
  ])('%s is refused with a message about what is wrong', async (query, words) => {
    const venue = await venueWith([days('700.HK', [1, 2])]);
    const answer = await call(venue, 'GET', `/v1/quote/${query}`);
    expect(answer.code).toBe(602001);
    expect(answer.message).toContain(words);
  });
});

describe('market status', () => {
  it('names the phase of the day of each market', async () => {
    const venue = await venueWith([]);
    const { data } = await call(venue, 'GET', '/v1/quote/market-status');
    const rows = data.market_time as readonly { readonly market: string; readonly trade_status: number }[];
    expect(rows.find(({ market }) => market === 'HK')).toMatchObject({ trade_status: 102, sub_status: 0 });
    // 21:20 in New York: between the after-market session and the next morning.
    expect(rows.find(({ market }) => market === 'US')?.trade_status).toBe(207);
  });
});
