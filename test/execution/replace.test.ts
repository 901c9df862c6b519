import { of, Subject } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '#src/backtest/virtual-clock.ts';
import type { SluiceEvent } from '#src/events/event.ts';
import { createFold } from '#src/events/fold.ts';
import { openQuantity } from '#src/events/records/open-orders.ts';
import { createRestrictions } from '#src/execution/gate/restrictions.ts';
import { createOrderAmender } from '#src/execution/orders/order-amender.ts';
import { createOrderTracker } from '#src/execution/orders/order-tracker.ts';
import { createRecorder } from '#src/execution/recorder.ts';
import { createMemoryJournal } from '#src/journal/memory.ts';
import { decimal } from '#src/model/decimal.ts';
import { intentId, type OrderIntent, orderId } from '#src/model/order.ts';
import { millis } from '#src/model/time.ts';
import type { ChangeAnswer } from '#src/ports/broker.ts';
import { createEngineRig, type EngineRig } from '../fixtures/engine-rig.ts';
import { createFakeVenue } from '../fixtures/fake-venue.ts';
import { AAPL } from '../fixtures/market.ts';
import { acked, approve, intentOf, termsOf } from '../fixtures/orders.ts';
import { events$, failing, newsOf, returning } from '../fixtures/tasks.ts';
import { runTo, seconds } from '../fixtures/time.ts';

const price = (text: string, quantity = '100') =>
  termsOf({ type: 'LO', price: decimal(text), quantity: decimal(quantity) });
const intent = intentOf('INTENT1', { terms: price('10') });
const O = orderId('O-INTENT1');

/** An amender over one accepted order of 100 at 10; the gate approves everything and records its input. */
function amending(judged: string[] = [], reduces: (true | undefined)[] = []) {
  const clock = new VirtualClock(millis(0));
  const venue = createFakeVenue();
  const fold = createFold();
  const events: SluiceEvent[] = [];
  const incidents: string[] = [];
  const recorder = createRecorder(createMemoryJournal(), fold, (event) => events.push(event));
  for (const event of acked(intent)) recorder.record(event);
  venue.list('O-INTENT1', { intentId: intent.id, terms: intent.terms, status: 'NewStatus' });
  const tracker = createOrderTracker({
    ...{ broker: venue.broker, recorder, clock },
    onIncident: ({ alarm }) => incidents.push(alarm.message),
    queueTask: (task) => events$(() => tracker.run(task)).subscribe(),
  });
  venue.broker.hints$.subscribe(tracker.queueHint);
  const replaces = createOrderAmender({
    restrictions: createRestrictions({ recorder, clock }),
    ...{ broker: venue.broker, recorder, clock, tracker },
    gate: {
      judge: (asked: OrderIntent) => {
        judged.push(`${asked.terms.quantity} at ${asked.terms.price}`);
        reduces.push(asked.reducesQuantity);
        return returning({ kind: 'approved', intent: approve(asked), numbers: [] });
      },
    },
  });
  const state = () => fold.state.order(intent.id);
  return {
    ...{ clock, venue, fold, events, incidents, replaces, tracker, state },
    ask: (terms: OrderIntent['terms']) => events$(() => replaces.replace(intent.id, terms)).subscribe(),
    /** Reads the order, which the venue has in this form from now on. */
    read: (terms: OrderIntent['terms']) => {
      venue.list('O-INTENT1', { intentId: intent.id, terms, status: 'NewStatus' });
      events$(() => tracker.pull(O)).subscribe();
    },
    calls: () => venue.calls.filter((call) => call.startsWith('replace') || call.startsWith('cancel')),
    open: () => openQuantity(fold.state, AAPL, 'buy').toString(),
  };
}

