import { closeSync, fdatasyncSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { encodeEvent } from '../src/events/codec.ts';
import type { SluiceEvent } from '../src/events/event.ts';
import { openSqliteJournal } from '../src/journal/sqlite.ts';
import { intentId } from '../src/model/order.ts';
import { millis } from '../src/model/time.ts';
import type { Journal } from '../src/ports/journal.ts';
import { atMost, type Benchmark } from './benchmark.ts';
import { compare } from './compare.ts';

/** On the project's own disk: a temporary folder may be in memory, where a sync costs nothing. */
const WORK = join(import.meta.dirname, '../.sluice');

const RECORDS = { full: 300, smoke: 20 } as const;

const EVENT: SluiceEvent = {
  kind: 'submit-sending',
  at: millis(1_700_000_000_000),
  intentId: intentId('a1b2c3d4e5f6'),
  attempt: 1,
  written: {
    body: '{"symbol":"700.HK","order_type":"LO","side":"Buy","submitted_quantity":"100","submitted_price":"388.2","time_in_force":"Day","remark":"sl1-ABCD-a1b2c3d4e5f6"}',
    digest: '5f2b'.repeat(16),
    timestamp: '1700000000.000000',
  },
};

/** One durable record: the journal, compared with a write and an fdatasync of the same bytes. */
export const journal: Benchmark = {
  name: 'journal',
  run(scale) {
    const count = RECORDS[scale];
    mkdirSync(WORK, { recursive: true });
    const folder = mkdtempSync(join(WORK, 'bench-'));
    const ours = openSqliteJournal(join(folder, 'journal.db'));
    const file = openSync(join(folder, 'bare.log'), 'a');
    const bytes = Buffer.from(`${encodeEvent(EVENT)}\n`);
    try {
      const { oursMs, yardstickMs, timeRatio, pairs } = compare(
        () => append(ours, count),
        () => {
          for (let at = 0; at < count; at += 1) {
            writeSync(file, bytes);
            fdatasyncSync(file);
          }
        },
      );
      const kept = [...ours.replay()].length;
      const written = count * (pairs + 1);
      return [
        {
          id: 'journal',
          work: 'One event made durable by the SQLite journal, in time of write and fdatasync of the same bytes',
          ours: (oursMs * 1e3) / count,
          yardstick: (yardstickMs * 1e3) / count,
          unit: 'us each',
          ratio: timeRatio,
          goal: atMost(1.15),
          gates: [{ what: 'every record is there', holds: kept === written, saw: `${kept} of ${written}` }],
          notes: [`Records of ${bytes.length} bytes, each encoded, chained and durable on its own`],
        },
      ];
    } finally {
      ours.close();
      closeSync(file);
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

function append(target: Journal, count: number): void {
  for (let at = 0; at < count; at += 1) target.append(EVENT);
}
