import { defineStrategy, param } from '@sluice-trading/sluice';

/** A calendar effect: holds from the close of one weekday to the close of another. */
export default defineStrategy({
  name: 'weekday',
  doc: 'Buys after the close of one weekday and sells after the close of another; fills come at the next open',
  params: {
    buy: param.int({ min: 1, max: 5, default: 1, doc: 'Weekday of the entry; 1 is Monday' }),
    sell: param.int({ min: 1, max: 5, default: 3, doc: 'Weekday of the exit' }),
    weight: param.ratio({ default: 0.8, doc: 'Share of the equity held' }),
  },
  onBar: ({ symbol, time }, { params, orders, position }) => {
    const weekday = new Date(time).getUTCDay();
    const held = position(symbol).quantity > 0;
    if (weekday === params.buy && !held)
      return orders.targetWeight(symbol, params.weight, 'weekday of the entry');
    return weekday === params.sell && held ? orders.close(symbol, 'weekday of the exit') : undefined;
  },
});
