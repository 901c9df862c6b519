import { defineStrategy, param, ranking, roc } from '@sluice-trading/sluice';

/** Once a month, the strongest symbols in equal parts. */
export default defineStrategy({
  name: 'monthly-rotation',
  doc: 'Holds the symbols that rose most over some months, and changes them once a month',
  params: {
    length: param.int({ min: 5, max: 300, default: 63, doc: 'Bars over which the rise is measured' }),
    held: param.int({ min: 1, max: 20, default: 3, doc: 'Symbols that are held' }),
    invested: param.ratio({ default: 0.9, doc: 'Share of the equity invested in all' }),
  },
  state: { initial: { month: '' }, version: 1 },
  signals: ({ bars, params }) => ({ rise: roc(bars.close, params.length) }),
  onBars: ({ bars, time }, { params, orders, state, value }) => {
    const month = new Date(time).toISOString().slice(0, 7);
    if (month === state.month) return undefined;
    const ranked = ranking(
      bars.map(({ symbol }) => symbol),
      (symbol) => value(symbol, 'rise'),
    );
    const weight = params.invested / params.held;
    const weights = Object.fromEntries(ranked.slice(0, params.held).map((symbol) => [symbol, weight]));
    return { state: { month }, orders: orders.rebalance(weights, 'a new month') };
  },
});
