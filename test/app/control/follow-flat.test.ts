import { describe, expect, it } from 'vitest';
import { type FlatFacts, flatCounter } from '#src/app/control/follow-flat.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { millis } from '#src/model/time.ts';

type Waits = FlatFacts['flattening'][number]['waitsFor'];

function facts(orders: readonly string[], held: readonly string[], waits?: Waits): FlatFacts {
  const until = waits === 'market-open' ? millis(Date.UTC(2026, 10, 25, 14, 30)) : null;
  return {
    openOrders: orders.map((id) => ({
      ...{ intentId: id, orderId: id, terms: '', state: '', open: '', decidedAt: '' },
    })),
    positions: held.map((symbol) => ({ symbol, quantity: '3', cost: '1' })),
    flattening:
      waits === undefined
        ? []
        : held.map((symbol) => ({ symbol: securitySymbol(symbol), waitsFor: waits, until })),
  };
}

describe('the progress of "sluice kill --flatten"', () => {
  it('counts orders and positions from the first status on, and names what it waits for', () => {
    const count = flatCounter();
    const texts = [
      count(facts(['a', 'b'], ['AAPL.US', 'MSFT.US'], 'cancels'), false),
      count(facts(['b'], ['AAPL.US', 'MSFT.US'], 'cancels'), true),
      count(facts(['c'], ['MSFT.US'], 'closing-order'), true),
      count(facts([], ['MSFT.US'], 'market-open'), true),
      count(facts([], ['MSFT.US'], 'next-look'), true),
      count(facts([], []), true),
    ];
    expect(texts.map(({ text }) => text)).toEqual([
      'orders cancelled or filled 0 of 2, positions closed 0 of 2; waits for the cancels in AAPL.US; the cancels in MSFT.US',
      'orders cancelled or filled 1 of 2, positions closed 0 of 2; waits for the cancels in AAPL.US; the cancels in MSFT.US',
      'orders cancelled or filled 2 of 2, positions closed 1 of 2; waits for the order that closes MSFT.US',
      'orders cancelled or filled 2 of 2, positions closed 1 of 2; waits for the market of MSFT.US to open, not before 2026-11-25 14:30 UTC',
      "orders cancelled or filled 2 of 2, positions closed 1 of 2; waits for the bot's next look at MSFT.US",
      'Flat: orders cancelled or filled 2 of 2, positions closed 2 of 2',
    ]);
    expect(texts.map(({ state }) => state)).toEqual([...Array(5).fill('under way'), 'flat']);
  });

  it('is not flat before the bot has received the kill, although nothing is open', () => {
    expect(flatCounter()(facts([], []), false).state).toBe('under way');
    expect(flatCounter()(facts([], []), true).state).toBe('flat');
  });

  it('ends when only shares below a lot are left, which the bot does not sell', () => {
    expect(flatCounter()(facts([], ['700.HK']), true)).toEqual({
      state: 'kept',
      text: 'Not flat: orders cancelled or filled 0 of 0, positions closed 0 of 1; the bot does not sell 3 700.HK, see its alarms',
    });
  });
});
