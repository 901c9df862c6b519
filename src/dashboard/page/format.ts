import { signal } from '@preact/signals';
import { zonedStamp } from '../../model/zoned-stamp.ts';
import { language } from './text.ts';

/** The zone of the exchanges of the bot that the page shows: its times are those of this zone. */
export const zone = signal('UTC');

/** An amount with two places, in the reader's way of writing figures. */
export function money(amount: number | null, currency: string | null): string {
  if (amount === null) return '—';
  const figure = new Intl.NumberFormat(language.value, {
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
  }).format(amount);
  return currency === null ? figure : `${figure} ${currency}`;
}

/** A decimal text with separators of thousands, cut to six places; any other text as it is. */
export function figure(text: string): string {
  const [, whole, places = ''] = /^(-?\d+)(\.\d{1,6})?\d*$/.exec(text) ?? [];
  return whole === undefined ? text : `${whole.replace(/\B(?=(\d{3})+$)/g, ',')}${places}`;
}

/** An instant to the second, in the zone of the page. */
export function stamp(at: number, name = zone.value): string {
  return at === 0 ? '—' : zonedStamp(at, name);
}

/** An instant as the charts draw it, whose axis is in UTC: where UTC shows what the zone's clock shows. */
export function onWall(at: number): number {
  return Date.parse(`${stamp(at).replace(' ', 'T')}Z`);
}

/** How much of a limit is used, from 0 to 1; undefined where the two texts have no unit in common. */
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
