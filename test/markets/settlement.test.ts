import { describe, expect, it } from 'vitest';
import { settlementDay, settlementDays } from '#src/markets/settlement.ts';
import { calendarDay } from '#src/model/time.ts';

describe('settlement', () => {
  it.each([
    ['US', '1995-06-06', '1995-06-13', 'T+5 until 1995-06-06'],
    ['US', '1995-06-07', '1995-06-12', 'T+3 from 1995-06-07'],
    ['US', '2017-09-01', '2017-09-07', 'T+3 until 2017-09-04, over Labor Day'],
    ['US', '2017-09-05', '2017-09-07', 'T+2 from 2017-09-05'],
    ['US', '2024-05-24', '2024-05-29', 'T+2 until 2024-05-27, over Memorial Day'],
    ['US', '2024-05-28', '2024-05-29', 'T+1 from 2024-05-28'],
    ['US', '2025-10-10', '2025-10-14', 'over Columbus Day, when only the banks are closed'],
    ['US', '2025-11-10', '2025-11-12', 'over Veterans Day'],
    ['US', '2023-11-10', '2023-11-14', 'Veterans Day on a Saturday moves nothing'],
    ['HK', '2025-11-20', '2025-11-24', 'T+2 over a weekend'],
    ['HK', '2025-12-23', '2025-12-29', 'T+2 over Christmas; a half day counts'],
    ['CRYPTO', '2025-12-25', '2025-12-25', 'at once without a table'],
  ])('%s %s settles on %s: %s', (market, trade, wanted) => {
    expect(settlementDay(market, calendarDay(trade))).toBe(wanted);
  });

  it('counts days by the date of the trade', () => {
    const days = ['2017-09-04', '2017-09-05', '2024-05-27', '2024-05-28'].map((day) =>
      settlementDays('US', calendarDay(day)),
    );
    expect(days).toEqual([3, 2, 2, 1]);
  });
});
