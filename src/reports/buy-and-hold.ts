import type { EquityCurve } from '../events/curve/equity-curve.ts';
import type { PriceHistory } from './price-history.ts';

/** How the line is made, printed where it is shown: as in the account of the run, where dividends may count or not. */
export function holdDefinition(withDividends: boolean): string {
  const dividends = withDividends
    ? 'with the dividends that events.csv tells, less what is withheld, kept as cash from the ex-day on'
    : 'without dividends, as the run has none';
  return `Buy and hold: the first equity in equal parts in each symbol at the first close of the run (where its bars begin later, at its own first, as cash until then), kept to the end through splits, free of charges, ${dividends}`;
}

/**
 * Equity of holding equal parts of every symbol, at the given closes of a run. A symbol is bought at its first close that
 * counts and counts as cash until then. NaN throughout when a rate or a first price is missing.
 */
export function buyAndHold(
  { time }: Pick<EquityCurve, 'time'>,
  indices: readonly number[],
  initial: number,
  histories: readonly PriceHistory[],
): readonly number[] {
  const share = initial / histories.length;
  const cursors = histories.map((history) => createCursor(history));
  return indices.map((index) => {
    const at = time[index] as number;
    return cursors.reduce((sum, cursor) => sum + share * cursor.growthAt(at), 0);
  });
}

interface Cursor {
  growthAt(at: number): number;
}

/** Growth in the account's currency; a constant rate cancels out, an unknown one makes it NaN. */
function createCursor({ columns, firstBar, closeAt, rate, sharesAt, paidAt }: PriceHistory): Cursor {
  const first = columns.close[firstBar];
  let index = firstBar - 1;
  return {
    growthAt(at) {
      if (first === undefined || !(rate > 0)) return Number.NaN;
      while (index + 1 < columns.length && closeAt(index + 1) <= at) index += 1;
      if (index < firstBar) return 1;
      const worth = (columns.close[index] as number) * (sharesAt?.(index) ?? 1);
      return (worth + (paidAt?.(index) ?? 0)) / first;
    },
  };
}
