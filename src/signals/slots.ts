import { barClose, barSpan } from '../markets/bar-span.ts';
import { isOpen } from '../markets/sessions.ts';
import type { Period } from '../model/period.ts';
import { marketOf, type SecuritySymbol } from '../model/symbol.ts';
import { millis } from '../model/time.ts';

/**
 * Relation of a bar to the longer bar of a period that contains it. `slot` is the longer bar's timestamp, -1 for a
 * bar of extended hours or of a closed day. `full` is 1 if the longer bar is complete when this bar has closed,
 * otherwise 0.
 */
export type SlotField = `slot:${Period}` | `full:${Period}`;

/** The bar to locate. */
export interface SlottedBar {
  readonly symbol: SecuritySymbol;
  readonly period: Period;
  readonly time: number;
}

/** Timestamp for a bar that is not part of a longer one. */
export const NO_SLOT = -1;

/** True for fields about longer bars. */
export function isSlotField(field: string): field is SlotField {
  return field.startsWith('slot:') || field.startsWith('full:');
}

/** Returns a function that reads such a field; it reads the calendar once per longer bar. */
export function slotReader(): (field: SlotField, bar: SlottedBar) => number {
  const spans = new Map<string, { readonly open: number; readonly close: number }>();
  return (field, { symbol, period, time }) => {
    const longer = field.slice('slot:'.length) as Period;
    const market = marketOf(symbol);
    const close = barClose(market, period, millis(time));
    const last = millis(close - 1);
    const open = isOpen(market, last);
    const known = spans.get(longer);
    const fits = known !== undefined && last >= known.open && last < known.close;
    const span = fits ? known : open ? barSpan(market, longer, last) : undefined;
    if (span === undefined || !open) return field.startsWith('slot:') ? NO_SLOT : 0;
    spans.set(longer, span);
    return field.startsWith('slot:') ? span.open : Number(close >= span.close);
  };
}
