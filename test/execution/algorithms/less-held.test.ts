import { describe, expect, it } from 'vitest';
import { decimal } from '#src/model/decimal.ts';
import { intentId } from '#src/model/order.ts';
import { millis, SECOND_MS } from '#src/model/time.ts';
import type { OperatorCommand } from '#src/ports/operator.ts';
import type { OrderDraft, OrderDrafts } from '#src/strategy/order-draft.ts';

import { createEngineRig, type EngineRig } from '../../fixtures/engine-rig.ts';
import { AAPL } from '../../fixtures/market.ts';
import { termsOf } from '../../fixtures/orders.ts';
import { fill, MSFT, sent, submits } from '../../fixtures/rebalancing.ts';
import { restarted } from '../../fixtures/restarting.ts';
import { runTo } from '../../fixtures/time.ts';

/**
 * Holds 100 AAPL with a stop, I3, on an account that may sell short; then the stop yields priority to the strategy's
 * order.
 */
function leaving(
  wants: (orders: OrderDrafts) => OrderDraft | readonly OrderDraft[],
  then: (orders: OrderDrafts) => OrderDraft | undefined = () => undefined,
): EngineRig {
  let quotes = 0;
  const rig = createEngineRig({
    symbols: [AAPL, MSFT],
    limits: { allowShort: true, useMargin: true },
    strategy: {
      onQuote: (_event, { orders }) => {
        quotes += 1;
        if (quotes === 1) return orders.bracket(orders.buy(AAPL, 100), { stop: 8 });
        return quotes === 2 ? wants(orders) : then(orders);
      },
    },
  });
  rig.start();
  rig.quote(10);
  fill(rig, 'I2', '100', '9000', { AAPL: '100' });
  rig.quote(10);
  return rig;
}

/** The owner sells shares of the account outside the bot. */
function sellByHand(rig: EngineRig, quantity: string, left: string): void {
  rig.venue.list('HAND', { terms: termsOf({ side: 'sell', quantity: decimal(quantity) }) });
  rig.venue.execute('HAND', { id: 'by-hand', quantity, price: '10' });
  rig.venue.hold({ AAPL: left }, '9600');
  rig.venue.push('HAND');
}

/** The venue reports how the stop ended. */
function ended(rig: EngineRig, executed: string, left: string): void {
  const status = executed === '0' ? 'CanceledStatus' : 'PartialWithdrawal';
  if (executed !== '0') fill(rig, 'I3', executed, '9600', { AAPL: left });
  rig.venue.list('O-I3', { status });
  rig.venue.push('O-I3');
}

const OPENED = ['buy AAPL.US 100', 'sell AAPL.US 100'];

