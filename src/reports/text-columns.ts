// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
const COLOURS = /\u001b\[[\d;]*m/g;
const PLAIN = /^[ -~]*$/;
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const UPON_ANOTHER = /\p{Mark}/u;

/** Columns that a text takes in a terminal: two for each Chinese character, none for colours and for marks upon a letter. */
export function columnsOf(text: string): number {
  const shown = withoutColours(text);
  if (PLAIN.test(shown)) return shown.length;
  let columns = 0;
  for (const char of shown) columns += columnsOfChar(char);
  return columns;
}

/** A text with spaces behind it, or before it where it stands at the right, so that it takes so many columns. */
export function padded(text: string, columns: number, align: 'left' | 'right' = 'left'): string {
  const room = ' '.repeat(Math.max(0, columns - columnsOf(text)));
  return align === 'right' ? room + text : text + room;
}

/** A text cut to so many columns, with an ellipsis where something was lost. */
export function cutTo(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text;
  return `${firstColumns(withoutColours(text), columns - 1)}…`;
}

/**
 * A text as lines of at most so many columns: broken at its own line ends, at spaces, and within a word that is too long. Colours are
 * lost where a line is broken.
 */
export function linesWithin(text: string, columns: number): readonly string[] {
  return text
    .split('\n')
    .flatMap((line) => (columnsOf(line) <= columns ? [line] : brokenLine(withoutColours(line), columns)));
}

function brokenLine(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (columnsOf(longer) <= columns) {
      line = longer;
      continue;
    }
    if (line !== '') lines.push(line);
    line = word;
    while (columnsOf(line) > columns) {
      const begin = firstColumns(line, columns);
      lines.push(begin);
      line = line.slice(begin.length);
    }
  }
  return [...lines, line];
}

/** As much of a text as so many columns hold; at least one character. */
function firstColumns(text: string, columns: number): string {
  let taken = 0;
  let end = 0;
  for (const char of text) {
    taken += columnsOfChar(char);
    if (taken > columns && end > 0) break;
    end += char.length;
  }
  return text.slice(0, end);
}

function columnsOfChar(char: string): number {
  if (WIDE.test(char)) return 2;
  return UPON_ANOTHER.test(char) ? 0 : 1;
}

function withoutColours(text: string): string {
  return text.includes('\u001b') ? text.replaceAll(COLOURS, '') : text;
}
