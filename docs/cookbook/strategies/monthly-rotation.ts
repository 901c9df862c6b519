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
  // At the close of the first trading day, so that the orders of daily bars fill at the next open. A bot that does not
  // run then, or that starts later in the month, does nothing until the next month.
  timers: { rotate: { at: '16:00', on: 'month-start' } },
  signals: ({ bars, params }) => ({ rise: roc(bars.close, params.length) }),
  onTimer: ({ symbols }, { params, orders, value }) => {
    const ranked = ranking(symbols, (symbol) => value(symbol, 'rise'));
    const weight = params.invested / params.held;
    const weights = Object.fromEntries(ranked.slice(0, params.held).map((symbol) => [symbol, weight]));
    return orders.rebalance(weights, 'a new month');
  },
});
