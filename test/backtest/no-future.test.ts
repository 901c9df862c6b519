import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runBacktest } from '#src/backtest/run-backtest.ts';
import type { BarColumns } from '#src/model/bar.ts';
import { calendarDay } from '#src/model/time.ts';
import { bars as anyBars } from '#src/signals/bars.ts';
import { crossover } from '#src/signals/cross.ts';
import { defineIndicator } from '#src/signals/custom.ts';
import { lag } from '#src/signals/indicators/arithmetic.ts';
import { sma } from '#src/signals/indicators/averages.ts';
import type { StrategyContext } from '#src/strategy/context.ts';
import { defineStrategy } from '#src/strategy/define-strategy.ts';
import type { BarEvent } from '#src/strategy/strategy-event.ts';
import { setupOf } from '../fixtures/backtest.ts';
import { AAPL } from '../fixtures/market.ts';
import { someBarsOver, stampsOf } from '../fixtures/some-bars.ts';

const days = { from: calendarDay('2024-03-04'), to: calendarDay('2024-03-08') };
const hours = someBarsOver(AAPL, '1h', stampsOf(AAPL, '1h', days));

/**
 * Decides at bars and at signals, with market, limit and trigger orders, by averages and by the strategy's own day.
 */
const strategy = defineStrategy({
  name: 'all-sorts',
  params: {},
  signals: ({ bars }) => ({
    cross: crossover(bars.close, sma(bars.close, 3)),
    day: bars.every('1d', (day) => day.high),
  }),
  onSignal: ({ symbol, direction }, { orders }) =>
    direction === 'up' ? orders.targetWeight(symbol, 0.3) : orders.close(symbol),
  onBar: ({ symbol, bar }, { orders, value }) => {
    if (bar.close > value(symbol, 'day')) return orders.buy(symbol, 3, { type: 'LO', price: bar.low });
    const stop = { type: 'MIT', triggerPrice: bar.high + 1 } as const;
    return bar.close < bar.open ? orders.buy(symbol, 2, stop) : undefined;
  },
});

/** All decisions, approvals and events up to an instant. */
function past(history: BarColumns, until: number): readonly string[] {
  return runBacktest(setupOf(strategy, [history]), { decisions: true })
    .decisions.filter((each) => (each.kind === 'signal' ? each.time : each.at) <= until)
    .map((each) => JSON.stringify(each));
}

describe('the future', () => {
  it('changes no decision before it, even if every later value changes', () => {
    let decided = 0;
    fc.assert(
      fc.property(hours, fc.nat(30), fc.integer({ min: 2, max: 40 }), (history, at, tenths) => {
        const cut = Math.min(at + 1, history.length - 1);
        const until = (history.time[cut] ?? 0) - 1;
        const changed = (column: Float64Array) =>
          column.map((value, i) => (i < cut ? value : (value * tenths) / 10 + 1));
        const { open, high, low, close, volume } = history;
        const other = {
          ...{ ...history, open: changed(open), high: changed(high), low: changed(low) },
          ...{ close: changed(close), volume: changed(volume) },
        };
        const before = past(history, until);
        decided += before.length;
        expect(past(other, until)).toEqual(before);
      }),
      { numRuns: 40 },
    );
    expect(decided).toBeGreaterThan(100);
  });

  it('is invisible to a custom indicator, whose own memory never has more than the closed bars', () => {
    fc.assert(
      fc.property(hours, fc.boolean(), (history, sparse) => {
        const closes: number[] = [];
        const overhear = defineIndicator({
          name: 'overhear',
          start: () => {
            closes.length = 0;
            return (close) => closes.push(close) && close;
          },
        });
        const said: string[] = [];
        const wanted: string[] = [];
        const notes = ({ bar, symbol }: BarEvent, { value }: StrategyContext): undefined => {
          said.push(`${closes.at(-1)} ${closes.length} ${value(symbol, 'own')} ${value(symbol, 'slow')}`);
          const index = history.time.indexOf(bar.time);
          const slow = (bar.close + (history.close[index - 1] ?? Number.NaN)) / 2;
          wanted.push(`${bar.close} ${index + 1} ${bar.close} ${slow}`);
        };
        const own = defineStrategy({
          name: 'overhearing',
          params: {},
          signals: ({ bars }) => {
            const heard = overhear([bars.close]);
            return { own: heard, slow: sma(heard, 2), cross: crossover(heard, sma(heard, 2)) };
          },
          ...(sparse ? {} : { onBar: notes }),
          onSignal: ({ close, direction, symbol }, { orders }) => {
            said.push(`${closes.at(-1)}`);
            wanted.push(`${close}`);
            return direction === 'up' ? orders.buy(symbol, 3) : orders.close(symbol);
          },
        });
        runBacktest(setupOf(own, [history]));
        expect(said).toEqual(wanted);
      }),
      { numRuns: 30 },
    );
  });

  it('is unaffected by a fault: a custom indicator that throws is reported as an error of the strategy in signals', () => {
    const [history] = fc.sample(hours, { numRuns: 1, seed: 1 });
    if (history === undefined) throw new Error('No bars were drawn');
    let bars = 0;
    const faulty = defineIndicator({
      name: 'faulty',
      start: () => (close) => {
        bars += 1;
        if (bars === 3) throw new Error('no third bar');
        return close;
      },
    });
    const own = defineStrategy({
      name: 'faulty',
      params: {},
      signals: (input) => ({ own: faulty([input.bars.close]) }),
      onBar: () => undefined,
    });
    expect(() => runBacktest(setupOf(own, [history]))).toThrow(
      /^Strategy "faulty" threw in signals: no third bar/,
    );
  });

  it('cannot be read: no series, event or context of a strategy has a later bar', () => {
    expect(() => lag(anyBars.close, -1)).toThrow(RangeError);
    const reaching = defineStrategy({
      name: 'reaching',
      params: {},
      signals: ({ bars }) => {
        // @ts-expect-error a series has no values to index
        const tomorrow: unknown = bars.close[1];
        expect(tomorrow).toBeUndefined();
        return {};
      },
      onBar: ({ bar }, context) => {
        // @ts-expect-error a bar knows no other bar
        const next: unknown = bar.next;
        // @ts-expect-error the context has no history and no future
        const all: unknown = context.bars;
        expect([next, all]).toEqual([undefined, undefined]);
        return undefined;
      },
    });
    const [history] = fc.sample(hours, { numRuns: 1, seed: 1 });
    if (history === undefined) throw new Error('No bars were drawn');
    expect(runBacktest(setupOf(reaching, [history])).flow.intents).toBe(0);
  });
});
