import { describe, expect, it } from 'vitest';
import { runBacktest } from '#src/backtest/run-backtest.ts';
import { runInFull } from '#src/backtest/run-in-full.ts';
import { openingEquity } from '#src/backtest/setup.ts';
import { type CorporateAction, dividendOn } from '#src/model/corporate-action.ts';
import { decimal } from '#src/model/decimal.ts';
import { calendarDay } from '#src/model/time.ts';
import { performanceOf } from '#src/reports/performance.ts';
import { DEFAULT_RULES } from '#src/simulation/rules.ts';
import { defineStrategy } from '#src/strategy/define-strategy.ts';
import { setupOf } from '../fixtures/backtest.ts';
import { AAPL, at, columnsOf } from '../fixtures/market.ts';

const DAYS = ['04', '05', '06', '07', '08'].map((day) => `2024-03-${day}`);
const row = (day: string, price: number) =>
  [at(`${day}T00:00:00-05:00`), price, price, price, price, 1_000] as const;

/** Buys 31 shares at the close of the first day and sells the position at that of the fourth. */
const strategy = defineStrategy({
  name: 'in-and-out',
  params: {},
  onBar: ({ symbol, bar }, { orders, position }) => {
    const day = new Date(bar.time).getUTCDate();
    if (day === 4) return orders.buy(symbol, 31);
    return day === 7 && position(symbol).quantity > 0 ? orders.close(symbol) : undefined;
  },
});

function run(prices: readonly number[], corporateActions: readonly CorporateAction[]) {
  const columns = columnsOf(
    AAPL,
    '1d',
    DAYS.map((day, index) => row(day, prices[index] as number)).filter(([, open]) => !Number.isNaN(open)),
  );
  const setup = setupOf(strategy, [columns], {});
  const rules = {
    ...DEFAULT_RULES,
    corporateActions: true,
    fills: { ...DEFAULT_RULES.fills, splitOrders: 'cancel' as const },
  };
  return { setup, record: runInFull({ ...setup, rules, corporateActions }) };
}

const action = (exDay: string, kind: 'split' | 'dividend', figure: string): CorporateAction => {
  const common = { symbol: AAPL, exDay: calendarDay(exDay) };
  return kind === 'split'
    ? { ...common, kind, ratio: decimal(figure) }
    : { ...common, kind, perShare: decimal(figure) };
};

