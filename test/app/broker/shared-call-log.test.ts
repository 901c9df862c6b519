import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { of } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSharedCallLog, type SharedCallLog } from '#src/app/broker/shared-call-log.ts';
import { LeaseError, takeUserLease } from '#src/app/run/lease.ts';
import { accountKey, credentialsKey, userStateFolder } from '#src/app/storage/user-state.ts';
import { VirtualClock } from '#src/backtest/virtual-clock.ts';
import { CALL_BUDGET, createCallBudget } from '#src/execution/call-budget/call-budget.ts';
import { millis } from '#src/model/time.ts';
import { budgeted } from '#src/ports/budgeted.ts';
import { runTo } from '../../fixtures/time.ts';

const START = 1_767_225_600_000;

let folder: string;
let now: number;
let warned: string[];
let opened: SharedCallLog[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-calls-'));
  now = START;
  warned = [];
  opened = [];
});
afterEach(() => {
  for (const each of opened) each.close();
  rmSync(folder, { recursive: true });
});

const state = () => ({ SLUICE_STATE_DIR: join(folder, 'state') });
const file = () => join(folder, 'state', 'calls.db');

function process(account: string | undefined, credentials: string): SharedCallLog {
  const calls = openSharedCallLog({
    ...{ environment: state(), credentials, now: () => now },
    ...(account === undefined ? {} : { account }),
    warn: (text) => void warned.push(text),
  });
  opened.push(calls);
  return calls;
}

const since = () => now - CALL_BUDGET.windowMs;

describe('calls that several processes spend on an account (F-M07, I-17)', () => {
  it('are visible to every other process with the same account or credentials, and to no other', () => {
    const bot = process('account', 'key');
    const [sameAccount, sameKey] = [process('account', 'other key'), process(undefined, 'key')];
    const stranger = process('another', 'another key');
    bot.add(now);
    expect([sameAccount, sameKey, stranger, bot].map((each) => each.others(since()).length)).toEqual([
      1, 1, 0, 0,
    ]);
    sameKey.add(now);
    expect([bot, sameAccount, stranger].map((each) => each.others(since()).length)).toEqual([1, 1, 0]);
  });

  it('move and leave with the window, and can be given back', () => {
    const [one, other] = [process('a', 'k'), process('a', 'k')];
    const call = one.add(now);
    const taken = one.add(now);
    call.moveTo(now + 10);
    taken.remove();
    now += 20;
    expect(other.others(since())).toEqual([START + 10]);
    now += CALL_BUDGET.windowMs;
    expect(other.others(since())).toEqual([]);
  });

  it('outlive the process that made them, so that a restart does not spend them twice', () => {
    const first = process('a', 'k');
    for (let each = 0; each < 20; each += 1) first.add(now + each);
    first.close();
    now += 100;
    const clock = { now: () => now as never, at: () => () => undefined };
    const budget = createCallBudget(clock, CALL_BUDGET, process('a', 'k'));
    expect(budget.used()).toMatchObject({ others: 20, read: 0 });
    expect(budget.hasCapacity('open')).toBe(false);
    expect(budget.hasCapacity('kill')).toBe(true);
  });

  it('from before the clock was set back are not waited for', () => {
    const one = process('a', 'k');
    one.add(now + 3_600_000);
    expect(process('a', 'k').others(since())).toEqual([]);
  });

  it.each([
    ['takes the last place', 28],
    ['sends a call', 1],
  ])(
    'that another process records between the read of the file and the reservation are counted: it %s',
    (_what, count) => {
      const [own, other] = [process('a', 'k'), process('a', 'k')];
      const clock = new VirtualClock(millis(START));
      let isIntruded = false;
      const budget = createCallBudget(clock, CALL_BUDGET, {
        ...own,
        others(since) {
          const seen = own.others(since);
          if (!isIntruded) for (let call = 0; call < count; call += 1) other.add(START);
          isIntruded = true;
          return seen;
        },
      });
      const left: number[] = [];
      budgeted(budget, 'kill', { work: () => of('sent'), refused: 'refused' }).subscribe(() =>
        left.push(clock.now() - START),
      );
      expect(left).toEqual([]);
      now = START + CALL_BUDGET.windowMs + 1;
      runTo(clock, millis(now));
      expect(left).toEqual([count === 28 ? CALL_BUDGET.windowMs : CALL_BUDGET.spacingMs]);
    },
  );

  it.each([
    ['kill', 2],
    ['protect', 49],
  ] as const)(
    'do not wait long for a file that another process is writing: %s leaves after %i ms',
    (kind, ms) => {
      const calls = process('a', 'k');
      calls.add(START - 1_000);
      const writer = new DatabaseSync(file());
      writer.exec('BEGIN IMMEDIATE');
      const clock = new VirtualClock(millis(START));
      const budget = createCallBudget(clock, CALL_BUDGET, calls);
      const left: number[] = [];
      budgeted(budget, kind, { work: () => of('sent'), refused: 'refused' }).subscribe(() =>
        left.push(clock.now() - START),
      );
      runTo(clock, millis(START + 1_000));
      expect(left).toEqual([ms]);
      writer.exec('COMMIT');
      writer.close();
      now = START + 1_000;
      calls.others(since());
      expect(process('a', 'k').others(since())).toHaveLength(2);
      expect(warned).toEqual([]);
    },
  );

  it('are kept while another process writes, and written with the next', () => {
    const [one, other] = [process('a', 'k'), process('a', 'k')];
    one.add(now);
    const writer = new DatabaseSync(file());
    writer.exec('BEGIN IMMEDIATE');
    one.add(now);
    expect(other.others(since())).toHaveLength(1);
    writer.exec('COMMIT');
    writer.close();
    one.others(since());
    expect(other.others(since())).toHaveLength(2);
    expect(warned).toEqual([]);
  });

  it('are counted from zero again if the file is damaged', () => {
    mkdirSync(join(folder, 'state'));
    writeFileSync(file(), 'no database at all'.repeat(100));
    const [one, other] = [process('a', 'k'), process('a', 'k')];
    one.add(now);
    expect(other.others(since())).toHaveLength(1);
    expect(warned).toEqual([]);
  });

  it('are counted per process, with one warning, if the shared file cannot be written', () => {
    writeFileSync(join(folder, 'state'), 'a file where the folder belongs');
    const one = process('a', 'k');
    for (let each = 0; each < 5; each += 1) {
      one.add(now).moveTo(now + 1);
      expect(one.others(since())).toEqual([]);
      now += 60_000;
    }
    expect(warned).toHaveLength(1);
    expect(warned[0]).toMatch(/^Calls of other processes on the account are not counted.*EEXIST|ENOTDIR/);
    expect(warned[0]).toContain('name another folder in SLUICE_STATE_DIR');
  });

  it('are shared again once a damaged file is valid again', () => {
    const [one, other] = [process('a', 'k'), process('a', 'k')];
    one.add(now);
    for (const each of opened) each.close();
    for (const end of ['-wal', '-shm']) rmSync(`${file()}${end}`, { force: true });
    writeFileSync(file(), readFileSync(file()).fill(7, 0, 200));
    appendFileSync(file(), 'more');
    one.add(now);
    expect(other.others(since())).toHaveLength(1);
  });

  it('are stored in files and folders that only their owner can read (S-24)', () => {
    process('a', 'k').add(now);
    expect([file(), join(folder, 'state')].map((path) => statSync(path).mode & 0o777)).toEqual([
      0o600, 0o700,
    ]);
    const text = readFileSync(file()).toString('latin1');
    expect(text).toContain('SQLite');
  });
});

