import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bars } from '#src/signals/bars.ts';
import { either, inverse, when } from '#src/signals/combine.ts';
import { crossover, every, first, once, threshold } from '#src/signals/cross.ts';
import { above } from '#src/signals/indicators/arithmetic.ts';
import { sma } from '#src/signals/indicators/averages.ts';
import { compileSignals, type SignalProgram } from '#src/signals/program.ts';
import type { Series, SignalNode } from '#src/signals/series.ts';
import { closes, eachBar } from './some-bars.ts';

/** Direction and strength of a signal on each bar; undefined without one. */
type Said = readonly (readonly [direction: 'up' | 'down', strength: number] | undefined)[];

function overColumns(program: SignalProgram, values: readonly number[], warmupEnd: number): Said {
  const said = new Array<Said[number]>(values.length).fill(undefined);
  for (const { index, direction, strength } of program.overColumns(closes(values), { warmupEnd }))
    said[index] = [direction, strength];
  return said;
}

function barByBar(program: SignalProgram, values: readonly number[], warmupEnd: number): Said {
  const stepper = program.stepper({ warmupEnd });
  return eachBar(closes(values)).map((bar) => {
    const [event] = stepper.push(bar);
    return event === undefined ? undefined : [event.direction, event.strength];
  });
}

/** A signal, and its expected values by the definition of each combinator. */
interface Expression {
  readonly text: string;
  readonly signal: SignalNode;
  readonly means: (values: readonly number[], warmupEnd: number) => Said;
}

function plain(text: string, signal: SignalNode): Expression {
  const program = compileSignals({ it: signal });
  return { text, signal, means: (values, warmupEnd) => overColumns(program, values, warmupEnd) };
}

const CONDITION: Series = above(bars.close, sma(bars.close, 2));

function holds(values: readonly number[], index: number): boolean {
  const [now, before] = [values[index] as number, values[index - 1]];
  return before !== undefined && now > (now + before) / 2;
}

const LEAVES: readonly Expression[] = [
  plain('cross', crossover(bars.close, 10)),
  plain('threshold', threshold(bars.close, { above: 13, below: 8 })),
  plain('every', every(bars)),
  plain('first', first(bars)),
];

const onceOf = ({ text, signal, means }: Expression): Expression => ({
  text: `once(${text})`,
  signal: once(signal),
  means: (values, warmupEnd) => {
    const said = means(values, warmupEnd);
    const place = said.findIndex((event) => event !== undefined);
    return said.map((event, index) => (index === place ? event : undefined));
  },
});

const inverseOf = ({ text, signal, means }: Expression): Expression => ({
  text: `inverse(${text})`,
  signal: inverse(signal),
  means: (values, warmupEnd) =>
    means(values, warmupEnd).map((event) => event && [event[0] === 'up' ? 'down' : 'up', event[1]]),
});

const whenOf = ({ text, signal, means }: Expression): Expression => ({
  text: `when(${text})`,
  signal: when(signal, CONDITION),
  means: (values, warmupEnd) =>
    means(values, warmupEnd).map((event, index) => (holds(values, index) ? event : undefined)),
});

const eitherOf = (one: Expression, other: Expression): Expression => ({
  text: `either(${one.text}, ${other.text})`,
  signal: either(one.signal, other.signal),
  means: (values, warmupEnd) => {
    const second = other.means(values, warmupEnd);
    return one.means(values, warmupEnd).map((event, index) => event ?? second[index]);
  },
});

const expressions = fc.letrec<{ readonly it: Expression }>((tie) => ({
  it: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    fc.constantFrom(...LEAVES),
    tie('it').map(onceOf),
    tie('it').map(inverseOf),
    tie('it').map(whenOf),
    fc.tuple(tie('it'), tie('it')).map(([one, other]) => eitherOf(one, other)),
  ),
})).it;

const prices = fc.array(fc.integer({ min: 6, max: 15 }), { minLength: 1, maxLength: 40 });

describe('combined signals', () => {
  it('follow the definition of each combinator for the signals of its parts, in both drives', () => {
    fc.assert(
      fc.property(expressions, prices, fc.integer({ min: 2, max: 12 }), (expression, values, warmupEnd) => {
        const program = compileSignals({ it: expression.signal });
        const meant = expression.means(values, warmupEnd);
        expect(overColumns(program, values, warmupEnd), expression.text).toEqual(meant);
        expect(barByBar(program, values, warmupEnd), expression.text).toEqual(meant);
      }),
      { numRuns: 1_500 },
    );
  });

  it('keep `once` in `either`: buy at the start, then follow the crossing', () => {
    const signal = either(first(bars), crossover(bars.close, 10));
    const program = compileSignals({ it: signal });
    const said = overColumns(program, [9, 9, 11, 9, 9], 1).map((event) => event?.[0]);
    expect(said).toEqual([undefined, 'up', 'up', 'down', undefined]);
  });

  it('do not emit a second time when the same bars are read again after a split', () => {
    const program = compileSignals({ it: either(first(bars), crossover(bars.close, 10)) });
    const usedUp = new Set<string>();
    const read = () =>
      [...program.overColumns(closes([9, 9, 11]), { warmupEnd: 0, usedUp })].map(({ index }) => index);
    expect([read(), read()]).toEqual([[0, 2], [2]]);
  });
});
