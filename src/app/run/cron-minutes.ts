import { schedule } from 'node-cron';
import type { Cancel } from '../../ports/clock.ts';

/** Calls `look`, which must not throw, at the begin of each minute of the machine's clock, until it is cancelled. */
export function eachMinute(look: () => void): Cancel {
  const task = schedule('* * * * *', look, { suppressMissedWarning: true });
  // The machine was busy or asleep when the minute began: it is made up for as soon as that is noticed.
  task.on('execution:missed', look);
  return () => void task.destroy();
}
