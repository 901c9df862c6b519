import type { Alarm } from '../model/notice.ts';

/** Where alarms go: the log at least, and whatever notifiers a config names. Raising one never throws and never waits. */
export interface Alarms {
  raise(alarm: Alarm): void;
}
