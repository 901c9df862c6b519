import { atr, defineStrategy, param, sma } from '@sluice-trading/sluice';

/** Buys weakness with a limit below the close instead of chasing the price. */
export default defineStrategy({
  name: 'limit-dip',
  doc: 'In a rise, leaves a day limit some ATRs below the close, and sells what was bought after some bars',
  params: {
    depth: param.number({ min: 0.1, max: 5, default: 0.7, unit: 'ATR', doc: 'Distance of the limit' }),
    trend: param.int({ min: 5, max: 400, default: 50, doc: 'Bars in the average that shows a rise' }),
    shares: param.int({ min: 1, max: 1_000_000, default: 15, doc: 'Shares in one order' }),
    days: param.int({ min: 1, max: 60, default: 5, doc: 'Bars after which it is sold' }),
  },
  state: { initial: { bars: 0 }, version: 1 },
  signals: ({ bars, params }) => ({ range: atr(bars, 14), trend: sma(bars.close, params.trend) }),
  onBar: ({ symbol, bar }, { params, orders, position, state, value }) => {
    const { quantity, openBuys } = position(symbol);
    if (quantity > 0) {
      const bars = state.bars + 1;
      return bars < params.days
        ? { state: { bars } }
        : { state: { bars: 0 }, orders: orders.close(symbol, 'held long enough') };
    }
    // Prices of US stocks have steps of one cent; a limit between two steps would be denied.
    const limit = Math.floor((bar.close - params.depth * value(symbol, 'range')) * 100) / 100;
    if (openBuys > 0 || !(limit > 0) || !(bar.close > value(symbol, 'trend'))) return undefined;
    return orders.buy(symbol, params.shares, { type: 'LO', price: limit, timeInForce: 'day' });
  },
});
