import { describe, expect, it } from 'vitest';
import { runExpress } from '#src/backtest/express/run-express.ts';
import { runBacktest } from '#src/backtest/run-backtest.ts';
import { runInFull } from '#src/backtest/run-in-full.ts';
import type { RunSetup } from '#src/backtest/setup.ts';
import type { DetailedRecord } from '#src/events/run-record.ts';
import { decimal } from '#src/model/decimal.ts';
import { calendarDay } from '#src/model/time.ts';
import { reportJson } from '#src/reports/json.ts';
import { terminalReport } from '#src/reports/terminal.ts';
import { defineStrategy } from '#src/strategy/define-strategy.ts';
import { setupOf } from '../fixtures/backtest.ts';
import { limitsOf } from '../fixtures/risk.ts';
import { bars } from '../simulation/world.ts';

/** Two weeks: a rise, a Wednesday that loses a tenth, a rise, and a Tuesday that loses as much again. */
const weeks = bars('AAPL.US', '1d', [
  ['2024-03-04T05:00:00Z', 10, 11, 10, 10],
  ['2024-03-05T05:00:00Z', 10, 11, 10, 11],
  ['2024-03-06T05:00:00Z', 11, 11, 9, 9.5],
  ['2024-03-07T05:00:00Z', 9.4, 10, 9, 9.6],
  ['2024-03-08T05:00:00Z', 9.6, 10, 9, 9.7],
  ['2024-03-11T04:00:00Z', 9.7, 10.2, 9.7, 10.1],
  ['2024-03-12T04:00:00Z', 10.1, 10.1, 8.8, 9],
  ['2024-03-13T04:00:00Z', 9.1, 9.3, 9, 9.2],
]);

/** Holds while the close is at least 9.6. */
const above = defineStrategy({
  name: 'above',
  params: {},
  signals: () => ({}),
  onBar: ({ symbol, bar: { close } }, { orders, position }) => {
    const { quantity } = position(symbol);
    if (close >= 9.6) return quantity === 0 ? orders.buy(symbol, 500) : undefined;
    return quantity === 0 ? undefined : orders.close(symbol);
  },
});

/** Buys once, with a stop far below. */
const guarded = defineStrategy({
  name: 'guarded',
  params: {},
  signals: () => ({}),
  onBar: ({ symbol, bar }, { orders }) =>
    bar.time === Date.parse('2024-03-04T05:00:00Z')
      ? orders.bracket(orders.buy(symbol, 500), { stop: 5, target: 50 })
      : undefined,
});

const run = (
  strategy: RunSetup['strategy'],
  maxDailyLoss: string,
  operator: RunSetup['operator'] = 'next-day',
): DetailedRecord =>
  runInFull({
    ...setupOf(strategy, [weeks], { limits: limitsOf({ maxDailyLoss: decimal(maxDailyLoss) }) }),
    operator,
    to: calendarDay('2024-03-13'),
  });

const fillsOf = (record: DetailedRecord): readonly string[] =>
  record.decisions.flatMap((each) =>
    each.kind === 'order-filled'
      ? [
          `${new Date(each.at).toISOString().slice(0, 10)} ${each.fill.side} ${each.fill.quantity} at ${each.fill.price}`,
        ]
      : [],
  );