describe('an order that waits for exits to end', () => {
  it('is not sent if one of them was filled in the meantime: it would reverse the position', () => {
    const rig = leaving((orders) => orders.sell(AAPL, 100));
    ended(rig, '60', '40');
    const denied = [...rig.journal.replay()].flatMap((event) =>
      event.kind === 'intent-denied' ? [`${event.rule}: ${event.reason}`] : [],
    );
    expect(denied).toEqual(['less-held: Exits left less of "AAPL.US" than the 100 of this order']);
    // The rest of the position has a stop again.
    expect(sent(rig)).toEqual([...OPENED, 'sell AAPL.US 40']);
  });

  it.each<[string, (orders: OrderDrafts) => OrderDraft]>([
    ['an iceberg', (orders) => orders.iceberg(orders.sell(AAPL, 100), { shown: 100 })],
    ['a TWAP', (orders) => orders.twap(orders.sell(AAPL, 200), { minutes: 10, parts: 2 })],
  ])('ends %s whose slice was for more than is left, without another slice', (_what, wants) => {
    const rig = leaving(wants);
    ended(rig, '60', '40');
    runTo(rig.clock, millis(rig.clock.now() + 15 * 60 * SECOND_MS));
    expect(sent(rig).filter((order) => order.startsWith('sell'))).toEqual([
      'sell AAPL.US 100',
      'sell AAPL.US 40',
    ]);
    const ends = [...rig.journal.replay()].flatMap((event) =>
      event.kind === 'algorithm-ended' ? [event.why] : [],
    );
    expect(ends.join()).toContain('exits left less than its orders were for');
  });

  it('is sent for the remaining quantity if a rebalance sent it', () => {
    const rig = leaving((orders) => orders.rebalance({ [MSFT]: 0.5 }));
    ended(rig, '60', '40');
    runTo(rig.clock, millis(rig.clock.now() + 11 * SECOND_MS));
    const stop = [...rig.engine.state.live.values()].find(({ link }) => link?.slot === 'stop');
    rig.venue.list(`O-${stop?.intentId}`, { status: 'CanceledStatus' });
    rig.venue.push(`O-${stop?.intentId}`);
    expect(sent(rig)).toEqual([...OPENED, 'sell AAPL.US 40', 'sell AAPL.US 40']);
  });

  it.each([
    ['none of them was filled', '0', '100', 100],
    ['it would have turned the position round from the first', '60', '40', 150],
  ])('is sent if %s', (_why, executed, left, quantity) => {
    const rig = leaving((orders) => orders.sell(AAPL, quantity));
    ended(rig, executed, left);
    expect(sent(rig)).toEqual([...OPENED, `sell AAPL.US ${quantity}`]);
    expect(rig.kinds()).not.toContain('intent-denied');
  });
});

describe('an order for a target that waits for exits to end', () => {
  const ends: readonly [
    string,
    (orders: OrderDrafts) => OrderDraft | readonly OrderDraft[],
    readonly string[],
  ][] = [
    ['a close', (orders) => orders.close(AAPL), ['sell AAPL.US 40']],
    ['a smaller target', (orders) => orders.targetQuantity(AAPL, 10), ['sell AAPL.US 30']],
    ['one on the other side', (orders) => orders.targetQuantity(AAPL, -50), ['sell AAPL.US 90']],
    ['a share of the equity', (orders) => orders.targetWeight(AAPL, -0.05), ['sell AAPL.US 90']],
    [
      'one with exits',
      (orders) => orders.bracket(orders.targetQuantity(AAPL, -50), { stop: 12 }),
      ['sell AAPL.US 90'],
    ],
    [
      'a chase',
      (orders) => orders.chase(orders.targetQuantity(AAPL, -50), { bound: 9, minutes: 5, atEnd: 'cross' }),
      ['sell AAPL.US 90'],
    ],
    [
      'a close and a sale',
      (orders) => [orders.close(AAPL), orders.sell(AAPL, 50)],
      ['sell AAPL.US 40', 'sell AAPL.US 50'],
    ],
    [
      'a close and a target',
      (orders) => [orders.close(AAPL), orders.targetQuantity(AAPL, -50)],
      ['sell AAPL.US 40', 'sell AAPL.US 50'],
    ],
  ];

  it.each(ends)('reaches the target from what the exits left (%s)', (_what, wants, sells) => {
    const rig = leaving(wants);
    ended(rig, '60', '40');
    expect(sent(rig)).toEqual([...OPENED, ...sells].toSorted());
    expect(rig.kinds()).not.toContain('intent-denied');
  });

  it.each([
    ['its target is reached', (orders: OrderDrafts) => orders.close(AAPL), 'intent-denied'],
    ['it leads on', (orders: OrderDrafts) => orders.targetQuantity(AAPL, -50), 'sell AAPL.US 50'],
  ])('is sent if exits left nothing and %s', (_why, wants, what) => {
    const rig = leaving(wants);
    ended(rig, '100', '0');
    expect([...sent(rig), ...rig.kinds()]).toContain(what);
    expect(sent(rig)).toHaveLength(what === 'intent-denied' ? 2 : 3);
  });

  it('counts in its new size when another target follows', () => {
    const rig = leaving(
      (orders) => orders.close(AAPL),
      (orders) => orders.targetQuantity(AAPL, -50),
    );
    // The stop sold 60, and is not gone yet.
    fill(rig, 'I3', '60', '9600', { AAPL: '40' });
    rig.quote(10);
    rig.venue.list('O-I3', { status: 'PartialWithdrawal' });
    rig.venue.push('O-I3');
    expect(sent(rig)).toEqual([...OPENED, 'sell AAPL.US 40', 'sell AAPL.US 50'].toSorted());
  });

  it('follows a manual sale', () => {
    const rig = leaving((orders) => orders.targetQuantity(AAPL, -50));
    sellByHand(rig, '60', '40');
    ended(rig, '0', '40');
    expect(sent(rig)).toEqual([...OPENED, 'sell AAPL.US 90'].toSorted());
  });

  it('is journaled with the quantity that is sent', () => {
    const rig = leaving((orders) => orders.targetQuantity(AAPL, -50));
    ended(rig, '60', '40');
    const armed = [...rig.journal.replay()].flatMap((event) =>
      event.kind === 'intent-armed' && event.quantity !== undefined
        ? [`${event.intentId} ${event.quantity}`]
        : [],
    );
    expect(armed).toEqual(['I4 90']);
    fill(rig, 'I4', '90', '10500', { AAPL: '-50' });
    expect(rig.engine.state.live.size).toBe(0);
    expect(String(rig.engine.state.portfolio.holdings.get(AAPL)?.quantity)).toBe('-50');
  });
});

