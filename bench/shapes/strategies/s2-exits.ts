import { crossover, defineStrategy, param, sma } from '@sluice-trading/sluice';

/** s1 with a stop and a target for every position. */
export default defineStrategy({
  name: 's2-exits',
  params: { trades: param.boolean({ default: true, doc: 'False: decides nothing' }) },
  signals: ({ bars }) => ({ cross: crossover(sma(bars.close, 10), sma(bars.close, 30), { ties: 'hold' }) }),
  exits: () => ({ stop: { amount: 1.5 }, target: { amount: 3 } }),
  onSignal: ({ symbol, direction }, { orders, params }) => {
    if (!params.trades) return undefined;
    return direction === 'up' ? orders.targetWeight(symbol, 0.5) : orders.close(symbol);
  },
});
