import { describe, expect, it } from 'vitest';
import { bars } from '#src/signals/bars.ts';
import { crossover, every, first } from '#src/signals/cross.ts';
import { defineIndicator } from '#src/signals/custom.ts';
import { graphOf } from '#src/signals/graph.ts';
import { add, constant, div, lag, sub } from '#src/signals/indicators/arithmetic.ts';
import { ema, sma } from '#src/signals/indicators/averages.ts';
import { bollinger } from '#src/signals/indicators/deviation.ts';
import { macd, rsi } from '#src/signals/indicators/momentum.ts';
import { atr } from '#src/signals/indicators/range.ts';
import { vwap } from '#src/signals/indicators/volume.ts';
import { series } from '#src/signals/node.ts';
import { compileSignals, MAX_WARMUP_BARS } from '#src/signals/program.ts';
import type { Bind } from '#src/signals/series.ts';
import { closes, eachBar, walk } from './some-bars.ts';

describe('a signal program', () => {
  it('names signals and series, and groups by their parts', () => {
    const program = compileSignals({
      cross: crossover(bars.close, 10),
      rsi: rsi(bars.close),
      bands: bollinger(bars.close),
    });
    expect(program.signals).toEqual(['cross']);
    expect(program.series).toEqual(['rsi', 'bands.upper', 'bands.middle', 'bands.lower']);
    expect(program.names).toEqual(['cross', ...program.series]);
  });

  it('computes the same indicator on the same inputs once', () => {
    const [a, b] = [sma(bars.close, 10), sma(bars.close, 10)];
    expect(graphOf([a.node, b.node, crossover(a, b).node]).nodes.map(({ key }) => key)).toEqual([
      'close',
      'sma(close,10)',
      'crossover(sma(close,10),sma(close,10))',
    ]);
    expect(sma(bars.open, 10).node.key).not.toBe(a.node.key);
  });

  it('warms up until averages no longer depend on their seeds, within the bars of one request', () => {
    const cross = compileSignals({ cross: crossover(sma(bars.close, 10), sma(bars.close, 30)) });
    expect([cross.defined, cross.settled, cross.warmup]).toEqual([30, 30, 30]);
    const quick = compileSignals({ it: ema(bars.close, 20) });
    expect([quick.defined, quick.warmup]).toEqual([19, 19 + Math.ceil(Math.log(1e-9) / Math.log(19 / 21))]);
    const slow = compileSignals({ it: ema(bars.close, 400) });
    expect(slow.settled).toBeGreaterThan(MAX_WARMUP_BARS);
    expect(slow.warmup).toBe(MAX_WARMUP_BARS);
    expect(compileSignals({ it: every(bars) }).warmup).toBe(0);
  });

  it('adds the warm-ups of indicators on indicators', () => {
    const line = macd(bars.close, 12, 26, 9);
    expect(compileSignals({ line: line.macd }).defined).toBe(25);
    expect(compileSignals({ line: line.signal }).defined).toBe(33);
    expect(compileSignals({ it: atr(bars, 14) }).defined).toBe(14);
  });

  it('finds values by name, and lists the existing names', () => {
    const columns = compileSignals({ mean: sma(bars.close, 2) }).overColumns(closes([1, 3, 5]), {
      warmupEnd: 0,
    });
    expect([...columns.column('mean')]).toEqual([Number.NaN, 2, 4]);
    expect(columns.value('mean', 2)).toBe(4);
    expect(columns.value('mean', 9)).toBeNaN();
    expect(() => columns.value('men', 2)).toThrow(
      '"men" is none of this strategy\'s signals (mean), did you mean "mean"?',
    );
    expect(() => columns.at(0)).toThrow(RangeError);
  });

  it.each<[unknown, string]>([
    [{ it: { part: 5 } }, '"it.part" is 5, neither a signal nor a series; want what an indicator returned'],
    // What two series compared with ">" give.
    [{ it: false }, '"it" is false, neither a signal nor a series'],
    [{ it: 70 }, '"it" is 70, neither'],
    [{ it: undefined }, '"it" is undefined, neither'],
    [{ it: { part: {} } }, '"it.part" is an object, neither'],
    [{ it: Promise.resolve({}) }, '"it" is an object, neither'],
    [Promise.resolve({}), 'they are a Promise (signals is a plain function: remove "async")'],
    [
      sma(bars.close, 3),
      'they are a series without a name, want an object with names, such as { cross: crossover(...) }',
    ],
    [crossover(sma(bars.close, 3), bars.close), 'they are a signal without a name'],
    [[sma(bars.close, 3)], 'they are a list, want an object with names'],
  ])('refuses what is no signal and no series: %#', (wrong, message) => {
    expect(() => compileSignals(wrong as Parameters<typeof compileSignals>[0])).toThrow(message);
  });

  it.each([
    ['undefined', undefined],
    ['5', 5],
    ['something else', {}],
  ])('refuses to build an indicator on %s', (shown, given) => {
    const build = (): unknown => sma(given as unknown as (typeof bars)['close'], 3);
    expect(build).toThrow(
      `Cannot build sma: it is given ${shown} in place of a series such as bars.close; is that spelt right?`,
    );
  });

  it('refuses windows that are no whole number of bars', () => {
    expect(() => sma(bars.close, 2.5)).toThrow('Cannot build sma: its window is "2.5"');
    expect(() => sma(bars.close, 0)).toThrow('from 1 to 10000');
    expect(() => bollinger(bars.close, 20, Number.NaN)).toThrow('want a finite number above 0');
  });
});

