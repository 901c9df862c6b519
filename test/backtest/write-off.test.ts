import { describe, expect, it } from 'vitest';
import { runInFull } from '#src/backtest/run-in-full.ts';
import { decimal } from '#src/model/decimal.ts';
import { calendarDay } from '#src/model/time.ts';
import { performanceOf } from '#src/reports/performance.ts';
import { profitOf } from '#src/reports/profit.ts';
import { terminalReport } from '#src/reports/terminal.ts';
import { NO_INTEREST } from '#src/simulation/books/interest.ts';
import { MARGIN_ACCOUNT } from '#src/simulation/models.ts';
import { DEFAULT_RULES } from '#src/simulation/rules.ts';
import { defineStrategy } from '#src/strategy/define-strategy.ts';
import { setupOf } from '../fixtures/backtest.ts';
import { AAPL, columnsOf, security } from '../fixtures/market.ts';
import { limitsOf } from '../fixtures/risk.ts';
import { stampsOf } from '../fixtures/some-bars.ts';

const DAYS = { from: calendarDay('2024-03-04'), to: calendarDay('2024-03-08') };
const half = decimal('0.5');

const short = defineStrategy({
  name: 'short',
  params: {},
  onBar: ({ symbol }, { orders }) => orders.targetQuantity(symbol, -100),
});

/**
 * Sells 100 short at 100 on the second day. The price is 214 on the last day but `after`, so the account owes 1,400.
 */
function ruined(after: number) {
  const stamps = stampsOf(AAPL, '1d', DAYS);
  const ruin = stamps.length - 1 - after;
  const bars = columnsOf(
    AAPL,
    '1d',
    stamps.map((stamp, at) => (at < ruin ? [stamp, 100, 100, 100, 100] : [stamp, 214, 214, 214, 214])),
  );
  return runInFull(
    setupOf(short, [bars], {
      securities: [{ ...security(AAPL), margin: { initial: half, maintenance: half, forced: half } }],
      ...{ ...DAYS, margin: { ...MARGIN_ACCOUNT, closeOut: 'equity' }, short: true, operator: 'absent' },
      limits: limitsOf({ useMargin: true, allowShort: true }),
      rules: { ...DEFAULT_RULES, interest: NO_INTEREST },
      ...{ cash: { USD: decimal('10000') }, fx: {} },
    }),
  );
}

describe('an account that is closed out at zero', () => {
  it.each([0, 1, 2])(
    'has equity 0 at every close from then on, as in its books (%i days before the end)',
    (after) => {
      const record = ruined(after);
      const cash = record.bounds?.books?.find(({ account }) => account === 'cash');
      expect(cash?.amount.toString()).toBe('0');
      expect([...record.equity.value].slice(-1 - after)).toEqual(Array.from({ length: after + 1 }, () => 0));
      expect(Math.min(...record.equity.value)).toBe(0);
      const moves = record.decisions.flatMap((each) =>
        each.kind === 'interest-booked' ? [`${each.move} ${each.amount}`] : [],
      );
      expect(moves).toEqual(['write-off 1400']);
      expect(record.flow.fills).toBe(2);
      const figures = performanceOf(record);
      expect(figures.totalReturn).toEqual({ kind: 'value', value: -1 });
      expect(profitOf(record, figures)?.unexplained.toString()).toBe('0');
      expect(terminalReport(record, { colour: false, explained: true })).toMatch(
        /Debt written off by the venue +1,?400\.00 USD/,
      );
    },
  );
});
