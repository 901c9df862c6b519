import { concatMap, merge, Subject } from 'rxjs';
import { afterEach, describe, expect, it } from 'vitest';
import { VirtualClock } from '#src/backtest/virtual-clock.ts';
import { type BrokerClient, createBrokerClient } from '#src/broker/connect.ts';
import type { BotState } from '#src/events/bot-state.ts';
import type { SluiceEvent } from '#src/events/event.ts';
import { createFold } from '#src/events/fold.ts';
import { createRestrictions } from '#src/execution/gate/restrictions.ts';
import { createExecutor } from '#src/execution/orders/executor.ts';
import { createOrderTracker } from '#src/execution/orders/order-tracker.ts';
import type { OrderTask } from '#src/execution/orders/order-tracking-context.ts';
import { createRecorder } from '#src/execution/recorder.ts';
import { createMemoryJournal } from '#src/journal/memory.ts';
import { decimal } from '#src/model/decimal.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { millis } from '#src/model/time.ts';
import type { Verdict } from '#src/risk/risk-gate.ts';
import { PROFILES } from '#src/wire/profiles.ts';
import { eventually } from '../fixtures/eventually.ts';
import { approve, drafted, intentOf, termsOf } from '../fixtures/orders.ts';
import { events$ } from '../fixtures/tasks.ts';
import { runTo, seconds } from '../fixtures/time.ts';
import { call } from '../venue/a-client.ts';
import { aVenue, CREDENTIALS, countingRandom, type VenueUnderTest } from '../venue/a-venue.ts';

const TERMS = termsOf({ symbol: securitySymbol('700.HK'), type: 'LO', price: decimal('300') });
const INTENT = intentOf('ABCDEFGHIJKLMNOP', { terms: TERMS });

interface Session {
  readonly under: VenueUnderTest;
  readonly market: VirtualClock;
  readonly state: BotState;
  readonly events: readonly SluiceEvent[];
  readonly concerns: readonly string[];
  send(): void;
}

const clients: BrokerClient[] = [];

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

/**
 * Executor and tracker on the live broker client, against a venue with these faults. Venue and client share a machine
 * clock.
 */
async function sessionWith(...knobs: readonly object[]): Promise<Session> {
  const under = await aVenue();
  const { venue, machine } = under;
  await setFaults(under, ...knobs);
  const market = new VirtualClock(millis(0));
  const client = createBrokerClient({
    ...{ httpUrl: venue.http, quoteWsUrl: venue.quoteWs, tradeWsUrl: venue.tradeWs },
    credentials: CREDENTIALS,
    profile: PROFILES.documented,
    machine,
    market: () => market.now(),
    random: countingRandom(),
    deployment: 'TEST',
  });
  clients.push(client);
  const events: SluiceEvent[] = [];
  const concerns: string[] = [];
  const fold = createFold();
  const recorder = createRecorder(createMemoryJournal(), fold, (event) => events.push(event));
  const { broker } = client;
  const parts = { broker, recorder, clock: market };
  const tasks$ = new Subject<OrderTask>();
  const tracker = createOrderTracker({
    ...parts,
    queueTask: (task) => tasks$.next(task),
    onIncident: ({ alarm }) => concerns.push(alarm.code),
  });
  const executor = createExecutor({ ...parts, tracker, restrictions: createRestrictions(parts) });
  const verdicts$ = new Subject<Verdict>();
  merge(tasks$, verdicts$)
    .pipe(
      concatMap((turn) =>
        events$(() =>
          turn.kind === 'approved' || turn.kind === 'denied' ? executor.execute(turn) : tracker.run(turn),
        ),
      ),
    )
    .subscribe();
  broker.hints$.subscribe(tracker.queueHint);
  broker.late$?.subscribe(tracker.handleLateAnswer);
  return {
    ...{ under, market, events, concerns },
    state: fold.state,
    send() {
      recorder.record(drafted(INTENT));
      verdicts$.next({ kind: 'approved', intent: approve(INTENT), numbers: [] });
    },
  };
}

