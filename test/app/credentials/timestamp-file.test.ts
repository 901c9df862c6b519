import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  openTimestampFile,
  type TimestampFile,
  timestampFileForCommands,
} from '#src/app/credentials/timestamp-file.ts';
import { createTimestamps } from '#src/broker/http/timestamps.ts';
import { HOUR_MS, millis } from '#src/model/time.ts';

let project: string;
let now: number;
let warnings: string[];
const open: TimestampFile[] = [];
const machine = { now: () => millis(now) };

beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'timestamps-'));
  now = 1_700_000_000_000;
  warnings = [];
});
afterEach(() => {
  for (const each of open.splice(0)) each.close();
  rmSync(project, { recursive: true });
});

function started(appKey = 'key') {
  const origin = new URL('https://venue.example');
  const warn = (text: string): void => void warnings.push(text);
  const file = openTimestampFile({ project, origin, appKey, machine, warn });
  open.push(file);
  const stamps = createTimestamps(machine, file);
  return { file, next: () => Number(stamps.next().replace('.', '')) };
}

describe('the file of the last timestamp', () => {
  it('keeps timestamps rising over a restart after the wall clock went back an hour, with a warning (I-18, F-C01)', () => {
    const before = started().next();
    now -= HOUR_MS;
    const after = started();
    expect(after.next()).toBe(before + 1);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('stamped 3600 s ahead');
    expect(warnings[0]).toContain(after.file.path);
    now += 2 * HOUR_MS;
    expect(after.next()).toBe(now * 1_000);
  });

  it('is shared by processes that sign with one key at one instant, and by no other key (I-18, F-C05)', () => {
    const [one, other] = [started(), started()];
    const all = Array.from({ length: 10 }, () => [one.next(), other.next()]).flat();
    expect(new Set(all).size).toBe(20);
    expect(all.toSorted((a, b) => a - b)).toEqual(all);
    expect(started('another').next()).toBe(now * 1_000);
  });

  it('is not needed for manual requests: a failure to create it is only a warning', () => {
    writeFileSync(join(project, '.sluice'), '');
    const warn = (text: string): void => void warnings.push(text);
    const parts = { project, appKey: 'key', machine, warn };
    expect(timestampFileForCommands({ ...parts, origin: new URL('http://127.0.0.1:1') })).toBeUndefined();
    expect(warnings).toEqual([]);
    expect(timestampFileForCommands({ ...parts, origin: new URL('https://venue.example') })).toBeUndefined();
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('Cannot keep the last X-Timestamp');
  });

  it('is for its owner alone, and begins again when it holds no number', () => {
    const { file } = started();
    expect(statSync(file.path).mode & 0o777).toBe(0o600);
    writeFileSync(file.path, 'nonsense');
    expect(file.last()).toBe(0);
    expect(started().next()).toBe(now * 1_000);
  });
});
