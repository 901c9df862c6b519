import { z } from 'zod';

/**
 * Building blocks for what a venue answers. They are tolerant in form: figures and times may be texts or numbers, and
 * absent, null and "" all mean "unset", which reads as ''. What a text must mean is the mapper's question.
 * @see docs/wire-protocol.md, "The envelope"
 */

/** Any text or number, as text; '' when unset. Numbers come whole or not at all, since JSON is read without loss. */
export const text = z
  .union([z.string(), z.number()])
  .nullish()
  .transform((value) => (value === null || value === undefined ? '' : String(value)));

/** A text that must be there. */
export const needed = text.refine((value) => value !== '', 'is missing');

/** A small whole number; 0 when unset. */
export const small = text.pipe(
  z
    .string()
    .regex(/^(-?\d{1,9})?$/, 'is no small whole number')
    .transform((value) => Number(value)),
);

/** A boolean; false when unset. */
export const flag = z
  .boolean()
  .nullish()
  .transform((value) => value ?? false);

/** A list; empty when unset. */
export function list<Item extends z.ZodType>(item: Item) {
  return z
    .array(item)
    .nullish()
    .transform((items) => items ?? []);
}

/** Rows that are judged one by one, so that a bad one costs only itself. */
export const rows = list(z.unknown());
