import { crossover, defineStrategy, lag, param } from '@sluice-trading/sluice';

/** Buys what has risen over some time, and leaves by a stop, by a stop that trails, or when the rise is over. */
export default defineStrategy({
  name: 'momentum',
  doc: 'Buys what closes above where it closed some bars ago, with a stop under it and another that trails the price',
  params: {
    length: param.int({ min: 2, max: 400, default: 60, doc: 'Bars back that the close is compared with' }),
    stop: param.number({ min: 0.1, max: 50, default: 8, unit: 'percent', doc: 'Loss at which it is sold' }),
    trail: param.number({
      min: 0.1,
      max: 50,
      default: 12,
      unit: 'percent',
      doc: 'Fall from the highest price since at which it is sold',
    }),
    weight: param.ratio({ default: 0.25, doc: 'Share of equity held while long' }),
  },
  signals: ({ bars, params }) => ({
    rise: crossover(bars.close, lag(bars.close, params.length)),
  }),
  exits: ({ params }) => ({ stop: { percent: params.stop }, trail: { percent: params.trail } }),
  onSignal: (signal, { params, orders }) =>
    signal.direction === 'up'
      ? orders.targetWeight(signal.symbol, params.weight, 'closed above where it was')
      : orders.close(signal.symbol, 'closed below where it was'),
});
