import { omitUndefined } from './omit-undefined.ts';
import type { OrderTerms } from './order.ts';

/** The figures of an order that a replace may change; those that the order does not have are left out. */
export type ReplaceableFigures = Pick<
  OrderTerms,
  'quantity' | 'price' | 'triggerPrice' | 'limitOffset' | 'trailingAmount' | 'trailingPercent'
>;

/** Takes them out of the terms that an order is to have. */
export function replaceableFigures(terms: OrderTerms): ReplaceableFigures {
  const { quantity, price, triggerPrice, limitOffset, trailingAmount, trailingPercent } = terms;
  return {
    quantity,
    ...omitUndefined({ price, triggerPrice, limitOffset, trailingAmount, trailingPercent }),
  };
}

/** True when a version of an order has every figure of another. */
export function hasFigures(terms: OrderTerms, wanted: OrderTerms): boolean {
  if (terms === wanted) return true;
  const names = Object.keys(replaceableFigures(wanted)) as (keyof ReplaceableFigures)[];
  return names.every((name) => {
    const [read, requested] = [terms[name], wanted[name]];
    return read !== undefined && requested !== undefined && read.eq(requested);
  });
}
