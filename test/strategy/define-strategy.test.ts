import { describe, expect, it } from 'vitest';
import { defineStrategy, isStrategy } from '#src/strategy/define-strategy.ts';

const onStart = () => undefined;

describe('defineStrategy', () => {
  it('gives back the definition, marked as one', () => {
    const strategy = defineStrategy({ name: 'buy-2-hold', params: {}, onStart });
    expect(strategy).toMatchObject({ name: 'buy-2-hold', onStart });
    expect(isStrategy(strategy)).toBe(true);
  });

  it('knows a strategy of another copy of the package by its mark', () => {
    const foreign = { name: 'x', params: {}, [Symbol.for('sluice.strategy')]: 1 };
    expect(isStrategy(foreign)).toBe(true);
  });

  it.each([[{ name: 'x', params: {}, onStart }], [undefined], [null], ['sma-cross'], [onStart]])(
    'takes %s for no strategy',
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

  it('refuses a strategy that nothing could ever make decide', () => {
    const onFill = () => undefined;
    const mute = { name: 'mute', params: {}, onFill, onOrder: onFill, onStop: onFill };
    expect(() => defineStrategy(mute)).toThrow('none of onSignal, onBar, onQuote, onStart');
  });

  it.each(['onSignal', 'onBar', 'onQuote', 'onStart'])('is content with %s alone', (hook) => {
    expect(() => defineStrategy({ name: 'one', params: {}, [hook]: onStart })).not.toThrow();
  });
});
