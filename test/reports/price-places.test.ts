import { describe, expect, it } from 'vitest';
import {
  axisTimes,
  chartSeconds,
  drawingScript,
  isDailyOrLonger,
  pricePlaces,
} from '#src/reports/page/drawing.ts';

describe('the times of an axis', () => {
  const at = (...times: readonly string[]): readonly number[] => times.map((time) => Date.parse(time) / 1000);

  it('are written as ISO 8601 does, in UTC, as exact as their distance needs', () => {
    const days = at('2025-09-03T00:00:00Z', '2025-09-05T00:00:00Z');
    expect(axisTimes(undefined, days, 0, 90, 2 * 86_400)).toEqual(['2025-09-03', '2025-09-05']);
    expect(axisTimes(undefined, days, 0, 90, 3_600)).toEqual(['09-03 00:00', '09-05 00:00']);
    expect(axisTimes(undefined, days, 0, 90, 30 * 86_400)).toEqual(['2025-09', '2025-09']);
    expect(axisTimes(undefined, days, 0, 90, 366 * 86_400)).toEqual(['2025', '2025']);
    expect(drawingScript()).toContain('function axisTimes(');
  });
});

describe('the decimals of a price chart', () => {
  it('are those of the most exact price, from 2 to 6, without the digits that a float adds', () => {
    expect(pricePlaces([])).toBe(2);
    expect(pricePlaces([200, 199.5])).toBe(2);
    expect(pricePlaces([0.1 + 0.2, 0.305])).toBe(3);
    expect(pricePlaces([712_345.67, 2874.560059])).toBe(2);
    expect(pricePlaces([1 / 3])).toBe(6);
    // As in a file of 32-bit figures.
    expect(pricePlaces([2874.560059, 1089.410034, 97.239998])).toBe(2);
    expect(pricePlaces([0.0125, 97.235])).toBe(4);
    expect(pricePlaces([1e-9, 1e21])).toBe(2);
  });

  it('are computed in the script of the page, too', () => {
    expect(drawingScript()).toContain('function pricePlaces(');
  });
});

describe('times of a chart in UTC', () => {
  it("have the exchange's date for daily bars, and the instant for shorter ones", () => {
    const day = (time: string) => new Date(chartSeconds(Date.parse(time), true) * 1000).toISOString();
    expect(day('2024-03-04T00:00:00+08:00')).toBe('2024-03-04T00:00:00.000Z');
    expect(day('2024-03-04T00:00:00-05:00')).toBe('2024-03-04T00:00:00.000Z');
    expect(day('2024-07-04T00:00:00-04:00')).toBe('2024-07-04T00:00:00.000Z');
    const noon = Date.parse('2024-03-04T09:30:00+08:00');
    expect(chartSeconds(noon, false)).toBe(noon / 1000);
    expect(['1m', '4h', '1d', '1w', '1M', '1Q', '1Y', undefined].map(isDailyOrLonger)).toEqual([
      ...[false, false, true, true, true, true, true, false],
    ]);
  });
});
