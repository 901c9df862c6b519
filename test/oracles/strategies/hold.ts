import { defineStrategy, param } from '@sluice-trading/sluice';
import { ALL_IN } from './rounded.ts';

/** "buy once, hold to the end"; "dividend of the previous bar reinvested: as many whole units as cash allows" */
export function hold() {
  let known = Number.NaN;
  return defineStrategy({
    name: 'hold',
    params: { reinvest: param.boolean({ default: false, doc: 'Whether dividends buy more' }) },
    onBar: ({ symbol }, { params, orders, position, cash }) => {
      if (Number.isNaN(known)) {
        known = cash('USD');
        return orders.buy(symbol, ALL_IN);
      }
      const before = known;
      known = cash('USD');
      const grew = known > before && position(symbol).quantity > 0;
      return grew && params.reinvest ? orders.buy(symbol, ALL_IN) : undefined;
    },
  });
}
