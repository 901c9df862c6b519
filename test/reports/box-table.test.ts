import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boxTable } from '#src/reports/box-table.ts';
import { columnsOf, cutTo, linesWithin } from '#src/reports/text-columns.ts';

describe('a table in boxes', () => {
  it('draws headings above a line, and figures at the right', () => {
    const text = boxTable({
      head: ['', 'Fees'],
      rows: [
        ['backtest', '1.00 USD\n22.00 HKD'],
        ['paper', '\u001b[32m+3\u001b[39m'],
      ],
      aligns: ['left', 'right'],
    });
    expect(text.split('\n')).toEqual([
      '┌──────────┬───────────┐',
      '│          │      Fees │',
      '├──────────┼───────────┤',
      '│ backtest │  1.00 USD │',
      '│          │ 22.00 HKD │',
      '│ paper    │        \u001b[32m+3\u001b[39m │',
      '└──────────┴───────────┘',
    ]);
  });

  it('breaks cells at spaces where its columns have a width, and cuts no figure', () => {
    const text = boxTable({ rows: [['Drawdown', 'a b 123456789012 c']], widths: [8, 6] });
    expect(text.split('\n').slice(1, -1)).toEqual([
      '│ Drawdown │ a b    │',
      '│          │ 123456 │',
      '│          │ 789012 │',
      '│          │ c      │',
    ]);
  });
});

describe('a text in columns', () => {
  it('counts two for Chinese characters, none for colours and marks', () => {
    expect(columnsOf('腾讯\u001b[30;43mx\u001b[39;49me\u0301')).toBe(6);
    expect(cutTo('腾讯控股', 6)).toBe('腾讯…');
    expect(cutTo('腾讯控股', 8)).toBe('腾讯控股');
  });

  it('is broken into lines that are no wider, and loses nothing but spaces', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 60 }),
        fc.integer({ min: 2, max: 12 }),
        (text, room) => {
          const lines = linesWithin(text, room);
          for (const line of lines) expect(columnsOf(line)).toBeLessThanOrEqual(room);
          const bare = (each: string): string => each.replaceAll(/[ \n]/g, '');
          expect(bare(lines.join(''))).toBe(bare(text));
        },
      ),
    );
  });
});
