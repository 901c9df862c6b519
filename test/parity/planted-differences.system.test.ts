import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LoadedRun, loadRun } from '../../src/app/load/load-run.ts';
import { runPaper } from '../../src/app/run/run-paper.ts';
import { runBacktest } from '../../src/backtest/run-backtest.ts';
import { dataOf } from '../../src/config/data-of.ts';
import type { DetailedRecord } from '../../src/events/run-record.ts';
import { CHARGE_SCHEDULES } from '../../src/markets/charge-schedules.ts';
import { lowerBound } from '../../src/model/bar.ts';
import { compareRuns, type Parity } from '../../src/reports/parity.ts';
import { parityText } from '../../src/reports/parity-text.ts';

const root = resolve(import.meta.dirname, '../..');
const project = mkdtempSync(join(tmpdir(), 'sluice-planted-'));
afterAll(() => rmSync(project, { recursive: true, force: true }));

let honest: LoadedRun;
/** Paper on the unchanged data. */
let paper: DetailedRecord;

beforeAll(async () => {
  const path = join(project, 'planted.yaml');
  const shipped = readFileSync(join(root, 'config/hk-intraday.yaml'), 'utf8');
  writeFileSync(path, shipped.replace(/data: \{.*\}/, 'data: { from: 2025-09-02, to: 2025-09-03 }'));
  honest = await loadRun(path, root);
  const dir = join(root, dataOf(honest.config).dir);
  const config = { ...honest.config, data: { ...dataOf(honest.config), dir } };
  paper = await runPaper({ ...honest, config, project });
});

/** Paper on a copy of the data with one changed line of `DEMO.HK/1m.csv`. */
async function paperOn(change: (lines: string[]) => void): Promise<Parity> {
  const dir = mkdtempSync(join(project, 'data-'));
  cpSync(join(root, 'backtest-data/DEMO.HK'), join(dir, 'DEMO.HK'), { recursive: true });
  const file = join(dir, 'DEMO.HK/1m.csv');
  const lines = readFileSync(file, 'utf8').split('\n');
  change(lines);
  writeFileSync(file, lines.join('\n'));
  const config = { ...honest.config, data: { ...dataOf(honest.config), dir } };
  const changed = await runPaper({ ...honest, config, project });
  return compareRuns(runBacktest(honest.setup, { decisions: true }), changed);
}

/** The index of the bar that opened at an instant. */
function lineOf(lines: readonly string[], stamp: string): number {
  const line = lines.findIndex((text) => text.startsWith(stamp));
  if (line < 0) throw new Error(`No bar of ${stamp}`);
  return line;
}

describe('a deliberate difference between backtest and paper', () => {
  it('is found and named when it is one charge', () => {
    const rows = CHARGE_SCHEDULES.standard.rows.filter((row) => row.code !== 'STAMP_DUTY');
    const cheaper = { ...honest.setup, charges: { name: 'standard', rows } };
    const parity = compareRuns(runBacktest(cheaper, { decisions: true }), paper);
    expect(parity).toMatchObject({
      kind: 'different',
      difference: { kind: 'fills', fields: ['fee', 'charges'] },
    });
    expect(parityText(parity)).toContain('STAMP_DUTY');
  });

  it('is found and named when it is one tick', async () => {
    const parity = await paperOn((lines) => {
      const line = lineOf(lines, '2025-09-03T02:10:00Z');
      const [stamp, open, high, low, close, volume] = (lines[line] ?? '').split(',');
      const dearer = (Number(close) + 0.05).toFixed(2);
      lines[line] = [
        stamp,
        open,
        Math.max(Number(high), Number(dearer)).toFixed(2),
        low,
        dearer,
        volume,
      ].join(',');
    });
    expect(parity.kind).toBe('different');
    if (parity.kind !== 'different') return;
    const { left, right } = parity.difference;
    expect([left?.at, right?.at].some((at) => at !== undefined && at >= '2025-09-03T02:11')).toBe(true);
  });

  it('is found and named when it is one bar a millisecond early', () => {
    const [bars] = honest.setup.history;
    const signal = runBacktest(honest.setup, { decisions: true }).decisions.find(
      (decision) => decision.kind === 'signal',
    );
    if (bars === undefined || signal === undefined) throw new Error('Nothing to plant in');
    const time = bars.time.slice();
    time[lowerBound(bars, signal.barTime)] = signal.barTime - 1;
    const parity = compareRuns(
      runBacktest({ ...honest.setup, history: [{ ...bars, time }] }, { decisions: true }),
      paper,
    );
    expect(parity).toMatchObject({
      kind: 'different',
      difference: { kind: 'signals', place: 1, fields: ['time', 'bar'] },
    });
    expect(parityText(parity)).toContain('different: decision 1 (signals) differs in time, bar');
  });

  it('is not found if there is none', () => {
    expect(compareRuns(runBacktest(honest.setup, { decisions: true }), paper).kind).toBe('equal');
  });
});
