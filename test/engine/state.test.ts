import { describe, expect, it } from 'vitest';
import { decodeEvent, encodeEvent } from '#src/events/codec.ts';
import type { SluiceEvent } from '#src/events/event.ts';
import { createFold } from '#src/events/fold.ts';
import { noteOf } from '#src/events/records/strategy-state-record.ts';
import { decimal } from '#src/model/decimal.ts';
import { intentId } from '#src/model/order.ts';
import { orderDrafts } from '#src/strategy/order-draft.ts';
import type { StateTerms } from '#src/strategy/state.ts';
import { createEngineRig, type EngineRig, type RigOptions } from '../fixtures/engine-rig.ts';
import { AAPL } from '../fixtures/market.ts';
import { termsOf } from '../fixtures/orders.ts';
import { fresh, I1, restarted } from '../fixtures/restarting.ts';

type Kept = { readonly asked: number; readonly filled: number };
type Strategy = NonNullable<RigOptions['strategy']>;

const START: Kept = { asked: 0, filled: 0 };
const kept = (state: unknown): Kept => state as Kept;

/** Counts its orders and its fills, and buys ten shares at every quote. */
const counting = (state: Partial<StateTerms<Kept>> = {}): Strategy => ({
  state: { initial: START, ...state } as NonNullable<Strategy['state']>,
  onQuote: (_event, { state: now }) => ({
    state: { ...kept(now), asked: kept(now).asked + 1 },
    orders: orderDrafts.buy(AAPL, 10),
  }),
  onFill: ({ fill }, { state: now }) => ({
    state: { ...kept(now), filled: kept(now).filled + fill.quantity.toNumber() },
  }),
});

const stateIn = (events: Iterable<SluiceEvent>): Kept => {
  const fold = createFold();
  for (const event of events) fold.apply(decodeEvent(encodeEvent(event)));
  const text = fold.state.kept.get('by-hand')?.text;
  return text === undefined ? START : JSON.parse(text);
};
const stateOf = (rig: EngineRig): Kept => stateIn(rig.journal.replay());

function fillI1({ venue }: EngineRig, quantity = '10'): void {
  venue.list('O-I1', { intentId: I1, terms: termsOf({ quantity: decimal('10') }) });
  venue.execute('O-I1', { id: `e${quantity}`, quantity, price: '10' });
  venue.list('O-I2', { intentId: intentId('I2'), terms: termsOf({ quantity: decimal('10') }) });
  venue.hold({ AAPL: quantity }, '9900');
}

/** Events of a bot that ordered once, was filled, and ordered again. */
function lived(): readonly SluiceEvent[] {
  const rig = createEngineRig({ strategy: counting() });
  rig.start();
  rig.quote(10);
  fillI1(rig);
  rig.venue.push('O-I1');
  rig.quote(11);
  return [...rig.journal.replay()];
}

