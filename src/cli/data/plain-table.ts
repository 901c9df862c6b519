/**
 * Formats rows as text in columns as wide as their widest cell; cells of the columns in `right` are right-aligned.
 * The first row is the heading.
 */
export function plainTable(rows: readonly (readonly string[])[], right: readonly number[] = []): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return right.includes(column) ? cell.padStart(width) : cell.padEnd(width);
      })
      .join('  ')
      .trimEnd();
  return `${rows.map(line).join('\n')}\n`;
}
