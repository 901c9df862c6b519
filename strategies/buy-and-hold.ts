import { defineStrategy, first, param } from '@sluice-trading/sluice';

/** Buys every symbol at the first chance and never sells: the yardstick for everything cleverer. */
export default defineStrategy({
  name: 'buy-and-hold',
  doc: 'Buys every symbol on the first bar and never sells',
  params: {
    weight: param.ratio({ default: 0.9, doc: 'Share of equity invested, spread evenly over the symbols' }),
  },
  signals: ({ bars }) => ({ start: first(bars) }),
  onSignal: (signal, { params, orders, symbols }) =>
    orders.targetWeight(signal.symbol, params.weight / symbols.length, 'first bar of the run'),
});
