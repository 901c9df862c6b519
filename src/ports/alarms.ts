import type { Millis } from '../model/time.ts';

/** Something a person should know now. `code` is stable, `facts` name both sides of whatever disagrees. */
export interface Alarm {
  readonly code: string;
  readonly message: string;
  readonly at: Millis;
  readonly facts: Readonly<Record<string, string>>;
}

/** Where alarms go: the log at least, later a messenger. Raising one never throws and never waits. */
export interface Alarms {
  raise(alarm: Alarm): void;
}
