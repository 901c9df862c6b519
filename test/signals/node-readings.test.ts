import { describe, expect, it } from 'vitest';
import { securitySymbol } from '#src/model/symbol.ts';
import { DAY_MS, millis } from '#src/model/time.ts';
import { barsOf } from '#src/signals/bars.ts';
import { crossover } from '#src/signals/cross.ts';
import { sma } from '#src/signals/indicators/averages.ts';
import { compileSignals } from '#src/signals/program.ts';

/** Closes whose average of two crosses that of three upwards at the last one. */
const CLOSES = [10, 9, 8, 7, 12];

function readingsAfter(count: number) {
  const { close } = barsOf({ period: '1d', dayPieces: [6.5 * 3_600_000] });
  const stepper = compileSignals({
    fast: sma(close, 2),
    cross: crossover(sma(close, 2), sma(close, 3)),
  }).stepper();
  for (const [index, price] of CLOSES.slice(0, count).entries())
    stepper.push({
      ...{ symbol: securitySymbol('AAPL.US'), period: '1d', time: millis(index * DAY_MS) },
      ...{ open: price, high: price, low: price, close: price, volume: 1 },
    });
  return stepper.nodes();
}

describe('the nodes of a signal graph', () => {
  it('have the names of the strategy, each after its inputs', () => {
    expect(readingsAfter(0).map(({ key, names, kind, inputs }) => [key, names, kind, inputs])).toEqual([
      ['close', [], 'source', []],
      ['sma(close,2)', ['fast'], 'series', ['close']],
      ['sma(close,3)', [], 'series', ['close']],
      ['crossover(sma(close,2),sma(close,3))', ['cross'], 'signal', ['sma(close,2)', 'sma(close,3)']],
    ]);
  });

  it('have no value before the first bar, and state how many bars they still need', () => {
    const [close, fast, slow] = readingsAfter(0);
    expect([close?.values, fast?.values, slow?.values]).toEqual([[null], [null], [null]]);
    expect([close?.warmupLeft, fast?.warmupLeft, slow?.warmupLeft]).toEqual([1, 2, 3]);
    expect(
      readingsAfter(2)
        .map(({ warmupLeft }) => warmupLeft)
        .slice(0, 3),
    ).toEqual([0, 0, 1]);
  });

  it('have the values of the newest bar, and for a signal its direction first', () => {
    const [close, fast, slow, cross] = readingsAfter(CLOSES.length);
    expect([close?.values, fast?.values, slow?.values]).toEqual([[12], [9.5], [9]]);
    expect(cross?.values[0]).toBe(1);
    expect(cross?.warmupLeft).toBe(0);
  });
});
