import { VirtualClock } from '../../backtest/virtual-clock.ts';
import { type Millis, millis, NEVER } from '../../model/time.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Activity } from './activity.ts';
import type { FrameCounts, SteppedInbox } from './stepped-inbox.ts';

/** The venue's answer to a step: its market time, which event came first, and how many frames it sent. */
export interface Step {
  readonly time: number;
  readonly phase: 'venue' | 'timer' | 'print' | 'end';
  readonly frames: FrameCounts;
}

/** The venue's admin port: "done, my next timer is at t". */
export interface Stepper {
  step(request: { readonly timer: Millis | undefined; readonly quotes: 'each' | 'batched' }): Promise<Step>;
}

/** Dependencies of a stepped run. */
export interface SteppedParts {
  readonly start: Millis;
  readonly stepper: Stepper;
  readonly inbox: SteppedInbox;
  readonly activity: Activity;
  /** `each` for a strategy that receives quotes; otherwise the venue may run on to the next timer or order change. */
  readonly quotes: 'each' | 'batched';
}

/** A market clock that advances only when the bot has processed everything at the current time. */
export interface SteppedClock {
  readonly clock: Clock;
  /** Steps until nothing is left, or `stopped` returns true; rejects if the venue has ended. */
  drive(stopped: () => boolean): Promise<void>;
}

/** Combines the bot's timers with the venue's market: the earliest of both happens, one at a time. */
export function createSteppedClock({ start, stepper, inbox, activity, quotes }: SteppedParts): SteppedClock {
  const clock = new VirtualClock(start);

  async function step(): Promise<boolean> {
    const due = clock.nextAt();
    const { time, phase, frames } = await stepper.step({ timer: due === NEVER ? undefined : due, quotes });
    if (phase === 'end') return false;
    clock.moveTo(millis(time));
    await inbox.release(frames, activity.idle);
    if (phase === 'timer') clock.fireNext();
    await activity.idle();
    return true;
  }

  return {
    clock,
    async drive(stopped) {
      await activity.idle();
      while (!stopped() && (await step()));
    },
  };
}
