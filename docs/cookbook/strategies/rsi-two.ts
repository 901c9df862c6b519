import { defineStrategy, param, rsi, sma } from '@sluice-trading/sluice';

/** Short-term pullbacks inside a long-term rise. */
export default defineStrategy({
  name: 'rsi-two',
  doc: 'Buys a two-bar RSI that is very low while the price is above its long average, sells above a short one',
  params: {
    low: param.number({ min: 1, max: 40, default: 10, doc: 'RSI below which it buys' }),
    trend: param.int({ min: 20, max: 400, default: 200, doc: 'Bars in the long average' }),
    exit: param.int({ min: 2, max: 50, default: 5, doc: 'Bars in the short average' }),
    weight: param.ratio({ default: 0.8, doc: 'Share of the equity held' }),
  },
  signals: ({ bars, params }) => ({
    strength: rsi(bars.close, 2),
    trend: sma(bars.close, params.trend),
    exit: sma(bars.close, params.exit),
  }),
  onBar: ({ symbol, bar }, { params, orders, position, value }) => {
    const held = position(symbol).quantity > 0;
    if (held) return bar.close > value(symbol, 'exit') ? orders.close(symbol, 'recovered') : undefined;
    const isPullback = bar.close > value(symbol, 'trend') && value(symbol, 'strength') < params.low;
    return isPullback ? orders.targetWeight(symbol, params.weight, 'pullback in a rise') : undefined;
  },
});
