/** Kind of problem; stable, for programs that read `--json` output. */
export type DataErrorCode =
  | 'bad-header'
  | 'column-count'
  | 'bad-timestamp'
  | 'bad-number'
  | 'not-positive'
  | 'inconsistent-bar'
  | 'unsorted'
  | 'duplicate-timestamp'
  | 'nul-byte'
  | 'line-too-long'
  | 'too-many-rows'
  | 'empty-file'
  | 'bad-gzip'
  | 'file-too-large'
  | 'unreadable'
  | 'bad-security'
  | 'unsafe-name'
  | 'ambiguous-file'
  | 'unknown-symbol'
  | 'unknown-period'
  | 'no-bars'
  | 'unknown-layout'
  | 'unknown-zone'
  | 'missing-facts'
  | 'too-many-bad-rows'
  | 'exists'
  | 'not-written'
  | 'bad-parquet'
  | 'bad-query'
  | 'missing-package';

export interface DataErrorFacts {
  readonly code: DataErrorCode;
  /** What was attempted, found and expected, as one sentence without a final period. */
  readonly problem: string;
  /** What to do, as an imperative without a final period. */
  readonly advice: string;
  readonly file: string;
  /** 1-based; absent if the whole file is meant. */
  readonly line?: number | undefined;
  /** 1-based byte in the line, equal to an editor's column in ASCII text. */
  readonly column?: number | undefined;
  readonly value?: string | undefined;
  readonly cause?: unknown;
}

/** Error for data on disk that cannot be used. No content of the file was returned. */
export class DataError extends Error {
  readonly code: DataErrorCode;
  readonly file: string;
  readonly line: number | undefined;
  readonly column: number | undefined;
  readonly value: string | undefined;
  readonly advice: string;

  constructor(facts: DataErrorFacts) {
    const place = [facts.file, facts.line, facts.column].filter((part) => part !== undefined).join(':');
    super(`${facts.problem}; ${facts.advice}\n  at ${place}`, { cause: facts.cause });
    this.name = 'DataError';
    this.code = facts.code;
    this.file = facts.file;
    this.line = facts.line;
    this.column = facts.column;
    this.value = facts.value === undefined ? undefined : shortened(facts.value);
    this.advice = facts.advice;
  }
}

const SHOWN_CHARS = 60;

/** Formats a text for an error: in double quotes, control and invisible characters escaped, at most 60 characters. */
export function quoted(text: string): string {
  const escaped = shortened(text).replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\ufffd]/gu,
    (char) => `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
  return `"${escaped}"`;
}

function shortened(text: string): string {
  return text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}...` : text;
}