describe('orders that close a position and open the opposite one, and wait for exits to end', () => {
  const closeAndSell = (orders: OrderDrafts): readonly OrderDraft[] => [
    orders.close(AAPL),
    orders.sell(AAPL, 60),
  ];
  /** The venue fills I4, the first of them, before it answers, or later. */
  const fillsFirst = (rig: EngineRig, when: 'at once' | 'later'): void => {
    if (when === 'later') return;
    const { submit } = rig.venue.answers;
    rig.venue.answers.submit = (order) => {
      const answer = submit(order);
      if (order.intentId === 'I4') fill(rig, 'I4', String(order.terms.quantity), '10000', {});
      return answer;
    };
  };
  const denials = (rig: EngineRig): number => rig.kinds().filter((kind) => kind === 'intent-denied').length;

  it.each(['at once', 'later'] as const)('are both sent if the first is filled %s', (when) => {
    const rig = leaving(closeAndSell);
    fillsFirst(rig, when);
    ended(rig, '0', '100');
    expect(sent(rig)).toEqual([...OPENED, 'sell AAPL.US 100', 'sell AAPL.US 60'].toSorted());
    expect(denials(rig)).toBe(0);
  });

  it('can be one order, which turns the position round after a restart', () => {
    const before = leaving((orders) => orders.sell(AAPL, 150));
    const left = [...before.journal.replay()];
    const rig = restarted(
      left,
      ({ venue }) => {
        for (const id of ['I2', 'I3']) {
          const terms = before.engine.state.order(intentId(id))?.terms;
          if (terms === undefined) continue;
          const status = id === 'I3' ? 'CanceledStatus' : 'NewStatus';
          venue.list(`O-${id}`, { intentId: intentId(id), terms, status });
        }
        venue.execute('O-I2', { id: 'e-I2-100', quantity: '100', price: '10' });
        venue.hold({ AAPL: '100' }, '9000');
      },
      {
        minted: 50,
        limits: { allowShort: true, useMargin: true },
        symbols: [AAPL, MSFT],
        strategy: { onQuote: () => undefined },
      },
    );
    expect(submits(rig)).toEqual(['sell AAPL.US 150']);
    expect(rig.kinds()).not.toContain('intent-denied');
  });

  it.each(['at once', 'later'] as const)(
    'do not close more than exits left if the first is filled %s',
    (when) => {
      const rig = leaving((orders) => [orders.sell(AAPL, 50), orders.sell(AAPL, 50)]);
      fillsFirst(rig, when);
      ended(rig, '10', '90');
      expect(sent(rig).filter((order) => order === 'sell AAPL.US 50')).toHaveLength(1);
      expect(denials(rig)).toBe(1);
    },
  );
});

