import { describe, expect, it } from 'vitest';
import { readWith } from '../reading.ts';

/** Warnings of a valid config with some sections changed; throws if it is invalid. */
function warningsOf(changes: Readonly<Record<string, string>>): readonly string[] {
  const reading = readWith(changes);
  if (reading.kind === 'problems') throw new Error(reading.problems.map(({ message }) => message).join('\n'));
  return reading.warnings.map(({ message, line, column }) => `${line}:${column} ${message}`);
}

const HONG_KONG = {
  symbols: 'symbols: [700.HK]',
  account: 'account: { currency: HKD, cash: { HKD: 1000000 } }',
};
const BROKER = 'broker: { account: "1" }';

describe('warnings of settings that contradict each other', () => {
  it('are raised when one lot is more than a limit permits', () => {
    const risk =
      'risk: { maxOrderQuantity: 50 shares, maxPositionQuantity: 90 shares, maxPositionWeight: 60% }';
    expect(warningsOf({ ...HONG_KONG, risk }).filter((text) => text.includes('lot'))).toEqual([
      '6:27 One lot of 700.HK is 100 shares, "maxOrderQuantity" lets through 50: every order in it is denied',
      '6:59 One lot of 700.HK is 100 shares, "maxPositionQuantity" lets through 90: every order in it is denied',
    ]);
    expect(warningsOf({ risk }).filter((text) => text.includes('lot'))).toEqual([]);
  });

  it('are raised when a market has no such session', () => {
    const risk = 'risk: { maxSession: any-time }';
    expect(warningsOf({ ...HONG_KONG, risk }).filter((text) => text.includes('session'))).toEqual([
      '6:21 "maxSession" is "any-time", HK trades in regular sessions alone',
    ]);
    expect(warningsOf({ risk }).filter((text) => text.includes('session'))).toEqual([]);
  });

  it('are raised when orders come faster than the broker answers (I-17)', () => {
    const risk = 'risk: { maxOrderRate: 20/min }';
    const budget = (broker: Readonly<Record<string, string>>) =>
      warningsOf({ risk, ...broker }).filter((text) => text.includes('maxOrderRate'));
    expect(budget({ broker: BROKER })).toEqual([
      '6:23 "maxOrderRate" is 20/min; the account\'s 30 calls in 30 s suffice for about 7 orders a minute that open, the others are denied',
    ]);
    expect(budget({})).toEqual([]);
  });
});
