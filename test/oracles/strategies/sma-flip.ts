import { crossover, defineStrategy, param, sma } from '@sluice-trading/sluice';
import { ALL_IN } from './rounded.ts';

/** "cross_up(ma1,ma2): buy all-in; else cross_up(ma2,ma1): sell short all-in; the opposite position is closed first" */
export default defineStrategy({
  name: 'sma-flip',
  params: {
    n1: param.int({ min: 2, max: 200, default: 10, doc: 'Bars in the fast average' }),
    n2: param.int({ min: 3, max: 400, default: 20, doc: 'Bars in the slow average' }),
  },
  signals: ({ bars, params }) => ({
    cross: crossover(sma(bars.close, params.n1), sma(bars.close, params.n2), { ties: 'cancel' }),
  }),
  onSignal: ({ symbol, direction }, { orders }) =>
    direction === 'up' ? orders.buy(symbol, ALL_IN) : orders.sell(symbol, ALL_IN),
});
