import type { Millis } from '../model/time.ts';
import type { Alarms } from '../ports/alarms.ts';

/** Raises an alarm about the connection. `facts` contain no secret. */
export type RaiseAlarm = (code: string, message: string, facts?: Readonly<Record<string, string>>) => void;

/** Alarms with market time; without a listener they are dropped. */
export function alarmRaiser(alarms: Alarms | undefined, market: () => Millis): RaiseAlarm {
  return (code, message, facts = {}) => alarms?.raise({ code, message, at: market(), facts });
}
