import type { OrderTerms } from '../model/order.ts';

/** Formats an order's terms: `buy 300 DEMO.HK LO at 62.05, day`. */
export function termsText(terms: OrderTerms): string {
  const { side, quantity, symbol, type, price, triggerPrice, timeInForce } = terms;
  const at = price === undefined ? '' : ` at ${price}`;
  const trigger = triggerPrice === undefined ? '' : ` triggered at ${triggerPrice}`;
  return `${side} ${quantity} ${symbol} ${type}${at}${trigger}, ${timeInForce}`;
}
