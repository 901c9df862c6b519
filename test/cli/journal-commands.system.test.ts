import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SluiceEvent } from '../../src/events/event.ts';
import { openSqliteJournal } from '../../src/journal/sqlite.ts';
import { decimal } from '../../src/model/decimal.ts';
import { intentId, orderId } from '../../src/model/order.ts';
import { securitySymbol } from '../../src/model/symbol.ts';
import { millis } from '../../src/model/time.ts';
import { MAIN } from '../fixtures/built-package.ts';

const project = mkdtempSync(join(tmpdir(), 'sluice-why-'));
const run = join(project, '.sluice/runs/first');
const symbol = securitySymbol('700.HK');
const id = intentId('AAAAAAAAAAAAAAAA');
const at = millis(Date.parse('2025-09-02T02:00:00Z'));

const EVENTS: readonly SluiceEvent[] = [
  {
    kind: 'intent-drafted',
    at,
    intentId: id,
    terms: {
      symbol,
      side: 'buy',
      type: 'LO',
      quantity: decimal('100'),
      timeInForce: 'day',
      price: decimal('412.4'),
    },
    reason: 'crossed',
    cause: { kind: 'signal', name: 'cross', symbol, time: at, inputs: { fast: 2, slow: 1 } },
  },
  {
    kind: 'intent-armed',
    at,
    intentId: id,
    numbers: [{ name: 'quantity', value: '100', limit: 'buy limit 600' }],
  },
  { kind: 'submit-sending', at, intentId: id, attempt: 1 },
  { kind: 'submit-acked', at, intentId: id, orderId: orderId('900100200300400500'), by: 'answer' },
];

beforeAll(async () => {
  mkdirSync(run, { recursive: true });
  const journal = openSqliteJournal(join(run, 'journal.db'));
  for (const event of EVENTS) journal.append(event);
  journal.close();
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

function sluice(...args: readonly string[]) {
  return spawnSync(process.execPath, [MAIN, ...args], { cwd: project, encoding: 'utf8' });
}

describe('sluice why', () => {
  it('prints the chain from the signal to the venue by order id, intent id or position', () => {
    for (const asked of ['900100200300400500', id, '#1']) {
      const { status, stdout } = sluice('why', asked);
      expect(status).toBe(0);
      expect(stdout).toContain('signal "cross" of 700.HK: fast = 2, slow = 1');
      expect(stdout).toMatch(/wants to buy 100 700\.HK LO at 412\.4, day \(crossed\)\n +\[record 1\]/);
      expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
      expect(stdout).toContain('accepted by the venue as order 900100200300400500,\n');
    }
  });

  it('offers the latest orders when the requested one does not exist', () => {
    const { status, stdout } = sluice('why', '1');
    expect(status).toBe(1);
    expect(stdout).toContain('#1 buy 100 700.HK LO at 412.4, day');
  });
});

describe('sluice journal', () => {
  it('shows every record of the newest run, as text and as JSON', () => {
    expect(sluice('journal', 'show').stdout.trim().split('\n')).toHaveLength(EVENTS.length);
    const lines = sluice('journal', 'show', '--json').stdout.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).kind)).toEqual(EVENTS.map((event) => event.kind));
  });

  it('reports that an intact journal is intact, and names the first record that was changed (F-K07)', () => {
    expect(sluice('journal', 'verify')).toMatchObject({ status: 0 });
    const copy = join(project, 'copy.db');
    const journal = openSqliteJournal(copy);
    journal.close();
    const database = new DatabaseSync(copy);
    const insert = database.prepare('INSERT INTO records VALUES (?, ?, ?, ?, ?, ?)');
    insert.run(1, at, 'run-ended', null, '{"kind":"run-ended"}', '0'.repeat(64));
    database.close();
    const { status, stderr } = sluice('journal', 'verify', 'copy.db');
    expect(status).toBe(7);
    expect(stderr).toContain('damaged at record 1');
  });

  it('shows the contents of an earlier file, and is complete only with it (F-K10)', () => {
    const path = join(project, 'long.db');
    copyFileSync(join(run, 'journal.db'), path);
    openSqliteJournal(path, { compactAfter: EVENTS.length - 1 }).close();
    expect(sluice('journal', 'verify', 'long.db').stdout).toBe(
      `long.db: whole, ${EVENTS.length + 1} records\n`,
    );
    const lines = sluice('journal', 'show', 'long.db').stdout.trim().split('\n');
    expect(lines).toHaveLength(EVENTS.length + 1);
    expect(lines.at(-1)).toMatch(/^5 .* continues from 4 records, archived in long-000000000004\.db$/);
    expect(sluice('why', '#1', '--journal', 'long.db').stdout).toContain('wants to buy 100 700.HK');
    rmSync(join(project, 'long-000000000004.db'));
    expect(sluice('journal', 'show', 'long.db').stdout.trim().split('\n')).toHaveLength(1);
    const { status, stderr } = sluice('journal', 'verify', 'long.db');
    expect(status).toBe(7);
    expect(stderr).toContain('which is missing; restore that file');
  });

  it('exits 7 and prints what to do without a journal', () => {
    const empty = mkdtempSync(join(tmpdir(), 'sluice-empty-'));
    const { status, stderr } = spawnSync(process.execPath, [MAIN, 'journal', 'show'], {
      cwd: empty,
      encoding: 'utf8',
    });
    rmSync(empty, { recursive: true });
    expect(status).toBe(7);
    expect(stderr).toContain('run "sluice run CONFIG" first');
  });
});
