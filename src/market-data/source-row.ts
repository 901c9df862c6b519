import type { DataError } from './data-error.ts';

/** One field of a vendor's line: its text without quotes, and the 1-based byte where it starts in ASCII text. */
export interface SourceField {
  readonly text: string;
  readonly column: number;
}

/**
 * One line of a vendor's file (or row of a Parquet file), or the error that makes it unreadable. Lines count from 1.
 */
export type SourceRow =
  | { readonly kind: 'row'; readonly line: number; readonly fields: readonly SourceField[] }
  | { readonly kind: 'fault'; readonly line: number; readonly fault: DataError };

/** Separators, in the order in which they are tried. */
export const SEPARATORS = ['\t', ';', ',', '|'] as const;
export type Separator = (typeof SEPARATORS)[number];

const FIELDS_MIN = 5;

/** Returns the first separator that splits a line into at least `fieldsMin` fields; undefined if none does. */
export function separatorOf(line: string, fieldsMin = FIELDS_MIN): Separator | undefined {
  return SEPARATORS.find((separator) => (splitLine(line, separator)?.length ?? 0) >= fieldsMin);
}

const QUOTE = '"';

/**
 * Splits a line into trimmed fields. A field in double quotes may contain the separator, and a double quote as two.
 * Returns undefined if a quote is not closed.
 */
export function splitLine(line: string, separator: string): readonly SourceField[] | undefined {
  const fields: SourceField[] = [];
  if (!line.includes(QUOTE)) {
    let column = 1;
    for (const text of line.split(separator)) {
      fields.push({ text: text.trim(), column });
      column += text.length + 1;
    }
    return fields;
  }
  for (let at = 0; at <= line.length; ) {
    const start = at;
    while (line[at] === ' ') at++;
    let text = '';
    if (line[at] === QUOTE) {
      const end = closingQuote(line, at + 1);
      if (end < 0) return undefined;
      text = line.slice(at + 1, end).replaceAll('""', QUOTE);
      at = end + 1;
    }
    const next = line.indexOf(separator, at);
    const end = next < 0 ? line.length : next;
    fields.push({ text: (text + line.slice(at, end)).trim(), column: start + 1 });
    at = end + 1;
  }
  return fields;
}

function closingQuote(line: string, from: number): number {
  for (let at = line.indexOf(QUOTE, from); at >= 0; at = line.indexOf(QUOTE, at + 2)) {
    if (line[at + 1] !== QUOTE) return at;
  }
  return -1;
}
