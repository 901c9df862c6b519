import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Observable, of } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ActiveCredentials, activeCredentials } from '#src/app/credentials/active-credentials.ts';
import { type TokenFile, tokenFile } from '#src/app/credentials/token-file.ts';
import { createTokenKeeper, type TokenKeeper } from '#src/app/credentials/token-keeper.ts';
import type { RenewedToken } from '#src/broker/socket/token-renewal.ts';
import { DAY_MS, MINUTE_MS, type Millis, millis, SECOND_MS } from '#src/model/time.ts';
import type { Answer } from '#src/ports/broker.ts';
import { createHandClock, type HandClock } from '../../broker/hand-clock.ts';
import { eventually } from '../../fixtures/eventually.ts';

const CREDENTIALS = { appKey: 'k', appSecret: 's', accessToken: 'old' };

let project: string;
let tokens: TokenFile;
let clock: HandClock;
let asked: Millis[];
let warnings: string[];
let used: string[];
let keeper: TokenKeeper;

beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'token-'));
  tokens = tokenFile(project, new URL('http://127.0.0.1:1'), CREDENTIALS);
  clock = createHandClock();
  asked = [];
  warnings = [];
  used = [];
});
afterEach(() => rmSync(project, { recursive: true }));

function inDays(days: number): Millis {
  return millis(clock.now() + days * DAY_MS);
}

function keep(
  expiresAt: Millis | undefined,
  answer: (wanted: Millis) => Answer<RenewedToken> = (wanted) => renewed(wanted),
): () => void {
  const renew = (wanted: Millis): Observable<Answer<RenewedToken>> => {
    asked.push(wanted);
    return of(answer(wanted));
  };
  const inForce: ActiveCredentials = { credentials: CREDENTIALS, expiresAt };
  keeper = createTokenKeeper({ tokens, inForce, machine: clock, warn: (text) => warnings.push(text) });
  return keeper.start({ renew, use: (accessToken) => used.push(accessToken) });
}

/** A client's result for the venue's answer. */
function renewed(wanted: Millis): Answer<RenewedToken> {
  const expiresAt = new Date(wanted).toISOString();
  try {
    keeper.save(`new-${asked.length}`);
    return { kind: 'ok', value: { expiresAt } };
  } catch (saveError) {
    return { kind: 'ok', value: { expiresAt, saveError } };
  }
}

describe('keeping the access token fresh', () => {
  it('I-19: renews 14 days before the end, for 90 more, keeps the new token with its end, and does so again', async () => {
    keep(inDays(80));
    clock.advance(66 * DAY_MS - 1);
    expect(asked).toEqual([]);
    clock.advance(1);
    await eventually(() => tokens.read()?.expiresAt !== '');
    expect(asked).toEqual([inDays(90)]);
    expect(tokens.read()?.accessToken).toBe('new-1');
    expect(warnings).toEqual(['The access token ends in 14 days: run "sluice token refresh"']);
    await eventually(() => clock.pending() === 1);
    clock.advance(76 * DAY_MS);
    await eventually(() => asked.length === 2);
  });

  it('I-19: tries again every day when the venue refuses, and warns at 14, 7, 3 and 1 days', async () => {
    const stop = keep(inDays(20), () => ({ kind: 'failed', code: 500000, message: 'down', retryable: true }));
    clock.advance(6 * DAY_MS);
    for (let day = 14; day >= 0; day -= 1) {
      await eventually(() => clock.pending() === 1);
      clock.advance(DAY_MS);
    }
    await eventually(() => clock.pending() === 1);
    stop();
    expect(asked).toHaveLength(16);
    const ends = warnings.filter((text) => text.includes('ends'));
    expect(ends.map((text) => /in (\d+) day|within a day/.exec(text)?.[1])).toEqual(['14', '7', '3', '1']);
    expect(warnings).toContain('The access token was not renewed: 500000, down');
    expect(clock.pending()).toBe(0);
  });

  it('I-19: renews at once when it starts within the 14 days', async () => {
    keep(inDays(2));
    await eventually(() => asked.length === 1);
    expect(warnings).toEqual(['The access token ends in 2 days: run "sluice token refresh"']);
  });

  it('I-19: leaves the renewal to a process that has already begun it', async () => {
    await tokens.withLock(async () => {
      keep(inDays(2));
      await eventually(() => warnings.length === 2);
    });
    expect(asked).toEqual([]);
    expect(warnings[1]).toContain('another renewal is in progress');
  });

  it('renews nothing while the expiry of the token is unknown', () => {
    keep(undefined);
    clock.advance(2 * SECOND_MS);
    expect([asked, clock.pending()]).toEqual([[], 0]);
  });
});

