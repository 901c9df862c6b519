import type { Alarm } from '../../model/notice.ts';
import { printable } from '../../model/printable.ts';

/** Maximum length of a printed alarm, in characters. */
const CHARS_MAX = 4_096;

/**
 * Formats an alarm as one line of the log, with unsafe characters of its text escaped. @see docs/reliability.md, S-13
 */
export function alarmLine({ code, message }: { readonly code: string; readonly message: string }): string {
  return `ALARM ${code}: ${printable(message, CHARS_MAX)}\n`;
}

/** Maximum number of alarms of one run in virtual time that are printed. */
const ALARMS_MAX = 20;

/**
 * Prints the first alarms of a run in virtual time, each with its market time, and at the end the number of others.
 */
export function boundedAlarms(print: (line: string) => void): {
  readonly raise: (alarm: Pick<Alarm, 'code' | 'message' | 'at'>) => void;
  readonly end: () => void;
} {
  let count = 0;
  return {
    raise: ({ code, message, at }) => {
      count += 1;
      const stamp = new Date(at).toISOString().slice(0, 16).replace('T', ' ');
      if (count <= ALARMS_MAX) print(alarmLine({ code, message: `${stamp} UTC: ${message}` }));
    },
    end: () => {
      if (count > ALARMS_MAX) print(`${count - ALARMS_MAX} more alarms\n`);
    },
  };
}
