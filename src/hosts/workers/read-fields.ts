import { printable, printableLines } from '../../model/printable.ts';
import { MESSAGE_CHARS_MAX } from './thrown.ts';

/** The fields of a value from a worker; none where it is not an object. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

/** A text of any number of lines from a worker; empty where it is not a text. */
export function textOf(value: unknown, charsMax = 2 * MESSAGE_CHARS_MAX): string {
  return typeof value === 'string' ? printableLines(value.slice(0, charsMax)) : '';
}

/** A text from a worker on one line; empty where it is not a text. */
export function lineOf(value: unknown, charsMax = 2_500): string {
  return typeof value === 'string' ? printable(value, charsMax) : '';
}
