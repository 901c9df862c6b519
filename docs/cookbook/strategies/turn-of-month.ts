import { defineStrategy, param } from '@sluice-trading/sluice';

/** A calendar effect: holds stocks over the last and the first days of each month. */
export default defineStrategy({
  name: 'turn-of-month',
  doc: 'Buys some days before a month ends and sells some days after the next one began',
  params: {
    before: param.int({
      min: 1,
      max: 20,
      default: 5,
      doc: 'Calendar days before the end at which it buys',
    }),
    after: param.int({
      min: 1,
      max: 20,
      default: 4,
      doc: 'Last calendar day of the month on which it holds',
    }),
    weight: param.ratio({ default: 0.9, doc: 'Share of the equity held' }),
  },
  onBar: ({ symbol, time }, { params, orders, position }) => {
    const date = new Date(time);
    const day = date.getUTCDate();
    const days = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
    const inside = day > days - params.before || day < params.after;
    const held = position(symbol).quantity > 0;
    if (inside === held) return undefined;
    return inside
      ? orders.targetWeight(symbol, params.weight, 'the month ends')
      : orders.close(symbol, 'the month has begun');
  },
});
