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
import { HOUR_MS, MINUTE_MS, millis } from '#src/model/time.ts';

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
  const file = openTimestampFile({ project, origin, appKey });
  open.push(file);
  const stamps = createTimestamps(machine, { store: file, warn: (text) => void warnings.push(text) });
  return { file, next: () => Number(stamps.next().replace('.', '')) };
}

describe('the file of the last timestamp', () => {
  it('keeps timestamps rising over a restart after the wall clock went back by five minutes, with one warning (I-18, F-C01)', () => {
    const before = started().next();
    now -= 5 * MINUTE_MS - 1;
    const after = started();
    expect([after.next(), after.next()]).toEqual([before + 1, before + 2]);
    expect(warnings).toEqual([expect.stringContaining('stamped up to 300 s ahead')]);
    now += 10 * MINUTE_MS;
    expect(after.next()).toBe(now * 1_000);
    expect(warnings).toHaveLength(1);
  });

  it('ignores a timestamp that a command made while the clock was an hour ahead, with a warning, in a process that runs and in the next (I-18, F-C01)', () => {
    const bot = started();
    bot.next();
    now += HOUR_MS;
    started().next();
    now -= HOUR_MS - 1;
    expect(bot.next()).toBe(now * 1_000);
    expect(warnings).toEqual([expect.stringContaining('stamped 3600 s ahead')]);
    expect(started().next()).toBe(now * 1_000 + 1);
    expect(warnings).toHaveLength(1);
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
    const parts = { project, appKey: 'key', warn };
    expect(timestampFileForCommands({ ...parts, origin: new URL('http://127.0.0.1:1') })).toBeUndefined();
    expect(warnings).toEqual([]);
    expect(timestampFileForCommands({ ...parts, origin: new URL('https://venue.example') })).toBeUndefined();
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('Cannot keep the last X-Timestamp');
  });

  it('is accessible to its owner only, and starts again when it holds no number', () => {
    const { file } = started();
    expect(statSync(file.path).mode & 0o777).toBe(0o600);
    writeFileSync(file.path, 'nonsense');
    expect(file.last()).toBe(0);
    expect(started().next()).toBe(now * 1_000);
  });
});
