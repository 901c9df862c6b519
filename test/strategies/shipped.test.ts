import { describe, expect, it } from 'vitest';
import { securitySymbol } from '../../src/model/symbol.ts';
import { millis } from '../../src/model/time.ts';
import { bars } from '../../src/signals/bars.ts';
import { compileSignals } from '../../src/signals/program.ts';
import type { Direction, RawSignal } from '../../src/signals/signal.ts';
import { contextOf } from '../../src/strategy/context.ts';
import type { Strategy, StrategyDefinition } from '../../src/strategy/define-strategy.ts';
import { orderDrafts } from '../../src/strategy/order-draft.ts';
import { type ParamDeclarations, type ParamValues, resolveParams } from '../../src/strategy/params.ts';
import buyAndHold from '../../strategies/buy-and-hold.ts';
import rsiReversion from '../../strategies/rsi-reversion.ts';
import smaCross from '../../strategies/sma-cross.ts';

const symbol = securitySymbol('AAPL.US');
const MINUTE = 60_000;

function paramsOf<P extends ParamDeclarations>(strategy: Strategy<P>, given: object): ParamValues<P> {
  const resolved = resolveParams(strategy.params, { ...given });
  if (resolved.kind !== 'ok') throw new Error('parameters of the test are wrong');
  return resolved.values as ParamValues<P>;
}

/** The signals of a strategy over closes a minute apart. */
function signalsOver<P extends ParamDeclarations>(
  strategy: Strategy<P>,
  given: object,
  closes: readonly number[],
): readonly (RawSignal & { readonly bar: number })[] {
  const record = strategy.signals?.({ bars, params: paramsOf(strategy, given) }) ?? {};
  const stepper = compileSignals(record).stepper({ warmupEnd: 0 });
  return closes.flatMap((close, bar) => {
    const time = millis(bar * MINUTE);
    const said = stepper.push({
      symbol,
      period: '1m',
      time,
      open: close,
      high: close,
      low: close,
      close,
      volume: 1,
    });
    return said.map((signal) => ({ ...signal, bar }));
  });
}

function decide<P extends ParamDeclarations>(
  strategy: StrategyDefinition<P> & Strategy<P>,
  direction: Direction,
  given: object = {},
  symbols = [symbol],
): ReturnType<NonNullable<Strategy['onSignal']>> {
  const snapshot = { now: millis(0), equity: 100_000, symbols: {} };
  const params = paramsOf(strategy, given);
  const context = contextOf<P>(snapshot, { params, symbols, orders: orderDrafts });
  const [name = ''] = Object.keys(strategy.signals?.({ bars, params }) ?? {});
  const time = millis(0);
  const signal = {
    kind: 'signal',
    name,
    direction,
    strength: 1,
    values: {},
    symbol,
    time,
    barTime: time,
    close: 10,
  } as const;
  return strategy.onSignal?.(signal, context);
}

describe('sma-cross', () => {
  it('emits when the fast average crosses the slow one', () => {
    const closes = [9, 8, 7, 6, 5, 4, 10, 12, 14, 3, 1, 1];
    const said = signalsOver(smaCross, { fast: 2, slow: 5 }, closes);
    expect(said.map(({ bar, direction }) => `${bar} ${direction}`)).toEqual(['6 up', '9 down']);
    expect(Object.keys(said[0]?.values ?? {})).toEqual(['sma(close,2)', 'sma(close,5)']);
  });

  it('opens a long position by weight, and closes it', () => {
    expect(decide(smaCross, 'up', { weight: 0.25 })).toMatchObject({
      kind: 'target-weight',
      symbol,
      weight: 0.25,
    });
    expect(decide(smaCross, 'down')).toMatchObject({ kind: 'target-quantity', symbol, quantity: 0 });
  });
});

describe('rsi-reversion', () => {
  it('emits when the index falls below the entry, and when it rises above the exit', () => {
    const closes = [10, 11, 10, 11, 8, 6, 5, 5.2, 9, 12, 14];
    const said = signalsOver(rsiReversion, { length: 3, entry: 30, exit: 55 }, closes);
    expect(said.map(({ direction }) => direction)).toEqual(['down', 'up']);
  });

  it('buys the fall and sells the recovery', () => {
    expect(decide(rsiReversion, 'down', { weight: 0.2 })).toMatchObject({
      kind: 'target-weight',
      weight: 0.2,
    });
    expect(decide(rsiReversion, 'up')).toMatchObject({ kind: 'target-quantity', quantity: 0 });
  });
});

describe('buy-and-hold', () => {
  it('emits once', () => {
    expect(signalsOver(buyAndHold, {}, [5, 6, 7, 8]).map(({ bar }) => bar)).toEqual([0]);
  });

  it('spreads its weight evenly over the symbols', () => {
    const four = ['A.US', 'B.US', 'C.US', 'D.US'].map(securitySymbol);
    expect(decide(buyAndHold, 'up', { weight: 0.8 }, four)).toMatchObject({
      kind: 'target-weight',
      weight: 0.2,
    });
  });
});

describe('every shipped strategy', () => {
  it.each([smaCross, rsiReversion, buyAndHold])(
    'has defaults that pass its own bounds: $name',
    (strategy) => {
      expect(resolveParams(strategy.params, {}).kind).toBe('ok');
      expect(strategy.doc?.length).toBeGreaterThan(10);
    },
  );
});
