import { NEVER, type Observable, of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { DEFAULT_BROKER_SETTINGS } from '#src/broker/settings.ts';
import type { SocketCall } from '#src/broker/socket/command-call.ts';
import { createSessions } from '#src/broker/socket/session.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, millis } from '#src/model/time.ts';

const NOW = Date.parse('2026-01-05T10:00:00Z');

/** How long a session is resumed after an answer whose end is `expires`, in milliseconds. */
async function life(expires: bigint): Promise<number> {
  let now = NOW;
  const sessions = createSessions({
    http: { call: () => NEVER, safe: (text) => text },
    machine: { now: () => millis(now) },
    ...{ settings: DEFAULT_BROKER_SETTINGS, metadata: {}, name: 'quote socket' },
  });
  const answer: unknown = { sessionId: 'S', expires, limit: 10, online: 1 };
  const ask: SocketCall = <T>() => of(answer) as Observable<T>;
  await sessions.begin(ask, 'password');
  let [lives, over] = [0, 2 * DAY_MS];
  while (over - lives > 1) {
    const middle = Math.floor((lives + over) / 2);
    now = NOW + middle;
    if (sessions.canResume()) lives = middle;
    else over = middle;
  }
  return over;
}

describe('the end of a session', () => {
  it.each([
    ['an instant in twelve hours', BigInt(NOW + 12 * HOUR_MS), 12 * HOUR_MS],
    ['an instant next month', BigInt(NOW + 30 * DAY_MS), DAY_MS],
    ['an instant that has passed', BigInt(NOW - HOUR_MS), MINUTE_MS],
    ['an instant of today times a thousand', BigInt(NOW) * 1_000n, DAY_MS],
    ['an instant in seconds', BigInt(NOW / 1_000), DAY_MS],
    ['an hour', BigInt(HOUR_MS), HOUR_MS],
    ['a day in seconds', 86_400n, 86_400],
    ['nothing', 0n, MINUTE_MS],
    ['a negative number', -5n, MINUTE_MS],
    ['the largest possible number', 2n ** 63n - 1n, DAY_MS],
  ])(
    'given as %s is plausible: a value that cannot be an instant is a duration, from a minute to a day (F-B30, I-18)',
    async (_what, expires, expected) => {
      expect(await life(expires)).toBe(expected);
    },
  );
});
