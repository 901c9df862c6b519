/** Every code that the catalogue refuses a request with, and the HTTP status it goes out under. */
export const REFUSAL_STATUS = {
  'bad-json': 400,
  unauthorized: 401,
  forbidden: 403,
  'not-found': 404,
  'method-not-allowed': 405,
  conflict: 409,
  'too-large': 413,
  'unsupported-media-type': 415,
  invalid: 422,
  internal: 500,
} as const;
export type RefusalCode = keyof typeof REFUSAL_STATUS;

/** What is wrong with one field; `value` is what we saw, as text, absent when the field itself is. */
export interface FieldProblem {
  /** Name in the body, `artistId` for the path, `(body)` for the body as a whole. */
  readonly field: string;
  readonly problem: string;
  readonly value?: string;
}

/**
 * A request that the catalogue does not serve. Travels as
 * `{"error":{"code":...,"message":...,"fields":[{"field":...,"problem":...,"value":...}]}}`; `fields` is empty when no
 * field is to blame.
 * @see docs/catalogue.md
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: RefusalCode;
  readonly fields: readonly FieldProblem[];

  constructor(code: RefusalCode, message: string, fields: readonly FieldProblem[] = []) {
    super(message);
    this.code = code;
    this.fields = fields;
  }
}

/** The body of a refusal, JSON. */
export function refusalBody({ code, message, fields }: Refusal): string {
  return JSON.stringify({ error: { code, message, fields } });
}