describe('the state of a strategy', () => {
  it('is journaled with its initial value, and changes with the results of hooks', () => {
    const all = lived();
    expect(all.flatMap((event) => noteOf(event)?.state?.text ?? [])).toEqual([
      '{"asked":0,"filled":0}',
      '{"asked":1,"filled":0}',
      '{"asked":1,"filled":10}',
      '{"asked":2,"filled":10}',
    ]);
    expect(stateIn(all)).toEqual({ asked: 2, filled: 10 });
  });

  it('is on disk with its order: after a crash there are both or neither', () => {
    const all = lived();
    for (let length = 0; length <= all.length; length += 1) {
      const left = all.slice(0, length);
      const asked = left.filter((event) => event.kind === 'intent-drafted').length;
      expect(stateIn(left).asked).toBe(asked);
    }
  });

  it('is the same after a crash at any record, and no fill is counted twice or lost', () => {
    const all = lived();
    const reached = (kind: SluiceEvent['kind'], left: readonly SluiceEvent[]) =>
      left.some((event) => event.kind === kind);
    for (let length = 1; length <= all.length; length += 1) {
      const left = all.slice(0, length);
      const reachedVenue = reached('submit-sending', left);
      const rig = restarted(left, (fresh) => reachedVenue && fillI1(fresh), { strategy: counting() });
      if (reachedVenue && !reached('order-filled', left)) rig.venue.push('O-I1');
      expect(rig.status(), `after ${length} records`).toBe('running');
      expect(stateOf(rig), `after ${length} records`).toEqual({
        asked: stateIn(left).asked,
        filled: reachedVenue ? 10 : 0,
      });
    }
  });

  it('is unchanged when an order is denied, and the strategy is notified of the denial', () => {
    const heard: string[] = [];
    const rig = createEngineRig({
      limits: { maxOrderQuantity: decimal('5') },
      strategy: {
        ...counting(),
        onOrder: ({ outcome }, { state }) => {
          heard.push(outcome);
          return { state: { ...kept(state), asked: kept(state).asked - 1 } };
        },
      },
    });
    rig.start();
    rig.quote(10);
    expect(heard).toEqual(['denied']);
    expect(stateOf(rig)).toEqual(START);
  });

  it('is followed by a notice of an order that a crash kept from being sent, so that the strategy can correct it', () => {
    const all = lived();
    const left = all.slice(0, all.findIndex((event) => event.kind === 'intent-drafted') + 1);
    expect(stateIn(left).asked).toBe(1);
    const rig = restarted(left, undefined, {
      strategy: {
        ...counting(),
        onOrder: ({ outcome }, { state }) =>
          outcome === 'denied' ? { state: { ...kept(state), asked: 0 } } : undefined,
      },
    });
    expect(fresh(rig, left)).toEqual(['intent-denied', 'run-started', 'state-kept']);
    expect(stateOf(rig)).toEqual(START);
  });

  it('is not changed by a hook that throws', () => {
    const rig = createEngineRig({
      strategy: {
        ...counting(),
        onFill: () => {
          throw new RangeError('no');
        },
      },
    });
    rig.start();
    rig.quote(10);
    fillI1(rig);
    rig.venue.push('O-I1');
    expect(rig.status()).toMatch(/^Strategy "by-hand" threw in onFill: no/);
    expect(stateOf(rig)).toEqual({ asked: 1, filled: 0 });
  });

  it('includes what is returned at the stop', () => {
    const rig = createEngineRig({
      strategy: { ...counting(), onStop: () => ({ state: { asked: 7, filled: 7 } }) },
    });
    rig.start();
    rig.stop();
    expect(rig.status()).toBe('done');
    expect(stateOf(rig)).toEqual({ asked: 7, filled: 7 });
    expect(rig.kinds().at(-1)).toBe('run-ended');
  });
});

describe('a start with a state of another version', () => {
  const restart = (state: object) => {
    const left = lived();
    const strategy = { ...counting(), state: state as NonNullable<Strategy['state']> };
    const rig = restarted(left, (fresh) => fillI1(fresh), { strategy });
    return { rig, added: fresh(rig, left) };
  };

  it('is refused when the version is another one, before the first request to the venue', () => {
    const { rig, added } = restart({ initial: { count: 0 }, version: 2 });
    expect(rig.status()).toBe(
      'Cannot continue with strategy "by-hand": the journal holds its state in version 1, it declares version 2; declare state.upgrade(kept, version), which makes the new shape from the old',
    );
    expect(rig.venue.calls).toEqual([]);
    expect(added).toEqual(['run-ended']);
  });

  it.each([
    [{ asked: 0, filled: 0, count: 0 }, 'has no "count", which its initial one has'],
    [[], 'is an object, its initial one is a list'],
  ])('is refused when it was changed to %j under the same version', (initial, what) => {
    expect(restart({ initial }).rig.status()).toContain(`the journal's state ${what}, though both are of`);
  });

  it('continues from the old state if the strategy can upgrade it', () => {
    const upgrade = (old: unknown, version: number) => ({ ...kept(old), asked: 100 + version });
    const { rig } = restart({ initial: { ...START }, version: 2, upgrade });
    expect(rig.status()).toBe('running');
    expect(stateOf(rig)).toEqual({ asked: 101, filled: 10 });
  });
});
