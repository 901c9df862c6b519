import { crossover, defineStrategy, param, sma } from '@sluice-trading/sluice';

const SHARES = 3_000;
/** Distance of a limit from the close. */
const OFFSET = 0.3;

/** Buys below the market after a cross up, sells above it after a cross down; one day order works at a time. */
export default defineStrategy({
  name: 's5-limits',
  params: { trades: param.boolean({ default: true, doc: 'False: decides nothing' }) },
  signals: ({ bars }) => ({ cross: crossover(sma(bars.close, 10), sma(bars.close, 30), { ties: 'hold' }) }),
  onSignal: ({ symbol, direction, close }, { position, orders, params }) => {
    const { quantity, openBuys, openSells } = position(symbol);
    if (!params.trades || openBuys + openSells > 0) return undefined;
    if (direction === 'up' && quantity === 0)
      return orders.buy(symbol, SHARES, { type: 'LO', price: (close - OFFSET).toFixed(2) });
    if (direction === 'down' && quantity > 0)
      return orders.sell(symbol, quantity, { type: 'LO', price: (close + OFFSET).toFixed(2) });
    return undefined;
  },
});
