import { crossover, defineStrategy, param, sma } from '@sluice-trading/sluice';

/** Two averages: decides from the signal and the context alone. */
export const sound = defineStrategy({
  name: 'sound',
  params: {
    fast: param.int({ min: 2, max: 50, default: 3, doc: 'fast' }),
    slow: param.int({ min: 3, max: 90, default: 8, doc: 'slow' }),
  },
  signals: ({ bars, params }) => ({
    cross: crossover(sma(bars.close, params.fast), sma(bars.close, params.slow)),
  }),
  onSignal: (signal, { orders }) =>
    signal.direction === 'up' ? orders.targetWeight(signal.symbol, 0.5, 'up') : orders.close(signal.symbol),
});
