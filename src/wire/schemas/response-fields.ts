import { z } from 'zod';

/**
 * Field schemas of a venue's answers. They tolerate variations of form: figures and times may be texts or numbers;
 * absent, null and "" mean unset, which reads as ''. The mappers check the meaning.
 * @see docs/wire-protocol.md, "The envelope"
 */

/** A text or number, as text; '' if unset. Numbers have all digits, because JSON is parsed without loss. */
export const text = z
  .union([z.string(), z.number()])
  .nullish()
  .transform((value) => (value === null || value === undefined ? '' : String(value)));

/** A required text. */
export const required = text.refine((value) => value !== '', 'is missing');

/** A small integer; 0 if unset. */
export const smallInteger = text.pipe(
  z
    .string()
    .regex(/^(-?\d{1,9})?$/, 'is not a safe integer')
    .transform((value) => Number(value)),
);

/** A boolean; false if unset. */
export const flag = z
  .boolean()
  .nullish()
  .transform((value) => value ?? false);

/** A list; empty if unset. */
export function list<Item extends z.ZodType>(item: Item) {
  return z
    .array(item)
    .nullish()
    .transform((items) => items ?? []);
}

/** Rows that are parsed one by one, so that an invalid row does not affect the others. */
export const rows = list(z.unknown());
