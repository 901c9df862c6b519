import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runCooperatively } from '#src/app/research/cooperative-work.ts';
import {
  type LedgerTrial,
  ledgerLuck,
  ledgerLuckInPieces,
  ledgerStrategies,
  TrialLedger,
} from '#src/app/research/trial-ledger.ts';
import { seededRandom } from '#src/research/seeded-random.ts';

const project = mkdtempSync(join(tmpdir(), 'sluice-ledger-'));
afterAll(() => rmSync(project, { recursive: true, force: true }));

function trial(change: Partial<LedgerTrial> & { readonly key: string }, sharpe = 0.1): LedgerTrial {
  return {
    ...{ strategy: 'cross', code: 'code-1', data: 'days-1', params: '{}', origin: 'sweep' },
    returns: { count: 500, mean: sharpe, deviation: 1, skewness: 0, kurtosis: 3 },
    ...change,
  };
}

describe('the ledger of trials', () => {
  it('counts the trials of each code and data, and of all versions of a strategy on the same data', () => {
    expect(ledgerStrategies(project)).toEqual([]);
    const ledger = new TrialLedger(project);
    ledger.add([
      trial({ key: 'a' }),
      trial({ key: 'b', params: '{"fast":5}' }, 0.2),
      trial({ key: 'b' }, 0.9),
      trial({ key: 'failed', returns: null }),
      trial({ key: 'a', code: 'code-2' }),
      trial({ key: 'a', data: 'days-2' }),
      trial({ key: 'a', strategy: 'other', code: 'code-3' }),
    ]);
    ledger.close();
    const counts = ledgerLuck(project).map((each) => [
      each.strategy,
      each.code,
      each.data,
      each.trials,
      each.allVersions,
    ]);
    expect(counts.toSorted()).toEqual([
      ['cross', 'code-1', 'days-1', 3, 4],
      ['cross', 'code-1', 'days-2', 1, 1],
      ['cross', 'code-2', 'days-1', 1, 4],
      ['other', 'code-3', 'days-1', 1, 1],
    ]);
    expect(ledgerLuck(project, 'other')).toHaveLength(1);
    expect(ledgerStrategies(project)).toEqual(['cross', 'other']);
    // The second trial of key "b" repeats the first one, which counts.
    const best = ledgerLuck(project).find(({ trials }) => trials === 3);
    expect(best?.sharpe).toBeCloseTo(0.2 * Math.sqrt(252), 12);
  });

  it('has the figures of a trial that failed first and succeeded later, and keeps those of one that fails later', () => {
    const days = [1, 2].map((by) => Float64Array.from({ length: 40 }, (_, day) => ((by * day) % 7) / 100));
    const place = { data: 'days-3' };
    const [failed, done] = [
      [trial({ ...place, key: 'a', returns: null }), trial({ ...place, key: 'b', returns: null })],
      days.map((own, at) => trial({ ...place, key: 'ab'[at] ?? '', days: own }, 0.1 + at / 10)),
    ];
    const ledger = new TrialLedger(project);
    const known = () => {
      const { trials, best } = ledger.countOf('cross', 'code-1', 'days-3');
      return [trials, best?.sample.sharpe, ledger.returnsOf('code-1', 'days-3')];
    };
    ledger.add(failed);
    expect(known()).toEqual([2, undefined, []]);
    ledger.add(done);
    expect(known()).toEqual([2, 0.2, days]);
    ledger.add(failed);
    expect(known()).toEqual([2, 0.2, days]);
    ledger.close();
  });

  it('computes its tests in pieces that can be interrupted, with the figures of one piece', async () => {
    const place = join(project, 'many');
    mkdirSync(place);
    const random = seededRandom(7);
    const ledger = new TrialLedger(place);
    ledger.add(
      Array.from({ length: 60 }, (_, key) =>
        trial({ key: String(key), days: Float64Array.from({ length: 1_000 }, () => random() / 50 - 0.01) }),
      ),
    );
    ledger.close();
    const shares: number[] = [];
    const onProgress = (share: number) => void shares.push(share);
    const whole = await runCooperatively(ledgerLuckInPieces(place), { onProgress });
    expect(whole).toEqual(ledgerLuck(place));
    expect(whole?.[0]?.ability?.trials).toBe(60);
    expect(shares.length).toBeGreaterThan(1);
    expect(shares).toEqual(shares.toSorted((one, other) => one - other));
    expect(shares.at(-1)).toBeLessThanOrEqual(1);
    const controller = new AbortController();
    setImmediate(() => controller.abort());
    shares.length = 0;
    const { signal } = controller;
    expect(
      await runCooperatively(ledgerLuckInPieces(place), { onProgress, interrupted: signal }),
    ).toBeUndefined();
    expect(shares).toHaveLength(1);
  });
});
