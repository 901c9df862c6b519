import { signal } from '@preact/signals';
import { zonedStamp } from '../../model/zoned-stamp.ts';
import { language } from './text.ts';

/** Time zone of the exchanges of the displayed bot; the page shows times in it. */
export const zone = signal('UTC');

/** Formats an amount with two decimals in the reader's number format. */
export function money(amount: number | null, currency: string | null): string {
  if (amount === null) return '—';
  const figure = new Intl.NumberFormat(language.value, {
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
  }).format(amount);
  return currency === null ? figure : `${figure} ${currency}`;
}

/** Formats a decimal text with thousands separators and at most six decimals; other text is unchanged. */
export function figure(text: string): string {
  const [, whole, places = ''] = /^(-?\d+)(\.\d{1,6})?\d*$/.exec(text) ?? [];
  return whole === undefined ? text : `${whole.replace(/\B(?=(\d{3})+$)/g, ',')}${places}`;
}

/** Formats a time to the second, in the zone of the page. */
export function stamp(at: number, name = zone.value): string {
  return at === 0 ? '—' : zonedStamp(at, name);
}

/** Shifts a time for charts, whose axis is in UTC, so that UTC shows the zone's clock. */
export function onWall(at: number): number {
  return Date.parse(`${stamp(at).replace(' ', 'T')}Z`);
}

/** Used share of a limit, from 0 to 1; undefined if the two texts have different units. */
export function share(value: string, limit: string): number | undefined {
  const [used, most] = [parts(value), parts(limit)];
  if (used === undefined || most === undefined || used.unit !== most.unit || most.figure <= 0)
    return undefined;
  return Math.min(1, Math.max(0, used.figure / most.figure));
}

function parts(text: string): { readonly figure: number; readonly unit: string } | undefined {
  const [, written, unit = ''] = /^(-?[\d,]*\.?\d+)\s*(.*)$/.exec(text) ?? [];
  return written === undefined ? undefined : { figure: Number(written.replaceAll(',', '')), unit };
}