describe('dividends and splits in a backtest', () => {
  it('keep equity constant over a split, and pay the fraction of a share', () => {
    // 31 shares at 100 become 46.5 at 66.67 (three for two): 46 shares, and half of one in cash.
    const { record } = run([100, 100, 66, 66, 66], [action('2024-03-06', 'split', '1.5')]);
    const booked = record.decisions.filter((decision) => decision.kind === 'corporate-action');
    expect(booked).toMatchObject([{ action: 'split', quantity: decimal('15'), amount: decimal('33') }]);
    const [before, after] = [record.equity.value[1] ?? 0, record.equity.value[2] ?? 0];
    expect(after - before).toBeCloseTo(31 * 1.5 * 66 - 31 * 100, 9);
    const { trades } = performanceOf(record);
    expect(trades.closed).toHaveLength(1);
    expect(trades.open).toEqual([]);
    expect(trades.closed[0]?.quantity.toString()).toBe('46');
    const gross = trades.closed[0]?.profit.plus(trades.closed[0]?.fees ?? 0);
    expect(gross?.toString()).toBe(String(46 * 66 + 33 - 3_100));
  });

  it('pay a dividend on the position, and count it in the profit of the trade', () => {
    const { record, setup } = run(
      [100, 100, 100, 100, 100],
      [action('2024-03-07', 'dividend', '0.5'), action('2024-03-04', 'dividend', '9')],
    );
    const { trades } = performanceOf(record);
    expect(record.decisions.filter(({ kind }) => kind === 'corporate-action')).toMatchObject([
      { amount: decimal('15.5') },
    ]);
    const fees = trades.closed[0]?.fees.toNumber() ?? Number.NaN;
    expect(record.equity.value.at(-1)).toBeCloseTo(openingEquity(setup) + 15.5 - fees, 9);
  });

  it('are paid less the withheld tax, in the books of the venue and of the bot', () => {
    const { record } = run(
      [100, 100, 100, 100, 100],
      [{ ...action('2024-03-07', 'dividend', '0.5'), withheld: decimal('0.3') } as CorporateAction],
    );
    const booked = record.decisions.filter((decision) => decision.kind === 'corporate-action');
    expect(booked.map(({ amount }) => amount.toString())).toEqual(['10.85']);
    const dividends = record.bounds?.books?.find(({ account }) => account === 'dividends');
    expect(dividends?.amount.toString()).toBe('-10.85');
    expect(
      dividendOn({ perShare: decimal('0.5'), withheld: decimal('0.3') }, decimal('-31')).toString(),
    ).toBe('-15.5');
  });

  it('end a working order at a split', () => {
    const { record } = run([100, 50, 50, 50, 50], [action('2024-03-05', 'split', '2')]);
    const last = record.decisions.findLast((decision) => decision.kind === 'order-moved');
    expect(last).toMatchObject({ status: 'CanceledStatus' });
    expect(record.flow.fills).toBe(0);
  });

  it('pay out a position in a delisted share, as a closed trade', () => {
    const delisted: CorporateAction = {
      kind: 'delisting',
      symbol: AAPL,
      exDay: calendarDay('2024-03-07'),
      price: decimal('10'),
    };
    const { record, setup } = run([100, 100, 100, 100, 100], [delisted]);
    const { trades } = performanceOf(record);
    expect(trades.open).toEqual([]);
    expect(trades.closed.map(({ exitPrice, quantity }) => [`${exitPrice}`, `${quantity}`])).toEqual([
      ['10', '31'],
    ]);
    const fees = trades.closed[0]?.fees.toNumber() ?? Number.NaN;
    expect(record.equity.value.at(-1)).toBeCloseTo(openingEquity(setup) - 31 * 90 - fees, 9);
    expect(record.assumptions.join('\n')).toContain('AAPL.US is delisted on 2024-03-07');
  });

  it('count in the equity of a run that ends with a delisting', () => {
    const price = decimal('10');
    const delisted: CorporateAction = {
      kind: 'delisting',
      symbol: AAPL,
      exDay: calendarDay('2024-03-08'),
      price,
    };
    const { record, setup } = run([100, 100, 100, 100, Number.NaN], [delisted]);
    const fees = performanceOf(record).trades.closed[0]?.fees.toNumber() ?? Number.NaN;
    expect([...record.equity.time].map((time) => new Date(time).toISOString()).at(-1)).toBe(
      '2024-03-08T05:00:00.000Z',
    );
    expect(record.equity.value.at(-1)).toBeCloseTo(openingEquity(setup) - 31 * 90 - fees, 9);
    expect(record.equity.exposure.at(-1)).toBe(0);
    expect(record.to).toBe(record.equity.time.at(-1));
  });

  it('apply one after the other if their ex-days have no trade', () => {
    // Suspended on the 6th (split) and the 7th (dividend): at the first tick of the 8th 31 shares become 62, and the
    // dividend is paid for those.
    const { record } = run(
      [100, 100, Number.NaN, Number.NaN, 50],
      [action('2024-03-07', 'dividend', '0.5'), action('2024-03-06', 'split', '2')],
    );
    const booked = record.decisions.filter((decision) => decision.kind === 'corporate-action');
    expect(booked.map((each) => [each.action, `${each.amount}`])).toEqual([
      ['split', '0'],
      ['dividend', '31'],
    ]);
    const dividends = record.bounds?.books?.find(({ account }) => account === 'dividends');
    expect(dividends?.amount.toString()).toBe('-31');
  });

  it('close a trade if a reverse split leaves less than one share of it', () => {
    const { record } = run([100, 100, 4000, 4000, 4000], [action('2024-03-06', 'split', '0.025')]);
    const { trades } = performanceOf(record);
    expect(trades.open).toEqual([]);
    expect(trades.closed[0]?.exitPrice.toString()).toBe('100');
  });

  it('report days without bars, and actions that are known and not enabled', () => {
    const { setup } = run([100, 100, 100, 100, 100], []);
    const [bars] = setup.history;
    if (bars === undefined) throw new Error('A setup has bars');
    const gap = {
      ...setup,
      history: [columnsOf(AAPL, '1d', [row('2024-03-04', 100), row('2024-03-06', 100)])],
    };
    const unapplied = [action('2024-03-06', 'split', '2'), action('2034-03-06', 'split', '2')];
    const said = runBacktest({
      ...gap,
      from: calendarDay('2024-03-04'),
      to: calendarDay('2024-03-08'),
      unapplied,
    }).assumptions;
    expect(said.join('\n')).toContain(
      'no bar on 3 trading days, the first 2024-03-05; its bars end on 2024-03-06',
    );
    expect(said.join('\n')).toContain('events.csv has 1 corporate actions, 1 of them splits');
  });

  it('have no effect in a run that does not enable them', () => {
    const { setup } = run([100, 100, 100, 100, 100], []);
    expect(runBacktest(setup).assumptions).toContain(
      'No dividends, splits or other corporate actions are applied',
    );
  });
});
