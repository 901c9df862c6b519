import { language } from './text.ts';

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

/** An instant as UTC, to the second. */
export function stamp(at: number): string {
  return at === 0 ? '—' : new Date(at).toISOString().slice(0, 19).replace('T', ' ');
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
