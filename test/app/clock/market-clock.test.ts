import { describe, expect, it } from 'vitest';
import { createActivity } from '#src/app/clock/activity.ts';
import { createMarketClock, wallMarket } from '#src/app/clock/market-clock.ts';
import { createSteppedInbox } from '#src/app/clock/stepped-inbox.ts';
import { VirtualClock } from '#src/backtest/virtual-clock.ts';
import { type Millis, millis } from '#src/model/time.ts';

const NOW = millis(Date.parse('2026-11-20T15:00:00Z'));

function clockOf(
  mode: 'wall' | 'scaled' | 'stepped',
  aheadMs: number,
  { machine = new VirtualClock(NOW), until = NOW as Millis } = {},
) {
  const never = (): never => {
    throw new Error('Stepping is not expected here');
  };
  return createMarketClock({
    admin: {
      clock: async () => ({ time: NOW + aheadMs, mode, speed: mode === 'scaled' ? 60 : 1 }),
      step: never,
      close: async () => undefined,
    },
    ...{ inbox: createSteppedInbox(), activity: createActivity(), machine, quotes: 'batched' },
    until,
  });
}

describe('a market whose clock is read at the admin port', () => {
  it.each([0, 30_000, -30_000])(
    'is live if it runs at wall-clock speed and is %d ms from now',
    async (ahead) => {
      const market = await clockOf('wall', ahead);
      expect([market.live, market.stepped, market.start]).toEqual([true, false, NOW + ahead]);
    },
  );

  it.each([
    ['wall', -400 * 24 * 3_600_000],
    ['scaled', 0],
    ['stepped', 0],
  ] as const)('is not live if it runs by the %s clock, %d ms from now', async (mode, ahead) => {
    expect((await clockOf(mode, ahead)).live).toBe(false);
  });

  it('runs until it is stopped when the data is in the past, and otherwise until the data ends', async () => {
    for (const [until, ends] of [
      [millis(NOW - 1), false],
      [millis(NOW + 60_000), true],
    ] as const) {
      const machine = new VirtualClock(NOW);
      const market = await clockOf('wall', 0, { machine, until });
      let isOver = false;
      let isStopped = false;
      const driven = market
        .drive(() => isStopped)
        .then(() => {
          isOver = true;
        });
      const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
      while (machine.now() < NOW + 120_000 && machine.nextAt() < NOW + 120_000) machine.fireNext();
      await turn();
      expect(isOver).toBe(ends);
      isStopped = true;
      if (!ends) machine.fireNext();
      await driven;
    }
  });

  it('is live by default', () => {
    expect(wallMarket(new VirtualClock(NOW)).live).toBe(true);
  });
});
