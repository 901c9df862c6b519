import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runBacktest } from '#src/backtest/run-backtest.ts';
import { StrategyError } from '#src/engine/strategy-error.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { calendarDay } from '#src/model/time.ts';
import { crossover } from '#src/signals/cross.ts';
import { sma } from '#src/signals/indicators/averages.ts';
import { defineStrategy, type StrategyDefinition } from '#src/strategy/define-strategy.ts';
import { onSignalOfTargets, readTargets, type SignalTargets } from '#src/strategy/targets.ts';
import { setupOf } from '../fixtures/backtest.ts';
import { someBarsOver, stampsOf } from '../fixtures/some-bars.ts';

const AAPL = securitySymbol('AAPL.US');
const spoken = (name: string, direction: 'up' | 'down') =>
  ({
    kind: 'signal',
    symbol: AAPL,
    time: 0,
    barTime: 0,
    close: 1,
    name,
    direction,
    strength: 1,
    values: {},
  }) as never;

describe('targets of a strategy', () => {
  it('are shares of the equity by signal and direction, and a share of 0 is a close', () => {
    const answer = onSignalOfTargets(
      ({ params: { weight } }: { readonly params: { readonly weight: number } }) => ({
        cross: { up: weight, down: { weight: 0, reason: 'over' } },
        short: { down: -0.25 },
      }),
    );
    const context = { params: { weight: 0.5 } };
    expect(answer(spoken('cross', 'up'), context)).toEqual({
      kind: 'target-weight',
      symbol: AAPL,
      weight: 0.5,
    });
    expect(answer(spoken('cross', 'down'), context)).toEqual({
      ...{ kind: 'target-quantity', symbol: AAPL, quantity: 0, reason: 'over' },
    });
    expect(answer(spoken('short', 'down'), context)).toEqual({
      kind: 'target-weight',
      symbol: AAPL,
      weight: -0.25,
    });
    expect(answer(spoken('short', 'up'), context)).toBeUndefined();
    expect(answer(spoken('other', 'up'), context)).toBeUndefined();
  });

  it('are computed once for the parameters of a run', () => {
    let asked = 0;
    const answer = onSignalOfTargets(() => {
      asked += 1;
      return { cross: { up: asked / 10 } };
    });
    const context = { params: {} };
    answer(spoken('cross', 'up'), context);
    expect(answer(spoken('cross', 'up'), context)).toMatchObject({ weight: 0.1 });
    expect(answer(spoken('cross', 'up'), { params: {} })).toMatchObject({ weight: 0.2 });
  });

  it.each<[unknown, string]>([
    [undefined, 'targets returned undefined, want { signal: { up: 0.5, down: 0 } }'],
    [{ crss: { up: 1 } }, 'targets name "crss", which is no signal; want "cross", "trend"'],
    [{ cross: 0.5 }, 'targets.cross is 0.5, want { up: 0.5, down: 0 }'],
    [{ cross: { long: 1 } }, 'targets.cross.long is no direction of a signal, want "up" or "down"'],
    [{ cross: { up: 1.5 } }, 'targets.cross.up is 1.5, want a share of the equity from -1 to 1'],
    [{ cross: { up: Number.NaN } }, 'targets.cross.up is NaN'],
    [{ cross: { up: '50%' } }, 'targets.cross.up is 50%'],
    [{ cross: { up: null } }, 'targets.cross.up is undefined'],
    [{ cross: { up: { weight: 0.5, reason: 1 } } }, 'targets.cross.up.reason is 1, want a text'],
  ])('are refused with what is wrong: %j', (targets, problem) => {
    expect(() => readTargets(targets as SignalTargets, ['cross', 'trend'])).toThrow(problem);
  });

  it('replace onSignal and cannot be combined with it', () => {
    const definition: StrategyDefinition = {
      name: 'both',
      params: {},
      targets: () => ({}),
      onSignal: () => undefined,
    };
    expect(() => defineStrategy(definition)).toThrow('it has both targets and onSignal');
  });

  it('that name an unknown signal stop a run before its first bar', () => {
    const [history] = fc.sample(
      someBarsOver(
        AAPL,
        '1d',
        stampsOf(AAPL, '1d', { from: calendarDay('2024-03-04'), to: calendarDay('2024-03-28') }),
        0,
      ),
      1,
    );
    const strategy = defineStrategy({
      name: 'astray',
      params: {},
      signals: ({ bars }) => ({ cross: crossover(bars.close, sma(bars.close, 3)) }),
      targets: () => ({ corss: { up: 0.5 } }),
    });
    if (history === undefined) throw new Error('no sample');
    const run = () => runBacktest(setupOf(strategy, [history]));
    expect(run).toThrow(StrategyError);
    expect(run).toThrow(
      'Strategy "astray" threw in signals: targets name "corss", which is no signal; want "cross"',
    );
  });
});
