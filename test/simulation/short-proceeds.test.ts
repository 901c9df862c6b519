import { describe, expect, it } from 'vitest';
import { decimal } from '#src/model/decimal.ts';
import { millis } from '#src/model/time.ts';
import { DEFAULT_INTEREST, type InterestModel } from '#src/simulation/books/interest.ts';
import { MARGIN_ACCOUNT } from '#src/simulation/models.ts';
import { type BarRow, bars, order, runUntil, world } from './world.ts';

/** Two weeks of days at 100; in the second, the shorted symbol has another price. */
const days = (symbol: string, later: number) =>
  bars(
    symbol,
    '1d',
    ['04', '05', '06', '07', '08', '11', '12', '13', '14', '15'].map((day, place): BarRow => {
      const price = place < 5 ? 100 : later;
      const offset = place < 5 ? '-05:00' : '-04:00';
      return [`2024-03-${day}T00:00:00${offset}`, price, price, price, price, 1_000];
    }),
  );

/**
 * Interest of an account of 100,000 USD that holds 1,500 of one symbol and -600 of the other, on the days that end at
 * these midnights.
 */
function moves(
  later: number,
  interest: Partial<InterestModel>,
  midnights: readonly string[],
): readonly string[] {
  const { simulation, account } = world({
    bars: [days('AAPL.US', 100), days('GME.US', later)],
    start: '2024-03-04T08:00:00-05:00',
    accounts: [{ id: 'a', currency: 'USD', cash: { USD: decimal('100000') }, fx: {}, short: true }],
    models: {
      margin: MARGIN_ACCOUNT,
      interest: { ...DEFAULT_INTEREST, borrow: { usual: decimal('0'), by: {} }, ...interest },
    },
  });
  runUntil(simulation, '2024-03-04T17:00:00-05:00');
  order(account, { symbol: 'GME.US', side: 'sell', quantity: '600' });
  order(account, { symbol: 'AAPL.US', quantity: '1500' });
  runUntil(simulation, '2024-03-15T23:00:00-04:00');
  return account
    .cashPostings(millis(0))
    .filter(({ at }) => midnights.some((day) => new Date(at).toISOString().startsWith(day)))
    .map(({ kind, amount, at }) => `${new Date(at).toISOString().slice(5, 10)} ${kind} ${amount}`);
}

describe('the proceeds of a short sale', () => {
  it('repay no loan: purchases beyond the own cash are borrowed', () => {
    // 100,000 + 60,000 - 150,000 is 10,000 in the books; 60,000 of that secure the short position, so 50,000 are
    // owed: 6 % over 360 days.
    expect(moves(100, {}, ['2024-03-08', '2024-03-09'])).toEqual([
      '03-08 debit-interest -8.33',
      '03-09 debit-interest -8.33',
    ]);
  });

  it('follow the last price: a short that rises ties up more of the cash', () => {
    // 62,000 and 20,000, and the earlier postings.
    expect(moves(120, {}, ['2024-03-14'])).toEqual(['03-14 debit-interest -10.34']);
    expect(moves(50, {}, ['2024-03-14'])).toEqual(['03-14 debit-interest -3.34']);
  });

  it('earn a rebate if one is configured', () => {
    const rebate = { usual: decimal('0.036'), by: {} };
    expect(moves(100, { rebate }, ['2024-03-09'])).toEqual([
      '03-09 debit-interest -8.33',
      '03-09 credit-interest 6',
    ]);
  });
});
