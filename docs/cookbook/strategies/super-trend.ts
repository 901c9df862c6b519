import { defineStrategy, param, superTrend, threshold } from '@sluice-trading/sluice';

/** Follows the direction of the SuperTrend line. Targets only: the strategy has no hook. */
export default defineStrategy({
  name: 'super-trend',
  doc: 'Long while SuperTrend points up, flat while it points down',
  params: {
    length: param.int({ min: 2, max: 100, default: 10, doc: 'Bars in the true range' }),
    width: param.number({ min: 0.5, max: 10, default: 3, unit: 'ATR', doc: 'Distance of the line' }),
    weight: param.ratio({ default: 0.8, doc: 'Share of the equity held while long' }),
  },
  signals: ({ bars, params }) => ({
    turn: threshold(superTrend(bars, params.length, params.width).direction, { above: 0, below: 0 }),
  }),
  targets: ({ params }) => ({
    turn: { up: { weight: params.weight, reason: 'turned up' }, down: { weight: 0, reason: 'turned down' } },
  }),
});
