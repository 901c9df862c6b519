import { crossover, defineStrategy, param, sma } from '@sluice-trading/sluice';

/** Half of the equity while the fast average is above the slow one. */
export default defineStrategy({
  name: 's1-cross',
  params: { trades: param.boolean({ default: true, doc: 'False: decides nothing' }) },
  signals: ({ bars }) => ({ cross: crossover(sma(bars.close, 10), sma(bars.close, 30), { ties: 'hold' }) }),
  onSignal: ({ symbol, direction }, { orders, params }) => {
    if (!params.trades) return undefined;
    return direction === 'up' ? orders.targetWeight(symbol, 0.5) : orders.close(symbol);
  },
});
