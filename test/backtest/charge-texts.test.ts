import { describe, expect, it } from 'vitest';
import { chargeTexts } from '#src/backtest/charge-texts.ts';
import { CHARGE_SCHEDULES } from '#src/markets/charge-schedules.ts';
import { calendarDay } from '#src/model/time.ts';

describe('the text about charges', () => {
  it('calls no fee an estimate of the broker if the schedule has no estimate', () => {
    const run = { from: calendarDay('2024-01-02'), markets: ['US'] } as const;
    expect(chargeTexts(CHARGE_SCHEDULES.authorities, run)).toEqual([
      'Charges by the "authorities" schedule, dated',
    ]);
    expect(chargeTexts(CHARGE_SCHEDULES.standard, run)[0]).toMatch(
      /; the broker's own fees in it are estimates$/,
    );
  });

  const standIns = (from: string, markets: readonly ('US' | 'HK')[]) =>
    chargeTexts(CHARGE_SCHEDULES.standard, { from: calendarDay(from), markets }).slice(1);

  it('names past periods for which the oldest known rates are used, in the markets of the run', () => {
    expect(standIns('1999-01-04', ['US', 'HK', 'US'])).toEqual([
      'Charges in US whose rates of then are not known, the oldest known in their place: SEC Fee to 2012-03-31, Trading Activity Fee (FINRA) to 2012-06-30',
    ]);
    expect(standIns('2012-05-01', ['US'])).toEqual([
      'Charges in US whose rates of then are not known, the oldest known in their place: Trading Activity Fee (FINRA) to 2012-06-30',
    ]);
    expect(standIns('2024-01-02', ['US'])).toEqual([]);
    expect([...standIns('1999-01-04', ['HK']), ...standIns('2012-07-01', ['US'])]).toEqual([]);
  });
});