describe('a backtest whose gate stops', () => {
  it('closes what the strategy could not close, and continues with the next trading day: the fills of a run without the limit', () => {
    const record = run(above, '0.02');
    expect(fillsOf(record)).toEqual([
      '2024-03-05 buy 500 at 10',
      '2024-03-07 sell 500 at 9.4',
      '2024-03-08 buy 500 at 9.6',
      '2024-03-13 sell 500 at 9.1',
    ]);
    expect(fillsOf(run(above, '1'))).toEqual(fillsOf(record));
    expect(record.equity.value).toEqual(run(above, '1').equity.value);
    expect(record.stops?.map(({ rule, state }) => `${rule} ${state}`)).toEqual(
      Array(2).fill('daily-loss killed'),
    );
  });

  it('closes a position whose exits the kill cancelled, at the next opening', () => {
    const record = run(guarded, '0.02');
    expect(fillsOf(record)).toEqual(['2024-03-05 buy 500 at 10', '2024-03-07 sell 500 at 9.4']);
    expect(record.stops).toHaveLength(1);
    expect(record.gate).toMatchObject({ state: 'active', by: 'operator' });
  });

  it('stops at the fill that causes the loss, also on a day that opened far from the last close', () => {
    const gap = bars('AAPL.US', '1d', [
      ['2024-03-04T05:00:00Z', 10, 10, 10, 10],
      ['2024-03-05T05:00:00Z', 11, 11, 10.4, 10.5],
      ['2024-03-06T05:00:00Z', 10.5, 10.5, 10.5, 10.5],
    ]);
    const stopsOut = defineStrategy({
      ...{ name: 'stops-out', params: {} },
      onBar: ({ symbol, bar }, { orders }) =>
        bar.close === 10 ? orders.bracket(orders.buy(symbol, 500), { stop: { amount: '0.4' } }) : undefined,
    });
    const limits = limitsOf({ maxDailyLoss: decimal('0.005') });
    const record = runInFull({ ...setupOf(stopsOut, [gap], { limits }), operator: 'next-day' });
    expect(fillsOf(record)).toEqual(['2024-03-05 buy 500 at 11', '2024-03-05 sell 500 at 10.6']);
    expect(record.stops?.map(({ rule, reason }) => `${rule}: ${reason}`)).toEqual([
      'daily-loss: The day has cost 1% of equity, limit is 0.5%',
    ]);
  });

  it.each([
    ['maxDailyLoss', 'next-day', ['daily-loss', 'daily-loss']],
    ['maxDailyLoss', 'absent', undefined],
    ['maxDrawdown', 'next-day', ['drawdown', 'drawdown']],
    ['maxDrawdown', 'absent', undefined],
  ] as const)('runs in plain numbers with a %s and an operator that is %s', (limit, operator, stops) => {
    const limits = limitsOf({ [limit]: decimal('0.02') });
    const setup = {
      ...setupOf(above, [weeks], { limits, cash: { USD: decimal('10000') } }),
      operator,
      to: calendarDay('2024-03-13'),
    };
    const express = runExpress(setup);
    if (express.kind === 'bailed-out') throw new Error(express.why);
    expect(express.stops?.map(({ rule }) => rule)).toEqual(stops);
    const [record, full] = [runBacktest(setup), runInFull(setup)];
    const shown = { colour: false, explained: true };
    expect(terminalReport(record, shown)).toBe(terminalReport(full, shown));
    expect({ gate: record.gate, stops: record.stops }).toEqual({ gate: full.gate, stops: full.stops });
  });

  it('stays stopped without a simulated operator', () => {
    const record = run(above, '0.02', 'absent');
    expect(fillsOf(record)).toEqual(['2024-03-05 buy 500 at 10']);
    expect(record.stops).toBeUndefined();
    expect(record.gate?.state).toBe('killed');
  });

  it('reports how often and by which limit it stopped, which config line runs the strategy without it, and the assumptions', () => {
    const record = run(above, '0.02');
    const text = terminalReport(record, { colour: false, explained: true }).replace(/\s+/g, ' ');
    expect(text).toMatch(
      /Risk limits stopped this run 2 times, and each time a simulated operator resumed it before the next trading day \(2 by daily-loss, first on 2024-03-06: The day has cost .* of equity, limit is 2%\)\. To see the strategy without that, write "maxDailyLoss: 100%" under "risk:"/,
    );
    expect(text).toContain('After a risk limit stopped the gate (2 times here) an operator is assumed');
    expect(
      terminalReport(run(guarded, '0.02'), { colour: false, explained: true }).replace(/\s+/g, ' '),
    ).toContain(
      'Risk limits stopped this run once, and a simulated operator resumed it before the next trading day',
    );
    expect(reportJson(record).stops).toMatchObject([
      { rule: 'daily-loss', count: 2, line: 'maxDailyLoss: 100%' },
    ]);
    expect(text).not.toContain('it was not resumed');
    expect(reportJson(run(above, '1')).stops).toEqual([]);
  });
});
