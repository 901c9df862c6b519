import { printable, printableLines } from '../../model/printable.ts';
import { MESSAGE_CHARS_MAX } from './thrown.ts';

/** Returns the fields of a value from a worker; none if it is not an object. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

/** Returns a text from a worker, of any number of lines; empty if it is not a text. */
export function textOf(value: unknown, charsMax = 2 * MESSAGE_CHARS_MAX): string {
  return typeof value === 'string' ? printableLines(value.slice(0, charsMax)) : '';
}

/** Returns a text from a worker on one line; empty if it is not a text. */
export function lineOf(value: unknown, charsMax = 2_500): string {
  return typeof value === 'string' ? printable(value, charsMax) : '';
}
