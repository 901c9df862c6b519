import { omitUndefined } from './omit-undefined.ts';
import type { OrderTerms } from './order.ts';

/** The fields of an order that a replace may change, without those that the order does not have. */
export type ReplaceableFigures = Pick<
  OrderTerms,
  'quantity' | 'price' | 'triggerPrice' | 'limitOffset' | 'trailingAmount' | 'trailingPercent'
>;

export function replaceableFigures(terms: OrderTerms): ReplaceableFigures {
  const { quantity, price, triggerPrice, limitOffset, trailingAmount, trailingPercent } = terms;
  return {
    quantity,
    ...omitUndefined({ price, triggerPrice, limitOffset, trailingAmount, trailingPercent }),
  };
}

/** True if `terms` has every replaceable field of `wanted` with equal values. */
export function hasFigures(terms: OrderTerms, wanted: OrderTerms): boolean {
  if (terms === wanted) return true;
  const names = Object.keys(replaceableFigures(wanted)) as (keyof ReplaceableFigures)[];
  return names.every((name) => {
    const [read, requested] = [terms[name], wanted[name]];
    return read !== undefined && requested !== undefined && read.eq(requested);
  });
}
