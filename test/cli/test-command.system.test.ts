import { describe, expect, it } from 'vitest';
import { sluice } from './run-sluice.ts';

describe('sluice test', () => {
  it('tries a shipped strategy on every bad day and finds nothing wrong', async () => {
    const { code, out } = await sluice([
      'test',
      'strategies/sma-cross.ts',
      '--config',
      'config/sma-cross.yaml',
    ]);
    expect(code).toBe(0);
    expect(out).toContain('sma-cross: nothing wrong on 10 days');
    expect(out).toMatch(/ok {5}partial-fills {3}Orders fill in many small parts/);
  });

  it('ends with 1 when it finds something, and prints it', async () => {
    const { code, out } = await sluice([
      ...['test', './test/fixtures/plugins/answers-denials.ts', '--situations', 'all-rejected', '--json'],
    ]);
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      trials: [
        { strategy: 'answers-denials', tried: ['calm', 'all-rejected'], findings: [{ kind: 'storms' }] },
      ],
    });
  });

  it.each([
    [['smacross'], 'did you mean "sma-cross"?'],
    [['sma-cross', '--situations', 'gaps'], 'did you mean "gap"?'],
    [['sma-cross', '--period', '1w'], 'want a period up to "1d"'],
    [['sma-cross', '--config', 'config/hk-intraday.yaml'], 'Cannot set parameter "length"'],
  ])('prints what to type instead of %o', async (args, words) => {
    const { code, err } = await sluice(['test', ...args]);
    expect(code).toBe(2);
    expect(err).toContain(words);
  });
});
