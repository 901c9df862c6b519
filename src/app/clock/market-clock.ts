import { type Millis, millis, NEVER } from '../../model/time.ts';
import type { Clock } from '../../ports/clock.ts';
import type { AdminClient } from '../venue/admin-client.ts';
import type { Activity } from './activity.ts';
import { createSteppedClock } from './stepped-clock.ts';
import type { SteppedInbox } from './stepped-inbox.ts';
import { createScaledClock } from './system-clock.ts';

/** The venue's market time as the bot's own clock, and how to make it go on. */
export interface MarketClock {
  readonly clock: Clock;
  /** Where it stood when the bot came. */
  readonly start: Millis;
  /** When a run on it is over; never where the data lies before it. */
  readonly until: Millis;
  /** Whether it is the wall's own time: quotes are of now then, and calls are counted as the broker counts them. */
  readonly live: boolean;
  /** Whether the venue waits for the bot at each instant; then its pushes are complete. */
  readonly stepped: boolean;
  /** Resolves when the data is over, or soon after `stopped` says so. */
  drive(stopped: () => boolean): Promise<void>;
}

/** What a market clock is made of. */
export interface MarketClockParts {
  readonly admin: AdminClient;
  readonly inbox: SteppedInbox;
  readonly activity: Activity;
  readonly machine: Clock;
  /** When the data is over; what lies before the market's time ends nothing. */
  readonly until: Millis;
  readonly quotes: 'each' | 'batched';
}

/** How often a run on the wall looks whether it was stopped, machine milliseconds. */
const LOOK_EVERY_MS = 100;

/** A venue on the wall's clock that is no further from now than this replays no past. */
const NOW_MS = 60_000;

/** Asks the venue how its market clock goes and follows it. */
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

/** The wall as the market's clock, for a venue that does not say how its own goes. */
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
      else machine.at(millis(machine.now() + LOOK_EVERY_MS), 'timer', look);
    };
    look();
  });
}
