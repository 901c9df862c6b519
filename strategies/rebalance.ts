import { defineStrategy, param } from '@sluice-trading/sluice';

/** Holds every symbol in equal parts, and trades only what has drifted too far. */
export default defineStrategy({
  name: 'rebalance',
  doc: 'Holds all symbols in equal parts and trades what has drifted by more than a band',
  params: {
    invested: param.ratio({ default: 0.9, doc: 'Share of equity invested in all' }),
    band: param.ratio({ default: 0.05, max: 0.5, doc: 'How far a share may drift before it is put right' }),
  },
  onBar: ({ symbol, bar }, { params, orders, position, equity, symbols }) => {
    const target = params.invested / symbols.length;
    const { quantity, openBuys, openSells } = position(symbol);
    if (openBuys > 0 || openSells > 0) return undefined;
    const drift = (quantity * bar.close) / equity - target;
    return Math.abs(drift) > params.band ? orders.targetWeight(symbol, target, 'has drifted') : undefined;
  },
});
