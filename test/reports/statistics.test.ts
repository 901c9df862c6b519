import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runInFull } from '#src/backtest/run-in-full.ts';
import { decimal } from '#src/model/decimal.ts';
import { intentId } from '#src/model/order.ts';
import { DAY_MS, HOUR_MS, millis, utcDay } from '#src/model/time.ts';
import { curveStatistics, ROLLING_DAYS } from '#src/reports/curve-statistics.ts';
import { excursionsIn } from '#src/reports/excursions.ts';
import { exitReasonsOf } from '#src/reports/exit-reasons.ts';
import { reportJson } from '#src/reports/json.ts';
import { performanceOf } from '#src/reports/performance.ts';
import { tradeStatistics } from '#src/reports/trade-statistics.ts';
import { type RoundTrip, tradesOf } from '#src/reports/trades.ts';
import { defineStrategy } from '#src/strategy/define-strategy.ts';
import { setupOf } from '../fixtures/backtest.ts';
import { bars } from '../simulation/world.ts';
import { aFill, aRun, START } from './a-run.ts';

const trip = (entry: string, exit: string, day: number, days: number) => [
  aFill('buy', 10, entry, { day }),
  aFill('sell', 10, exit, { day: day + days }),
];

describe('trade statistics', () => {
  it('are means, extremes, streaks, durations and SQN of returns after fees', () => {
    // 2 dollars of fees on 1,000 each: returns of 0.098, -0.102, -0.052 and 0.198.
    const fills = [
      trip('100', '110', 0, 1),
      trip('100', '90', 1, 2),
      trip('100', '95', 3, 3),
      trip('100', '120', 6, 4),
    ];
    const found = tradeStatistics(tradesOf(fills.flat()).closed);
    expect(found.averageWin).toBeCloseTo((0.098 + 0.198) / 2, 12);
    expect(found.averageLoss).toBeCloseTo((-0.102 - 0.052) / 2, 12);
    expect([found.best, found.worst].map((share) => share?.toFixed(3))).toEqual(['0.198', '-0.102']);
    expect([found.longestWinStreak, found.longestLossStreak]).toEqual([1, 2]);
    expect([found.averageDurationMs, found.longestDurationMs]).toEqual([2.5 * DAY_MS, 4 * DAY_MS]);
    // By hand: mean 0.0355, squares 0.00390625 + 0.01890625 + 0.00765625 + 0.02640625, deviation 0.1376893.
    expect(found.sqn).toBeCloseTo((2 * 0.0355) / 0.1376893, 5);
    expect(found.bySymbol).toMatchObject([{ symbol: 'SPX.US', trades: 4, wins: 2, profit: '142' }]);
  });

  it('are null without trades, and SQN with one', () => {
    expect(tradeStatistics([])).toMatchObject({ averageWin: null, best: null, sqn: null, bySymbol: [] });
    expect(tradeStatistics(tradesOf(trip('100', '110', 0, 1)).closed).sqn).toBeNull();
  });
});

/** The depth of each decline of a curve, the deepest first. */
function drawdownShares(initial: number, value: readonly number[]): number[] {
  const shares: number[] = [];
  let [peak, low] = [initial, initial];
  for (const now of [...value, Number.POSITIVE_INFINITY]) {
    low = Math.min(low, now);
    if (now < peak) continue;
    if (low < peak) shares.push(1 - low / peak);
    [peak, low] = [now, now];
  }
  return shares.sort((one, other) => other - one);
}

describe('curve statistics', () => {
  const daily = (value: readonly number[]) => ({
    day: value.map((_, day) => utcDay(millis(START + day * DAY_MS))),
    time: value.map((_, day) => millis(START + day * DAY_MS + 21 * HOUR_MS)),
    value: [...value],
  });

  it('list drawdowns by depth, from the equity before the first close on', () => {
    const run = aRun([90, 101, 99, 98, 102, 51, 60], { initialEquity: 100 });
    const { drawdowns } = reportJson(run).statistics;
    expect(drawdowns.map(({ share, days }) => [share.toFixed(4), days])).toEqual([
      ['0.5000', 2],
      ['0.1000', 2],
      ['0.0297', 3],
    ]);
    expect(drawdowns[0]?.recoveredAt).toBeNull();
    expect(drawdowns[1]).toMatchObject({
      peakAt: '2024-01-01T00:00:00.000Z',
      troughAt: '2024-01-02T00:00:00.000Z',
    });
  });

  it('measure drawdowns at all closes, so that the deepest is the maximum drawdown', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 60, max: 140 }), { minLength: 1, maxLength: 60 }), (value) => {
        const equity = {
          time: Float64Array.from(value, (_, hour) => START + (hour + 1) * HOUR_MS),
          value: Float64Array.from(value),
          exposure: new Float64Array(value.length),
        };
        const { figures, statistics } = reportJson(aRun([], { initialEquity: 100, equity }));
        const { share, peakAt, troughAt, recoveredAt } = figures.maxDrawdown;
        const deepest = share === 0 ? undefined : { share, peakAt, troughAt, recoveredAt };
        expect(statistics.drawdowns[0]).toEqual(deepest && expect.objectContaining(deepest));
        const shares = drawdownShares(100, value);
        expect(statistics.drawdowns.map((each) => each.share)).toEqual(shares.slice(0, 5));
      }),
    );
  });

  it('name the best and the worst day, and count returns in bins', () => {
    const { bestDay, worstDay, histogram } = curveStatistics(100, daily([102, 102, 51, 76.5]));
    expect(bestDay?.share).toBeCloseTo(0.5, 12);
    expect(worstDay).toEqual({
      day: utcDay(millis(START + 2 * DAY_MS)),
      at: START + 2 * DAY_MS + 21 * HOUR_MS,
      share: -0.5,
    });
    expect(histogram).toMatchObject({ from: -0.5, width: 0.05 });
    expect(histogram?.counts.reduce((sum, count) => sum + count, 0)).toBe(4);
    expect(histogram?.counts[0]).toBe(1);
  });

  it('have rolling figures from the first full window on, of daily closes above 0', () => {
    const values = Array.from(
      { length: ROLLING_DAYS + 1 },
      (_, day) => 100 * 1.01 ** (day % 2 === 0 ? 1 : 0),
    );
    const { rolling } = curveStatistics(100, daily(values));
    expect(rolling?.time).toHaveLength(2);
    expect(curveStatistics(100, daily(values.slice(2))).rolling).toBeNull();
    const weekly = { ...daily(values), time: values.map((_, week) => millis(START + week * 7 * DAY_MS)) };
    expect(curveStatistics(100, weekly).rolling).toBeNull();
    expect(curveStatistics(100, daily([...values, 0])).rolling).toBeNull();
  });

  it('are empty without a close', () => {
    expect(curveStatistics(100, daily([]))).toEqual({
      ...{ bestDay: null, worstDay: null, histogram: null, rolling: null },
    });
  });
});

