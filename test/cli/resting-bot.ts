/**
 * Source of a strategy that keeps orders of 100 shares working far below the market, up to this number of shares per
 * symbol.
 */
export function restsUpTo(shares: number): string {
  return `import { defineStrategy } from '@sluice-trading/sluice';
export default defineStrategy({
  name: 'resting',
  params: {},
  onQuote: ({ symbol, quote }, { orders, position }) =>
    position(symbol).openBuys >= ${shares}
      ? undefined
      : orders.buy(symbol, 100, { type: 'LO', price: Math.floor(Number(quote.last) * 0.8) }),
});
`;
}
