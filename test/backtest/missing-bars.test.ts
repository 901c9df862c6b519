import { describe, expect, it } from 'vitest';
import { missingBarTexts } from '#src/backtest/missing-bars.ts';
import { calendarDay } from '#src/model/time.ts';
import { DEFAULT_RULES } from '#src/simulation/rules.ts';
import { defineStrategy } from '#src/strategy/define-strategy.ts';
import { setupOf } from '../fixtures/backtest.ts';
import { type BarRow, bars } from '../simulation/world.ts';

const day = (date: string, volume: number): BarRow => [
  `2024-03-${date}T00:00:00+08:00`,
  300,
  300,
  300,
  300,
  volume,
];

const reported = (rows: readonly BarRow[], emptyBars: 'wait' | 'fill' = 'wait'): readonly string[] =>
  missingBarTexts(
    setupOf(
      defineStrategy({ name: 'idle', params: {}, onBar: () => undefined }),
      [bars('700.HK', '1d', rows)],
      {
        from: calendarDay('2024-03-05'),
        to: calendarDay('2024-03-08'),
        rules: { ...DEFAULT_RULES, fills: { ...DEFAULT_RULES.fills, emptyBars } },
      },
    ),
  );

describe('what a report states about missing bars', () => {
  it('names the days of a suspension, and bars without a trade', () => {
    expect(reported([day('04', 100), day('05', 0), day('08', 0)])).toEqual([
      '700.HK has no bar on 2 trading days, the first 2024-03-06: nothing fills then, and what is held is worth its last price',
      '700.HK has 2 bars without volume, the first on 2024-03-05: there was no trade then, and nothing fills',
    ]);
  });

  it('reports a file without any volumes, unless volumes have no effect', () => {
    const rows = ['05', '06', '07', '08'].map((each) => day(each, 0));
    expect(reported(rows)).toEqual(['700.HK has no volumes: each of its bars is taken to have traded']);
    expect(reported(rows, 'fill')).toEqual([]);
    expect(reported(['05', '06', '07', '08'].map((each) => day(each, 100)))).toEqual([]);
  });
});
