import { defineStrategy, param } from '@sluice-trading/sluice';

/** Trades the ratio of two symbols: holds the cheap one, and neither when the ratio is normal. */
export default defineStrategy({
  name: 'pairs-ratio',
  doc: 'Holds the one of two symbols that is cheap against the other, measured by the z-score of their price ratio',
  params: {
    length: param.int({ min: 10, max: 250, default: 40, doc: 'Closes in the mean of the ratio' }),
    entry: param.number({
      min: 0.5,
      max: 5,
      default: 1.5,
      doc: 'Deviations at which the cheap one is bought',
    }),
    exit: param.number({ min: 0, max: 2, default: 0.3, doc: 'Deviations at which it is sold again' }),
    weight: param.ratio({ default: 0.8, doc: 'Share of the equity in the cheap one' }),
  },
  state: { initial: { ratios: [] as readonly number[], held: '' }, version: 1 },
  onBars: ({ bars }, { params, orders, state, symbols }) => {
    const [first, second] = symbols;
    const [a, b] = [first, second].map((symbol) => bars.find((each) => each.symbol === symbol)?.close);
    if (first === undefined || second === undefined || a === undefined || b === undefined) return undefined;
    const ratios = [...state.ratios, a / b].slice(-params.length);
    if (ratios.length < params.length) return { state: { ...state, ratios } };
    const mean = ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length;
    const variance = ratios.reduce((sum, ratio) => sum + (ratio - mean) ** 2, 0) / ratios.length;
    const score = variance > 0 ? (a / b - mean) / Math.sqrt(variance) : 0;
    const cheap = score < -params.entry ? first : score > params.entry ? second : undefined;
    const held = cheap ?? (Math.abs(score) < params.exit ? '' : state.held);
    if (held === state.held) return { state: { ...state, ratios } };
    const weights = held === '' ? {} : { [held]: params.weight };
    return { state: { ratios, held }, orders: orders.rebalance(weights, 'the ratio has moved') };
  },
});
