import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SluiceEvent } from '#src/events/event.ts';
import { createFold } from '#src/events/fold.ts';
import { compactJournal } from '#src/journal/journal-compaction.ts';
import { openSqliteJournal } from '#src/journal/sqlite.ts';
import { decimal } from '#src/model/decimal.ts';
import { intentId } from '#src/model/order.ts';
import { millis } from '#src/model/time.ts';
import { acked, filled, fillOf, intentOf } from '../fixtures/orders.ts';
import { appendAll } from './describe-journal.ts';

let folder = '';
let path = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-whole-'));
  path = join(folder, 'journal.db');
});
afterEach(() => rmSync(folder, { recursive: true }));

const life = [...acked(intentOf()), filled(fillOf('e1', 'buy', '60', '10'))];
const next = acked(intentOf('INTENT2'));
const ARCHIVE = 'journal-000000000005.db';

function run(events: readonly SluiceEvent[]): void {
  const journal = openSqliteJournal(path);
  appendAll(journal, events);
  journal.close();
}

/** The records read by a start that would begin a new file. */
function replayed(warn: (message: string) => void): readonly SluiceEvent[] {
  const journal = openSqliteJournal(path, { compactAfter: 4, warn });
  const events = [...journal.replay()];
  journal.close();
  return events;
}

function known() {
  const fold = createFold();
  const journal = openSqliteJournal(path);
  for (const event of journal.replay()) fold.apply(event);
  journal.close();
  return fold.known();
}

describe('a journal whose archive name is taken', () => {
  it('is not archived, and the other file is unchanged (F-K10, F-K08)', () => {
    run(life);
    writeFileSync(join(folder, ARCHIVE), 'the only copy of something');
    const said: string[] = [];
    expect(replayed((message) => said.push(message))).toEqual(life);
    expect(said[0]).toContain(
      `${ARCHIVE}" is there, and is another file; move it away; this start reads all of it`,
    );
    expect(readFileSync(join(folder, ARCHIVE), 'utf8')).toBe('the only copy of something');
    expect(existsSync(`${path}.carrying`)).toBe(false);
  });

  it('leaves nothing of a new file that cannot be written (F-K10, F-K03)', () => {
    run(life);
    mkdirSync(`${path}.carrying-journal`);
    const said: string[] = [];
    expect(replayed((message) => said.push(message))).toEqual(life);
    expect(said).toHaveLength(1);
    expect(existsSync(`${path}.carrying`)).toBe(false);
  });
});

describe('a journal with so many recent orders that a new file would hold most of it', () => {
  const MONTH_MS = 30 * 86_400_000;

  it('is not archived, and reports why before it folds anything (F-K10, I-23)', () => {
    run([...life, ...next]);
    const before = known();
    expect(() => compactJournal(path, 1)).toThrow(
      `Cannot begin a new file for journal "${path}": it would carry 2 orders of the last 30 days, more than 1`,
    );
    expect(readdirSync(folder).toSorted()).toEqual(['journal.db', 'journal.db.reserve']);
    compactJournal(path, 2);
    expect(readdirSync(folder)).toContain('journal-000000000009.db');
    expect(known()).toEqual(before);
  });

  it('counts the orders in its snapshot, as long as they remain there (F-K10)', () => {
    const end = (at: number): SluiceEvent => ({
      kind: 'run-ended',
      at: millis(at),
      reason: 'finished',
      message: '',
    });
    const begun = life[0]?.at ?? 0;
    run([...life, ...next]);
    compactJournal(path, 2);
    run([...acked(intentOf('INTENT3')), end(begun + MONTH_MS / 2)]);
    expect(() => compactJournal(path, 2)).toThrow('it would carry 3 orders');
    run([end(begun + 2 * MONTH_MS)]);
    compactJournal(path, 2);
    expect(readdirSync(folder).filter((name) => name.startsWith('journal-'))).toHaveLength(2);
  });
});

describe('a journal with a late event of an order', () => {
  it('is archived with the order, however old its last event (F-K10, I-21)', () => {
    const at = (day: number) => millis(day * 86_400_000);
    const done = [...acked(intentOf()), filled(fillOf('e1', 'buy', '100', '10'))];
    const late = (day: number, kind: 'order-moved' | 'run-ended'): SluiceEvent =>
      kind === 'run-ended'
        ? { kind, at: at(day), reason: 'finished', message: '' }
        : {
            ...{ kind, at: at(day), status: 'FilledStatus', rawStatus: 'FilledStatus', message: '' },
            ...{ intentId: intentId('INTENT1'), executedQuantity: decimal('100') },
          };
    run([
      ...done.map((event) => ({ ...event, at: at(0) })),
      late(0, 'order-moved'),
      late(40, 'run-ended'),
      late(41, 'order-moved'),
    ]);
    const before = known();
    compactJournal(path, 2);
    expect(known()).toEqual(before);
  });
});
