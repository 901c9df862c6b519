import { defineStrategy, param, threshold, zScore } from '@sluice-trading/sluice';

/** Buys what has fallen far below its own average, and sells it once it is back. */
export default defineStrategy({
  name: 'mean-reversion',
  doc: 'Buys far below the average, measured in standard deviations, and sells back at it',
  params: {
    length: param.int({ min: 5, max: 200, default: 20, doc: 'Bars in the average' }),
    entry: param.number({
      min: 0.5,
      max: 5,
      default: 2,
      doc: 'Standard deviations below it at which to buy',
    }),
    weight: param.ratio({ default: 0.5, doc: 'Share of equity held while long' }),
  },
  signals: ({ bars, params }) => ({
    distance: threshold(zScore(bars.close, params.length), { below: -params.entry, above: 0 }),
  }),
  targets: ({ params }) => ({
    distance: {
      down: { weight: params.weight, reason: 'far below its average' },
      up: { weight: 0, reason: 'back at its average' },
    },
  }),
});
