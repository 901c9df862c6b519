const ESCAPE_OR_CHAR = new RegExp(`${String.fromCharCode(27)}\\[(\\??)([\\d;]*)([A-Za-z])|[\\s\\S]`, 'gu');

/** The lines that a terminal of this width shows for a text, including those scrolled away, without colours. */
export function screenOf(text: string, columns = 80): readonly string[] {
  const rows: string[][] = [[]];
  let [row, column, wraps] = [0, 0, true];
  const put = (char: string): void => {
    if (column >= columns) {
      if (wraps) [row, column] = [row + 1, 0];
      else column = columns - 1;
    }
    const line = rows[row] ?? [];
    while (line.length < column) line.push(' ');
    line[column] = char;
    rows[row] = line;
    column += 1;
  };
  for (const [all, mode, figures = '', command] of text.matchAll(ESCAPE_OR_CHAR)) {
    const count = Number(figures === '' ? 1 : figures);
    if (command === undefined) {
      if (all === '\n') [row, column] = [row + 1, 0];
      else if (all === '\r') column = 0;
      else put(all);
      rows[row] ??= [];
    } else if (mode === '?' && figures === '7') wraps = command === 'h';
    else if (command === 'G') column = count - 1;
    else if (command === 'A') row = Math.max(0, row - count);
    else if (command === 'K') rows[row]?.splice(column);
    else if (command === 'J') {
      rows[row]?.splice(column);
      rows.splice(row + 1);
    } else if (command !== 'm') throw new Error(`This screen does not know "${JSON.stringify(all)}"`);
  }
  return rows.map((line) => line.join('').trimEnd());
}
