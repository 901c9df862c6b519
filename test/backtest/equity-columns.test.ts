import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { equityOverColumns, type PortfolioPeriod } from '#src/backtest/equity-columns.ts';
import { cutColumns } from '#src/backtest/setup.ts';
import { bookFill, estimated, type Portfolio } from '#src/events/portfolio.ts';
import { barClose } from '#src/markets/bar-span.ts';
import type { BarColumns } from '#src/model/bar.ts';
import { decimal } from '#src/model/decimal.ts';
import { marketOf } from '#src/model/symbol.ts';
import { calendarDay, type Millis, millis } from '#src/model/time.ts';
import { AAPL, columnsOf, TENCENT } from '../fixtures/market.ts';
import { fillOf } from '../fixtures/orders.ts';
import { someBarsOver, stampsOf } from '../fixtures/some-bars.ts';

const days = { from: calendarDay('2024-12-23'), to: calendarDay('2024-12-27') };
const opening: Portfolio = {
  cash: new Map([
    ['USD', decimal('1000')],
    ['HKD', decimal('8000')],
  ]),
  holdings: new Map(),
};
const rate = (currency: string) => (currency === 'USD' ? 1 : 0.125);
const closeOf = (columns: BarColumns, index: number): Millis =>
  barClose(marketOf(columns.symbol), columns.period, millis(columns.time[index] as number));

/** Equity at every close without any cache: every bar is evaluated again for every instant. */
function naive(
  columns: readonly BarColumns[],
  firstBars: readonly number[],
  periods: readonly PortfolioPeriod[],
) {
  const all = columns.flatMap((bars, place) =>
    Array.from({ length: bars.length }, (_, index) => ({
      symbol: bars.symbol,
      time: closeOf(bars, index),
      close: bars.close[index] as number,
      counts: index >= (firstBars[place] ?? 0),
    })),
  );
  const times = [...new Set(all.filter(({ counts }) => counts).map(({ time }) => time))].sort(
    (a, b) => a - b,
  );
  return times.map((time) => {
    const held = periods.filter(({ from }) => from <= time).at(-1) ?? periods[0];
    const priceOf = (symbol: string) =>
      all
        .filter((bar) => bar.symbol === symbol && bar.time <= time)
        .sort((a, b) => a.time - b.time)
        .at(-1)?.close ?? Number.NaN;
    let value = held?.estimate.cash ?? Number.NaN;
    for (const { symbol, quantity, rate: into } of held?.estimate.holdings ?? [])
      value += quantity * priceOf(symbol) * into;
    return [time, value];
  });
}

const someTrade = fc.record({
  at: fc.nat(60),
  hongKong: fc.boolean(),
  buys: fc.boolean(),
  late: fc.boolean(),
});
type Trade = typeof someTrade extends fc.Arbitrary<infer T> ? T : never;

/** Positions after each trade, from the close of the trade or from right after it. */
function periodsOf(trades: readonly Trade[], closes: readonly Millis[]): readonly PortfolioPeriod[] {
  const periods: PortfolioPeriod[] = [{ from: millis(0), estimate: estimated(opening, rate) }];
  let portfolio = opening;
  const pinned = trades.map((trade) => ({ ...trade, close: closes[trade.at % closes.length] ?? 0 }));
  for (const { close, hongKong, buys, late } of pinned.sort((a, b) => a.close - b.close)) {
    const before = periods.at(-1)?.from ?? 0;
    const fill = fillOf('e', buys ? 'buy' : 'sell', '10', '20', {
      symbol: hongKong ? TENCENT : AAPL,
      currency: hongKong ? 'HKD' : 'USD',
      fee: decimal('1'),
    });
    const from = millis(Math.max(before, late ? close + 1 : close));
    portfolio = bookFill(portfolio, fill);
    periods.push({ from, estimate: estimated(portfolio, rate) });
  }
  return periods;
}

const someWorld = fc
  .tuple(
    someBarsOver(AAPL, '1h', stampsOf(AAPL, '1h', days)),
    someBarsOver(TENCENT, '1h', stampsOf(TENCENT, '1h', days)),
    fc.array(someTrade, { maxLength: 6 }),
    fc.nat(20),
  )
  .map(([us, hk, trades, begin]) => {
    const all = [us, hk].flatMap((bars) => Array.from(bars.time, (_, index) => closeOf(bars, index)));
    const start = [...all].sort((a, b) => a - b)[begin] ?? millis(0);
    const cuts = [us, hk].map((bars) => cutColumns(bars, start, 3));
    const closes = all.filter((close) => close > start);
    return {
      columns: cuts.map(({ columns }) => columns),
      firstBars: cuts.map(({ firstBar }) => firstBar),
      periods: periodsOf(closes.length === 0 ? [] : trades, closes),
    };
  });

describe('equity over columns', () => {
  it('equals an evaluation of every bar at every close', () => {
    fc.assert(
      fc.property(someWorld, ({ columns, firstBars, periods }) => {
        const curve = equityOverColumns({ columns, firstBars, periods });
        const expected = naive(columns, firstBars, periods);
        expect(Array.from(curve.time)).toEqual(expected.map(([time]) => time));
        for (const [index, [, value]] of expected.entries()) {
          const seen = curve.value[index] as number;
          if (Number.isNaN(value)) expect(seen).toBeNaN();
          else expect(seen).toBeCloseTo(value as number, 6);
        }
        expect(curve.exposure).toHaveLength(expected.length);
      }),
    );
  });

  it('has one point for each close, and none for warm-up bars', () => {
    const stamps = stampsOf(AAPL, '1h', { from: days.from, to: days.from });
    const rows = stamps.map((stamp) => [stamp, 20, 20, 20, 20] as const);
    const periods = [{ from: millis(0), estimate: estimated(opening, rate) }];
    const curve = equityOverColumns({
      columns: [columnsOf(AAPL, '1h', rows)],
      firstBars: [2],
      periods,
    });
    expect(curve.time).toHaveLength(stamps.length - 2);
    expect([...curve.value]).toEqual(stamps.slice(2).map(() => 2_000));
    expect([...curve.exposure]).toEqual(stamps.slice(2).map(() => 0));
  });

  it('is empty without bars', () => {
    const periods = [{ from: millis(0), estimate: estimated(opening, rate) }];
    expect(equityOverColumns({ columns: [], firstBars: [], periods }).time).toHaveLength(0);
  });
});
