/** A compile-time test: `npm run types` fails if a mistake below is accepted, or a correct line is not. */

import {
  atr,
  crossover,
  Decimal,
  defineStrategy,
  param,
  ranking,
  type Strategy,
  sma,
} from '@sluice-trading/sluice';

const params = {
  length: param.int({ min: 2, max: 50, default: 10, doc: 'Bars in the average' }),
  weight: param.ratio({ default: 0.5, doc: 'Share of the equity' }),
  style: param.choice({ choices: ['fast', 'calm'], default: 'calm', doc: 'How eagerly it trades' }),
  isShort: param.boolean({ default: false, doc: 'Sells short, too' }),
};

/** All correct forms. */
export const sound: Strategy<typeof params> = defineStrategy({
  name: 'sound',
  params,
  signals: ({ bars, params: own }) => ({
    cross: crossover(bars.close, sma(bars.close, own.length)),
    range: atr(bars, own.length),
  }),
  exits: ({ params: own }) => ({ stop: { percent: own.length }, trail: { amount: '0.25' } }),
  onSignal: ({ symbol }, { params: own, orders, value }) => {
    const style: 'fast' | 'calm' = own.style;
    if (own.isShort && style === 'fast') return orders.targetNotional(symbol, '-2500.50 HKD');
    const risk = { share: own.weight, atr: value(symbol, 'range'), multiple: 2 };
    return [
      orders.targetRisk(symbol, risk),
      orders.buy(symbol, new Decimal('100'), { type: 'LO', price: 9.95 }),
    ];
  },
  onFill: ({ fill, symbol }, { orders }) => orders.sell(symbol, fill.quantity),
});

export const wrongParams = defineStrategy({
  name: 'wrong-params',
  params,
  signals: ({ bars, params: own }) => ({
    // @ts-expect-error a choice is a name, not a number of bars
    cross: crossover(bars.close, sma(bars.close, own.style)),
  }),
  // @ts-expect-error a parameter that is not declared
  exits: ({ params: own }) => ({ stop: { percent: own.stop } }),
  onStart: (_event, { params: own, symbols, orders }) => {
    // @ts-expect-error a name that is none of the choices
    const isEager = own.style === 'eager';
    // @ts-expect-error parameters are not changed by the strategy
    own.length = 3;
    // @ts-expect-error true and false are no weight
    return symbols.map((symbol) => orders.targetWeight(symbol, isEager ? 1 : own.isShort));
  },
});

export const wrongMarketUnitOrCurrency = defineStrategy({
  name: 'wrong-market-unit-or-currency',
  params: {},
  onSignal: (signal, { orders, position, symbols }) => [
    // @ts-expect-error a text is no symbol: symbols come from the event or the context, so that they are the config's
    orders.close('AAPL.SU'),
    // @ts-expect-error nor is a position read by a text
    orders.targetQuantity(signal.symbol, position('700').quantity),
    // @ts-expect-error an amount needs its currency
    orders.targetNotional(signal.symbol, '20000'),
    // @ts-expect-error a number has no currency
    orders.targetNotional(signal.symbol, 20_000),
    // @ts-expect-error a currency that no account is kept in
    orders.targetNotional(signal.symbol, '20000 USB'),
    // @ts-expect-error the currency comes last
    orders.targetNotional(signal.symbol, 'USD 20000'),
    // @ts-expect-error figures have no thousands separators
    orders.targetNotional(signal.symbol, '20,000 USD'),
    // @ts-expect-error a weight is a share of 1, not a text in percent
    orders.targetWeight(signal.symbol, '25%'),
    // @ts-expect-error a figure is no object
    orders.buy(signal.symbol, 100, { type: 'TSLPPCT', trailingPercent: { percent: 2 } }),
    // @ts-expect-error no such order type
    orders.buy(signal.symbol, 100, { type: 'LIMIT' }),
    // @ts-expect-error no such unit of distance
    orders.bracket(orders.buy(symbols[0] ?? signal.symbol, 1), { stop: { ticks: 5 } }),
  ],
});

