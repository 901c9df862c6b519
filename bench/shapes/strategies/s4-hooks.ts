import { defineStrategy, param, sma } from '@sluice-trading/sluice';

/** Shares per step, and how far above the last purchase the next step is bought. */
const STEP = 10_000;
const ADVANCE = 0.5;
const STEPS_MAX = 3;
/** Averages of whole cents that are not equal differ by more than this. */
const TIE = 1e-6;

/** Buys above the average, twice more as the price rises, and sells everything below the average. */
export default defineStrategy({
  name: 's4-hooks',
  params: { trades: param.boolean({ default: true, doc: 'False: decides nothing' }) },
  state: { initial: { bought: 0 } },
  signals: ({ bars }) => ({ fast: sma(bars.close, 10), slow: sma(bars.close, 30) }),
  onBar: ({ symbol, bar }, { position, value, orders, params, state }) => {
    if (!params.trades) return undefined;
    const distance = value(symbol, 'fast') - value(symbol, 'slow');
    const { quantity } = position(symbol);
    if (distance < -TIE) return quantity > 0 ? orders.close(symbol) : undefined;
    const isDue = quantity === 0 ? distance > TIE : bar.close >= state.bought + ADVANCE;
    return isDue && quantity < STEP * STEPS_MAX ? orders.buy(symbol, STEP) : undefined;
  },
  onFill: ({ fill }) => (fill.side === 'buy' ? { state: { bought: Number(fill.price) } } : undefined),
});