async function setFaults({ venue }: VenueUnderTest, ...knobs: readonly object[]): Promise<void> {
  await fetch(`${venue.admin}/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${venue.adminToken}` },
    body: JSON.stringify({ seed: 1, knobs }),
  });
}

const submissionOf = (session: Session) => session.state.order(INTENT.id)?.facets.submission.kind;
const remarksOf = async (session: Session): Promise<readonly string[]> =>
  (await call(session.under.venue, 'GET', '/v1/trade/order/today')).data.orders.map(
    (order: { readonly remark: string }) => order.remark,
  );

/** Waits until the venue has accepted the order, then lets the deadline of the submit pass. */
async function givenUp(session: Session): Promise<void> {
  session.send();
  await expect.poll(() => remarksOf(session)).toHaveLength(1);
  session.under.advance(5_000);
  await eventually(() => submissionOf(session) === 'unknown', 'the submit to be called unknown');
}

describe('over real sockets, the answer to a submit that comes after its deadline', () => {
  it("provides the order's id, after which the order is read and never sent again (F-N07, T-11, I-2)", async () => {
    const session = await sessionWith({ knob: 'net.delayResponse', endpoint: 'submitOrder', ms: 30_000 });
    await givenUp(session);
    session.under.advance(25_000);
    await eventually(() => session.events.some(({ kind }) => kind === 'order-moved'), 'the order to be read');
    expect(session.events.map(({ kind }) => kind)).toEqual([
      ...[
        'intent-drafted',
        'intent-armed',
        'submit-sending',
        'submit-unknown',
        'submit-acked',
        'order-moved',
      ],
    ]);
    expect(session.events).toContainEqual(
      expect.objectContaining({ kind: 'submit-acked', by: 'late-answer' }),
    );
    expect(await remarksOf(session)).toHaveLength(1);
  });

  it('adopts, reports and cancels an order that was considered lost (F-N07, T-15)', async () => {
    const session = await sessionWith({ knob: 'net.delayResponse', endpoint: 'submitOrder', ms: 30_000 });
    await givenUp(session);
    await setFaults(session.under, { knob: 'venue.emptyList' });
    for (const after of [0.5, 1, 2, 4, 8, 15, 30, 60, 90, 120]) {
      runTo(session.market, seconds(after));
      await eventually(() => Number.isFinite(session.market.nextAt()), 'the listing to be read');
    }
    await eventually(() => submissionOf(session) === 'abandoned', 'the order to be given up');
    session.under.advance(25_000);
    await eventually(() => submissionOf(session) === 'acked', 'the order to be adopted');
    await eventually(() => {
      runTo(session.market, seconds(121));
      return session.events.some(({ kind }) => kind === 'cancel-answered');
    }, 'the cancel to be answered');
    expect(session.concerns).toEqual(['unproven', 'abandoned-found']);
    expect(session.events).toContainEqual(
      expect.objectContaining({ kind: 'cancel-answered', answer: 'accepted' }),
    );
  });

  it('is not needed when a 500 hides that the order is open: its tag is found (F-B01, T-10)', async () => {
    const session = await sessionWith({ knob: 'venue.lie', endpoint: 'submitOrder' });
    session.send();
    await eventually(() => submissionOf(session) === 'unknown', 'the submit to be called unknown');
    expect(await remarksOf(session)).toHaveLength(1);
    runTo(session.market, seconds(0.5));
    await eventually(() => submissionOf(session) === 'acked', 'the order to be found by its tag');
    expect(await remarksOf(session)).toHaveLength(1);
  });
});

describe('over real sockets, a venue that cannot be reached', () => {
  it('is tried three times with the same intent, and the order is not sent after that (F-N03, T-08)', async () => {
    const session = await sessionWith();
    await session.under.venue.close();
    session.send();
    for (const after of [0.25, 1.25]) {
      await eventually(() => session.market.nextAt() <= seconds(after), 'the next attempt to be due');
      runTo(session.market, seconds(after));
    }
    await eventually(() => submissionOf(session) === 'not-sent', 'the order to be proved not sent');
    const attempts = session.events.filter(({ kind }) => kind === 'submit-sending');
    expect(attempts).toHaveLength(3);
    expect(session.state.live.size).toBe(0);
  });
});
