import { timer } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createScaledClock, createSystemClock } from '#src/app/clock/system-clock.ts';
import { HOUR_MS, MINUTE_MS, millis, SECOND_MS } from '#src/model/time.ts';
import { schedulerOn } from '#src/ports/clock-scheduler.ts';

const START = Date.parse('2024-03-05T06:00:00Z');

beforeEach(() => {
  vi.useFakeTimers({ now: START });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A clock of a machine that can be put to sleep: then only its wall clock and its uptime advance. */
function sleepy() {
  const reported: number[] = [];
  let slept = 0;
  const clock = createSystemClock((forMs) => reported.push(forMs), {
    wall: () => Date.now() + slept,
    monotonic: () => performance.now(),
    uptime: () => performance.now() + slept,
  });
  const sleep = (forMs: number): void => {
    slept += forMs;
  };
  return { clock, reported, sleep };
}

describe("the machine's clock", () => {
  it('returns whole epoch milliseconds', () => {
    const clock = createSystemClock();
    expect(clock.now()).toBe(START);
    vi.advanceTimersByTime(1_500);
    expect(clock.now()).toBe(START + 1_500);
  });

  it('calls once at its time, and never synchronously', () => {
    const clock = createSystemClock();
    const fired: number[] = [];
    clock.at(millis(START + 100), 'timer', () => fired.push(clock.now() - START));
    clock.at(millis(START - 100), 'timer', () => fired.push(-1));
    expect(fired).toEqual([]);
    vi.advanceTimersByTime(99);
    expect(fired).toEqual([-1]);
    vi.advanceTimersByTime(1_000);
    expect(fired).toEqual([-1, 100]);
  });

  it('is not moved by a wall clock that is set, forward or back (I-18, F-C01)', () => {
    const clock = createSystemClock();
    const fired: number[] = [];
    clock.at(millis(START + 10 * SECOND_MS), 'timer', () => fired.push(clock.now() - START));
    vi.setSystemTime(START + 3_600 * SECOND_MS);
    expect(clock.now()).toBe(START);
    vi.setSystemTime(START - 3_600 * SECOND_MS);
    vi.advanceTimersByTime(10 * SECOND_MS);
    expect(fired).toEqual([10 * SECOND_MS]);
  });

  it('counts and reports the time for which the machine slept; setting the clock is no sleep (F-C04, I-18)', () => {
    const { clock, reported, sleep } = sleepy();
    vi.advanceTimersByTime(1_000);
    sleep(40 * MINUTE_MS);
    expect(clock.now()).toBe(START + 1_000 + 40 * MINUTE_MS);
    vi.setSystemTime(START);
    expect(clock.now()).toBe(START + 1_000 + 40 * MINUTE_MS);
    vi.advanceTimersByTime(500);
    sleep(MINUTE_MS);
    expect(clock.now()).toBe(START + 1_500 + 41 * MINUTE_MS);
    vi.advanceTimersByTime(0);
    expect(reported).toEqual([40 * MINUTE_MS, MINUTE_MS]);
  });

  it('calls soon after waking what was due during a sleep, and nothing before its time (F-C04)', () => {
    const { clock, sleep } = sleepy();
    const fired: string[] = [];
    clock.at(millis(START + 30 * MINUTE_MS), 'timer', () => fired.push('in the sleep'));
    clock.at(millis(START + 50 * MINUTE_MS), 'timer', () => fired.push('after it'));
    sleep(40 * MINUTE_MS);
    vi.advanceTimersByTime(5 * SECOND_MS);
    expect(fired).toEqual(['in the sleep']);
    vi.advanceTimersByTime(10 * MINUTE_MS - 5 * SECOND_MS - 1);
    expect(fired).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(fired).toEqual(['in the sleep', 'after it']);
  });

  it('waits for the requested time', () => {
    const clock = createSystemClock();
    let fired = 0;
    clock.at(millis(START + HOUR_MS), 'timer', () => {
      fired += 1;
    });
    vi.advanceTimersByTime(HOUR_MS - 1);
    expect(fired).toBe(0);
    vi.advanceTimersByTime(HOUR_MS);
    expect(fired).toBe(1);
  });

  it('forgets cancelled timers, also after they were postponed', () => {
    const clock = createSystemClock();
    const cancel = clock.at(millis(START + HOUR_MS), 'timer', () => expect.unreachable());
    vi.advanceTimersByTime(HOUR_MS / 2);
    cancel();
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(HOUR_MS);
  });

  it('works as a scheduler for RxJS', () => {
    const clock = createSystemClock();
    let fired = 0;
    timer(250, schedulerOn(clock)).subscribe(() => {
      fired += 1;
    });
    vi.advanceTimersByTime(249);
    expect(fired).toBe(0);
    vi.advanceTimersByTime(1);
    expect(fired).toBe(1);
  });
});

describe('a scaled clock', () => {
  const market = millis(Date.parse('2001-09-17T13:30:00Z'));

  it('runs this many times as fast, from the time to which it was set', () => {
    const clock = createScaledClock(market, createSystemClock(), 60);
    expect(clock.now()).toBe(market);
    vi.advanceTimersByTime(1_000);
    expect(clock.now()).toBe(market + 60 * SECOND_MS);
  });

  it('calls at market time', () => {
    const clock = createScaledClock(market, createSystemClock(), 60);
    const fired: number[] = [];
    clock.at(millis(market + 90 * SECOND_MS), 'close', () => fired.push(clock.now() - market));
    vi.advanceTimersByTime(1_499);
    expect(fired).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(fired).toEqual([90 * SECOND_MS]);
  });
});
