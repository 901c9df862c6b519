import { describe, expect, it } from 'vitest';
import { decodeEvent, encodeEvent } from '#src/events/codec.ts';
import type { SluiceEvent } from '#src/events/event.ts';
import { millis, SECOND_MS } from '#src/model/time.ts';
import { createEngineRig, type EngineRig } from '../../fixtures/engine-rig.ts';
import { AAPL } from '../../fixtures/market.ts';
import {
  afterCrash,
  atVenue,
  ends,
  fill,
  IBM,
  isSold,
  lost,
  MSFT,
  rotating,
  selling,
  sent,
} from '../../fixtures/rebalancing.ts';
import { runTo } from '../../fixtures/time.ts';

describe('a rebalance of a bot that dies', () => {
  /** The journal of a completed rebalance, encoded and read back. */
  function whole(): readonly SluiceEvent[] {
    const rig = selling();
    fill(rig, 'I3', '100', '10000', {});
    return [...rig.journal.replay()].map((event) => decodeEvent(encodeEvent(event)));
  }

  it.each(['arrived', 'was lost'])(
    'sends each order once, and no purchase before its sale, wherever its journal ends; orders in transit %s (I-2, I-21)',
    (fate) => {
      const events = whole();
      const begun = events.findIndex(({ kind }) => kind === 'algorithm-started') + 1;
      expect(begun).toBeGreaterThan(1);
      for (let count = begun; count <= events.length; count += 1) {
        const left = events.slice(0, count);
        const inDoubt = lost(left);
        const rig = afterCrash(left, fate === 'arrived');
        const sold = isSold(left);
        if (!sold) expect(atVenue(rig).filter(({ link }) => link?.slot.startsWith('buy'))).toEqual([]);
        runTo(rig.clock, millis(rig.clock.now() + 20 * SECOND_MS));
        const sale = atVenue(rig).find(({ terms }) => terms.side === 'sell');
        if (!sold && sale !== undefined) fill(rig, sale.intentId, '100', '10000', {});
        runTo(rig.clock, millis(rig.clock.now() + 20 * SECOND_MS));
        const wanted = ['buy AAPL.US 100', 'buy IBM.US 200', 'buy MSFT.US 500', 'sell AAPL.US 100'];
        const missing = fate === 'arrived' ? [] : inDoubt;
        // A sale with an unknown outcome delays the purchases until it is abandoned after two minutes.
        const waits = missing.includes('sell AAPL.US 100') ? wanted.slice(1, 3) : [];
        expect([count, sent(rig)]).toEqual([
          count,
          wanted.filter((text) => !missing.includes(text) && !waits.includes(text)),
        ]);
      }
    },
  );
});

describe('a rebalance that began right before its bot died', () => {
  const began = (rig: EngineRig): readonly SluiceEvent[] => {
    const events = [...rig.journal.replay()];
    return events.slice(0, events.findLastIndex(({ kind }) => kind === 'algorithm-started') + 1);
  };

  it('replaces the previous one, which buys nothing more', () => {
    let quotes = 0;
    const before = rotating();
    const rig = selling({
      strategy: {
        onQuote: (event, context) => {
          quotes += 1;
          return quotes === 3 ? context.orders.rebalance({ [IBM]: 0.5 }) : before.onQuote?.(event, context);
        },
      },
    });
    rig.quote(10);
    const again = afterCrash(began(rig), true);
    runTo(again.clock, millis(again.clock.now() + 20 * SECOND_MS));
    expect(sent(again)).toEqual(['buy AAPL.US 100', 'buy IBM.US 500', 'sell AAPL.US 100']);
    expect(ends(again)[0]).toBe('canceled: a rebalance takes its place');
  });

  it.each([
    ['one', ['buy AAPL.US 100', 'buy AAPL.US 50']],
    ['another', ['buy AAPL.US 100']],
  ])('sells nothing of another strategy if its own is called "%s" from now on', (name, wanted) => {
    let quotes = 0;
    const buys = rotating();
    const rig = createEngineRig({
      symbols: [AAPL, MSFT, IBM],
      members: {
        one: {
          strategy: {
            onQuote: (_event, { orders }) => {
              quotes += 1;
              return quotes === 2 ? orders.rebalance({ [AAPL]: 0.05 }) : undefined;
            },
          },
        },
        two: {
          strategy: {
            onQuote: (event, context) => (quotes < 2 ? buys.onQuote?.(event, context) : undefined),
          },
        },
      },
    });
    rig.start();
    rig.quote(10);
    fill(rig, 'I1', '100', '9000', { AAPL: '100' });
    rig.quote(10);
    const silent = { strategy: { onQuote: () => undefined } };
    const again = afterCrash(began(rig), true, { members: { [name]: silent, two: silent } });
    runTo(again.clock, millis(again.clock.now() + 20 * SECOND_MS));
    expect(sent(again)).toEqual(wanted);
    expect(ends(again)).toHaveLength(1);
  });
});
