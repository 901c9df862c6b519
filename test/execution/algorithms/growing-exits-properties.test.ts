import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runBacktest } from '#src/backtest/run-backtest.ts';
import { createFold } from '#src/events/fold.ts';
import { createMemoryJournal } from '#src/journal/memory.ts';
import { ZERO } from '#src/model/decimal.ts';
import { isLive, openRest } from '#src/model/order-state.ts';
import type { Millis } from '#src/model/time.ts';
import { DEFAULT_RULES } from '#src/simulation/rules.ts';
import { defineStrategy } from '#src/strategy/define-strategy.ts';
import { setupOf } from '../../fixtures/backtest.ts';
import { AAPL, at, type BarRow, columnsOf } from '../../fixtures/market.ts';

const OPEN = at('2024-03-04T09:30:00-05:00');
const AFTER_DATA = at('2024-03-09T00:00:00-05:00');

/** Price steps between the closes of minutes, some of them large. */
const somePrices = fc.array(fc.integer({ min: -30, max: 30 }), { minLength: 30, maxLength: 60 });
const someExits = fc.constantFrom(
  { stop: { percent: 2 }, target: { percent: 2 } },
  { stop: { amount: '0.4' } },
  { trail: { percent: 2 }, target: { amount: '0.5' } },
  { stop: { percent: 3 }, trail: { amount: '0.5' }, target: { percent: 4 }, breakEven: { percent: 1 } },
);
const PRINT_EVERY_MS = 15_000;
const someLatency = fc.constantFrom(0, 20, 16_000);

/** Minutes of 100 shares around 10, from the steps between their closes. */
function minutes(steps: readonly number[]) {
  let close = 10;
  const rows = steps.map((step, index): BarRow => {
    const open = close;
    close = Math.max(8, Math.round((open + step / 100) * 100) / 100);
    const [high, low] = [Math.max(open, close) + 0.05, Math.min(open, close) - 0.05];
    return [OPEN + index * 60_000, open, Number(high.toFixed(2)), Number(low.toFixed(2)), close, 100];
  });
  return columnsOf(AAPL, '1m', rows);
}

it('a bracket that is filled in parts never sells more than it holds, and is never without a stop (I-6)', () => {
  fc.assert(
    fc.property(somePrices, someExits, someLatency, fc.boolean(), (steps, exits, latencyMs, isLimit) => {
      let bar = 0;
      const strategy = defineStrategy({
        name: 'bracketed',
        params: {},
        onBar: ({ symbol, bar: { close } }, { orders }) => {
          bar += 1;
          if (bar !== 1 && bar !== 15) return undefined;
          const entry = isLimit
            ? orders.buy(symbol, 100, { type: 'LO', price: close })
            : orders.buy(symbol, 100);
          return orders.bracket(entry, exits);
        },
      });
      const journal = createMemoryJournal();
      const latency = latencyMs === 0 ? DEFAULT_RULES.latency : ({ kind: 'fixed', ms: latencyMs } as const);
      const rules = { ...DEFAULT_RULES, latency, fills: { ...DEFAULT_RULES.fills, participation: 0.4 } };
      runBacktest(setupOf(strategy, [minutes(steps)], { rules }), { journal });

      const { state, apply } = createFold();
      const since = new Map<string, Millis>();
      /** A fault may last for three latencies, while messages are in transit. */
      const mayLast = (what: string, isSo: boolean, now: Millis): void => {
        if (!isSo) since.delete(what);
        else if (!since.has(what)) since.set(what, now);
        else expect([what, now - (since.get(what) ?? 0) <= 3 * latencyMs]).toEqual([what, true]);
      };
      for (const event of journal.replay()) {
        // The last orders expire 90 days after the last day of the data, and are not replaced then.
        if (event.at > AFTER_DATA) break;
        apply(event);
        const held = state.portfolio.holdings.get(AAPL)?.quantity ?? ZERO;
        expect(held.gte(0)).toBe(true);
        const exits = [...state.live.values()].filter(
          ({ link, facets }) => link?.exit === true && isLive(facets),
        );
        for (const slot of ['stop', 'trail', 'target', 'close']) {
          const rest = exits
            .filter(({ link }) => link?.slot === slot)
            .reduce((sum, { facets }) => sum.plus(openRest(facets)), ZERO);
          // If an amend takes longer than the next fill needs to come, it is always behind.
          const isQuick = latencyMs < PRINT_EVERY_MS;
          mayLast(`${slot} of more than is held`, isQuick && rest.gt(held), event.at);
        }
        const isGuarded = exits.some(({ link }) => link?.slot !== 'target');
        mayLast('no guard', held.gt(0) && !isGuarded, event.at);
      }
    }),
    { numRuns: Number(process.env['SLUICE_RUNS'] ?? 25) },
  );
});