const DAYS = [
  ['2024-03-04T00:00:00-05:00', 100, 101, 99, 100, 1_000],
  ['2024-03-05T00:00:00-05:00', 100, 104, 98, 103, 1_000],
  ['2024-03-06T00:00:00-05:00', 103, 112, 102, 111, 1_000],
  ['2024-03-07T00:00:00-05:00', 111, 113, 90, 92, 1_000],
  ['2024-03-08T00:00:00-05:00', 92, 95, 91, 94, 1_000],
] as const;

describe('trades of a run with brackets', () => {
  const bracket = defineStrategy({
    name: 'bracket',
    params: {},
    onBar: ({ symbol }, { position, orders }) =>
      position(symbol).quantity === 0
        ? orders.bracket(orders.buy(symbol, 10), { stop: { percent: 8 }, target: { percent: 10 } })
        : undefined,
  });
  const history = bars('AAPL.US', '1d', DAYS);
  const record = runInFull(setupOf(bracket, [history]));
  const { closed } = performanceOf(record).trades;

  it('state by which exit each closed', () => {
    expect(closed.map(exitReasonsOf(record))).toEqual(['target', 'stop']);
  });

  it('state the exit although an order at that instant opens the next trade, in the same direction or the other', () => {
    const [, sold] = closed;
    if (sold === undefined) throw new Error('The run has no second trade');
    const [fill] = record.decisions.flatMap((decision) =>
      decision.kind === 'order-filled' && decision.fill.time === sold.closedAt ? [decision] : [],
    );
    if (fill === undefined) throw new Error('The stop has no fill');
    for (const side of ['buy', 'sell'] as const) {
      const next = { ...fill, intentId: intentId('next'), fill: { ...fill.fill, side } };
      const reasonOf = exitReasonsOf({ ...record, decisions: [...record.decisions, next] });
      expect(reasonOf(sold)).toBe('stop');
    }
  });

  it('convert prices before a split to the shares of the end', () => {
    const trade = { ...closed[0], entryPrice: decimal('50') } as RoundTrip;
    const excursionOf = excursionsIn([
      {
        ...{ columns: history, firstBar: 0, rateAt: () => 1 },
        closeAt: (bar) => millis(history.time[bar] as number),
        sharesAt: (bar) => (bar < 2 ? 1 : 2),
      },
    ]);
    // The 5th, 98 to 104 in old shares, is 49 to 52; the 6th is 102 to 112 as it is.
    const found = excursionOf(trade);
    expect(found?.adverse).toBeCloseTo(0.02, 12);
    expect(found?.favourable).toBeCloseTo(112 / 50 - 1, 12);
  });

  it('state how far the price went against and for each, over whole bars', () => {
    const excursionOf = excursionsIn([
      {
        columns: history,
        firstBar: 0,
        closeAt: (bar) => millis(history.time[bar] as number),
        rateAt: () => 1,
      },
    ]);
    const found = closed.map((trade) => ({ entry: trade.entryPrice.toNumber(), ...excursionOf(trade) }));
    // Bought at 100 on the 5th, sold at 110 on the 6th: lows to 98, highs to 112. Bought at 111, sold on the 7th: 90 and 113.
    expect(found[0]).toMatchObject({ entry: 100 });
    expect(found[0]?.adverse).toBeCloseTo(0.02, 12);
    expect(found[0]?.favourable).toBeCloseTo(0.12, 12);
    expect(found[1]).toMatchObject({ entry: 111 });
    expect(found[1]?.adverse).toBeCloseTo(1 - 90 / 111, 12);
    expect(found[1]?.favourable).toBeCloseTo(113 / 111 - 1, 12);
  });

  it('have none without bars', () => {
    expect(closed.map(excursionsIn([]))).toEqual([undefined, undefined]);
  });
});
