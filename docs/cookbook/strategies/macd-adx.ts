import { adx, crossover, defineStrategy, macd, param } from '@sluice-trading/sluice';

/** A momentum signal with a filter: no trades while there is no trend. */
export default defineStrategy({
  name: 'macd-adx',
  doc: 'Buys when MACD crosses its signal line while ADX shows a trend',
  params: {
    trend: param.number({ min: 5, max: 60, default: 18, doc: 'ADX from which there is a trend' }),
    weight: param.ratio({ default: 0.7, doc: 'Share of the equity held while long' }),
  },
  signals: ({ bars }) => {
    const lines = macd(bars.close);
    return { cross: crossover(lines.macd, lines.signal), trend: adx(bars, 14) };
  },
  onSignal: ({ symbol, direction }, { params, orders, value }) => {
    if (direction === 'down') return orders.close(symbol, 'momentum is over');
    return value(symbol, 'trend') >= params.trend
      ? orders.targetWeight(symbol, params.weight, 'momentum in a trend')
      : undefined;
  },
});
