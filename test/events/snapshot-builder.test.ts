import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeEvent, encodeEvent } from '#src/events/codec.ts';
import type { SluiceEvent } from '#src/events/event.ts';
import { createFold, type Fold } from '#src/events/fold.ts';
import { createUnacknowledgedFills } from '#src/events/records/strategy-state-record.ts';
import { FINISHED_ORDERS_KEPT_MS } from '#src/events/snapshot/state-snapshot.ts';
import { algorithmId } from '#src/model/algorithm.ts';
import { decimal } from '#src/model/decimal.ts';
import { intentId, orderId } from '#src/model/order.ts';
import { millis } from '#src/model/time.ts';
import { acked, filled, fillOf, intentOf, termsOf } from '../fixtures/orders.ts';
import { snapshotOf } from '../fixtures/some-carried.ts';
import { someEvent } from '../fixtures/some-events.ts';
import { someHistory } from '../fixtures/some-lives.ts';

/** The event as the journal returns it. */
const read = (event: SluiceEvent): SluiceEvent => decodeEvent(encodeEvent(event));

function folded(events: Iterable<SluiceEvent>): Fold {
  const fold = createFold();
  for (const event of events) fold.apply(event);
  return fold;
}

/** Events that are not about one order of the bot may come at any time. */
const someNews = someEvent.filter((event) => !('intentId' in event) && event.kind !== 'journal-carried');

/** The strategy of an order, in a bot of several strategies. */
const someOwners = fc.constantFrom(undefined, 'a', 'b');

/** Complete histories of orders, with other events of an account in between, one second apart. */
const someRecords = fc
  .tuple(someHistory, fc.array(fc.tuple(fc.nat(60), someNews), { maxLength: 30 }), fc.array(someOwners))
  .map(([history, news, owners]) => {
    const mixed = history.map((event, index) => {
      const strategy =
        event.kind === 'intent-drafted' ? owners[index % Math.max(1, owners.length)] : undefined;
      return strategy === undefined ? event : { ...event, strategy };
    });
    for (const [place, event] of news) mixed.splice(Math.min(place, mixed.length), 0, event);
    return mixed.map((event, index) => read({ ...event, at: millis(index * 1_000) }));
  });

const DAY = 86_400_000;
const over = (id: string, at: number): SluiceEvent => ({
  kind: 'order-moved',
  at: millis(at),
  intentId: intentId(id),
  status: 'FilledStatus',
  rawStatus: 'FilledStatus',
  executedQuantity: decimal('100'),
  message: '',
});
const life = (id: string, at: number): readonly SluiceEvent[] => [
  ...[...acked(intentOf(id)), filled(fillOf(`${id}-e`, 'buy', '100', '10', { intent: intentId(id) }))].map(
    (event) => ({ ...event, at: millis(at) }),
  ),
  over(id, at),
];
const end: SluiceEvent = { kind: 'run-ended', at: millis(31 * DAY), reason: 'finished', message: '' };

/** Points at which records are archived, one after another. */
const someCuts = fc.array(fc.nat(), { minLength: 1, maxLength: 3 });

function compactJournal(records: readonly SluiceEvent[], cuts: readonly number[]): readonly SluiceEvent[] {
  return cuts.reduce((left, cut) => {
    const at = 1 + (cut % left.length);
    return [snapshotOf(left.slice(0, at)), ...left.slice(at)];
  }, records);
}

describe('a journal that was archived', () => {
  it('gives the same state from its snapshot as from all records, wherever it is cut (F-K10, I-12, I-21)', () => {
    fc.assert(
      fc.property(someRecords, someCuts, (records, cuts) => {
        const left = compactJournal(records, cuts);
        const [whole, short] = [folded(records), folded(left)];
        expect(short.known()).toStrictEqual(whole.known());
        expect([...short.state.live.keys()]).toEqual([...whole.state.live.keys()]);
        for (const id of whole.known().byOrderId.keys())
          expect(short.state.intentOf(id)).toBe(whole.state.intentOf(id));
      }),
      { numRuns: 300 },
    );
  });

  it('reports to each strategy the executions that it has not acknowledged (F-K10)', () => {
    const someNote = fc.record({
      strategy: fc.constantFrom('a', 'b'),
      told: fc.constantFrom('INTENT0-e0', 'INTENT0-e1', 'INTENT1-e0'),
    });
    fc.assert(
      fc.property(someHistory, fc.array(fc.tuple(fc.nat(30), someNote)), someCuts, (history, notes, cuts) => {
        const records: SluiceEvent[] = [...history];
        for (const [place, note] of notes)
          records.splice(place, 0, read({ kind: 'state-kept', at: millis(3), note } as SluiceEvent));
        for (const strategy of ['a', 'b']) {
          const [whole, short] = [createUnacknowledgedFills(strategy), createUnacknowledgedFills(strategy)];
          for (const event of records) whole.apply(event);
          for (const event of compactJournal(records, cuts)) short.apply(event);
          expect(short.fills()).toEqual(whole.fills());
        }
      }),
    );
  });

  it('gives the same state to a reader of all records and of the snapshot (F-K10)', () => {
    fc.assert(
      fc.property(someRecords, (records) => {
        expect(folded([...records, snapshotOf(records)]).known()).toStrictEqual(folded(records).known());
      }),
    );
  });
});

describe('the finished orders in a snapshot', () => {
  it('are those of the last thirty days, counted from the last event of each (F-K10, I-23)', () => {
    expect(FINISHED_ORDERS_KEPT_MS).toBe(30 * DAY);
    const fold = folded([
      snapshotOf([
        ...[...life('OLD', 0), ...life('HEARD', 0), ...life('NEW', 5 * DAY)],
        ...[over('HEARD', 20 * DAY), end],
      ]),
    ]);
    expect([...fold.state.done.keys()]).toEqual(['HEARD', 'NEW']);
    expect(fold.state.intentOf(orderId('O-OLD'))).toBeUndefined();
    expect(fold.state.intentOf(orderId('O-NEW'))).toBe('NEW');
  });

  it('are still counted thirty days after an event in an earlier file (F-K10)', () => {
    const first = snapshotOf([...life('HEARD', 10 * DAY), end]);
    const later = { ...end, at: millis(39 * DAY) };
    expect(folded([snapshotOf([first, later])]).state.done.size).toBe(1);
    expect(folded([snapshotOf([first, { ...later, at: millis(40 * DAY) }])]).state.done.size).toBe(0);
  });

  it('include those, however old, of a running algorithm, and those with pending charges (F-K10)', () => {
    const id = algorithmId('ALGO');
    const bracket: SluiceEvent = {
      kind: 'algorithm-started',
      at: millis(0),
      algorithmId: id,
      spec: { kind: 'oco', first: termsOf(), second: termsOf() } as never,
      reason: 'a test',
      cause: { kind: 'start', name: 'start', symbol: undefined, time: millis(0), inputs: {} },
    };
    const child = life('CHILD', 0).map((event) =>
      event.kind === 'intent-drafted' ? { ...event, link: { algorithm: id, slot: 'entry' } as never } : event,
    );
    const charged = life('OPEN', 0).map((event) =>
      event.kind === 'order-filled' ? { ...event, chargesOpen: true as const } : event,
    );
    const records = [bracket, ...child, ...charged, ...life('OLD', 0), end];
    expect([...folded([snapshotOf(records)]).state.done.keys()]).toEqual(['CHILD', 'OPEN']);
  });
});