describe('an order that waits for exits to end, and is cancelled', () => {
  const why = 'cancelled: It was cancelled while it waited for exits to be gone';
  const denials = (rig: EngineRig): readonly string[] =>
    [...rig.journal.replay()].flatMap((event) =>
      event.kind === 'intent-denied' ? [`${event.intentId} ${event.rule}: ${event.reason}`] : [],
    );

  it.each<OperatorCommand>([
    { kind: 'cancel-all' },
    { kind: 'cancel-all', symbols: [AAPL] },
    { kind: 'kill', flatten: false, foreign: false },
  ])('is not sent any more after %j', (command) => {
    const rig = leaving((orders) => orders.targetQuantity(AAPL, -100));
    rig.command(command);
    expect(denials(rig)).toEqual([`I4 ${why}`]);
    ended(rig, '0', '100');
    rig.quote(10);
    runTo(rig.clock, millis(rig.clock.now() + 90 * SECOND_MS));
    expect(sent(rig)).toEqual(OPENED);
  });

  it('yields priority to the order of a flatten', () => {
    const rig = leaving((orders) => orders.targetQuantity(AAPL, -100));
    rig.command({ kind: 'flatten' });
    ended(rig, '0', '100');
    runTo(rig.clock, millis(rig.clock.now() + 5 * SECOND_MS));
    expect(denials(rig)).toEqual([`I4 ${why}`]);
    expect(sent(rig)).toEqual([...OPENED, 'sell AAPL.US 100']);
    fill(rig, 'I5', '100', '10000', {});
    runTo(rig.clock, millis(rig.clock.now() + 90 * SECOND_MS));
    expect(sent(rig)).toHaveLength(3);
    expect(rig.engine.state.flattening.size).toBe(0);
  });

  it("keeps the position's stop if its strategy cancels it", () => {
    const rig = leaving(
      (orders) => orders.targetQuantity(AAPL, -100),
      (orders) => orders.cancel({ symbol: AAPL, intentId: intentId('I4') }),
    );
    rig.quote(10);
    expect(denials(rig)).toEqual([`I4 ${why}`]);
    ended(rig, '0', '100');
    expect(sent(rig)).toEqual([...OPENED, 'sell AAPL.US 100']);
    expect([...rig.engine.state.live.values()].map(({ link }) => link?.slot)).toContain('stop');
  });

  it('yields priority to a rebalance', () => {
    const rig = leaving(
      (orders) => orders.targetQuantity(AAPL, -100),
      (orders) => orders.rebalance({ [MSFT]: 0.5 }),
    );
    rig.quote(10);
    expect(denials(rig)).toEqual([`I4 ${why}`]);
    ended(rig, '0', '100');
    expect(sent(rig)).toEqual([...OPENED, 'sell AAPL.US 100']);
  });

  it('is not sent for a strategy that failed', () => {
    let quotes = 0;
    const rig = createEngineRig({
      limits: { allowShort: true, useMargin: true },
      members: {
        one: {
          strategy: {
            onQuote: (_event, { orders }) => {
              quotes += 1;
              if (quotes === 1) return orders.bracket(orders.buy(AAPL, 100), { stop: 8 });
              if (quotes === 2) return orders.targetQuantity(AAPL, -100);
              throw new Error('a bug');
            },
          },
          whenFails: 'cancel',
        },
        other: { strategy: { onQuote: () => undefined } },
      },
    });
    rig.start();
    rig.quote(10);
    fill(rig, 'I2', '100', '9000', { AAPL: '100' });
    rig.quote(10);
    rig.quote(10);
    expect(denials(rig)).toEqual([`I4 ${why}`]);
    ended(rig, '0', '100');
    expect(sent(rig).filter((order) => order.endsWith(' 200'))).toEqual([]);
  });
});
