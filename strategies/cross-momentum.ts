import { defineStrategy, param, ranking, roc } from '@sluice-trading/sluice';

/** Holds those symbols that have risen most, and sells what others have overtaken. */
export default defineStrategy({
  name: 'cross-momentum',
  doc: 'Ranks its symbols by how far they have risen, and holds the first ones in equal parts',
  params: {
    length: param.int({ min: 2, max: 300, default: 60, doc: 'Bars over which the rise is measured' }),
    held: param.int({ min: 1, max: 50, default: 3, doc: 'How many symbols are held' }),
    slack: param.int({ min: 0, max: 50, default: 1, doc: 'Places that a held one may fall below those' }),
    invested: param.ratio({ default: 0.9, doc: 'Share of equity invested in all' }),
  },
  signals: ({ bars, params }) => ({ rise: roc(bars.close, params.length) }),
  onBars: ({ bars }, { params, orders, position, symbols, value }) => {
    const ranked = ranking(
      bars.map(({ symbol }) => symbol),
      (symbol) => value(symbol, 'rise'),
    );
    const held = symbols.filter((symbol) => position(symbol).quantity > 0);
    const overtaken = ranked.slice(params.held + params.slack);
    const kept = held.filter((symbol) => !overtaken.includes(symbol));
    const free = Math.max(0, params.held - kept.length);
    const first = ranked
      .slice(0, params.held)
      .filter((symbol) => !kept.includes(symbol))
      .slice(0, free);
    const wanted = [...kept, ...first];
    // What is held as it should be runs on: weights that drift are not put right at every close.
    if (first.length === 0 && kept.length === held.length) return undefined;
    const weight = params.invested / params.held;
    return orders.rebalance(
      Object.fromEntries(wanted.map((symbol) => [symbol, weight])),
      'the ranking changed',
    );
  },
});
