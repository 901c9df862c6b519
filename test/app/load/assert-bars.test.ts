import { describe, expect, it } from 'vitest';
import { assertBars } from '#src/app/load/assert-bars.ts';
import { calendarDay } from '#src/model/time.ts';
import { AAPL, columnsOf } from '../../fixtures/market.ts';

const FRIDAY = columnsOf(AAPL, '1d', [[Date.parse('2019-12-27T05:00Z'), 10, 11, 9, 10]]);
const NONE = columnsOf(AAPL, '1d', []);

describe('a run over days without bars', () => {
  const over = (from: string, to: string, history = [FRIDAY]) => {
    assertBars({ history, from: calendarDay(from), to: calendarDay(to) }, 'config/x.yaml');
  };

  it('is refused with the day of the nearest bar and what to change', () => {
    expect(() => over('2019-12-28', '2019-12-29')).toThrow(
      'Cannot run from 2019-12-28 to 2019-12-29: "AAPL.US" has no bar on these days; the last of "AAPL.US" before them is of 2019-12-27; ' +
        'change "from" and "to" under "data:", or import bars of these days\n  at config/x.yaml',
    );
    expect(() => over('2001-01-02', '2001-12-31', [NONE])).toThrow('the first of "AAPL.US" comes later');
    expect(() => over('2020-01-02', '2020-12-31', [NONE, FRIDAY])).toThrow('none of its symbols has a bar');
  });

  it('passes if one symbol has one bar, on the first day or the last', () => {
    expect(() => over('2019-12-27', '2019-12-31', [NONE, FRIDAY])).not.toThrow();
    expect(() => over('2019-12-20', '2019-12-27')).not.toThrow();
  });
});
