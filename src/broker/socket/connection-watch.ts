import { type Millis, millis } from '../../model/time.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { BrokerSettings } from '../settings.ts';

/** The watched connection, and what to do when it is silent. */
export interface ConnectionWatch {
  readonly machine: Clock;
  readonly settings: BrokerSettings;
  /** When anything was last received. */
  readonly heardAt: () => Millis;
  readonly ping: () => void;
  /** This process was suspended: data that arrived in that time is still unread. */
  readonly excuse: () => void;
  readonly silent: (forMs: number) => void;
}

/**
 * Sends pings, and declares a connection dead that has been silent for too long: half-open connections look alive to
 * the system for hours. A timer that fires late shows that this process was suspended, so that interval is not
 * counted. @see docs/reliability.md, F-N10, F-C06
 */
export function watchConnection({
  machine,
  settings,
  heardAt,
  ping,
  excuse,
  silent,
}: ConnectionWatch): Cancel {
  const { pingEveryMs, silenceMs } = settings;
  let cancel: Cancel;

  function beat(due: Millis): void {
    const now = machine.now();
    const stoodStill = now - due > pingEveryMs;
    if (stoodStill) excuse();
    const silence = now - heardAt();
    if (!stoodStill && silence >= silenceMs) {
      silent(silence);
      return;
    }
    ping();
    arm();
  }

  function arm(): void {
    const now = machine.now();
    const verdictAt = Math.max(now + 1, heardAt() + silenceMs);
    const due = millis(Math.min(now + pingEveryMs, verdictAt));
    cancel = machine.at(due, 'timer', () => beat(due));
  }

  arm();
  return () => cancel();
}
