import { crossover, defineStrategy, param, sma } from '@sluice-trading/sluice';

const SHARES = 2_000;

/**
 * Enters in five parts over five minutes after a cross up, and exits at the market after a cross down once all parts
 * are filled.
 */
export default defineStrategy({
  name: 's7-hong-kong',
  params: { trades: param.boolean({ default: true, doc: 'False: decides nothing' }) },
  signals: ({ bars }) => ({ cross: crossover(sma(bars.close, 10), sma(bars.close, 30), { ties: 'hold' }) }),
  onSignal: ({ symbol, direction }, { position, orders, params }) => {
    const { quantity, openBuys } = position(symbol);
    if (!params.trades) return undefined;
    if (direction === 'down') return quantity === SHARES ? orders.close(symbol) : undefined;
    if (quantity > 0 || openBuys > 0) return undefined;
    return orders.twap(orders.buy(symbol, SHARES), { minutes: 5, parts: 5 });
  },
});
