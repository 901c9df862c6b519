import { printable } from '../../model/printable.ts';

const ESC = '\u001b';
/** What our own reports and bars write: colours, and moves within the lines that a bar draws. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: sequences begin with one.
const OURS = /^\u001b\[(?:[0-9;]*m|\??[0-9;]*[A-GJKSThl])/;
/** The beginning of such a sequence, where the rest has not come yet. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above.
const BEGUN = /\u001b(?:\[[?0-9;]*)?$/;
const SEQUENCE_CHARS_MAX = 32;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

/**
 * Filters text from a process that runs an author's code before it reaches a terminal: colours and the moves of a
 * progress bar pass; every other control character is shown as an escape such as `\u001b`, so that it cannot set a
 * title, copy or hide text.
 */
export class OutputFilter {
  #begun = '';

  /** Returns the safe part of a piece; an incomplete sequence waits for its rest. */
  take(piece: string): string {
    const text = this.#begun + piece;
    const begun = BEGUN.exec(text)?.[0] ?? '';
    this.#begun = begun.length <= SEQUENCE_CHARS_MAX ? begun : '';
    const whole = this.#begun === '' ? text : text.slice(0, -begun.length);
    if (!CONTROL.test(whole)) return whole;
    CONTROL.lastIndex = 0;
    return whole.replace(CONTROL, (char, at: number) => {
      if (char === ESC && OURS.test(whole.slice(at, at + SEQUENCE_CHARS_MAX))) return char;
      return escapedChar(char);
    });
  }

  /** Text of one line without control characters. */
  static line(text: string): string {
    return printable(text, 200);
  }
}

function escapedChar(char: string): string {
  return `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
}
