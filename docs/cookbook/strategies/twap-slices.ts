import { defineStrategy, param, rsi, threshold } from '@sluice-trading/sluice';

/** A large order in equal parts over some minutes, so that it moves the price less. */
export default defineStrategy({
  name: 'twap-slices',
  doc: 'Buys a fixed number of shares in parts after a fall, and sells them in one order after a rise',
  params: {
    shares: param.int({
      min: 1,
      max: 10_000_000,
      default: 3_000,
      doc: 'Size of the whole order',
    }),
    minutes: param.int({ min: 2, max: 240, default: 12, doc: 'Time over which it is sent' }),
    slices: param.int({ min: 2, max: 50, default: 6, doc: 'Number of parts' }),
  },
  signals: ({ bars }) => ({ strength: threshold(rsi(bars.close, 14), { below: 25, above: 60 }) }),
  onSignal: ({ symbol, direction }, { params, orders, position }) => {
    const { quantity, openBuys } = position(symbol);
    if (direction === 'up') return quantity > 0 ? orders.close(symbol, 'recovered') : undefined;
    if (quantity + openBuys > 0) return undefined;
    return orders.twap(orders.buy(symbol, params.shares), { minutes: params.minutes, parts: params.slices });
  },
});
