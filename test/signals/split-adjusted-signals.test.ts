import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BarColumns } from '#src/model/bar.ts';
import { millis } from '#src/model/time.ts';
import { bars } from '#src/signals/bars.ts';
import { crossover, first } from '#src/signals/cross.ts';
import { ema, sma } from '#src/signals/indicators/averages.ts';
import { rsi } from '#src/signals/indicators/momentum.ts';
import { compileSignals } from '#src/signals/program.ts';
import { splitAdjustedSignals } from '#src/signals/split-adjusted-signals.ts';
import { rebasedColumns, type SplitAdjustment } from '#src/signals/split-adjustment.ts';
import { AAPL, columnsOf } from '../fixtures/market.ts';

const MINUTE = 60_000;
const program = compileSignals({
  cross: crossover(sma(bars.close, 2), sma(bars.close, 5)),
  begin: first(bars),
  quick: ema(bars.close, 3),
  strength: rsi(bars.close, 4),
});

/** Prices without splits, and the prices printed with them. */
function world(smooth: readonly number[], splits: readonly (readonly [bar: number, ratio: number])[]) {
  const changes = splits.map(
    ([bar, ratio]): SplitAdjustment => ({ barsFrom: millis(bar * MINUTE), at: millis(bar * MINUTE), ratio }),
  );
  const printed = smooth.map((price, index) =>
    splits.reduce((reported, [bar, ratio]) => (index >= bar ? reported / ratio : reported), price),
  );
  const table = (prices: readonly number[]): BarColumns =>
    columnsOf(
      AAPL,
      '1m',
      prices.map((price, index) => [index * MINUTE, price, price, price, price, 100]),
    );
  return { changes, printed: table(printed), smooth: table(smooth) };
}

const someWorld = fc
  .record({
    smooth: fc.array(fc.integer({ min: 50, max: 150 }), { minLength: 20, maxLength: 60 }),
    bars: fc.uniqueArray(fc.integer({ min: 1, max: 19 }), { maxLength: 3 }),
    ratio: fc.constantFrom(2, 4, 0.5, 8),
  })
  .map(({ smooth, bars: at, ratio }) =>
    world(
      smooth,
      at.toSorted((one, other) => one - other).map((bar) => [bar, ratio] as const),
    ),
  );

const said = (signals: ReturnType<typeof splitAdjustedSignals>) =>
  Array.from(signals.bars, (bar, event) => {
    const { name, direction, strength } = signals.at(event);
    return { bar, name, direction, strength: Number(strength.toPrecision(9)) };
  });

describe('signals over splits', () => {
  it('equal those of prices without splits', () => {
    let crosses = 0;
    fc.assert(
      fc.property(someWorld, ({ changes, printed, smooth }) => {
        const across = said(splitAdjustedSignals(program, printed, changes, 6)).filter(
          ({ name }) => name !== 'begin',
        );
        const plain = said(splitAdjustedSignals(program, smooth, [], 6)).filter(
          ({ name }) => name !== 'begin',
        );
        const bare = ({ bar, name, direction }: (typeof across)[number]) => ({ bar, name, direction });
        crosses += across.length;
        expect(across.map(bare)).toEqual(plain.map(bare));
      }),
      { numRuns: 200 },
    );
    expect(crosses).toBeGreaterThan(100);
  });

  it('do not depend on a future split', () => {
    fc.assert(
      fc.property(someWorld, ({ changes, printed }) => {
        const last = changes.at(-1);
        if (last === undefined) return;
        const until = last.barsFrom / MINUTE;
        const before = said(splitAdjustedSignals(program, printed, changes.slice(0, -1), 0)).filter(
          ({ bar }) => bar < until,
        );
        const all = said(splitAdjustedSignals(program, printed, changes, 0)).filter(({ bar }) => bar < until);
        expect(all).toEqual(before);
      }),
    );
  });

  it('have values in current shares, and constant levels', () => {
    const { changes, printed } = world(Array(20).fill(70), [[10, 7]]);
    const signals = splitAdjustedSignals(program, printed, changes, 0);
    expect(signals.value('quick', 9, 9 * MINUTE)).toBeCloseTo(70, 12);
    expect(signals.value('quick', 9, 10 * MINUTE)).toBeCloseTo(10, 12);
    expect(signals.value('quick', 12, 12 * MINUTE)).toBeCloseTo(10, 12);
  });

  it('emit once in total what they emit once', () => {
    const { changes, printed } = world(Array(20).fill(70), [[10, 7]]);
    const begun = said(splitAdjustedSignals(program, printed, changes, 0)).filter(
      ({ name }) => name === 'begin',
    );
    expect(begun).toHaveLength(1);
  });

  it('have volumes in new shares, too', () => {
    const { changes, printed } = world([70, 70, 70], [[2, 7]]);
    expect([...rebasedColumns(printed, changes).volume]).toEqual([700, 700, 100]);
    expect([...rebasedColumns(printed, changes).close]).toEqual([10, 10, 10]);
  });
});
