import { crossover, defineStrategy, param, sma } from '@sluice-trading/sluice';

/** Entries on minutes, only in the direction of the hours. Hours are built from the same feed. */
export default defineStrategy({
  name: 'multi-timeframe',
  doc: 'Buys a cross of minute averages while the price is above the average of the hours',
  params: {
    fast: param.int({ min: 2, max: 60, default: 5, doc: 'Minutes in the fast average' }),
    slow: param.int({ min: 5, max: 240, default: 30, doc: 'Minutes in the slow average' }),
    hours: param.int({ min: 2, max: 10, default: 4, doc: 'Hours in the trend' }),
    weight: param.ratio({ default: 0.3, doc: 'Share of the equity held while long' }),
  },
  signals: ({ bars, params }) => ({
    cross: crossover(sma(bars.close, params.fast), sma(bars.close, params.slow)),
    trend: bars.every('1h', (hour) => sma(hour.close, params.hours)),
  }),
  onSignal: ({ symbol, direction }, { params, orders, value, lastPrice }) => {
    if (direction === 'down') return orders.close(symbol, 'minutes turned down');
    return lastPrice(symbol) > value(symbol, 'trend')
      ? orders.targetWeight(symbol, params.weight, 'with the trend of the hours')
      : undefined;
  },
});
