import fc from 'fast-check';
import { defer, NEVER, Subject } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { createCountReporter } from '#src/broker/count-reporter.ts';
import { createSubscriptions } from '#src/broker/quotes/quote-subscriptions.ts';
import { createRateLimiter } from '#src/broker/rate-limiter.ts';
import { DEFAULT_BROKER_SETTINGS } from '#src/broker/settings.ts';
import { createBackoff } from '#src/broker/socket/backoff.ts';
import { watchConnection } from '#src/broker/socket/connection-watch.ts';
import { type Millis, millis } from '#src/model/time.ts';
import { APPLE, TENCENT } from './fixtures.ts';
import { createHandClock } from './hand-clock.ts';

const SETTINGS = DEFAULT_BROKER_SETTINGS;

describe('the check of a connection', () => {
  it('F-C06: blames no connection for a late heartbeat if this process was suspended', () => {
    let now = 0;
    let heardAt = millis(0);
    const beats: (() => void)[] = [];
    const silences: number[] = [];
    watchConnection({
      machine: {
        now: () => millis(now),
        at: (_at, _phase, action) => {
          beats.push(action);
          return () => undefined;
        },
      },
      settings: SETTINGS,
      lastReceivedAt: () => heardAt,
      ping: () => undefined,
      onSuspended: () => {
        heardAt = millis(now);
      },
      onSilent: (forMs) => silences.push(forMs),
    });
    now = 60_000;
    beats.at(-1)?.();
    expect(silences).toEqual([]);
    for (const at of [64_000, 68_000, 70_000]) {
      now = at;
      beats.at(-1)?.();
    }
    expect(silences).toEqual([10_000]);
  });
});

describe('the backoff', () => {
  const full = { bytes: () => new Uint8Array(), fraction: () => 1 };

  it('F-N11: doubles from 0.5 s to 30 s', () => {
    const backoff = createBackoff(SETTINGS, full);
    const waits = Array.from({ length: 9 }, () => backoff.failed(millis(0)));
    expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  });

  it('begins again after a connection that lasted 30 s, and not after a shorter one', () => {
    const backoff = createBackoff(SETTINGS, full);
    backoff.failed(millis(0));
    backoff.up(millis(0));
    expect(backoff.failed(millis(29_999))).toBe(1_000);
    backoff.up(millis(30_000));
    expect(backoff.failed(millis(60_000))).toBe(500);
  });

  it('counts drops, not failed attempts, within 5 minutes', () => {
    const backoff = createBackoff(SETTINGS, full);
    for (const at of [0, 1_000]) {
      backoff.up(millis(at));
      backoff.failed(millis(at));
      backoff.failed(millis(at));
    }
    expect(backoff.drops(millis(1_000))).toBe(2);
    expect(backoff.drops(millis(300_001))).toBe(1);
  });
});

describe('the rate limiter', () => {
  it('I-17: never starts more than its limit in any window, nor more at the same time', () => {
    const limits = { calls: 4, windowMs: 1_000, inFlight: 3, waiting: 100 };
    const step = fc.oneof(
      fc.constant('ask' as const),
      fc.constant('finish' as const),
      fc.integer({ min: 1, max: 700 }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const clock = createHandClock(0);
        const pace = createRateLimiter(limits, clock);
        const begun: Millis[] = [];
        const running: Subject<void>[] = [];
        let waiting = 0;
        for (const each of steps) {
          if (each === 'ask') {
            waiting += 1;
            const work$ = defer(() => {
              const end$ = new Subject<void>();
              begun.push(clock.now());
              running.push(end$);
              waiting -= 1;
              return end$;
            });
            pace.schedule(work$).subscribe();
          } else if (each === 'finish') running.shift()?.complete();
          else clock.advance(each);
          expect(running.length).toBeLessThanOrEqual(limits.inFlight);
          const recent = begun.filter((at) => clock.now() - at < limits.windowMs);
          expect(recent.length).toBeLessThanOrEqual(limits.calls);
          expect(waiting === 0 || running.length === limits.inFlight || recent.length === limits.calls).toBe(
            true,
          );
        }
      }),
    );
  });
});

describe('the queue of the rate limiter', () => {
  it('I-23: holds requests up to its capacity and refuses one more', () => {
    const pace = createRateLimiter({ calls: 1, windowMs: 1_000, inFlight: 1, waiting: 2 }, createHandClock());
    const errors: unknown[] = [];
    for (let i = 0; i < 4; i += 1) pace.schedule(NEVER).subscribe({ error: (error) => errors.push(error) });
    expect(errors).toMatchObject([{ code: 'no-answer', retryable: true }]);
  });

  it('drops requests that no caller waits for any more', () => {
    const pace = createRateLimiter({ calls: 5, windowMs: 1_000, inFlight: 1, waiting: 5 }, createHandClock());
    const first = pace.schedule(NEVER).subscribe();
    let begun = 0;
    const work$ = defer(() => {
      begun += 1;
      return NEVER;
    });
    const second = pace.schedule(work$).subscribe();
    second.unsubscribe();
    first.unsubscribe();
    expect(begun).toBe(0);
  });
});

describe('subscriptions', () => {
  it('report symbols without a listener before, and without one after', () => {
    const subscriptions = createSubscriptions();
    expect(subscriptions.add([TENCENT])).toEqual([TENCENT]);
    expect(subscriptions.add([TENCENT, APPLE])).toEqual([APPLE]);
    expect(subscriptions.remove([TENCENT])).toEqual([]);
    expect(subscriptions.remove([TENCENT, APPLE])).toEqual([TENCENT, APPLE]);
    expect(subscriptions.all()).toEqual([]);
  });
});

describe('a counter of repeated events', () => {
  it('reports at the powers of two', () => {
    const said: number[] = [];
    const note = createCountReporter((count) => said.push(count));
    for (let i = 0; i < 20; i += 1) note('x');
    expect(said).toEqual([1, 2, 4, 8, 16]);
  });
});
