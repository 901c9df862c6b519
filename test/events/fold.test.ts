import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BotState, TrackedOrder } from '#src/events/bot-state.ts';
import { decodeEvent, encodeEvent } from '#src/events/codec.ts';
import type { SluiceEvent } from '#src/events/event.ts';
import { createFold } from '#src/events/fold.ts';
import { LiveOrders } from '#src/events/records/live-orders.ts';
import { openQuantity } from '#src/events/records/open-orders.ts';
import { decimal, ZERO } from '#src/model/decimal.ts';
import { intentId, orderId, type VenueStatus } from '#src/model/order.ts';
import { isLive } from '#src/model/order-state.ts';
import { millis } from '#src/model/time.ts';
import { AAPL, TENCENT } from '../fixtures/market.ts';
import { acked, chargeOf, drafted, filled, fillOf, intentOf, termsOf } from '../fixtures/orders.ts';
import { someHistory } from '../fixtures/some-lives.ts';

function folded(events: Iterable<SluiceEvent>): BotState {
  const fold = createFold();
  for (const event of events) fold.apply(event);
  return fold.state;
}

/** The whole state, comparable for any order of independent events. */
function reported(state: BotState): unknown {
  const byId = (orders: BotState['done']) => [...orders].sort(([a], [b]) => (a < b ? -1 : 1));
  return { portfolio: state.portfolio, live: byId(state.live), done: byId(state.done) };
}

const id = intentId('INTENT1');
const stamp = { at: millis(0), intentId: id };
const moved = (status: VenueStatus): SluiceEvent => ({
  ...stamp,
  kind: 'order-moved',
  status,
  rawStatus: status,
  executedQuantity: decimal('0'),
  message: '',
});

describe('the fold', () => {
  it('gives the same state from a journal as from the run that wrote it (I-12, I-21)', () => {
    fc.assert(
      fc.property(someHistory, (events) => {
        const replayed = folded(events.map((event) => decodeEvent(encodeEvent(event))));
        expect(reported(replayed)).toEqual(reported(folded(events)));
        expect([...replayed.live.keys()]).toEqual([...folded(events).live.keys()]);
      }),
    );
  });

  it('books each execution once, however often it is reported (I-7, T-23)', () => {
    fc.assert(
      fc.property(someHistory, (events) => {
        const doubled = events.flatMap((event): readonly SluiceEvent[] =>
          event.kind === 'order-filled' ? [event, event] : [event],
        );
        const again = events.filter((event) => event.kind === 'order-filled');
        expect(reported(folded([...doubled, ...again]))).toEqual(reported(folded(events)));
      }),
    );
  });

  it('has the same cash and quantities for any order of independent fills', () => {
    fc.assert(
      fc.property(someHistory, fc.infiniteStream(fc.nat()), (events, keys) => {
        const fills = events.filter((event) => event.kind === 'order-filled');
        const rest = events.filter((event) => event.kind !== 'order-filled');
        const shuffled = fills
          .map((fill) => ({ fill, key: Number(keys.next().value) }))
          .sort((a, b) => a.key - b.key)
          .map(({ fill }) => fill);
        const held = (order: readonly SluiceEvent[]) => {
          const { cash, holdings } = folded([...rest, ...order]).portfolio;
          const quantities = [...holdings].map(([symbol, { quantity }]) => `${symbol} ${quantity}`);
          return { cash: Object.fromEntries(cash), quantities: quantities.sort() };
        };
        expect(held(shuffled)).toEqual(held(fills));
      }),
    );
  });

  it('keeps every intent in exactly one of live and done', () => {
    fc.assert(
      fc.property(someHistory, (events) => {
        const fold = createFold();
        const seen = new Set<string>();
        for (const event of events) {
          fold.apply(event);
          if (event.kind === 'intent-drafted') seen.add(event.intentId);
          const { live, done } = fold.state;
          expect(new Set([...live.keys(), ...done.keys()])).toEqual(seen);
          expect(live.size + done.size).toBe(seen.size);
        }
      }),
    );
  });

  it("opens with the venue's figures, without positions of zero shares", () => {
    const position = {
      symbol: AAPL,
      currency: 'USD',
      quantity: decimal('5'),
      available: decimal('5'),
      averageCost: undefined,
      initial: decimal('5'),
    };
    const state = folded([
      {
        kind: 'run-started',
        at: millis(0),
        schema: 1,
        strategy: 's',
        config: 'c',
        currency: 'USD',
        cash: { USD: decimal('10') },
        positions: [position, { ...position, symbol: TENCENT, quantity: decimal('0') }],
      },
    ]);
    expect(state.portfolio.cash).toEqual(new Map([['USD', decimal('10')]]));
    expect([...state.portfolio.holdings]).toEqual([
      [AAPL, { currency: 'USD', quantity: decimal('5'), averageCost: undefined }],
    ]);
  });

  it('finds an order by its id once the venue gave one', () => {
    const state = folded(acked(intentOf()));
    expect(state.intentOf(orderId('O-INTENT1'))).toBe(id);
    expect(state.intentOf(orderId('O-OTHER'))).toBeUndefined();
    expect(state.order(id)?.facets.submission.kind).toBe('acked');
    expect(state.order(intentId('OTHER'))).toBeUndefined();
  });

  it('moves a finished order from live to done, and still handles its events (I-8)', () => {
    const events = [...acked(intentOf()), moved('CanceledStatus')];
    expect([...folded(events).live.keys()]).toEqual([]);
    const late = folded([...events, filled(fillOf('e1', 'buy', '40', '10'))]);
    expect(late.done.get(id)?.facets.executed.toString()).toBe('40');
    expect(late.portfolio.holdings.get(AAPL)?.quantity.toString()).toBe('40');
  });

  it('adds up the charges of an order, code by code', () => {
    const part = (execution: string, amount: string) =>
      filled(fillOf(execution, 'buy', '10', '10', { charges: [chargeOf('FEE', amount)] }));
    const state = folded([...acked(intentOf()), part('e1', '1.5'), part('e2', '0.25')]);
    expect(state.order(id)?.charged).toEqual(new Map([['FEE', decimal('1.75')]]));
  });

  it('throws at an event of an intent that was never drafted', () => {
    expect(() => folded([moved('NewStatus')])).toThrow(
      'Event for intent "INTENT1" before its intent-drafted event',
    );
  });
});

