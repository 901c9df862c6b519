import { crossover, defineStrategy, param, sma } from '@sluice-trading/sluice';

/** s1 on a venue with spread, slippage and charges. */
export default defineStrategy({
  name: 's3-costs',
  params: { trades: param.boolean({ default: true, doc: 'False: decides nothing' }) },
  signals: ({ bars }) => ({ cross: crossover(sma(bars.close, 10), sma(bars.close, 30), { ties: 'hold' }) }),
  onSignal: ({ symbol, direction }, { orders, params }) => {
    if (!params.trades) return undefined;
    return direction === 'up' ? orders.targetWeight(symbol, 0.5) : orders.close(symbol);
  },
});
