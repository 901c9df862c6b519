import { crossover, defineStrategy, ema, param } from '@sluice-trading/sluice';

/** Lets profits run: no target, only a stop that follows the price. The venue watches it, also while the bot is down. */
export default defineStrategy({
  name: 'trailing-stop',
  doc: 'Buys a cross of two averages, and leaves only by a stop that trails the price',
  params: {
    fast: param.int({ min: 2, max: 200, default: 10, doc: 'Bars in the fast average' }),
    slow: param.int({ min: 5, max: 400, default: 50, doc: 'Bars in the slow average' }),
    trail: param.number({ min: 0.5, max: 30, default: 7, unit: 'percent', doc: 'Distance of the stop' }),
    weight: param.ratio({ default: 0.4, doc: 'Share of the equity held' }),
  },
  signals: ({ bars, params }) => ({
    cross: crossover(ema(bars.close, params.fast), ema(bars.close, params.slow)),
  }),
  exits: ({ params }) => ({ trail: { percent: params.trail } }),
  onSignal: ({ symbol, direction }, { params, orders, position }) =>
    direction === 'up' && position(symbol).quantity === 0
      ? orders.targetWeight(symbol, params.weight, 'averages crossed')
      : undefined,
});
