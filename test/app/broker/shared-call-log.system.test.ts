import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as after } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { CALL_BUDGET } from '#src/execution/call-budget/call-budget.ts';

const SCRIPT = join(import.meta.dirname, 'spending-process.ts');
/** A short window, so that the processes compete for each freed call many times in a few seconds. */
const WINDOW_MS = 1_000;
const RUNS_MS = 5_000;

async function messageOf(child: ChildProcess): Promise<unknown> {
  const [message] = await once(child, 'message');
  return message;
}

/** Times at which the calls of all processes left. */
function departuresIn(folder: string): readonly number[] {
  const database = new DatabaseSync(join(folder, 'calls.db'));
  const rows = database.prepare('SELECT at FROM calls ORDER BY at').all();
  database.close();
  return rows.map(({ at }) => Number(at));
}

it('processes that send at the same time keep the interval between calls, and their number in a window (F-M07, I-17)', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-spent-'));
  const env = { PATH: process.env['PATH'], SLUICE_STATE_DIR: folder };
  const stdio = ['ignore', 'inherit', 'inherit', 'ipc'] as const;
  const children = [1, 2, 3].map(() => fork(SCRIPT, [String(WINDOW_MS)], { env, stdio: [...stdio] }));
  try {
    await Promise.all(children.map(messageOf));
    for (const child of children) child.send('begin');
    await after(RUNS_MS);
    const answers = children.map(messageOf);
    for (const child of children) child.send('end');
    const made = (await Promise.all(answers)).map(Number);
    const all = departuresIn(folder);
    expect(all.length).toBeGreaterThanOrEqual(made.reduce((sum, count) => sum + count, 0));
    expect(all.length).toBeGreaterThan(50);
    const gaps = all.slice(1).map((at, index) => at - (all[index] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(CALL_BUDGET.spacingMs);
    const inWindow = all.map((at) => all.filter((other) => other >= at && other < at + WINDOW_MS).length);
    expect(Math.max(...inWindow)).toBe(CALL_BUDGET.calls - CALL_BUDGET.kills);
  } finally {
    for (const child of children) child.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  }
});