export const wrongHooks = defineStrategy({
  name: 'wrong-hooks',
  params: {},
  // @ts-expect-error hooks are plain functions, not async
  onBar: async ({ symbol }, { orders }) => orders.close(symbol),
  // @ts-expect-error a hook returns the result of `orders`, or nothing
  onQuote: ({ symbol }) => symbol,
  // @ts-expect-error the start of a run has no symbol
  onStart: ({ symbol }, { orders }) => orders.close(symbol),
});

export const remembering = defineStrategy({
  name: 'remembering',
  params,
  state: {
    initial: { entry: null as number | null, seen: {} as Record<string, number> },
    version: 3,
    upgrade: () => ({ entry: null, seen: {} }),
  },
  onSignal: ({ symbol, close }, { state, orders }) => ({
    state: { entry: close, seen: { ...state.seen, [symbol]: (state.seen[symbol] ?? 0) + 1 } },
    orders: [orders.close(symbol), orders.targetWeight(symbol, 0.1)],
  }),
  onBar: ({ symbol }, { state, orders }) => (state.entry === null ? undefined : orders.close(symbol)),
  onStop: (_event, { state }) => ({ state: { ...state, entry: null } }),
});

export const wrongState = defineStrategy({
  name: 'wrong-state',
  params: {},
  state: { initial: { count: 0, note: '' } },
  // @ts-expect-error the whole state is returned, not a part of it
  onBar: () => ({ state: { count: 1 } }),
  // @ts-expect-error a count is a number
  onQuote: (_event, { state }) => ({ state: { ...state, count: 'one' } }),
  // @ts-expect-error orders go under "orders"
  onFill: ({ symbol }, { state, orders }) => ({ state, orders: { close: orders.close(symbol) } }),
  onStart: (_event, { state }) => {
    // @ts-expect-error state is changed by returning it
    state.count = 3;
    // @ts-expect-error a field that it does not have
    return { state: { ...state, count: state.counts } };
  },
});

export const stateless = defineStrategy({
  name: 'stateless',
  params: {},
  // @ts-expect-error a strategy that declares no state returns none
  onStart: () => ({ state: { count: 1 } }),
});

export const unkept = defineStrategy({
  name: 'unkept',
  params: {},
  // @ts-expect-error a date is no plain data: keep its milliseconds
  state: { initial: { at: new Date() } },
  onStart: () => undefined,
});

export const ranked = defineStrategy({
  name: 'ranked',
  params,
  onBars: ({ bars }, { orders, value }) =>
    ranking(bars, ({ symbol }) => value(symbol, 'rise'))
      .slice(0, 3)
      .map(({ symbol }) => orders.targetWeight(symbol, 0.3)),
});

export const wrongBars = defineStrategy({
  name: 'wrong-bars',
  params: {},
  // @ts-expect-error bars that close together have many symbols
  onBars: ({ symbol }, { orders }) => orders.close(symbol),
  onBar: (_event, { symbols, orders }) => {
    // @ts-expect-error a score is a number
    const [first] = ranking(symbols, (each) => each);
    return first === undefined ? undefined : orders.close(first);
  },
});

export const wrongTimers = defineStrategy({
  name: 'wrong-timers',
  params: {},
  timers: {
    // @ts-expect-error bars have no such period
    look: { every: '7m' },
    // @ts-expect-error a session of one bar per day has no end within it
    daily: { every: '1d' },
    // @ts-expect-error a time of the day is hours and minutes
    late: { at: 'noon' },
  },
  // @ts-expect-error a timer belongs to a market, not to one symbol
  onTimer: ({ symbol }, { orders }) => orders.close(symbol),
});

// @ts-expect-error a whole number has bounds
export const unbounded = param.int({ default: 3, doc: 'Bars' });

// @ts-expect-error the default is one of the choices
export const undecided = param.choice({ choices: ['a', 'b'], default: 'c', doc: 'Which' });
