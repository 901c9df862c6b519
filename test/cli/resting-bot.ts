/**
 * Source of a strategy that keeps orders of 100 shares working far below the market, up to this number of shares per
 * symbol. It sends the next one once an order works, because quotes are up to 15 s apart.
 */
export function restsUpTo(shares: number): string {
  return `import { defineStrategy } from '@sluice-trading/sluice';
const rest = ({ symbol }, { orders, position, lastPrice }) =>
  position(symbol).openBuys >= ${shares}
    ? undefined
    : orders.buy(symbol, 100, { type: 'LO', price: Math.floor(lastPrice(symbol) * 0.8) });
export default defineStrategy({
  name: 'resting',
  params: {},
  onQuote: rest,
  onOrder: (event, context) => (event.outcome === 'working' ? rest(event, context) : undefined),
});
`;
}
