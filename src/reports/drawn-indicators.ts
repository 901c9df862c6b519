import { barsJoined } from './downsample.ts';
import type { PriceHistory } from './price-history.ts';

/** A series of a strategy to draw: one value per drawn bar, at its close; null while undefined. */
export interface DrawnIndicator {
  readonly name: string;
  /** True over the prices; otherwise in a pane below them. */
  readonly isPrice: boolean;
  readonly values: readonly (number | null)[];
}

/** Maximum number of lines that remain distinguishable. */
export const INDICATORS_MAX = 8;
const DIGITS = 7;
/** A series of unknown kind is drawn over the prices if this share of its values is this near to the close. */
const [NEAR_SHARE, NEAR] = [0.9, 0.25];

/** The series of a history at the last bar of each joined bar, which the strategy saw at that close. */
export function drawnIndicators(
  { columns, firstBar, indicators = [] }: Pick<PriceHistory, 'columns' | 'firstBar' | 'indicators'>,
  barsMax: number,
): readonly DrawnIndicator[] {
  const each = barsJoined(columns, firstBar, barsMax);
  const ends: number[] = [];
  for (let begin = firstBar; begin < columns.length; begin += each)
    ends.push(Math.min(begin + each, columns.length) - 1);
  return indicators.slice(0, INDICATORS_MAX).map((indicator) => ({
    name: indicator.name,
    isPrice: indicator.isPrice ?? isNearPrice(indicator.values, columns.close),
    values: ends.map((at) => {
      const value = indicator.values[at] ?? Number.NaN;
      return Number.isFinite(value) ? Number(value.toPrecision(DIGITS)) : null;
    }),
  }));
}

/** True if the values of a series of unknown kind are so near to the closes that it belongs over the prices. */
export function isNearPrice(values: ArrayLike<number>, closes: ArrayLike<number>): boolean {
  let [known, near] = [0, 0];
  for (let at = 0; at < values.length; at += 1) {
    const [value, price] = [values[at] ?? Number.NaN, closes[at] ?? Number.NaN];
    if (!Number.isFinite(value) || !(price > 0)) continue;
    known += 1;
    if (Math.abs(value / price - 1) <= NEAR) near += 1;
  }
  return known > 0 && near >= known * NEAR_SHARE;
}
