import { describe, expect, it } from 'vitest';
import { loadStrategy, usualRoots } from '#src/config/plugins/plugin-loader.ts';
import { SITUATIONS, type Trial, tryStrategy } from '#src/testing/testing.ts';
import {
  believer,
  fragile,
  gapBlind,
  hopeful,
  impatient,
  lotless,
  missingDivider,
  overHalfDay,
  remembering,
  stubborn,
} from './planted-bugs.ts';
import { sound } from './sound-strategies.ts';

const kinds = ({ findings }: Trial): readonly string[] =>
  findings.map(({ situation, kind }) => `${situation}: ${kind}`);

describe('bad days', () => {
  it('find nothing wrong with a correct strategy, and all of them were tried', () => {
    const trial = tryStrategy(sound);
    expect(trial).toEqual({ tried: ['calm', ...Object.keys(SITUATIONS)], skipped: [], findings: [] });
  });

  it.each([
    { symbols: ['700.HK'], period: '1m' as const },
    { symbols: ['700.HK', 'ACME.HK'], period: '1d' as const },
    { symbols: ['ACME.US'], period: '5m' as const },
    { symbols: ['ACME.US'], period: '1h' as const },
  ])('find nothing wrong with it on %o', (setting) => {
    const trial = tryStrategy(sound, setting);
    expect(kinds(trial)).toEqual([]);
    expect(trial.skipped).toEqual([]);
  });

  it.each(['sma-cross', 'rsi-reversion', 'buy-and-hold'])('find nothing wrong with %s', async (name) => {
    const loaded = await loadStrategy(name, usualRoots(process.cwd()));
    if (loaded.kind !== 'ok') throw new Error(loaded.message);
    expect(kinds(tryStrategy(loaded.strategy))).toEqual([]);
  });

  it.each([
    [believer, 'rejected-order: oversells'],
    [stubborn, 'all-rejected: storms'],
    [impatient, 'late-fill: doubles-up'],
    [hopeful, 'rejected-order: never-recovers'],
    [remembering, 'calm: not-repeatable'],
    [fragile, 'rejected-order: throws'],
    [gapBlind, 'gap: never-exits'],
    [overHalfDay, 'half-day: holds-overnight'],
    [missingDivider, 'feed-loss: no-size'],
    [missingDivider, 'halt: no-size'],
  ] as const)('find the deliberate mistake: %#', (strategy, expected) => {
    expect(kinds(tryStrategy(strategy, { period: '5m' }))).toContain(expected);
  });

  it('find orders off the lot if lots are 100', () => {
    expect(kinds(tryStrategy(lotless, { symbols: ['700.HK'] }))).toContain('calm: unplaceable');
    expect(kinds(tryStrategy(lotless))).toEqual([]);
  });

  it('report that a strategy never orders anything', () => {
    const trial = tryStrategy(sound, { params: { fast: 50, slow: 50 } });
    expect(kinds(trial)).toEqual(['calm: never-trades']);
  });

  it('skip half days of markets without a calendar', () => {
    expect(tryStrategy(sound, { symbols: ['X.CRYPTO'] }).skipped).toEqual(['half-day']);
  });
});
