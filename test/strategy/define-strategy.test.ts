import { describe, expect, it } from 'vitest';
import { defineFillModel } from '#src/plugins/define-fill-model.ts';
import { defineNotifier } from '#src/plugins/define-notifier.ts';
import { defineRiskRule } from '#src/plugins/define-risk-rule.ts';
import { defineStrategy, isStrategy, type StrategyDefinition } from '#src/strategy/define-strategy.ts';

const onStart = () => undefined;

import type { Timers } from '#src/strategy/timers.ts';

describe('timers of a strategy', () => {
  const onTimer = () => undefined;
  const withTimers = (timers: object) => () =>
    defineStrategy({ name: 'timed', params: {}, timers: timers as Timers, onTimer });

  it('are periods of a session and times of a day, each by a name', () => {
    expect(
      withTimers({ look: { every: '15m' }, 'last-look': { at: '15:45' }, first: { at: '9:30' } }),
    ).not.toThrow();
    for (const on of ['week-start', 'week-end', 'month-start', 'month-end'])
      expect(withTimers({ rotate: { at: '15:45', on } })).not.toThrow();
  });

  it('need a hook that handles them, and the hook needs timers', () => {
    expect(withTimers({})).toThrow('it has onTimer but no timers, so it would never be called');
    const unheard = {
      name: 'timed',
      params: {},
      timers: { look: { every: '15m' } },
      onBar: onTimer,
    } as const;
    expect(() => defineStrategy(unheard)).toThrow('it has timers but no onTimer that would receive them');
  });

  it.each([
    [{ every: '1d' }],
    [{ every: '7m' }],
    [{ every: 15 }],
    [{ at: '24:00' }],
    [{ at: '15:4' }],
    [{ at: '15:45:00' }],
    [{ at: '3:45pm' }],
    [{ at: '15:45', every: '15m' }],
    [{ at: '15:45', on: 'friday' }],
    [{ every: '15m', on: 'month-end' }],
    [{ on: 'month-end' }],
    [{ at: '15:45', of: 'month-end' }],
    [{}],
    [null],
    ['15m'],
  ])('cannot be anything else: %j', (terms) => {
    const wanted = `timer "look" is ${JSON.stringify(terms)}, want { every: '15m' }, { at: '15:45' } or { at: '15:45', on: 'month-end' } (week-start, week-end, month-start, month-end)`;
    expect(withTimers({ look: terms })).toThrow(wanted);
  });

  it('have names that a journal can store, and a maximum number', () => {
    expect(withTimers({ 'a look': { every: '15m' } })).toThrow('timer "a look" is no name');
    const many = Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`t${at}`, { every: '15m' }]));
    expect(withTimers(many)).toThrow('it has 21 timers, most is 20');
  });
});

describe('defineStrategy', () => {
  it('returns the definition with its brand', () => {
    const strategy = defineStrategy({ name: 'buy-2-hold', params: {}, onStart });
    expect(strategy).toMatchObject({ name: 'buy-2-hold', onStart });
    expect(isStrategy(strategy)).toBe(true);
  });

  it('recognises a strategy of another copy of the package by its brand', () => {
    const foreign = { name: 'x', params: {}, [Symbol.for('sluice.strategy')]: 1 };
    expect(isStrategy(foreign)).toBe(true);
  });

  it.each([[{ name: 'x', params: {}, onStart }], [undefined], [null], ['sma-cross'], [onStart]])(
    'does not recognise %s as a strategy',
    (value) => {
      expect(isStrategy(value)).toBe(false);
    },
  );

  it.each([['SmaCross'], ['sma_cross'], ['sma cross'], ['-sma'], ['sma-'], ['sma--cross'], ['2sma'], ['']])(
    'refuses the name "%s"',
    (name) => {
      expect(() => defineStrategy({ name, params: {}, onStart })).toThrow(
        `Cannot define strategy "${name}": want a kebab-case name such as "sma-cross"`,
      );
    },
  );

  it.each<[string, unknown, string]>([
    ['nothing', undefined, "Cannot define strategy: want an object such as { name: 'sma-cross', ... }"],
    ['no name', { params: {}, onStart }, 'Cannot define strategy "undefined": want a kebab-case name'],
    ['params that are null', { name: 'x', params: null, onStart }, 'its "params" are no object'],
    [
      'a parameter that is a figure',
      { name: 'x', params: { n: 5 }, onStart },
      'parameter "n" is not declared with',
    ],
    [
      'a parameter with its bounds in reverse',
      { name: 'x', params: { n: { kind: 'int', min: 5, max: 2, default: 3 } }, onStart },
      'parameter "n" has a "min" of 5 above its "max" of 2',
    ],
    [
      'a parameter with a default out of its bounds',
      { name: 'x', params: { n: { kind: 'number', min: 5, max: 9, default: 3 } }, onStart },
      'parameter "n" has a default of 3, want one from 5 to 9',
    ],
    [
      'a parameter without a bound',
      { name: 'x', params: { n: { kind: 'int', min: 1, default: 5 } }, onStart },
      'parameter "n" has no number as its "max"',
    ],
    [
      'a hook that is no function',
      { name: 'x', params: {}, onStart, onBar: 5 },
      'its "onBar" is no function',
    ],
    [
      'exits that are no function',
      { name: 'x', params: {}, onStart, exits: {} },
      'its "exits" is no function',
    ],
    [
      'a misspelt hook',
      { name: 'x', params: {}, onStart, onFil: onStart },
      'there is no "onFil" (name, doc, params, state, timers, signals, targets, exits, onSignal',
    ],
    ['a hook in small letters', { name: 'x', onStart, onfill: onStart }, 'did you mean "onFill"?'],
    ['a misspelt "exits"', { name: 'x', onStart, exit: onStart }, 'did you mean "exits"?'],
  ])('refuses %s, which JavaScript permits', (_what, definition, why) => {
    expect(() => defineStrategy(definition as StrategyDefinition)).toThrow(why);
  });

  it('refuses a strategy without any hook that decides', () => {
    const onFill = () => undefined;
    const mute = { name: 'mute', params: {}, onFill, onOrder: onFill, onStop: onFill };
    expect(() => defineStrategy(mute)).toThrow(
      'none of targets, onSignal, onBar, onBars, onQuote, onTimer, onStart',
    );
  });

  it.each(['onSignal', 'onBar', 'onQuote', 'onStart'])('accepts a strategy with %s alone', (hook) => {
    expect(() => defineStrategy({ name: 'one', params: {}, [hook]: onStart })).not.toThrow();
  });
});

describe('a plugin without parameters', () => {
  it('needs no "params", and has an empty record of them', () => {
    const strategy = defineStrategy({ name: 'plain', onStart: () => undefined });
    const rule = defineRiskRule({ name: 'plain', judge: () => undefined });
    const model = defineFillModel({ name: 'plain', doc: 'Nothing slips', slippage: () => 0 });
    const notifier = defineNotifier({ name: 'plain', onAlarm: () => undefined });
    for (const { params } of [strategy, rule, model, notifier]) expect(params).toEqual({});
    // @ts-expect-error There is no parameter to read.
    defineStrategy({ name: 'plain', onStart: (_, { params }) => void params.bars });
  });
});
