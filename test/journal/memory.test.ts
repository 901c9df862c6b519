import { describe, expect, it } from 'vitest';
import { createMemoryJournal } from '#src/journal/memory.ts';
import { acked, intentOf } from '../fixtures/orders.ts';
import { appendAll, describeJournal } from './describe-journal.ts';

describeJournal(createMemoryJournal);

describe('a journal in memory', () => {
  it('loses everything when it is closed', () => {
    const journal = createMemoryJournal();
    appendAll(journal, acked(intentOf()));
    journal.close();
    expect([...journal.replay()]).toEqual([]);
  });
});
