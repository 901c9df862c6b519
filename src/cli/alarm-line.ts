import { printable } from '../model/printable.ts';

/** Longest alarm that is printed, in characters. */
const CHARS_MAX = 4_096;

/** An alarm as one line of the log, whatever a venue put into its text. @see reference: reliability, S-13 */
export function alarmLine({ code, message }: { readonly code: string; readonly message: string }): string {
  return `ALARM ${code}: ${printable(message, CHARS_MAX)}\n`;
}
