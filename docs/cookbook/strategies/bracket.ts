import { crossover, defineStrategy, param, sma } from '@sluice-trading/sluice';

/** Entry, stop and target as one bracket; the stop moves to the entry price once the trade is ahead. */
export default defineStrategy({
  name: 'bracket',
  doc: 'Buys a cross of averages with a stop, a target at a multiple of the risk, and a break-even step',
  params: {
    stop: param.number({ min: 0.2, max: 20, default: 3, unit: 'percent', doc: 'Loss at which it is sold' }),
    reward: param.number({
      min: 0.5,
      max: 10,
      default: 2,
      doc: 'Gain of the target, in multiples of the stop',
    }),
    weight: param.ratio({ default: 0.5, doc: 'Share of the equity held' }),
  },
  signals: ({ bars }) => ({ cross: crossover(bars.close, sma(bars.close, 20)) }),
  onSignal: ({ symbol, direction }, { params, orders, position }) => {
    const { quantity, openBuys } = position(symbol);
    if (direction === 'down' || quantity + openBuys > 0) return undefined;
    return orders.bracket(orders.targetWeight(symbol, params.weight, 'above its average'), {
      stop: { percent: params.stop },
      target: { percent: params.stop * params.reward },
      breakEven: { percent: params.stop },
    });
  },
});
