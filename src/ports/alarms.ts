import type { Alarm } from '../model/notice.ts';

/**
 * Destination of alarms: at least the log, and the notifiers of the config. Raising an alarm never throws and never
 * waits.
 */
export interface Alarms {
  raise(alarm: Alarm): void;
}
