import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SluiceEvent } from '#src/events/event.ts';
import type { Journal } from '#src/ports/journal.ts';
import { acked, chargeOf, filled, fillOf, intentOf } from '../fixtures/orders.ts';
import { someEvent } from '../fixtures/some-events.ts';

/** Appends in order and returns the numbers from the journal. */
export function appendAll(journal: Journal, events: readonly SluiceEvent[]): readonly number[] {
  return events.map((event) => journal.append(event));
}

/** The contract of every Journal; `make` opens an empty one. */
export function describeJournal(make: () => Journal): void {
  const using = (check: (journal: Journal) => void): void => {
    const journal = make();
    try {
      check(journal);
    } finally {
      journal.close();
    }
  };
  const fill = filled(fillOf('e1', 'buy', '100.5', '0.1', { charges: [chargeOf('FEE', '0.01')] }));
  const life = [...acked(intentOf()), fill];

  describe('a journal', () => {
    it('is initially empty', () => {
      using((journal) => {
        expect([...journal.replay()]).toEqual([]);
      });
    });

    it('numbers its records from 1', () => {
      using((journal) => {
        expect(appendAll(journal, life)).toEqual([1, 2, 3, 4, 5]);
      });
    });

    it('replays what was appended, in order, including Decimals (I-12)', () => {
      using((journal) => {
        appendAll(journal, life);
        expect([...journal.replay()]).toEqual(life);
        const read = [...journal.replay()].at(-1);
        expect(read?.kind === 'order-filled' && read.fill.price.plus(read.fill.quantity).toString()).toBe(
          '100.6',
        );
      });
    });

    it('can be replayed repeatedly, with appends in between', () => {
      using((journal) => {
        appendAll(journal, life.slice(0, 2));
        expect([...journal.replay()]).toHaveLength(2);
        expect(appendAll(journal, life.slice(2))).toEqual([3, 4, 5]);
        expect([...journal.replay()]).toEqual(life);
      });
    });

    it('returns any events unchanged (I-12)', () => {
      fc.assert(
        fc.property(fc.array(someEvent, { maxLength: 8 }), (events) => {
          using((journal) => {
            appendAll(journal, events);
            expect([...journal.replay()]).toEqual(events);
          });
        }),
        { numRuns: 30 },
      );
    });
  });
}
