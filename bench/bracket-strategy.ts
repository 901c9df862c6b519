import { defineStrategy, param } from '../src/index.ts';

/**
 * A limit below the market while flat, a stop below the position otherwise, so that one order works at every bar. Day
 * orders expire with their day and are sent again.
 */
export const bracket = defineStrategy({
  name: 'bracket',
  params: {
    entry: param.number({ min: 0.01, max: 10, default: 0.3, doc: 'How far below the close the entry rests' }),
    stop: param.number({ min: 0.01, max: 10, default: 0.5, doc: 'How far below the close the stop rests' }),
    quantity: param.int({ min: 1, max: 1_000_000, default: 100, doc: 'Shares of an order' }),
  },
  onBar: ({ symbol, bar }, { position, orders, params: { entry, stop, quantity } }) => {
    const { quantity: held, openBuys, openSells } = position(symbol);
    if (held === 0 && openBuys === 0)
      return orders.buy(symbol, quantity, { type: 'LO', price: (bar.close - entry).toFixed(2) });
    if (held > 0 && openSells === 0)
      return orders.sell(symbol, held, { type: 'MIT', triggerPrice: (bar.close - stop).toFixed(2) });
    return undefined;
  },
});
