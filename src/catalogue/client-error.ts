import type { FieldProblem } from './refusal.ts';

/** The server's response to a request, or its absence. */
export interface CatalogueAnswer {
  /** HTTP status; undefined without a response. */
  readonly status: number | undefined;
  /**
   * The server's code (`conflict`, `invalid`, ...), or ours: `deadline` (no complete response in time), `unreachable`
   * (no connection, or it broke), `redirected` (redirects are not followed), `bad-answer` (not a response of
   * interface B).
   */
  readonly code: string;
  /** Problems by field; empty if no field is wrong. */
  readonly fields: readonly FieldProblem[];
}

/**
 * A failed operation of interface B. After `deadline`, `unreachable` and `bad-answer` it is unknown whether the
 * server stored the record: add records with your own id, so that a repeated request fails with `conflict`.
 */
export class CatalogueError extends Error implements CatalogueAnswer {
  override readonly name = 'CatalogueError';
  readonly status: number | undefined;
  readonly code: string;
  readonly fields: readonly FieldProblem[];

  constructor(message: string, { status, code, fields }: CatalogueAnswer, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
    this.code = code;
    this.fields = fields;
  }
}
