import { crossover, defineStrategy, param, type StrategyDefinition, sma } from '../src/index.ts';

const params = {
  fast: param.int({ min: 2, max: 2_000, default: 10, doc: 'Bars in the fast average' }),
  slow: param.int({ min: 5, max: 4_000, default: 30, doc: 'Bars in the slow average' }),
  weight: param.ratio({ default: 1, doc: 'Share of equity held while long' }),
};

const signals: NonNullable<StrategyDefinition<typeof params>['signals']> = ({
  bars,
  params: { fast, slow },
}) => ({
  cross: crossover(sma(bars.close, fast), sma(bars.close, slow), { ties: 'hold' }),
});

/**
 * W1: invests everything when the fast average crosses above the slow one, and sells when it crosses back. No hook
 * runs in between.
 */
export const w1 = defineStrategy({
  name: 'w1',
  params,
  signals,
  targets: ({ params: { weight } }) => ({ cross: { up: weight, down: 0 } }),
});

/** The same rule as a hook that is called at each cross. */
export const w1OnSignal = defineStrategy({
  name: 'w1-on-signal',
  params,
  signals,
  onSignal: (signal, { params: { weight }, orders }) =>
    signal.direction === 'up' ? orders.targetWeight(signal.symbol, weight) : orders.close(signal.symbol),
});

/** The same rule, decided at every bar. */
export const w1EveryBar = defineStrategy({
  name: 'w1-every-bar',
  params,
  signals: ({ bars, params: { fast, slow } }) => ({
    fast: sma(bars.close, fast),
    slow: sma(bars.close, slow),
  }),
  onBar: ({ symbol }, { position, value, orders, params: { weight } }) => {
    const distance = value(symbol, 'fast') - value(symbol, 'slow');
    const held = position(symbol).quantity;
    if (held === 0 && distance > TIE) return orders.targetWeight(symbol, weight);
    return held > 0 && distance < -TIE ? orders.close(symbol) : undefined;
  },
});

/** Averages of whole cents that are not equal differ by more than this. */
const TIE = 1e-6;
