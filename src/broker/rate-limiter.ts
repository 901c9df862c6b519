import { Observable } from 'rxjs';
import { type Millis, millis } from '../model/time.ts';
import type { Cancel, Clock } from '../ports/clock.ts';
import { BrokerError } from './broker-error.ts';

/** Starts work no faster than a limit allows; the rest waits in order. */
export interface RateLimiter {
  schedule<T>(work: Observable<T>): Observable<T>;
}

/** Maximum number of starts in any window, at once, and waiting. */
export interface RateLimiterOptions {
  readonly calls: number;
  readonly windowMs: number;
  readonly inFlight: number;
  readonly waiting: number;
}

/** For a socket without a limit. */
export const UNLIMITED: RateLimiter = { schedule: (work) => work };

/**
 * Counts machine time. Work beyond the waiting limit errors with BrokerError (`no-answer`). @see docs/reliability.md,
 * I-17
 */
export function createRateLimiter(limits: RateLimiterOptions, machine: Clock): RateLimiter {
  const started: Millis[] = [];
  const queue = new Set<() => void>();
  let running = 0;
  let wake: Cancel | undefined;

  function startNext(): void {
    const now = machine.now();
    while (started[0] !== undefined && now - started[0] >= limits.windowMs) started.shift();
    for (const begin of queue) {
      if (running >= limits.inFlight) return;
      if (started.length >= limits.calls) {
        wakeWhenFree();
        return;
      }
      queue.delete(begin);
      running += 1;
      started.push(now);
      begin();
    }
  }

  function wakeWhenFree(): void {
    const [oldest] = started;
    if (wake !== undefined || oldest === undefined) return;
    wake = machine.at(millis(oldest + limits.windowMs), 'timer', () => {
      wake = undefined;
      startNext();
    });
  }

  return {
    schedule: (work) =>
      new Observable((subscriber) => {
        if (queue.size >= limits.waiting) {
          subscriber.error(tooMany(limits.waiting));
          return;
        }
        let isStarted = false;
        const begin = (): void => {
          isStarted = true;
          subscriber.add(work.subscribe(subscriber));
        };
        subscriber.add(() => {
          queue.delete(begin);
          if (!isStarted) return;
          running -= 1;
          startNext();
        });
        queue.add(begin);
        startNext();
      }),
  };
}

function tooMany(waiting: number): BrokerError {
  return new BrokerError('no-answer', `Cannot send the request: ${waiting} requests are queued already`, {
    endpoint: 'quote socket',
    retryable: true,
  });
}
