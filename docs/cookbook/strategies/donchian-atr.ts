import { atr, crossover, defineStrategy, donchian, lag, param } from '@sluice-trading/sluice';

/** Channel breakout with a position size and a stop that both follow the average true range. */
export default defineStrategy({
  name: 'donchian-atr',
  doc: 'Buys a close above the highest high of the last bars, with a stop a few ATRs below',
  params: {
    entry: param.int({ min: 5, max: 200, default: 20, doc: 'Bars in the channel that is broken upwards' }),
    exit: param.int({ min: 5, max: 200, default: 10, doc: 'Bars in the channel that is broken downwards' }),
    risk: param.ratio({ default: 0.01, max: 0.05, doc: 'Share of the equity that one trade may lose' }),
    multiple: param.number({ min: 0.5, max: 10, default: 2, unit: 'ATR', doc: 'Distance of the stop' }),
  },
  signals: ({ bars, params }) => ({
    up: crossover(bars.close, lag(donchian(bars, params.entry).upper)),
    down: crossover(bars.close, lag(donchian(bars, params.exit).lower)),
    range: atr(bars, 14),
  }),
  onSignal: ({ symbol, name, direction }, { params, orders, position, value }) => {
    const held = position(symbol).quantity;
    if (name === 'down')
      return direction === 'down' && held > 0 ? orders.close(symbol, 'channel broken') : undefined;
    const range = value(symbol, 'range');
    if (direction === 'down' || held > 0 || !(range > 0)) return undefined;
    const entry = orders.targetRisk(symbol, { share: params.risk, atr: range, multiple: params.multiple });
    return orders.bracket(entry, { stop: { amount: range * params.multiple } });
  },
});
