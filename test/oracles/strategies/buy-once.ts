import { defineStrategy, param } from '@sluice-trading/sluice';

/**
 * "after the first bar buy floor(cash*0.9975/price) units", at the ask, which no strategy sees: a tick above the last price; or
 * the given number of units. Held to the end.
 */
export function buyOnce() {
  let bought = false;
  return defineStrategy({
    name: 'buy-once',
    params: {
      units: param.int({
        min: 0,
        max: 1_000_000,
        default: 0,
        doc: 'Shares bought; 0: nearly all that cash pays for',
      }),
      part: param.ratio({ default: 0.9975, doc: 'Share of the cash that is spent' }),
      tick: param.number({ min: 0, max: 1, default: 0, doc: 'What the ask is above the last price' }),
    },
    onBar: ({ symbol, bar }, { params, orders, cash }) => {
      if (bought) return undefined;
      bought = true;
      const most = Math.floor((cash('USD') * params.part) / (bar.close + params.tick));
      return orders.buy(symbol, params.units === 0 ? most : params.units);
    },
  });
}
