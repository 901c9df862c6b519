import { debounceTime, delay, interval, of, Subject, take, timer } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '#src/backtest/virtual-clock.ts';
import { millis } from '#src/model/time.ts';
import { schedulerOn } from '#src/ports/clock-scheduler.ts';
import { runTo } from '../fixtures/time.ts';

describe('RxJS on our clock', () => {
  it('counts delays in the time of that clock', () => {
    const clock = new VirtualClock(millis(1_000));
    const seen: unknown[] = [];
    timer(50, schedulerOn(clock)).subscribe(() => seen.push(['timer', clock.now()]));
    of('x')
      .pipe(delay(20, schedulerOn(clock)))
      .subscribe((value) => seen.push([value, clock.now()]));
    runTo(clock, 1_019);
    expect(seen).toEqual([]);
    runTo(clock, 2_000);
    expect(seen).toEqual([
      ['x', 1_020],
      ['timer', 1_050],
    ]);
  });

  it('repeats until it has enough, and leaves no timer', () => {
    const clock = new VirtualClock(millis(0));
    const seen: number[] = [];
    interval(10, schedulerOn(clock))
      .pipe(take(3))
      .subscribe(() => seen.push(clock.now()));
    runTo(clock, 100);
    expect(seen).toEqual([10, 20, 30]);
    expect(clock.next()).toBeUndefined();
  });

  it('drops timers without a subscriber', () => {
    const clock = new VirtualClock(millis(0));
    const subscription = timer(50, schedulerOn(clock)).subscribe(() => expect.unreachable());
    subscription.unsubscribe();
    expect(clock.next()).toBeUndefined();
    runTo(clock, 100);
  });

  it('works with operators that postpone work', () => {
    const clock = new VirtualClock(millis(0));
    const keys$ = new Subject<string>();
    const seen: unknown[] = [];
    keys$.pipe(debounceTime(30, schedulerOn(clock))).subscribe((key) => seen.push([key, clock.now()]));
    keys$.next('a');
    runTo(clock, 20);
    keys$.next('b');
    runTo(clock, 100);
    expect(seen).toEqual([['b', 50]]);
  });

  it('never goes back for a negative delay, and never fires synchronously', () => {
    const clock = new VirtualClock(millis(5));
    const seen: number[] = [];
    schedulerOn(clock).schedule(() => seen.push(clock.now()), -10);
    expect(seen).toEqual([]);
    runTo(clock, 5);
    expect(seen).toEqual([5]);
  });
});
