import { defineStrategy, div, lag, param, type SecuritySymbol } from '@sluice-trading/sluice';

/**
 * "decide on the first bar of each calendar month; score = close[t]/close[t-120]-1; keep the 2 best whose score > 0; target
 * units = floor(0.48*equity/close) for kept codes, else 0; first all sells, then all buys". Bars of one instant are all
 * known when the last symbol's is handed over, so it decides there.
 */
export function rotation() {
  let month = -1;
  return defineStrategy({
    name: 'rotation',
    params: {
      look: param.int({ min: 1, max: 1000, default: 120, doc: 'Bars that the score looks back' }),
      top: param.int({ min: 1, max: 10, default: 2, doc: 'How many symbols are kept' }),
      frac: param.ratio({ default: 0.48, doc: 'Share of equity in each' }),
    },
    signals: ({ bars, params }) => ({ growth: div(bars.close, lag(bars.close, params.look)) }),
    onBar: ({ symbol, bar }, { params, orders, symbols, position, value, lastPrice, equity }) => {
      if (symbol !== symbols.at(-1)) return undefined;
      const before = month;
      month = new Date(bar.time).getUTCMonth();
      if (month === before || before === -1) return undefined;
      const score = (each: SecuritySymbol): number => Math.round((value(each, 'growth') - 1) * 1e8) / 1e8;
      const kept = symbols
        .filter((each) => score(each) > 0)
        .toSorted((one, other) => score(other) - score(one))
        .slice(0, params.top);
      const changes = symbols.map((each) => {
        const target = kept.includes(each) ? Math.floor((params.frac * equity) / lastPrice(each)) : 0;
        return { each, change: target - position(each).quantity };
      });
      return [
        ...changes.filter(({ change }) => change < 0).map(({ each, change }) => orders.sell(each, -change)),
        ...changes.filter(({ change }) => change > 0).map(({ each, change }) => orders.buy(each, change)),
      ];
    },
  });
}
