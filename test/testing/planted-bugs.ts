import { crossover, defineStrategy, type SignalInputs, sma } from '@sluice-trading/sluice';

const turns = ({ bars }: SignalInputs) => ({ cross: crossover(sma(bars.close, 3), sma(bars.close, 8)) });

/** Counts an order as filled as soon as it sends it, and sells what it assumes to hold. */
export const believer = defineStrategy({
  name: 'believer',
  params: {},
  signals: turns,
  onStart: () => {
    believed = 0;
    return undefined;
  },
  onSignal: (signal, { orders }) => {
    if (signal.direction === 'up') {
      believed += 100;
      return orders.buy(signal.symbol, 100);
    }
    const quantity = believed;
    believed = 0;
    return quantity > 0 ? orders.sell(signal.symbol, quantity) : undefined;
  },
});
let believed = 0;

/** Orders again whenever an order fails, for ever. */
export const stubborn = defineStrategy({
  name: 'stubborn',
  params: {},
  signals: turns,
  onSignal: (signal, { orders }) =>
    signal.direction === 'up' ? orders.targetWeight(signal.symbol, 0.5) : orders.close(signal.symbol),
  onOrder: (event, { orders }) =>
    event.outcome === 'refused' || event.outcome === 'denied'
      ? orders.targetWeight(event.symbol, 0.5)
      : undefined,
});

/** Buys at every bar as long as it holds nothing, regardless of open orders. */
export const impatient = defineStrategy({
  name: 'impatient',
  params: {},
  signals: turns,
  onBar: (event, { orders, position }) => {
    const held = position(event.symbol).quantity;
    if (held === 0 && event.bar.close < 99) return orders.buy(event.symbol, 100);
    return held > 0 && event.bar.close > 101 ? orders.sell(event.symbol, held) : undefined;
  },
});

/** Waits for the fill of an order that it never checks. */
export const hopeful = defineStrategy({
  name: 'hopeful',
  params: {},
  signals: turns,
  onStart: () => {
    waiting = false;
    return undefined;
  },
  onFill: () => {
    waiting = false;
    return undefined;
  },
  onSignal: (signal, { orders }) => {
    if (waiting) return undefined;
    waiting = true;
    return signal.direction === 'up' ? orders.targetWeight(signal.symbol, 0.5) : orders.buy(signal.symbol, 1);
  },
});
let waiting = false;

/** Keeps a count over all runs of the process. */
export const remembering = defineStrategy({
  name: 'remembering',
  params: {},
  signals: turns,
  onSignal: (signal, { orders }) => {
    runs += 1;
    return orders.targetQuantity(signal.symbol, runs);
  },
});
let runs = 0;

/** Assumes that an order can only be filled. */
export const fragile = defineStrategy({
  name: 'fragile',
  params: {},
  signals: turns,
  onSignal: (signal, { orders }) =>
    signal.direction === 'up' ? orders.targetWeight(signal.symbol, 0.5) : orders.close(signal.symbol),
  onOrder: (event) => {
    if (event.outcome === 'refused') throw new Error('this cannot be');
    return undefined;
  },
});

/** Buys 150 shares in every market. */
export const lotless = defineStrategy({
  name: 'lotless',
  params: {},
  signals: turns,
  onSignal: (signal, { orders, position }) =>
    position(signal.symbol).quantity === 0 ? orders.buy(signal.symbol, 150) : orders.close(signal.symbol),
});

/** Checks its stop itself, but sells only if the bar trades through it: it misses a gap below. */
export const gapBlind = defineStrategy({
  name: 'gap-blind',
  params: {},
  signals: turns,
  onSignal: (signal, { orders, position }) =>
    signal.direction === 'up' && position(signal.symbol).quantity === 0
      ? orders.targetWeight(signal.symbol, 0.5)
      : undefined,
  onBar: (event, { orders, position }) => {
    const { quantity, averageCost } = position(event.symbol);
    if (quantity === 0) return undefined;
    const stop = averageCost * 0.97;
    const target = averageCost * 1.03;
    const touches = (level: number): boolean => event.bar.low <= level && level <= event.bar.high;
    return touches(stop) || touches(target) ? orders.close(event.symbol) : undefined;
  },
});

/** Sells at 20:55 UTC, five minutes before the end of a full day; on a half day the market has closed by then. */
export const overHalfDay = defineStrategy({
  name: 'over-half-day',
  params: {},
  signals: turns,
  onSignal: (signal, { orders, now }) => {
    const minutes = new Date(now).getUTCHours() * 60 + new Date(now).getUTCMinutes();
    return signal.direction === 'up' && minutes < 17 * 60
      ? orders.targetWeight(signal.symbol, 0.5)
      : undefined;
  },
  onBar: (event, { orders, now, position }) => {
    const minutes = new Date(now).getUTCHours() * 60 + new Date(now).getUTCMinutes();
    return minutes >= 20 * 60 + 50 && position(event.symbol).quantity > 0
      ? orders.close(event.symbol)
      : undefined;
  },
});

/** Buys by the volume relative to the bar five minutes before: it handles nights, but not gaps. */
export const missingDivider = defineStrategy({
  name: 'missing-divider',
  params: {},
  onStart: () => {
    volumes.clear();
    return undefined;
  },
  onBar: ({ symbol, bar }, { orders, position }) => {
    volumes.set(bar.time, bar.volume);
    if (volumes.size < 3) return undefined;
    if (new Date(bar.time).toISOString().slice(11, 16) === '14:30') return undefined;
    const pace = bar.volume / (volumes.get(bar.time - 300_000) ?? 0);
    if (bar.close > 104) return orders.close(symbol);
    return position(symbol).quantity === 0 || pace > 2 ? orders.buy(symbol, 100 * pace) : undefined;
  },
});
const volumes = new Map<number, number>();
