import { type Millis, millis, NEVER } from '../../model/time.ts';
import type { Clock } from '../../ports/clock.ts';
import type { AdminClient } from '../venue/admin-client.ts';
import type { Activity } from './activity.ts';
import { createSteppedClock } from './stepped-clock.ts';
import type { SteppedInbox } from './stepped-inbox.ts';
import { createScaledClock } from './system-clock.ts';

/** The venue's market time as the bot's clock, and how to advance it. */
export interface MarketClock {
  readonly clock: Clock;
  /** Market time when the bot connected. */
  readonly start: Millis;
  /** When the run ends; never if the data ends before the start. */
  readonly until: Millis;
  /** True if market time is real time: quotes are current, and calls are counted as the broker counts them. */
  readonly live: boolean;
  /** True if the venue waits for the bot at each time; then its pushes are complete. */
  readonly stepped: boolean;
  /** Resolves when the data ends, or soon after `stopped` returns true. */
  drive(stopped: () => boolean): Promise<void>;
}

/** Dependencies of a market clock. */
export interface MarketClockParts {
  readonly admin: AdminClient;
  readonly inbox: SteppedInbox;
  readonly activity: Activity;
  readonly machine: Clock;
  /** When the data ends; an end before the current market time is ignored. */
  readonly until: Millis;
  readonly quotes: 'each' | 'batched';
}

/** Interval at which a run in real time checks whether it was stopped, in machine milliseconds. */
const POLL_INTERVAL_MS = 100;

/** A venue in real time whose clock differs from the machine's by at most this is live, not a replay. */
const NOW_MS = 60_000;

/** Reads the mode of the venue's market clock and follows it. */
export async function createMarketClock(parts: MarketClockParts): Promise<MarketClock> {
  const { admin, inbox, activity, machine, quotes } = parts;
  const { time, mode, speed } = await admin.clock();
  const start = millis(time);
  const live = mode === 'wall' && Math.abs(start - machine.now()) <= NOW_MS;
  const until = parts.until <= start ? NEVER : parts.until;
  if (mode === 'stepped') {
    const { clock, drive } = createSteppedClock({ start, stepper: admin, inbox, activity, quotes });
    return { clock, start, until, live, stepped: true, drive };
  }
  const clock = createScaledClock(start, machine, speed ?? 1);
  return {
    clock,
    start,
    until,
    live,
    stepped: false,
    drive: (stopped) => waitFor(machine, () => stopped() || clock.now() >= until),
  };
}

/** The machine's clock as market time, for a venue without an admin port. */
export function wallMarket(machine: Clock): MarketClock {
  return {
    clock: machine,
    start: machine.now(),
    until: NEVER,
    live: true,
    stepped: false,
    drive: (stopped) => waitFor(machine, stopped),
  };
}

function waitFor(machine: Clock, over: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (over()) resolve();
      else machine.at(millis(machine.now() + POLL_INTERVAL_MS), 'timer', look);
    };
    look();
  });
}
