import { describe, expect, it } from 'vitest';
import { VirtualClock } from '#src/backtest/virtual-clock.ts';
import { barCloses } from '#src/engine/live-signal-source.ts';
import { type Millis, millis, NEVER } from '#src/model/time.ts';
import { runTo } from '../fixtures/time.ts';

/** Closes at every full hundred, and none after 500. */
const nextAfter = (after: Millis): Millis => {
  const next = (Math.floor(after / 100) + 1) * 100;
  return next > 500 ? NEVER : millis(next);
};

describe('closes of bars', () => {
  it('are emitted one after the other, each at its instant, and complete after the last', () => {
    const clock = new VirtualClock(millis(130));
    const seen: unknown[] = [];
    barCloses(clock, nextAfter).subscribe({
      next: (at) => seen.push([at, clock.now()]),
      complete: () => seen.push('done'),
    });
    runTo(clock, 1_000);
    expect(seen).toEqual([[200, 200], [300, 300], [400, 400], [500, 500], 'done']);
  });

  it('come before timers and after answers of the same instant', () => {
    const clock = new VirtualClock(millis(0));
    const seen: string[] = [];
    clock.at(millis(100), 'timer', () => seen.push('timer'));
    barCloses(clock, nextAfter).subscribe((at) => seen.push(`close ${at}`));
    clock.at(millis(100), 'answer', () => seen.push('answer'));
    clock.at(millis(100), 'print', () => seen.push('print'));
    runTo(clock, 100);
    expect(seen).toEqual(['answer', 'close 100', 'timer', 'print']);
  });

  it('leave no timer after the last unsubscribe', () => {
    const clock = new VirtualClock(millis(0));
    const seen: number[] = [];
    const subscription = barCloses(clock, nextAfter).subscribe((at) => seen.push(at));
    runTo(clock, 250);
    subscription.unsubscribe();
    expect(clock.next()).toBeUndefined();
    expect(seen).toEqual([100, 200]);
  });

  it('are empty if nothing closes any more', () => {
    let completed = false;
    barCloses(new VirtualClock(millis(500)), nextAfter).subscribe({
      complete: () => {
        completed = true;
      },
    });
    expect(completed).toBe(true);
  });
});
