import { defineStrategy, param, roc } from '@sluice-trading/sluice';

const LONG = 0.1;
const SHORT = -0.06;

/** Once a month the better half by momentum is held long and the other half short. */
export default defineStrategy({
  name: 's6-portfolio',
  params: { trades: param.boolean({ default: true, doc: 'False: decides nothing' }) },
  state: { initial: { month: -1 } },
  signals: ({ bars }) => ({ momentum: roc(bars.close, 20) }),
  onBars: ({ time }, { symbols, value, orders, params, state }) => {
    const month = new Date(time).getUTCMonth();
    if (!params.trades || month === state.month) return undefined;
    const momentum = (symbol: (typeof symbols)[number]): number => value(symbol, 'momentum');
    const ranked = symbols.toSorted((one, other) => momentum(other) - momentum(one));
    return {
      state: { month },
      orders: ranked.map((symbol, rank) =>
        orders.targetWeight(symbol, rank < ranked.length / 2 ? LONG : SHORT),
      ),
    };
  },
});
