import { printable } from '../model/printable.ts';

/** Longest alarm that is printed, in characters. */
const CHARS_MAX = 4_096;

/** An alarm as one line of the log, whatever a venue put into its text. @see reference: reliability, S-13 */
export function alarmLine({ code, message }: { readonly code: string; readonly message: string }): string {
  return `ALARM ${code}: ${printable(message, CHARS_MAX)}\n`;
}

/** Most alarms of one run in virtual time that are printed one by one. */
const ALARMS_MAX = 20;

/** Prints the first alarms of a run, and at its end how many more there were. */
export function boundedAlarms(print: (line: string) => void): {
  readonly raise: (alarm: Parameters<typeof alarmLine>[0]) => void;
  readonly end: () => void;
} {
  let count = 0;
  return {
    raise: (alarm) => {
      count += 1;
      if (count <= ALARMS_MAX) print(alarmLine(alarm));
    },
    end: () => {
      if (count > ALARMS_MAX) print(`${count - ALARMS_MAX} more alarms\n`);
    },
  };
}
