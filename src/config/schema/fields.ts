import { z } from 'zod';
import { once } from '../../model/once.ts';
import { parseSymbol, withoutZeros } from '../../model/symbol.ts';
import { exactFigure, type Unit } from './units.ts';

/** Creates a schema whose every error shows the expected form. */
export function says<S>(wanted: string, make: (error: string) => S): S {
  return make(wanted);
}

/** A text with a unit, parsed to its value. */
export function withUnit<T>(unit: Unit<T>) {
  return says(unit.wanted, (error) =>
    z
      .string({ error })
      .regex(unit.pattern, { error })
      .transform((text, context): T => unit.read(text) ?? fail(context, text, error)),
  );
}

/** A positive figure of a model, as an exact decimal. */
export const positiveFigure = once(() =>
  says('a number above 0, such as "0.5"', (error) =>
    z.number({ error }).positive({ error }).max(1_000_000, { error }).transform(exactFigure),
  ),
);

/** A symbol such as `700.HK`. */
export const symbolField = once(() =>
  says('a symbol such as "700.HK"', (error) =>
    z
      .string({ error })
      .regex(/^[A-Z0-9.]{1,24}\.[A-Z]{2,8}$/, { error })
      .refine((text) => withoutZeros(text) === undefined, { error })
      .transform((text, context) => parseSymbol(text) ?? fail(context, text, error)),
  ),
);

/** Schema of an absent key; it adds nothing to the result. */
export const ABSENT = z.never().optional();

/** Receives what a transform cannot read. */
export interface Failing {
  readonly issues: z.core.$ZodRawIssue[];
}

/** Reports an invalid value; the returned value is never used. */
export function fail(context: Failing, input: unknown, message: string): never {
  context.issues.push({ code: 'custom', message, input });
  return z.NEVER;
}

/** Reports an invalid value at a key within the value. */
export function failAt(context: Failing, key: string, input: unknown, message: string): never {
  context.issues.push({ code: 'custom', message, input, path: [key] });
  return z.NEVER;
}
