import { describe, expect, it } from 'vitest';
import { runExpress } from '#src/backtest/express/run-express.ts';
import { runBacktest } from '#src/backtest/run-backtest.ts';
import { runInFull } from '#src/backtest/run-in-full.ts';
import { decimal } from '#src/model/decimal.ts';
import { calendarDay } from '#src/model/time.ts';
import { reportJson } from '#src/reports/json.ts';
import { terminalReport } from '#src/reports/terminal.ts';
import { crossover } from '#src/signals/cross.ts';
import { sma } from '#src/signals/indicators/averages.ts';
import { defineStrategy } from '#src/strategy/define-strategy.ts';
import type { Decision, OrderDrafts } from '#src/strategy/order-draft.ts';
import { setupOf } from '../fixtures/backtest.ts';
import { AAPL, columnsOf } from '../fixtures/market.ts';
import { stampsOf } from '../fixtures/some-bars.ts';

const DAYS = { from: calendarDay('2024-03-04'), to: calendarDay('2024-06-28') };
const PRICES = [100, 101, 103, 102, 99, 97, 98, 101];
const bars = columnsOf(
  AAPL,
  '1d',
  stampsOf(AAPL, '1d', DAYS).map((stamp, day) => {
    const price = PRICES[day % PRICES.length] ?? 100;
    return [stamp, price, price + 2, price - 2, price + 1];
  }),
);

/** Trades on its signals; the test supplies its onBar. */
function setupWith(
  onBar: (orders: OrderDrafts, bar: number) => unknown,
  { signals = 'heard' }: { readonly signals?: 'heard' | 'unheard' } = {},
) {
  let bar = 0;
  const strategy = defineStrategy({
    name: 'forgets',
    params: {},
    signals: ({ bars: { close } }) => ({ cross: crossover(sma(close, 2), sma(close, 4)) }),
    onSignal: ({ symbol, direction }, { orders }) =>
      signals === 'heard' ? orders.targetQuantity(symbol, direction === 'up' ? 1 : 0) : undefined,
    onBar: (_event, { orders }) => {
      bar += 1;
      return onBar(orders, bar) as Decision;
    },
  });
  return setupOf(strategy, [bars], { ...DAYS, cash: { USD: decimal('10000') } });
}

const forgetsEachThird = () =>
  setupWith((orders, bar) => {
    if (bar % 3 === 0) orders.targetQuantity(AAPL, 5);
  });

/** The first bar warms the signals up and calls no hook. */
const THIRDS = Math.floor((stampsOf(AAPL, '1d', DAYS).length - 4) / 3);

describe('a hook that forgets to return the orders that it created', () => {
  it('is named with its count, although another hook of the run trades; in plain numbers and in the full engine', () => {
    expect(runExpress(forgetsEachThird()).kind).toBe('completed');
    for (const record of [runBacktest(forgetsEachThird()), runInFull(forgetsEachThird())]) {
      expect(record.flow.orders).toBeGreaterThan(5);
      expect(record.unreturned).toEqual([{ hook: 'onBar', calls: THIRDS }]);
      const text = `onBar created orders and returned nothing ${THIRDS} times: what a hook does not return is not sent. Is a "return" missing?`;
      expect(terminalReport(record, { colour: false, explained: true }).replaceAll(/\s+/g, ' ')).toContain(
        text,
      );
      expect(reportJson(record).unreturned).toEqual([text]);
    }
  });

  it('is counted over a run that begins in plain numbers and ends in the full engine', () => {
    const setup = setupWith((orders, bar) => {
      if (bar % 3 === 0) orders.targetQuantity(AAPL, 5);
      return bar === 40 ? orders.bracket(orders.buy(AAPL, 1), { stop: { percent: 5 } }) : undefined;
    });
    expect(runBacktest(setup).unreturned).toEqual([{ hook: 'onBar', calls: THIRDS }]);
  });

  it('does not count calls that create no order, or return what they create', () => {
    const record = runBacktest(setupWith((orders, bar) => (bar === 3 ? orders.buy(AAPL, 1) : undefined)));
    expect('unreturned' in record).toBe(false);
  });
});

describe('orders that could not be made', () => {
  const LEFT_OUT = { reason: 'quantity -5 of "AAPL.US" is not a positive number', count: THIRDS };

  it('are counted by reason and named in every report, which does not ask for a missing "return"', () => {
    const record = runBacktest(
      setupWith((orders, bar) => (bar % 3 === 0 ? orders.buy(AAPL, -5) : undefined), {
        signals: 'unheard',
      }),
    );
    expect(record.flow.intents).toBe(0);
    expect(record.leftOut).toEqual([{ ...LEFT_OUT, firstAt: expect.any(Number) }]);
    const [first] = record.leftOut ?? [];
    const day = new Date(first?.firstAt ?? Number.NaN).toISOString().slice(0, 10);
    const texts = [
      'No order was sent: those that the strategy asked for could not be made, see "Why orders were left out" below',
      'Why orders were left out',
      `${THIRDS}; first on ${day}: ${LEFT_OUT.reason}`,
    ];
    const printed = terminalReport(record, { colour: false }).replaceAll(/\s+/g, ' ');
    for (const text of texts) expect(printed).toContain(text);
    expect(printed).not.toContain('"return"');
    expect(reportJson(record).leftOut).toMatchObject([LEFT_OUT]);
    expect('leftOut' in runBacktest(forgetsEachThird())).toBe(false);
  });
});
