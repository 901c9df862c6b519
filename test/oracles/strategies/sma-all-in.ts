import { crossover, defineStrategy, param, sma } from '@sluice-trading/sluice';
import { ALL_IN, rounded } from './rounded.ts';

/** "cross_up(ma1,ma2): buy all-in; else cross_up(ma2,ma1): close" */
export default defineStrategy({
  name: 'sma-all-in',
  params: {
    n1: param.int({ min: 2, max: 200, default: 10, doc: 'Bars in the fast average' }),
    n2: param.int({ min: 3, max: 400, default: 30, doc: 'Bars in the slow average' }),
  },
  signals: ({ bars, params }) => ({
    cross: crossover(rounded(sma(bars.close, params.n1)), rounded(sma(bars.close, params.n2)), {
      ties: 'cancel',
    }),
  }),
  onSignal: ({ symbol, direction }, { orders, position }) => {
    if (direction === 'down') return orders.close(symbol);
    return position(symbol).quantity > 0 ? undefined : orders.buy(symbol, ALL_IN);
  },
});
