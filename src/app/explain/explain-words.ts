import type { Decimal } from '../../model/decimal.ts';

/** An amount with groups of three, as people read it; the fraction only where there is one. */
export function amountText(amount: Decimal, currency: string): string {
  const [whole = '', fraction] = amount.toFixed().split('.');
  const figure = whole.replace(/\B(?=(\d{3})+(?!\d))/g, ',');
  return `${fraction === undefined ? figure : `${figure}.${fraction}`} ${currency}`;
}

/** A share as a percentage, with all its digits. */
export function percent(share: Decimal): string {
  return `${share.times(100)}%`;
}

/** A sentence as the continuation of another: its first letter in lower case. */
export function lower(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** One part of what a bot will do, in sentences. */
export interface Explanation {
  readonly title: string;
  readonly sentences: readonly string[];
}
