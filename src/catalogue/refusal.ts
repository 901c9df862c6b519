/** Every error code of the catalogue with its HTTP status. */
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

/** What is wrong with one field; `value` is the found text, absent if the field is missing. */
export interface FieldProblem {
  /** Name in the body, `artistId` for the path, `(body)` for the body as a whole. */
  readonly field: string;
  readonly problem: string;
  readonly value?: string;
}

/**
 * A request that the catalogue refuses. Sent as
 * `{"error":{"code":...,"message":...,"fields":[{"field":...,"problem":...,"value":...}]}}`; `fields` is empty if no
 * field is wrong. @see docs/catalogue.md
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
