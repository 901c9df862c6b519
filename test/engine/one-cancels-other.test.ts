import { describe, expect, it } from 'vitest';
import { runInFull } from '#src/backtest/run-in-full.ts';
import { defineStrategy } from '#src/strategy/define-strategy.ts';
import type { Decision, OrderDrafts } from '#src/strategy/order-draft.ts';
import { setupOf } from '../fixtures/backtest.ts';
import { fill } from '../fixtures/bracket-rig.ts';
import { createEngineRig } from '../fixtures/engine-rig.ts';
import { AAPL, at, type BarRow, columnsOf } from '../fixtures/market.ts';

const rows = Array.from(
  { length: 6 },
  (_, minute): BarRow => [at(`2024-03-05T09:3${minute}:00-05:00`), ...([10, 10, 10, 10, 1000] as const)],
);
const bars = columnsOf(AAPL, '1m', rows);

/** Decides by the number of the bar. */
function strategyOf(decide: (bar: number, orders: OrderDrafts) => Decision) {
  let bar = 0;
  return defineStrategy({
    name: 'by-number',
    params: {},
    onBar: (_, { orders }) => {
      bar += 1;
      return decide(bar, orders);
    },
  });
}

function drafted(decide: (bar: number, orders: OrderDrafts) => Decision): readonly string[] {
  const policy = { orderType: 'MO', offsetTicks: 0, cancelAfterMs: undefined, exclusive: true } as const;
  const record = runInFull(setupOf(strategyOf(decide), [bars], { policy, short: true }));
  return record.decisions.flatMap((decision) => {
    if (decision.kind === 'order-moved' && decision.status === 'CanceledStatus') return ['canceled'];
    if (decision.kind !== 'intent-drafted') return [];
    const { side, type, quantity } = decision.terms;
    return [`${side} ${quantity} ${type}: ${decision.reason}`];
  });
}

describe('an exclusive order', () => {
  it('closes the position before it enters, and enters as usual', () => {
    expect(
      drafted((bar, orders) =>
        bar === 1 ? orders.buy(AAPL, 5) : bar === 3 ? orders.targetQuantity(AAPL, 8) : undefined,
      ),
    ).toEqual(['buy 5 MO: buy 5 shares', 'sell 5 MO: makes room', 'buy 8 MO: target 8 shares']);
  });

  it('cancels waiting orders', () => {
    expect(
      drafted((bar, orders) =>
        bar === 1
          ? orders.buy(AAPL, 5, { type: 'LO', price: '9.50' })
          : bar === 3
            ? orders.buy(AAPL, 6)
            : undefined,
      ),
    ).toEqual(['buy 5 LO: buy 5 shares', 'buy 6 MO: buy 6 shares', 'canceled']);
  });

  it('ends a sliced order that has more to send', () => {
    expect(
      drafted((bar, orders) =>
        bar === 1
          ? orders.twap(orders.buy(AAPL, 6), { minutes: 6, parts: 6 })
          : bar === 2
            ? orders.targetQuantity(AAPL, 20)
            : undefined,
      ),
    ).toEqual(['buy 1 MO: twap, slice 1 of 6', 'sell 1 MO: makes room', 'buy 20 MO: target 20 shares']);
  });

  it('does not do so if it only closes', () => {
    expect(
      drafted((bar, orders) =>
        bar === 1 ? orders.buy(AAPL, 5) : bar === 3 ? orders.close(AAPL) : undefined,
      ),
    ).toEqual(['buy 5 MO: buy 5 shares', 'sell 5 MO: target 0 shares']);
  });
});

it('an exclusive order cancels one that waits for exits to end: the position is closed once', () => {
  let quotes = 0;
  const rig = createEngineRig({
    exclusive: true,
    limits: { allowShort: true },
    strategy: {
      onQuote: ({ symbol }, { orders }) => {
        quotes += 1;
        const entry = orders.targetQuantity(symbol, [100, 20, 30][quotes - 1] ?? 0);
        return quotes === 1 ? orders.bracket(entry, { stop: 5 }) : entry;
      },
    },
  });
  rig.start();
  rig.quote(10);
  fill(rig, '100');
  rig.venue.hold({ AAPL: '100' }, '9000');
  rig.quote(10);
  rig.quote(10);
  rig.venue.list('O-I3', { status: 'CanceledStatus' });
  rig.venue.push('O-I3');
  const sold = [...rig.engine.state.live.values()].filter(
    ({ terms, facets }) => terms.side === 'sell' && facets.submission.kind === 'acked',
  );
  expect(sold.map(({ terms }) => String(terms.quantity))).toEqual(['100']);
});
