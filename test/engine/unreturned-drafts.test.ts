import { describe, expect, it } from 'vitest';
import type { UnreturnedDrafts } from '#src/events/unreturned-drafts.ts';
import { createEngineRig } from '../fixtures/engine-rig.ts';
import { AAPL } from '../fixtures/market.ts';

describe('a running bot', () => {
  it('reports once that a hook created orders and returned nothing, and counts the calls by strategy and hook', () => {
    const heard: UnreturnedDrafts[] = [];
    const rig = createEngineRig({
      onUnreturned: (drafts) => heard.push(drafts),
      members: {
        forgets: {
          strategy: {
            onQuote: (_quote, { orders }) => void orders.buy(AAPL, 1),
            onStart: (_event, { orders }) => orders.buy(AAPL, 1),
          },
        },
        returns: { strategy: { onQuote: (_quote, { orders }) => orders.buy(AAPL, 2) } },
      },
    });
    rig.start();
    rig.quote(10);
    rig.quote(10);
    expect(heard).toEqual([{ strategy: 'forgets', hook: 'onQuote', calls: 1 }]);
    expect(rig.engine.unreturned()).toEqual([{ strategy: 'forgets', hook: 'onQuote', calls: 2 }]);
  });
});
