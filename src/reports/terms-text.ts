import type { OrderTerms } from '../model/order.ts';

/** Formats an order's terms: `buy 300 DEMO.HK LO at 62.05, day` or `sell 300 DEMO.HK TSLPPCT trailing by 1.5%, gtc`. */
export function termsText(terms: OrderTerms): string {
  const { side, quantity, symbol, type, price, triggerPrice, timeInForce } = terms;
  const trail = trailText(terms);
  const at = price === undefined ? '' : ` at ${price}`;
  const trigger = triggerPrice === undefined ? '' : ` triggered at ${triggerPrice}`;
  const trailing = trail === undefined ? '' : ` trailing by ${trail}`;
  return `${side} ${quantity} ${symbol} ${type}${at}${trigger}${trailing}, ${timeInForce}`;
}

/** Distance of a trailing order from the best price: `1.5%`, or an amount; undefined for any other order. */
export function trailText({
  trailingAmount,
  trailingPercent,
}: Pick<OrderTerms, 'trailingAmount' | 'trailingPercent'>): string | undefined {
  if (trailingPercent !== undefined) return `${trailingPercent}%`;
  return trailingAmount?.toString();
}