describe('the bar-by-bar drive', () => {
  const program = compileSignals({ start: first(bars), cross: crossover(bars.close, sma(bars.close, 3)) });

  it('emits nothing before its warm-up is fed, and then begins', () => {
    const stepper = program.stepper();
    const said = eachBar(closes([1, 2, 3, 9, 1])).map((bar) => stepper.push(bar).map(({ name }) => name));
    expect(program.warmup).toBe(3);
    expect(said).toEqual([[], [], [], ['start'], ['cross']]);
  });

  it('decides from the given bar on, and never on a warm-up bar', () => {
    const stepper = program.stepper({ warmupEnd: 0 });
    const [one, two, three] = eachBar(closes([1, 2, 3]));
    if (one === undefined || two === undefined || three === undefined) throw new Error('want three bars');
    stepper.warm(one);
    expect(stepper.push(two).map(({ name }) => name)).toEqual(['start']);
    expect(stepper.push(three)).toEqual([]);
    expect(stepper.fed()).toBe(3);
  });

  it('has no value before the first bar', () => {
    expect(program.stepper().value('cross')).toBeNaN();
  });

  it('refuses a bar that is not later than the previous one', () => {
    const stepper = program.stepper();
    const [bar] = eachBar(closes([1]));
    if (bar === undefined) throw new Error('want a bar');
    stepper.push(bar);
    expect(() => stepper.push(bar)).toThrow('want ascending times');
  });

  it('computes the inputs of its signals, and another series on demand', () => {
    let computed = 0;
    const bind: Bind = (x, out) => (from, to) => {
      computed += to - from;
      out.set(x.subarray(from, to), from);
    };
    const aside = series({ name: 'aside', inputs: [bars.close], bind });
    const program = compileSignals({ cross: crossover(bars.close, 2), aside });
    const columns = program.overColumns(closes([1, 3, 1]), { warmupEnd: 0 });
    expect([columns.count, computed]).toEqual([2, 0]);
    expect(columns.value('aside', 1)).toBe(3);
    expect(computed).toBe(3);
  });

  it('refuses figures that are not finite, whether or not a signal reads them', () => {
    const aside = compileSignals({ cross: crossover(bars.open, 2), aside: sma(bars.close, 2) });
    const data = { ...closes([1, 2, 3]), close: Float64Array.of(1, Number.NaN, 3) };
    expect(() => aside.scan({ warmupEnd: 0 }).feed(data)).toThrow('close of bar 1 is "NaN"');
  });

  it('refuses figures that are not finite, as the column drive does', () => {
    const data = closes([1, 2, Number.NaN, 4]);
    const wanted = 'close of bar 2 is "NaN", want a finite number';
    expect(() => program.overColumns(data, { warmupEnd: 0 })).toThrow(wanted);
    const stepper = program.stepper();
    expect(() => eachBar(data).map((bar) => stepper.push(bar))).toThrow(wanted);
  });
});

describe('a custom indicator', () => {
  const streak = defineIndicator({
    name: 'streak',
    defined: () => 1,
    start: () => {
      let [length, before] = [0, Number.NaN];
      return (close) => {
        length = close > before ? length + 1 : 0;
        const value = Number.isNaN(before) ? Number.NaN : length;
        before = close;
        return value;
      };
    },
  });

  it('is driven like the built-in ones, with fresh memory for each run', () => {
    const program = compileSignals({ it: streak([bars.close]) });
    for (const _ of [1, 2]) {
      const column = program.overColumns(closes([1, 2, 3, 2, 4]), { warmupEnd: 0 }).column('it');
      expect([...column]).toEqual([Number.NaN, 1, 2, 0, 1]);
    }
  });

  it('may not share its name with another', () => {
    const other = defineIndicator({ name: 'streak', start: () => () => 0 });
    const record = { a: streak([bars.close]), b: other([bars.close]) };
    expect(() => compileSignals(record)).toThrow('both called "streak(close)"');
  });

  it('accepts one to four inputs', () => {
    expect(() => streak([])).toThrow('want one to four series');
  });
});

describe('arithmetic on series', () => {
  it('works bar by bar, with numbers as levels', () => {
    const data = closes([1, 2, 4]);
    const column = (series: ReturnType<typeof add>) => [
      ...compileSignals({ it: series }).overColumns(data, { warmupEnd: 0 }).column('it'),
    ];
    expect(column(add(bars.close, 1))).toEqual([2, 3, 5]);
    expect(column(sub(10, bars.close))).toEqual([9, 8, 6]);
    expect(column(lag(bars.close, 2))).toEqual([Number.NaN, Number.NaN, 1]);
    expect(column(div(bars.close, sub(bars.close, 2)))).toEqual([-1, -1, 2]);
    expect(() => constant(Number.POSITIVE_INFINITY)).toThrow('want a finite number');
  });
});

it('the session average of a Hong Kong symbol starts again at midnight in Hong Kong', () => {
  const data = walk(1_500, 2);
  const column = compileSignals({ it: vwap(bars) })
    .overColumns(data, { warmupEnd: 0 })
    .column('it');
  const typical = (i: number): number =>
    ((data.high[i] ?? 0) + (data.low[i] ?? 0) + (data.close[i] ?? 0)) / 3;
  const alone = Array.from({ length: 1_500 }, (_, i) => i).filter((i) => column[i] === typical(i));
  const midnight = data.time.indexOf(Date.parse('2024-01-02T16:00:00Z'));
  expect(column[midnight]).toBeCloseTo(typical(midnight), 10);
  expect(alone.filter((i) => i > 10 && Math.abs(i - midnight) > 10)).toEqual([]);
});
