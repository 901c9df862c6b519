import { bandWidth, bollinger, crossover, defineStrategy, lowest, param } from '@sluice-trading/sluice';

/** A breakout that counts only after a quiet time. */
export default defineStrategy({
  name: 'bollinger-squeeze',
  doc: 'Buys a close above the upper band if the bands were as narrow as seldom, sells below the middle',
  params: {
    length: param.int({ min: 5, max: 200, default: 20, doc: 'Bars in the bands' }),
    quiet: param.int({ min: 10, max: 400, default: 60, doc: 'Bars in which the width is compared' }),
    slack: param.number({
      min: 1,
      max: 5,
      default: 1.8,
      doc: 'Width over the narrowest one that still is quiet',
    }),
    weight: param.ratio({ default: 0.6, doc: 'Share of the equity held while long' }),
  },
  signals: ({ bars, params }) => {
    const bands = bollinger(bars.close, params.length, 2);
    const width = bandWidth(bars.close, params.length, 2);
    return {
      up: crossover(bars.close, bands.upper),
      middle: crossover(bars.close, bands.middle),
      width,
      narrowest: lowest(width, params.quiet),
    };
  },
  onSignal: ({ symbol, name, direction }, { params, orders, value }) => {
    if (name === 'middle') return direction === 'down' ? orders.close(symbol, 'below the middle') : undefined;
    const isQuiet = value(symbol, 'width') <= params.slack * value(symbol, 'narrowest');
    return direction === 'up' && isQuiet
      ? orders.targetWeight(symbol, params.weight, 'out of a quiet time')
      : undefined;
  },
});
