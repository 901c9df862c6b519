import type { FieldProblem } from './refusal.ts';

/** The response of a server to our request, or its absence. */
export interface CatalogueAnswer {
  /** HTTP status; undefined when no answer came. */
  readonly status: number | undefined;
  /**
   * The server's own code (`conflict`, `invalid`, ...), or ours: `deadline` (no whole answer in time), `unreachable` (no
   * connection, or it broke), `redirected` (never followed), `bad-answer` (not what interface B answers).
   */
  readonly code: string;
  /** What is wrong with which field; empty when no field is to blame. */
  readonly fields: readonly FieldProblem[];
}

/**
 * An operation of interface B that did not succeed. With `deadline`, `unreachable` and `bad-answer` it is unknown whether
 * the server stored the record: add with an id of your own, and a repeat tells by its `conflict`.
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