describe('a replace', () => {
  it('is judged as a reduction if it only reduces the quantity', () => {
    const reduces: (true | undefined)[] = [];
    for (const terms of [price('10', '60'), price('11', '60'), price('10', '130'), price('11')])
      amending([], reduces).ask(terms);
    expect(reduces).toEqual([true, undefined, undefined, undefined]);
  });

  it('is judged by its unexecuted quantity: the rest is held already (T-40, I-4)', () => {
    const judged: string[] = [];
    const one = amending(judged);
    one.venue.execute('O-INTENT1', { id: 'e1', quantity: '40', price: '10' });
    events$(() => one.tracker.pull(O)).subscribe();
    one.ask(price('9.5'));
    one.ask(price('9', '40'));
    expect(judged).toEqual(['60 at 9.5']);
  });

  it('is on disk before it is sent, with a separate verdict (I-1, I-4, T-40)', () => {
    const judged: string[] = [];
    const one = amending(judged);
    one.ask(price('11', '150'));
    expect(judged).toEqual(['150 at 11']);
    expect(one.events.map(({ kind }) => kind).slice(4)).toEqual([
      'replace-sending',
      'replace-answered',
      'order-moved',
    ]);
    expect(one.calls()).toEqual(['replace O-INTENT1']);
  });

  it('reserves the larger version until a read shows the new one (I-6, T-41)', () => {
    const one = amending();
    one.ask(price('11', '150'));
    expect(one.open()).toBe('150');
    one.read(price('11', '150'));
    expect(one.open()).toBe('150');
    one.ask(price('11', '80'));
    expect(one.open()).toBe('150');
    one.read(price('11', '80'));
    expect(one.open()).toBe('80');
    expect(one.state()?.terms.price?.toString()).toBe('11');
  });

  it('sends no second one while the first is in doubt, then the newest of those that waited (T-42, T-47)', () => {
    const one = amending();
    one.venue.answers.replace = () => of({ kind: 'unknown', message: 'timed out' });
    one.ask(price('11'));
    one.ask(price('12'));
    one.ask(price('13'));
    expect(one.calls()).toEqual(['replace O-INTENT1']);
    expect(one.state()?.facets.pending).toBe('replace-unknown');
    one.read(price('11'));
    expect(one.state()?.facets.pending).toBe('none');
    const goesOn = one.replaces.resumePending(intent.id);
    newsOf(goesOn ?? failing('Nothing waits'));
    expect(one.calls()).toEqual(['replace O-INTENT1', 'replace O-INTENT1']);
    expect(one.state()?.replacing?.price?.toString()).toBe('13');
  });

  it('counts as lost when two reads show no change (T-42)', () => {
    const one = amending();
    one.venue.answers.replace = () => of({ kind: 'unknown', message: 'timed out' });
    one.ask(price('11', '150'));
    expect(one.open()).toBe('150');
    while (one.clock.nextAt() <= seconds(4)) one.clock.fireNext();
    expect(one.state()?.facets.pending).toBe('none');
    expect(one.open()).toBe('100');
  });

  it('is dropped when the order was filled at its old price (T-43)', () => {
    const one = amending();
    one.ask(price('11'));
    one.venue.execute('O-INTENT1', { id: 'e1', quantity: '100', price: '10' });
    one.venue.list('O-INTENT1', { status: 'FilledStatus' });
    events$(() => one.tracker.pull(O)).subscribe();
    expect(one.state()).toMatchObject({
      replacing: undefined,
      facets: { pending: 'none', venue: 'FilledStatus' },
    });
  });

  it.each(
    ['60', '150'].flatMap((quantity) => [
      [quantity, 'before'],
      [quantity, 'after'],
    ]),
  )(
    'to %s shares is done once fills reach these, if the status is read %s the fills (T-44)',
    (quantity, which) => {
      const one = amending();
      one.venue.answers.replace = () => of({ kind: 'unknown', message: 'timed out' });
      one.ask(price('10', quantity));
      one.venue.list('O-INTENT1', { terms: price('10', quantity) });
      one.venue.execute('O-INTENT1', { id: 'e1', quantity, price: '10' });
      if (which === 'before') {
        one.venue.answers.silent.add('executionsToday');
        events$(() => one.tracker.pull(O)).subscribe();
        one.venue.answers.silent.delete('executionsToday');
      }
      for (let read = 0; read < 2; read += 1) events$(() => one.tracker.pull(O)).subscribe();
      expect([one.open(), one.fold.state.live.size, one.state()?.terms.quantity.toString()]).toEqual([
        '0',
        0,
        quantity,
      ]);
      expect(one.incidents).toEqual([]);
    },
  );

  it('yields to a cancel, which is sent while it is in progress (T-45, T-47)', () => {
    const one = amending();
    const answer$ = new Subject<ChangeAnswer>();
    one.venue.answers.replace = () => answer$;
    one.ask(price('11'));
    events$(() => one.tracker.cancel(intent.id)).subscribe();
    expect(one.calls()).toEqual(['replace O-INTENT1', 'cancel O-INTENT1']);
    one.ask(price('12'));
    expect(one.calls()).toHaveLength(2);
  });
});

describe('the outcome of a replace', () => {
  const asked = price('9', '50');

  /** The order of an engine on a venue that pushes nothing, replaced at its second quote by 50 at 9. */
  function replaced(fault: (rig: EngineRig) => void): { readonly rig: EngineRig; show(): void } {
    let quotes = 0;
    const rig = createEngineRig({
      pushComplete: false,
      strategy: {
        onQuote: ({ symbol }, { orders }) => {
          quotes += 1;
          if (quotes === 1) return orders.buy(symbol, 100, { type: 'LO', price: 9 });
          return orders.replace({ symbol, intentId: intentId('I1') }, { quantity: 50 });
        },
      },
    });
    rig.start();
    rig.quote(10);
    fault(rig);
    rig.quote(10);
    return { rig, show: () => rig.venue.list('O-I1', { terms: asked }) };
  }

  const known = ({ engine }: EngineRig): readonly unknown[] => {
    const order = engine.state.order(intentId('I1'));
    return [order?.facets.pending, order?.terms.quantity.toNumber()];
  };

  it.each<[string, (rig: EngineRig) => void]>([
    ['accepted', () => undefined],
    [
      'unknown',
      ({ venue }) =>
        Object.assign(venue.answers, { replace: () => of({ kind: 'unknown', message: 'timed out' }) }),
    ],
  ])('is read from the list if every read after it failed (%s, T-41, T-42)', (_answer, fault) => {
    const { rig, show } = replaced((it) => {
      fault(it);
      it.venue.answers.silent.add('orderDetail');
    });
    show();
    runTo(rig.clock, seconds(20));
    rig.venue.answers.silent.clear();
    runTo(rig.clock, seconds(30));
    expect(known(rig)).toEqual(['none', 50]);
  });

  it('is read from the list if it counted as refused, and comes late (T-41)', () => {
    const { rig, show } = replaced(() => undefined);
    runTo(rig.clock, seconds(40));
    expect(known(rig)).toEqual(['none', 100]);
    show();
    runTo(rig.clock, seconds(50));
    expect(known(rig)).toEqual(['none', 50]);
  });
});
