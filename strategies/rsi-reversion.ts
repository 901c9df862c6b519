import { defineStrategy, param, rsi, threshold } from '@sluice-trading/sluice';

/** Buys what has fallen too fast and sells it once it has recovered, measured by the relative strength index. */
export default defineStrategy({
  name: 'rsi-reversion',
  doc: 'Buys when the relative strength index falls below a level, and sells when it has risen above another',
  params: {
    length: param.int({ min: 2, max: 200, default: 14, doc: 'Bars in the relative strength index' }),
    entry: param.number({ min: 1, max: 50, default: 30, doc: 'Buys when the index falls below this level' }),
    exit: param.number({ min: 50, max: 99, default: 55, doc: 'Sells when the index rises above this level' }),
    weight: param.ratio({ default: 0.5, doc: 'Share of equity held while long' }),
  },
  signals: ({ bars, params }) => ({
    strength: threshold(rsi(bars.close, params.length), { below: params.entry, above: params.exit }),
  }),
  targets: ({ params }) => ({
    strength: {
      down: { weight: params.weight, reason: 'fell below the entry level' },
      up: { weight: 0, reason: 'recovered above the exit level' },
    },
  }),
});
