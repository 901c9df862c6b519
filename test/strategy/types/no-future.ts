/** A compile-time test: `npm run types` fails if a strategy that reads a future bar is accepted. */

import { crossover, defineIndicator, defineStrategy, type Series } from '@sluice-trading/sluice';

export const reachingInHooks = defineStrategy({
  name: 'reaching-in-hooks',
  params: {},
  signals: ({ bars }) => ({ close: bars.close }),
  onBar: ({ bar, symbol }, context) => {
    // @ts-expect-error a bar knows no other bar
    const next: unknown = bar.next;
    // @ts-expect-error the event has one bar, not its column
    const later: unknown = bar.close[1];
    // @ts-expect-error the context has no history and no future
    const all: unknown = context.bars;
    // @ts-expect-error a value is the current one: there is no bar to name
    const tomorrow = context.value(symbol, 'close', 1);
    // @ts-expect-error the same holds for a price
    const price = context.lastPrice(symbol, 1);
    // @ts-expect-error time is read-only
    context.now = bar.time;
    return [next, later, all, tomorrow, price].length > 9 ? context.orders.close(symbol) : undefined;
  },
  onBars: ({ bars }) => {
    // @ts-expect-error bars that close together are one per symbol
    const columns: unknown = bars.close;
    return columns === undefined ? undefined : [];
  },
  onSignal: (signal, { orders }) =>
    // @ts-expect-error a signal has no outcome
    signal.next === undefined ? undefined : orders.close(signal.symbol),
});

export const reachingInSignals = defineStrategy({
  name: 'reaching-in-signals',
  params: {},
  signals: ({ bars }) => {
    // @ts-expect-error a series has no values to index
    const tomorrow: unknown = bars.close[1];
    // @ts-expect-error nor a method to look ahead
    const lead: unknown = bars.close.lead;
    return { cross: crossover(bars.close, bars.open), ...(tomorrow === lead ? {} : {}) };
  },
});

export const ownIndicator = defineIndicator({
  name: 'own-indicator',
  // @ts-expect-error a step gets numbers of one bar, not columns
  start: () => (column: Float64Array) => column[1] ?? Number.NaN,
});

/** A custom series that is bound to the columns themselves. */
export const madeByHand = (close: Series): Series => ({
  kind: 'series',
  label: 'tomorrow',
  node: {
    ...close.node,
    key: 'tomorrow',
    inputs: [close],
    work: {
      kind: 'kernel',
      maker: 'tomorrow',
      // @ts-expect-error only Sluice's own code binds a kernel to columns
      bind: (column: Float64Array, out: Float64Array) => (from: number, to: number) => {
        for (let i = from; i < to; i++) out[i] = column[i + 1] ?? Number.NaN;
      },
    },
  },
  output: 0,
});
