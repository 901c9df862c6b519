import { signal } from '@preact/signals';
import { zonedStamp } from '../../model/zoned-stamp.ts';
import { language } from './text.ts';

/** Time zone of the exchanges of the displayed bot; the page shows times in it. */
export const zone = signal('UTC');

/** Formats an amount with two decimals in the reader's number format; a gain has its sign if `signed` is true. */
export function money(amount: number | null, currency: string | null, signed = false): string {
  if (amount === null) return '—';
  const figure = new Intl.NumberFormat(language.value, {
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
    signDisplay: signed ? 'exceptZero' : 'auto',
  }).format(amount);
  return currency === null ? figure : `${figure} ${currency}`;
}

/** Formats a decimal text with thousands separators and at most six decimals; other text is unchanged. */
export function figure(text: string): string {
  const [, whole, places = ''] = /^(-?\d+)(\.\d{1,6})?\d*$/.exec(text) ?? [];
  return whole === undefined ? text : `${whole.replace(/\B(?=(\d{3})+$)/g, ',')}${places}`;
}

/** Formats a price with at least two decimals; other text is unchanged. */
export function priceText(text: string): string {
  const [, places = ''] = /^-?\d+(?:\.(\d*))?$/.exec(text) ?? [];
  if (!/^-?\d/.test(text) || places.length >= PRICE_PLACES) return figure(text);
  const [whole = ''] = text.split('.');
  return `${figure(whole)}.${places.padEnd(PRICE_PLACES, '0')}`;
}

const PRICE_PLACES = 2;

/** Formats a share as a percentage with two decimals; a gain has its sign if `signed` is true. */
export function percent(value: number, signed = false): string {
  const text = `${(value * 100).toFixed(2)}%`;
  return signed && value > 0 && text !== '0.00%' ? `+${text}` : text;
}

/** Formats a time to the second, in the zone of the page. */
export function stamp(at: number, name = zone.value): string {
  return at === 0 ? '—' : zonedStamp(at, name);
}

/** Shifts a time for charts, whose axis is in UTC, so that UTC shows the zone's clock. */
export function onWall(at: number): number {
  return Date.parse(`${stamp(at).replace(' ', 'T')}Z`);
}

/** Returns the instant of a clock time in the zone of the page, such as `2025-09-02T10:31`; undefined for no time. */
export function fromWall(text: string): number | undefined {
  const wall = Date.parse(`${text}Z`);
  if (!Number.isFinite(wall)) return undefined;
  const guess = wall - (onWall(wall) - wall);
  return wall - (onWall(guess) - guess);
}
