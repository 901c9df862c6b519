import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Observable, of } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { credentialsInForce } from '#src/app/credentials/credentials-in-force.ts';
import { keepToken } from '#src/app/credentials/keep-token.ts';
import { type TokenFile, tokenFile } from '#src/app/credentials/token-file.ts';
import type { RenewedToken } from '#src/broker/socket/token-renewal.ts';
import { DAY_MS, type Millis, millis } from '#src/model/time.ts';
import type { Answer } from '#src/ports/broker.ts';
import { createHandClock, type HandClock } from '../../broker/hand-clock.ts';
import { eventually } from '../../fixtures/eventually.ts';

const CREDENTIALS = { appKey: 'k', appSecret: 's', accessToken: 'old' };

let project: string;
let tokens: TokenFile;
let clock: HandClock;
let asked: Millis[];
let warnings: string[];

beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'token-'));
  tokens = tokenFile(project, new URL('http://127.0.0.1:1'), CREDENTIALS);
  clock = createHandClock();
  asked = [];
  warnings = [];
});
afterEach(() => rmSync(project, { recursive: true }));

function inDays(days: number): Millis {
  return millis(clock.now() + days * DAY_MS);
}

function keep(
  expiresAt: Millis | undefined,
  answer: (wanted: Millis) => Answer<RenewedToken> = (wanted) => {
    tokens.write({ accessToken: `new-${asked.length}`, expiresAt: '' });
    return { kind: 'ok', value: { expiresAt: new Date(wanted).toISOString() } };
  },
): () => void {
  const renew = (wanted: Millis): Observable<Answer<RenewedToken>> => {
    asked.push(wanted);
    return of(answer(wanted));
  };
  return keepToken({ tokens, expiresAt, machine: clock, renew, warn: (text) => warnings.push(text) });
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
    await tokens.alone(async () => {
      keep(inDays(2));
      await eventually(() => warnings.length === 2);
    });
    expect(asked).toEqual([]);
    expect(warnings[1]).toContain('another renewal is under way');
  });

  it('renews nothing while the expiry of the token is unknown', () => {
    keep(undefined);
    expect(clock.pending()).toBe(0);
  });
});

describe('the credentials in force', () => {
  const sources = () => ({
    ...{ tokens, credentials: CREDENTIALS, machine: clock, warn: (text: string) => warnings.push(text) },
  });

  it('are those of the environment until a token was renewed, then the newer one', () => {
    expect(credentialsInForce(sources())).toEqual({ credentials: CREDENTIALS, expiresAt: undefined });
    const expiresAt = new Date(inDays(60)).toISOString();
    return tokens.alone(async () => {
      tokens.write({ accessToken: 'newer', expiresAt });
      expect(credentialsInForce(sources())).toEqual({
        credentials: { ...CREDENTIALS, accessToken: 'newer' },
        expiresAt: inDays(60),
      });
      expect(warnings).toEqual([]);
    });
  });
});
