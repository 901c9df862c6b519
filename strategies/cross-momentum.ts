import { defineStrategy, param, ranking, roc } from 'sluice';

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
    const isHeld = (symbol: (typeof symbols)[number]) => position(symbol).quantity > 0;
    const ranked = ranking(
      bars.map(({ symbol }) => symbol),
      (symbol) => value(symbol, 'rise'),
    );
    const fallen = ranked.slice(params.held + params.slack).filter(isHeld);
    const free = params.held - symbols.filter((symbol) => isHeld(symbol) && !fallen.includes(symbol)).length;
    const risen = ranked
      .slice(0, params.held)
      .filter((symbol) => !isHeld(symbol))
      .slice(0, Math.max(0, free));
    return [
      ...fallen.map((symbol) => orders.close(symbol, 'overtaken')),
      ...risen.map((symbol) => orders.targetWeight(symbol, params.invested / params.held, 'among the first')),
    ];
  },
});
