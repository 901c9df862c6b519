import { type Millis, millis } from '../../model/time.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { BrokerSettings } from '../settings.ts';

/** The watched connection, and what to do when it is silent. */
export interface ConnectionWatch {
  readonly machine: Clock;
  readonly settings: BrokerSettings;
  /** When anything was last received. */
  readonly lastReceivedAt: () => Millis;
  readonly ping: () => void;
  /** This process was suspended: data that arrived in that time is still unread. */
  readonly onSuspended: () => void;
  readonly onSilent: (forMs: number) => void;
}

/**
 * Sends pings, and declares a connection dead that has been silent for too long: half-open connections look alive to
 * the system for hours. A timer that fires late shows that this process was suspended, so that interval is not
 * counted. @see docs/reliability.md, F-N10, F-C06
 */
export function watchConnection({
  machine,
  settings,
  lastReceivedAt,
  ping,
  onSuspended,
  onSilent,
}: ConnectionWatch): Cancel {
  const { pingEveryMs, silenceMs } = settings;
  let cancel: Cancel;

  function onTimer(due: Millis): void {
    const now = machine.now();
    const wasSuspended = now - due > pingEveryMs;
    if (wasSuspended) onSuspended();
    const silence = now - lastReceivedAt();
    if (!wasSuspended && silence >= silenceMs) {
      onSilent(silence);
      return;
    }
    ping();
    schedule();
  }

  function schedule(): void {
    const now = machine.now();
    const timeoutAt = Math.max(now + 1, lastReceivedAt() + silenceMs);
    const due = millis(Math.min(now + pingEveryMs, timeoutAt));
    cancel = machine.at(due, 'timer', () => onTimer(due));
  }

  schedule();
  return () => cancel();
}