describe('the state of a user', () => {
  it('is in SLUICE_STATE_DIR, or XDG_STATE_HOME, or the home folder', () => {
    expect(userStateFolder({ SLUICE_STATE_DIR: '/a', XDG_STATE_HOME: '/b' })).toBe('/a');
    expect(userStateFolder({ SLUICE_STATE_DIR: '', XDG_STATE_HOME: '/b' })).toBe('/b/sluice');
    expect(userStateFolder({ XDG_STATE_HOME: 'relative' })).toBe(join(homedir(), '.local/state/sluice'));
    expect(userStateFolder({})).toBe(join(homedir(), '.local/state/sluice'));
  });

  it('identifies an account under any address (I-25)', async () => {
    const keys = (account: string, ...origins: readonly string[]) =>
      Promise.all(origins.map((origin) => accountKey(new URL(origin), account)));
    const here = [
      'http://127.0.0.1:7070',
      'http://localhost:7070',
      'http://[::1]:7070',
      'http://127.0.0.2:7070',
    ];
    expect(new Set(await keys('paper', ...here)).size).toBe(1);
    expect(new Set(await keys('12345678', ...here, 'https://a.example', 'https://b.example')).size).toBe(1);
    expect(new Set(await keys('paper', 'http://127.0.0.1:7070', 'http://127.0.0.1:7071')).size).toBe(2);
    expect((await keys('12345678', 'https://a.example'))[0]).not.toContain('12345678');
    const [one, other] = await Promise.all(
      ['http://127.0.0.1:7070', 'http://localhost:7070'].map((origin) =>
        credentialsKey(new URL(origin), 'key'),
      ),
    );
    expect(one).toBe(other);
  });

  it('lets one process trade an account, and names it to the next one', () => {
    const lease = takeUserLease(state(), 'key', 'process 7 (a.yaml in /home/a)');
    expect(() => takeUserLease(state(), 'key', 'the second')).toThrow(
      /process 7 \(a\.yaml in \/home\/a\) does so already/,
    );
    takeUserLease(state(), 'another', 'the second').release();
    lease.release();
    takeUserLease(state(), 'key', 'the next').release();
  });

  it('refuses a start if it cannot be written, as nothing else detects a second bot', () => {
    writeFileSync(join(folder, 'state'), 'a file where the folder belongs');
    const start = () => takeUserLease(state(), 'key', 'a bot');
    expect(start).toThrow(LeaseError);
    expect(start).toThrow(/SLUICE_STATE_DIR names another folder/);
  });
});
