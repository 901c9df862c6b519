import { defineStrategy, param } from '@sluice-trading/sluice';

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1_440;

/** Hong Kong: buys the first break above the range of the opening, once a day, and is flat before the close. */
export default defineStrategy({
  name: 'opening-range',
  doc: 'Buys the first close above the range of the first minutes, with a stop at the other side of it',
  params: {
    minutes: param.int({
      min: 5,
      max: 120,
      default: 30,
      doc: 'Length of the opening range',
    }),
    opens: param.int({
      min: 0,
      max: 1_439,
      default: 90,
      doc: 'Open in UTC; 90 is 09:30 in Hong Kong',
    }),
    weight: param.ratio({ default: 0.3, doc: 'Share of the equity held after a break' }),
  },
  state: { initial: { day: '', high: 0, low: 0, traded: false as boolean }, version: 1 },
  exits: () => ({ beforeCloseMinutes: 10, stop: { percent: 1 } }),
  onBar: ({ symbol, bar, time }, { params, orders, state }) => {
    const day = new Date(time).toISOString().slice(0, 10);
    const sinceOpen = (Math.floor(time / MINUTE_MS) % DAY_MINUTES) - params.opens;
    if (sinceOpen <= params.minutes) {
      const today = state.day === day;
      const high = today ? Math.max(state.high, bar.high) : bar.high;
      const low = today ? Math.min(state.low, bar.low) : bar.low;
      return { state: { day, high, low, traded: false } };
    }
    if (state.day !== day || state.traded || bar.close <= state.high) return undefined;
    return {
      state: { ...state, traded: true },
      orders: orders.targetWeight(symbol, params.weight, 'above the opening range'),
    };
  },
});
