import { defineStrategy, param, ranking, roc } from '@sluice-trading/sluice';

/** Relative and absolute momentum: the strongest asset, or none if even that one has fallen. */
export default defineStrategy({
  name: 'dual-momentum',
  doc: 'Once a month the strongest symbol if it has risen at all, else cash',
  params: {
    length: param.int({ min: 5, max: 300, default: 120, doc: 'Bars over which the rise is measured' }),
    invested: param.ratio({ default: 0.9, doc: 'Share of the equity invested' }),
  },
  // A bot that does not run then, or that starts later in the month, does nothing until the next month.
  timers: { choose: { at: '16:00', on: 'month-start' } },
  signals: ({ bars, params }) => ({ rise: roc(bars.close, params.length) }),
  onTimer: ({ symbols }, { params, orders, value }) => {
    const [best] = ranking(symbols, (symbol) => value(symbol, 'rise'));
    const weights = best !== undefined && value(best, 'rise') > 0 ? { [best]: params.invested } : {};
    return orders.rebalance(weights, 'a new month');
  },
});
