import { defineStrategy, param } from '@sluice-trading/sluice';

/** A grid around the first price: one lot more at each level below, one less at each level above. */
export default defineStrategy({
  name: 'grid',
  doc: 'Holds more lots the lower the price is, one per level of a grid around the first price of the run',
  params: {
    spacing: param.ratio({ min: 0.001, max: 0.2, default: 0.01, doc: 'Distance of two levels' }),
    levels: param.int({ min: 1, max: 20, default: 5, doc: 'Levels on each side' }),
    lot: param.int({ min: 1, max: 1_000_000, default: 500, doc: 'Shares for each level' }),
  },
  state: { initial: { centre: 0, level: 0 }, version: 1 },
  onBar: ({ symbol, bar }, { params, orders, state }) => {
    const centre = state.centre > 0 ? state.centre : bar.close;
    const steps = Math.log(centre / bar.close) / Math.log(1 + params.spacing);
    // The level changes only after a whole step, so that a price on a line does not trade to and fro.
    const moved = Math.abs(steps - state.level) >= 1 ? Math.trunc(steps) : state.level;
    const level = Math.max(-params.levels, Math.min(params.levels, moved));
    if (state.centre > 0 && level === state.level) return undefined;
    return {
      state: { centre, level },
      orders: orders.targetQuantity(symbol, (params.levels + level) * params.lot, `level ${level}`),
    };
  },
});