describe('openQuantity', () => {
  const open = (...events: readonly SluiceEvent[]) => openQuantity(folded(events), AAPL, 'buy').toString();
  const [draft, armed, sending, ack] = acked(intentOf()) as [
    SluiceEvent,
    SluiceEvent,
    SluiceEvent,
    SluiceEvent,
  ];
  const unknown: SluiceEvent = { ...stamp, kind: 'submit-unknown', message: '' };

  it('counts armed, sending, unknown and abandoned orders in full (I-6)', () => {
    expect(open(draft)).toBe('0');
    expect(open(draft, armed)).toBe('100');
    expect(open(draft, armed, sending)).toBe('100');
    expect(open(draft, armed, sending, unknown)).toBe('100');
    const abandoned: SluiceEvent = { ...stamp, kind: 'submit-abandoned', reads: 6 };
    expect(open(draft, armed, sending, unknown, abandoned)).toBe('100');
  });

  it('counts the rest of a partly filled order, also while a cancel is pending (I-6)', () => {
    const part = filled(fillOf('e1', 'buy', '40', '10'));
    expect(open(draft, armed, sending, ack, part)).toBe('60');
    const cancel: SluiceEvent = { ...stamp, kind: 'cancel-sending' };
    const done: SluiceEvent = { ...stamp, kind: 'cancel-answered', answer: 'accepted', message: '' };
    expect(open(draft, armed, sending, ack, part, cancel, done)).toBe('60');
  });

  it('counts nothing of an order that is over', () => {
    expect(open(draft, armed, sending, ack, moved('CanceledStatus'))).toBe('0');
    expect(open(draft, armed, sending, { ...stamp, kind: 'submit-refused', code: 1, message: '' })).toBe('0');
    expect(open(draft, armed, sending, { ...stamp, kind: 'submit-not-sent', message: '' })).toBe('0');
  });

  it('counts one symbol and one side only', () => {
    const sell = intentOf('INTENT2', { terms: termsOf({ side: 'sell' }) });
    const other = intentOf('INTENT3', { terms: termsOf({ symbol: TENCENT }) });
    const state = folded([...acked(intentOf()), ...acked(sell), ...acked(other), drafted(intentOf('I4'))]);
    expect(openQuantity(state, AAPL, 'buy').toString()).toBe('100');
    expect(openQuantity(state, AAPL, 'sell').toString()).toBe('100');
    expect(openQuantity(state, TENCENT, 'sell').toString()).toBe('0');
  });

  it('reads no order, however many are open', () => {
    let looks = 0;
    const counted = ({ facets, ...rest }: TrackedOrder): TrackedOrder => ({
      ...rest,
      get facets() {
        looks += 1;
        return facets;
      },
    });
    const { live: known } = folded(['A', 'B', 'C'].flatMap((name) => [...acked(intentOf(name))]));
    const live = LiveOrders.of(known.values().map(counted));
    looks = 0;
    expect(openQuantity({ live }, AAPL, 'buy').toString()).toBe('300');
    expect(looks).toBe(0);
  });

  it('is the sum over the live orders of a side after any changes of them, for all strategies and for one', () => {
    const change = fc.record({
      name: fc.constantFrom('A', 'B', 'C', 'D'),
      quantity: fc.integer({ min: 1, max: 9 }),
      strategy: fc.constantFrom(undefined, 'one', 'other'),
      state: fc.constantFrom('drafted', 'live', 'gone'),
    });
    const sides = new Map([
      ['A', { symbol: AAPL, side: 'buy' }],
      ['B', { symbol: AAPL, side: 'buy' }],
      ['C', { symbol: AAPL, side: 'sell' }],
      ['D', { symbol: TENCENT, side: 'buy' }],
    ] as const);
    fc.assert(
      fc.property(fc.array(change, { maxLength: 20 }), (changes) => {
        const live = new LiveOrders();
        for (const { name, quantity, strategy, state } of changes) {
          const terms = termsOf({ ...sides.get(name), quantity: decimal(`${quantity}`) });
          const intent = intentOf(name, { terms });
          const events = state === 'drafted' ? [drafted(intent)] : acked(intent);
          if (state === 'gone') live.delete(intent.id);
          else
            for (const order of folded(events).live.values())
              live.set(order.intentId, { ...order, strategy });
          for (const { symbol, side } of sides.values())
            for (const owner of [undefined, 'one', 'other']) {
              const open = [...live.values()].filter(
                ({ facets, terms: its, strategy: whose }) =>
                  isLive(facets) &&
                  its.symbol === symbol &&
                  its.side === side &&
                  (owner === undefined || whose === owner),
              );
              const sum = open.reduce((all, { terms: its }) => all.plus(its.quantity), ZERO);
              expect(openQuantity({ live }, symbol, side, owner).eq(sum)).toBe(true);
            }
        }
      }),
      { numRuns: 50 },
    );
  });
});
