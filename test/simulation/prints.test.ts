import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BarFigures, printTimes } from '#src/simulation/market/prints.ts';
import { printsOf } from '../fixtures/prints-of.ts';

const bar: BarFigures = { open: 100, high: 104, low: 99, close: 103, volume: 10 };
const minute = [{ open: 0, close: 60_000 }];

describe('ticks of a bar', () => {
  it('are the open, the nearer extreme, the other extreme and the close', () => {
    const prices = (figures: BarFigures) =>
      printsOf(figures, minute, 'nearer-first').map(({ price }) => price);
    expect(prices(bar)).toEqual([100, 99, 104, 103]);
    expect(prices({ ...bar, low: 90 })).toEqual([100, 104, 90, 103]);
  });

  it('have the low first if both extremes are equally far', () => {
    const prints = printsOf({ ...bar, high: 101, low: 99 }, minute, 'nearer-first');
    expect(prints.map(({ price }) => price)).toEqual([100, 99, 101, 103]);
  });

  it('compare distances by the written prices, if doubles differ in their last digits', () => {
    expect(10.14 - 10.12).toBeGreaterThan(10.16 - 10.14);
    const tie = printsOf(
      { open: 10.14, high: 10.16, low: 10.12, close: 10.15, volume: 4 },
      minute,
      'nearer-first',
    );
    expect(tie.map(({ price }) => price)).toEqual([10.14, 10.12, 10.16, 10.15]);
    const places = fc.constantFrom(1, 100, 1_000, 1e6, 1e8);
    fc.assert(
      fc.property(
        fc.nat(2e9),
        fc.nat(60),
        fc.integer({ min: -1, max: 1 }),
        places,
        (low, down, more, scale) => {
          const [open, up] = [low + down, Math.max(0, down + more)];
          const figures = {
            open: open / scale,
            high: (open + up) / scale,
            low: low / scale,
            close: open / scale,
          };
          const second = printsOf({ ...figures, volume: 4 }, minute, 'nearer-first')[1]?.price;
          expect(second).toBe(down <= up ? figures.low : figures.high);
        },
      ),
    );
  });

  it('visit the extremes in the order of the path when it names one', () => {
    const second = (path: 'low-first' | 'high-first') => printsOf(bar, minute, path)[1]?.price;
    expect(second('low-first')).toBe(99);
    expect(second('high-first')).toBe(104);
  });

  it('are four even if nothing moved', () => {
    const flat = { open: 5, high: 5, low: 5, close: 5, volume: 0 };
    expect(printsOf(flat, minute, 'nearer-first')).toHaveLength(4);
  });

  it('are at the quarters of the trading time without the lunch break', () => {
    const hour = 3_600_000;
    const day = [
      { open: 9.5 * hour, close: 12 * hour },
      { open: 13 * hour, close: 16 * hour },
    ];
    expect(printTimes(day).map((time) => time / hour)).toEqual([9.5, 10.875, 13.25, 14.625]);
  });

  it('belong to the afternoon if a quarter falls on the break', () => {
    const pieces = [
      { open: 0, close: 30_000 },
      { open: 100_000, close: 130_000 },
    ];
    expect(printTimes(pieces)).toEqual([0, 15_000, 100_000, 115_000]);
  });

  it('are at whole seconds unless the bar is shorter than four', () => {
    expect(printTimes([{ open: 0, close: 5_000 }])).toEqual([0, 1_000, 2_000, 3_000]);
    expect(printTimes([{ open: 0, close: 1_000 }])).toEqual([0, 250, 500, 750]);
  });

  it('share the volume in whole shares, the rest with the last', () => {
    expect(printsOf(bar, minute, 'nearer-first').map(({ volume }) => volume)).toEqual([2, 2, 2, 4]);
  });

  it('keep the sum of volume, the range of prices and the order of time, for any bar', () => {
    const anyBar = fc
      .tuple(fc.array(fc.integer({ min: 1, max: 100_000 }), { minLength: 4, maxLength: 4 }), fc.nat(1e9))
      .map(([cents, volume]) => {
        const [open = 1, close = 1] = cents;
        return { open, close, high: Math.max(...cents), low: Math.min(...cents), volume };
      });
    const anyPieces = fc
      .array(fc.integer({ min: 4, max: 1e8 }), { minLength: 1, maxLength: 4 })
      .map((lengths) => {
        let clock = 0;
        return lengths.map((length) => {
          const open = clock;
          clock += length + 1_000;
          return { open, close: open + length };
        });
      });
    fc.assert(
      fc.property(anyBar, anyPieces, (figures, pieces) => {
        const prints = printsOf(figures, pieces, 'nearer-first');
        expect(prints.reduce((sum, { volume }) => sum + volume, 0)).toBe(figures.volume);
        expect(Math.max(...prints.map(({ price }) => price))).toBe(figures.high);
        expect(Math.min(...prints.map(({ price }) => price))).toBe(figures.low);
        const times = prints.map(({ time }) => time);
        expect(times).toEqual([...new Set(times)].toSorted((one, other) => one - other));
        expect(times.every((time) => pieces.some(({ open, close }) => time >= open && time < close))).toBe(
          true,
        );
      }),
    );
  });
});
