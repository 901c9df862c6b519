import { crossover, defineStrategy, param, vwap } from '@sluice-trading/sluice';

/** Minutes: buys when the price rises above the session's average price, and is flat before the close. */
export default defineStrategy({
  name: 'vwap-entry',
  doc: 'Buys a close above the volume-weighted average price of the session, sells a close below it',
  params: {
    weight: param.ratio({ default: 0.25, doc: 'Share of the equity held while above' }),
    stop: param.number({ min: 0.1, max: 10, default: 0.8, unit: 'percent', doc: 'Loss at which it is sold' }),
    target: param.number({
      min: 0.1,
      max: 20,
      default: 1.5,
      unit: 'percent',
      doc: 'Gain at which it is sold',
    }),
  },
  signals: ({ bars }) => ({ cross: crossover(bars.close, vwap(bars)) }),
  exits: ({ params }) => ({
    stop: { percent: params.stop },
    target: { percent: params.target },
    beforeCloseMinutes: 15,
  }),
  onSignal: ({ symbol, direction }, { params, orders, position }) => {
    if (direction === 'down') return orders.close(symbol, 'below the session average');
    return position(symbol).quantity > 0
      ? undefined
      : orders.targetWeight(symbol, params.weight, 'above the session average');
  },
});
