import { schedule } from 'node-cron';
import type { Cancel } from '../../ports/clock.ts';

/** Calls `look`, which must not throw, at the start of each minute of the machine's clock, until cancelled. */
export function eachMinute(look: () => void): Cancel {
  const task = schedule('* * * * *', look, { suppressMissedWarning: true });
  // The machine was busy or suspended when the minute began; call it as soon as that is detected.
  task.on('execution:missed', look);
  return () => void task.destroy();
}
