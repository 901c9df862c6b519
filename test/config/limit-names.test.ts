import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/risk/limits.ts';
import { problemsOf, readText } from './reading.ts';

describe('a misspelt limit', () => {
  it.each(Object.keys(LIMITS))(
    'makes a config with risk.%s misspelt invalid, and suggests the limit (F-F02, I-22)',
    (name) => {
      for (const typo of [
        `${name}s`,
        name.slice(0, -1),
        name.toUpperCase(),
        `${name.slice(0, 2)}x${name.slice(2)}`,
      ]) {
        const reading = readText(`strategy: sma-cross
symbols: [SPX.US]
period: 1d
account: { currency: USD, cash: { USD: 100000 } }
data: { from: 2024-01-02, to: 2024-06-28 }
risk: { ${typo}: 1 }
`);
        expect(reading.kind).not.toBe('ok');
        expect(problemsOf(reading)).toMatchObject([{ code: 'unknown-key', value: typo, nearest: name }]);
      }
    },
  );
});
