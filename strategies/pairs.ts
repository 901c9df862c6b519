import { defineStrategy, param, zScore } from '@sluice-trading/sluice';

/** Of two that move together, holds the one that has fallen behind until it has caught up. */
export default defineStrategy({
  name: 'pairs',
  doc: 'Of two symbols that move together, holds the one that lags until it has caught up',
  params: {
    length: param.int({
      min: 5,
      max: 200,
      default: 20,
      doc: 'Bars in the average that distances are taken from',
    }),
    entry: param.number({ min: 0.5, max: 5, default: 2, doc: 'Buys when one lags by so many deviations' }),
    exit: param.number({ min: 0, max: 2, default: 0.2, doc: 'Sells when it lags by no more than this' }),
    weight: param.ratio({ default: 0.4, doc: 'Share of equity held of the one that lags' }),
  },
  signals: ({ bars, params }) => ({ distance: zScore(bars.close, params.length) }),
  onBar: ({ symbol }, { params, orders, position, symbols, value }) => {
    const other = symbols.find((each) => each !== symbol);
    if (other === undefined) return undefined;
    const lag = value(other, 'distance') - value(symbol, 'distance');
    const { quantity, openBuys, openSells } = position(symbol);
    const long = quantity + openBuys - openSells > 0;
    if (!long && lag > params.entry) return orders.targetWeight(symbol, params.weight, 'has fallen behind');
    return long && lag < params.exit ? orders.close(symbol, 'has caught up') : undefined;
  },
});
