import { decimal } from '../model/decimal.ts';
import { calendarDay } from '../model/time.ts';
import type { ChargeRow, Confidence } from './charge-row.ts';

export const CHARGES_PAGE = 'docs/charges.md';
export const CENT = decimal('0.01');

/** First and last day are inclusive; an empty text means unlimited. */
type Dated = readonly [from: string, until: string, figure: string, confidence: Confidence];

/** Returns the first and last day of a charge row; empty texts are omitted. */
export function datesOf(from: string, until: string): Pick<ChargeRow, 'from' | 'until'> {
  return {
    ...(from === '' ? {} : { from: calendarDay(from) }),
    ...(until === '' ? {} : { until: calendarDay(until) }),
  };
}

export type CommonCharge = Omit<ChargeRow, 'from' | 'until' | 'basis' | 'confidence'>;

/** Creates the rows of one percentage charge, by period. */
export function ratios(common: CommonCharge, rows: readonly Dated[]): readonly ChargeRow[] {
  return rows.map(([from, until, rate, confidence]) => ({
    ...common,
    ...datesOf(from, until),
    basis: { kind: 'percent', rate: decimal(rate) },
    confidence,
  }));
}
