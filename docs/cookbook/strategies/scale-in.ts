import { defineStrategy, param, zScore } from '@sluice-trading/sluice';

/** Mean reversion that buys in steps: the deeper the fall, the larger the position. */
export default defineStrategy({
  name: 'scale-in',
  doc: 'Adds one part of the position at each further step below the average, and sells all of it at the average',
  params: {
    length: param.int({ min: 5, max: 200, default: 20, doc: 'Bars in the average' }),
    first: param.number({
      min: 0.5,
      max: 4,
      default: 1,
      doc: 'Deviations below it at which the first part is bought',
    }),
    step: param.number({ min: 0.1, max: 2, default: 0.5, doc: 'Further deviations for each further part' }),
    parts: param.int({ min: 1, max: 10, default: 3, doc: 'Parts in all' }),
    weight: param.ratio({ default: 0.6, doc: 'Share of the equity when all parts are held' }),
  },
  state: { initial: {} as Readonly<Record<string, number>>, version: 1 },
  signals: ({ bars, params }) => ({ distance: zScore(bars.close, params.length) }),
  onBar: ({ symbol }, { params, orders, position, state, value }) => {
    const distance = value(symbol, 'distance');
    const held = state[symbol] ?? 0;
    if (held > 0 && distance >= 0)
      return { state: { ...state, [symbol]: 0 }, orders: orders.close(symbol, 'back at the average') };
    if (held === 0 && position(symbol).quantity > 0) return orders.close(symbol, 'not sold yet');
    const wanted = Math.min(params.parts, Math.floor((-distance - params.first) / params.step) + 1);
    if (!(wanted > held)) return undefined;
    return {
      state: { ...state, [symbol]: wanted },
      orders: orders.targetWeight(symbol, (params.weight * wanted) / params.parts, `part ${wanted}`),
    };
  },
});
