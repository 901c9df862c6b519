import type { Decimal } from '../../model/decimal.ts';

/** Formats an amount with thousands separators; with decimals only if it has any. */
export function amountText(amount: Decimal, currency: string): string {
  const [whole = '', fraction] = amount.toFixed().split('.');
  const figure = whole.replace(/\B(?=(\d{3})+(?!\d))/g, ',');
  return `${fraction === undefined ? figure : `${figure}.${fraction}`} ${currency}`;
}

/** Formats a share as a percentage, with all its digits. */
export function percent(share: Decimal): string {
  return `${share.times(100)}%`;
}

/** Continues another sentence: first letter in lower case. */
export function lower(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** One part of an explanation, in sentences. */
export interface Explanation {
  readonly title: string;
  readonly sentences: readonly string[];
}

/** Joins texts: `a`, `a and b`, `a, b and c`. */
export function andText(texts: readonly string[]): string {
  return [texts.slice(0, -1).join(', '), ...texts.slice(-1)].filter((text) => text !== '').join(' and ');
}
