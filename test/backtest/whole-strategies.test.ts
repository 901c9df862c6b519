import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runBacktest } from '#src/backtest/run-backtest.ts';
import type { RunSetup } from '#src/backtest/setup.ts';
import type { BarColumns } from '#src/model/bar.ts';
import { type IntentId, ORDER_TYPES, type OrderType } from '#src/model/order.ts';
import type { StrategyDefinition } from '#src/strategy/define-strategy.ts';
import { expectEqual } from '../fixtures/expect-equal.ts';
import { ARE_OTHER_CASES } from '../fixtures/random-cases.ts';
import {
  type HookBehaviour,
  someHookBehaviour,
  someMarkets,
  someQuoteBehaviour,
  wholeSetup,
} from '../fixtures/whole-strategies.ts';

/**
 * With SLUICE_RUNS the runs are random each time; otherwise they have a fixed seed, in which every order type fills.
 */
const asked = process.env['SLUICE_RUNS'];
const runs = Number(asked ?? 14);
const sampling = { numRuns: runs, ...(asked === undefined ? { seed: 20_240_304 } : {}) };
const none = () => undefined;

/** The result of a run, without counts of passing events. */
function outcome(setup: RunSetup) {
  const { decisions, equity, flow } = runBacktest(setup, { decisions: true });
  const { intents, denied, orders, fills } = flow;
  return { decisions, equity, flow: { intents, denied, orders, fills } };
}

/** Hooks that listen to every bar, every quote, or all bars of an instant, and decide nothing. */
const LISTENERS: readonly Partial<StrategyDefinition>[] = [
  { onBar: none },
  { onQuote: none },
  { onBars: none },
  { onBar: none, onQuote: none, onBars: none },
];

describe('a random strategy on two markets', () => {
  it('has equal decisions, fills and equity whether its hooks run at few events or at every bar and quote', () => {
    const seen = { runs: 0, fills: 0, types: new Set<string>(), kinds: new Set<string>() };
    fc.assert(
      fc.property(someHookBehaviour, someMarkets, (behaviour: HookBehaviour, history) => {
        const sparse = outcome(wholeSetup(behaviour, history));
        const listeners = ARE_OTHER_CASES ? LISTENERS : LISTENERS.slice(seen.runs % 4, (seen.runs % 4) + 1);
        for (const listener of listeners)
          expectEqual(outcome(wholeSetup(behaviour, history, listener)), sparse);
        seen.runs += 1;
        const types = new Map<IntentId, OrderType>();
        for (const decision of sparse.decisions) {
          seen.kinds.add(decision.kind);
          if (decision.kind === 'intent-drafted') types.set(decision.intentId, decision.terms.type);
          if (decision.kind === 'order-filled') seen.types.add(types.get(decision.fill.intentId) ?? 'none');
          if (decision.kind === 'order-filled') seen.fills += 1;
        }
      }),
      sampling,
    );
    expect(seen.fills).toBeGreaterThan(runs);
    expect([...seen.types].toSorted()).toEqual([...ORDER_TYPES].toSorted());
    expect([...seen.kinds]).toEqual(expect.arrayContaining(['intent-denied', 'order-moved', 'order-filled']));
  });

  it('decides and fills the same before an instant, however later figures change (I-26, F-D11)', () => {
    let [decided, fills] = [0, 0];
    const someFork = fc.record({
      behaviour: someQuoteBehaviour,
      history: someMarkets,
      which: fc.double({ min: 0.2, max: 0.9, noNaN: true }),
      times: fc.constantFrom(0.1, 0.9, 10),
    });
    fc.assert(
      fc.property(someFork, ({ behaviour, history, which, times }) => {
        const stamps = history.flatMap(({ time }) => [...time]).toSorted((one, other) => one - other);
        const from = stamps[Math.floor(stamps.length * which)] ?? 0;
        const past = (markets: readonly BarColumns[]): readonly string[] =>
          runBacktest(wholeSetup(behaviour, markets), { decisions: true })
            .decisions.filter((each) => (each.kind === 'signal' ? each.time : each.at) < from)
            .map((each) => JSON.stringify(each));
        const known = past(history);
        expectEqual(past(history.map((columns) => changedFrom(columns, from, times))), known);
        decided += known.length;
        fills += known.filter((each) => each.includes('order-filled')).length;
      }),
      sampling,
    );
    expect(decided).toBeGreaterThan(runs * 10);
    expect(fills).toBeGreaterThan(runs);
  });
});

/** The bars with every figure changed, in cents, in those that open at an instant or later. */
function changedFrom(columns: BarColumns, from: number, times: number): BarColumns {
  const { time, open, high, low, close, volume } = columns;
  const changed = (column: Float64Array): Float64Array =>
    column.map((value, row) =>
      (time[row] ?? 0) < from ? value : Math.round((value * times + 1) * 100) / 100,
    );
  return {
    ...columns,
    ...{ open: changed(open), high: changed(high), low: changed(low), close: changed(close) },
    volume: changed(volume).map(Math.round),
  };
}
