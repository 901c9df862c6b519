import { describe, expect, it } from 'vitest';
import { sluice } from './run-sluice.ts';

const CONFIG = 'config/two-strategies.yaml';

describe('what is said of several strategies before they run', () => {
  it('explains each with its parameters and limits, and the worst case of all', async () => {
    const { code, out } = await sluice(['explain', CONFIG, '--json']);
    expect(code).toBe(0);
    const { said } = JSON.parse(out) as { said: { title: string; sentences: string[] }[] };
    const part = (title: string) => said.find((each) => each.title === title)?.sentences ?? [];
    expect(part('What it does')[0]).toBe(
      '2 strategies share one account, asked in this order: "trend", "dips"',
    );
    expect(part('What "trend" does')).toContain('slow = 40: bars in the slow average');
    expect(part('What "trend" does').at(-1)).toBe(
      'Its own limits, beneath those of the account: maxPositionWeight 40%',
    );
    expect(part('What "dips" does').at(-1)).toBe(
      'Its own limits, beneath those of the account: maxPositionWeight 45%, maxDailyLoss 3%',
    );
    expect(part('The worst case').slice(0, 2)).toEqual([
      'Of equity, each may hold at most: "trend" 40%, "dips" 45%; 85% in sum',
      "The account's own limits end that at 80%: who asks first, holds first",
    ]);
  });

  it('lists each in a check', async () => {
    const { code, out } = await sluice(['check', CONFIG]);
    expect(code).toBe(0);
    expect(out.split('\n')).toEqual([
      `${CONFIG}: ok`,
      '  trend: sma-cross on SPX.US (fast 10, slow 40, weight 0.3); maxPositionWeight 40%',
      '  dips: mean-reversion on SPX.US (length 20, entry 2, weight 0.4); maxPositionWeight 45%, maxDailyLoss 3%',
      '',
    ]);
    const json = JSON.parse((await sluice(['check', CONFIG, '--json'])).out) as { strategies: unknown[] };
    expect(json.strategies[1]).toEqual({
      ...{ config: CONFIG, name: 'dips', strategy: 'mean-reversion', symbols: ['SPX.US'] },
      params: { length: 20, entry: 2, weight: 0.4 },
      limits: ['maxPositionWeight 45%', 'maxDailyLoss 3%'],
    });
  });
});
