import type { z } from 'zod';
import { nearestName } from '../model/nearest-name.ts';
import { printable } from '../model/printable.ts';
import type { BodySchema } from './body-schema.ts';
import { type ExactJson, oddNumberText, readExactJson } from './exact-json.ts';
import { type FieldProblem, Refusal } from './refusal.ts';

/** Maximum number of problems in one response; a body can have thousands of unknown fields. */
export const FIELD_PROBLEMS_MAX = 32;

/**
 * Reads the raw body of a request as a record. Throws Refusal: `bad-json` for unacceptable JSON text, `invalid` with
 * every wrong field (32 at most) for a record of another shape.
 */
export function readBody<T>(bytes: Uint8Array, schema: BodySchema<T>): T {
  const body = parse(bytes);
  const read = schema.shape.safeParse(body);
  if (read.success) return read.data;
  const problems = read.error.issues.flatMap((issue) => problemsOf(issue, body, schema));
  throw new Refusal(
    'invalid',
    `Cannot read the body as an ${schema.kind}: see "fields" for the wrong ones`,
    problems.slice(0, FIELD_PROBLEMS_MAX),
  );
}

/** Formats a value, short and safe to print. */
function shownValue(value: ExactJson): string {
  const number = oddNumberText(value) ?? (typeof value === 'bigint' ? String(value) : undefined);
  if (number !== undefined) return printable(number);
  if (Array.isArray(value)) return '[...]';
  return typeof value === 'object' && value !== null ? '{...}' : printable(String(value));
}

function parse(bytes: Uint8Array): ExactJson {
  if (bytes.length === 0)
    throw new Refusal('bad-json', 'Cannot read the body: it is empty, want a JSON object');
  try {
    return readExactJson(bytes);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new Refusal('bad-json', `Cannot read the body as JSON: ${printable(cause.message, 200)}`);
  }
}

function problemsOf<T>(issue: z.core.$ZodIssue, body: ExactJson, schema: BodySchema<T>): FieldProblem[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.slice(0, FIELD_PROBLEMS_MAX).map((key) => unknownField(key, schema));
  }
  const field = issue.path[0];
  if (field === undefined) {
    return [{ field: '(body)', problem: 'must be a JSON object', value: shownValue(body) }];
  }
  const value = (body as Readonly<Record<PropertyKey, ExactJson>>)[field];
  const problem = { field: String(field), problem: issue.message };
  return [value === undefined ? problem : { ...problem, value: shownValue(value) }];
}

function unknownField<T>(name: string, { kind, fields }: BodySchema<T>): FieldProblem {
  const field = printable(name);
  const near = nearestName(field, fields);
  const hint = near === undefined ? `it has ${fields.join(', ')}` : `did you mean "${near}"?`;
  return { field, problem: `is not a field of an ${kind}, ${hint}` };
}