describe('a token that could not be saved', () => {
  it('I-19: raises an alarm, and is saved with its end as soon as its file can be written', async () => {
    keep(inDays(2), (wanted) => {
      // A folder in place of the file, so that the write fails.
      mkdirSync(tokens.path);
      return renewed(wanted);
    });
    await eventually(() => warnings.length === 2);
    expect(warnings[1]).toMatch(/^The renewed access token could not be saved: .*EISDIR/s);
    expect(warnings[1]).toContain('create a token at the broker and set SLUICE_ACCESS_TOKEN to it');
    clock.advance(MINUTE_MS);
    await eventually(() => clock.pending() === 2);
    expect(warnings).toHaveLength(2);
    rmSync(tokens.path, { recursive: true });
    clock.advance(MINUTE_MS);
    await eventually(() => warnings.length === 3);
    expect(warnings[2]).toBe('The renewed access token is saved now');
    expect(tokens.read()).toEqual({
      accessToken: 'new-1',
      expiresAt: new Date(asked[0] ?? 0).toISOString(),
    });
  });
});

describe('a token that the venue refuses', () => {
  function storedElsewhere(accessToken: string, expiresAt = ''): void {
    mkdirSync(dirname(tokens.path), { recursive: true });
    tokens.write({ accessToken, expiresAt });
  }

  it('F-B06: is replaced by the one that another process stored, once, and that one is renewed before its end', async () => {
    keep(undefined);
    storedElsewhere('newer', new Date(inDays(20)).toISOString());
    expect(keeper.newerToken('old')).toBe('newer');
    expect(keeper.newerToken('newer')).toBeUndefined();
    clock.advance(6 * DAY_MS);
    await eventually(() => asked.length === 1);
  });

  it('F-B06: is renewed before its end also if another process stored it before that end was known', async () => {
    keep(undefined);
    storedElsewhere('newer', '');
    expect(keeper.newerToken('old')).toBe('newer');
    storedElsewhere('newer', new Date(inDays(20)).toISOString());
    clock.advance(2 * SECOND_MS);
    clock.advance(6 * DAY_MS);
    await eventually(() => asked.length === 1);
  });

  it('F-B06: is replaced without an alarm when the other process stores the new one within two seconds', () => {
    keep(undefined);
    expect(keeper.newerToken('old')).toBeUndefined();
    storedElsewhere('newer');
    clock.advance(2 * SECOND_MS);
    expect(used).toEqual(['newer']);
    expect(warnings).toEqual([]);
  });

  it('F-B06: raises one alarm when there is no newer one, and takes one that comes later', () => {
    keep(undefined);
    for (let second = 0; second < 5; second += 1) {
      expect(keeper.newerToken('old')).toBeUndefined();
      clock.advance(2 * SECOND_MS);
    }
    expect(warnings).toEqual([expect.stringContaining('The broker refuses the access token (401003)')]);
    expect(warnings[0]).toContain('set SLUICE_ACCESS_TOKEN to it');
    storedElsewhere('newer');
    expect(keeper.newerToken('old')).toBe('newer');
  });

  it('F-B06: is not renewed again when another process has done so, and the end of an old token raises no warning', async () => {
    keep(inDays(15));
    storedElsewhere('newer', new Date(inDays(90)).toISOString());
    clock.advance(DAY_MS);
    expect(used).toEqual(['newer']);
    expect([asked, warnings]).toEqual([[], []]);
  });
});

describe('the credentials in force', () => {
  const sources = () => ({
    ...{ tokens, credentials: CREDENTIALS, machine: clock, warn: (text: string) => warnings.push(text) },
  });

  it('are those of the environment until a token was renewed, then the newer one', () => {
    expect(activeCredentials(sources())).toEqual({ credentials: CREDENTIALS, expiresAt: undefined });
    const expiresAt = new Date(inDays(60)).toISOString();
    return tokens.withLock(async () => {
      tokens.write({ accessToken: 'newer', expiresAt });
      expect(activeCredentials(sources())).toEqual({
        credentials: { ...CREDENTIALS, accessToken: 'newer' },
        expiresAt: inDays(60),
      });
      expect(warnings).toEqual([]);
    });
  });
});
