import { describe, expect, it } from 'vitest';
import { fastClockText } from '#src/app/load/check-config.ts';
import { limitsOf } from '../../fixtures/risk.ts';

describe('the market clock of a run on paper', () => {
  const textAt = (speed: number, maxEstimateAge = 5_000) =>
    fastClockText({
      paper: { kind: 'scaled', speed },
      broker: undefined,
      risk: limitsOf({ maxEstimateAge }),
    });

  it('is warned about if it leaves an answer less than 100 ms of the wall', () => {
    expect(textAt(50)).toBeUndefined();
    expect(textAt(60)).toContain(
      'at 60 times the wall, an estimate is too old (maxEstimateAge, 5s) after 83 ms',
    );
    expect(textAt(600, 60_000)).toBeUndefined();
  });

  it('is no concern of a stepped run, or of a venue with its own clock', () => {
    const risk = limitsOf({ maxEstimateAge: 5_000 });
    expect(fastClockText({ paper: { kind: 'stepped' }, broker: undefined, risk })).toBeUndefined();
  });
});
