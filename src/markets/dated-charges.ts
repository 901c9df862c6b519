import { decimal } from '../model/decimal.ts';
import { calendarDay } from '../model/time.ts';
import type { ChargeRow, Confidence } from './charge-row.ts';

/** Where the page of charges is. */
export const CHARGES_PAGE = 'docs/charges.md';
export const CENT = decimal('0.01');

/** A period from one day to another (both included, empty text is open) with its figures. */
type Dated = readonly [from: string, until: string, figure: string, confidence: Confidence];

/** First and last day of a charge row. */
export function datesOf(from: string, until: string): Pick<ChargeRow, 'from' | 'until'> {
  return {
    ...(from === '' ? {} : { from: calendarDay(from) }),
    ...(until === '' ? {} : { until: calendarDay(until) }),
  };
}

export type CommonCharge = Omit<ChargeRow, 'from' | 'until' | 'basis' | 'confidence'>;

/** Rows of one charge that is a share of the notional, by period. */
export function ratios(common: CommonCharge, rows: readonly Dated[]): readonly ChargeRow[] {
  return rows.map(([from, until, rate, confidence]) => ({
    ...common,
    ...datesOf(from, until),
    basis: { kind: 'percent', rate: decimal(rate) },
    confidence,
  }));
}
