import { atr, crossover, defineStrategy, param, sma } from '@sluice-trading/sluice';

/** Distance of the stop from the best price, in ATRs. */
const MULTIPLE = 3;

/** Buys a cross up, and exits by a trailing stop at a distance of three ATRs. */
export default defineStrategy({
  name: 's8-trailing',
  params: { trades: param.boolean({ default: true, doc: 'False: decides nothing' }) },
  signals: ({ bars }) => ({
    cross: crossover(sma(bars.close, 10), sma(bars.close, 30), { ties: 'hold' }),
    range: atr(bars, 14),
  }),
  onSignal: ({ symbol, name, direction }, { position, value, orders, params }) => {
    if (!params.trades || name !== 'cross' || direction !== 'up') return undefined;
    if (position(symbol).quantity > 0) return undefined;
    const distance = (MULTIPLE * value(symbol, 'range')).toFixed(2);
    return orders.bracket(orders.targetWeight(symbol, 0.5), { trail: { amount: distance } });
  },
});
