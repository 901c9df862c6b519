import { printable } from '../model/printable.ts';

/** Kind of a problem; stable, for programs that read `--json` output. */
export type ConfigProblemCode =
  | 'unreadable'
  | 'too-large'
  | 'bad-yaml'
  | 'unsafe-yaml'
  | 'unknown-key'
  | 'missing'
  | 'bad-value'
  | 'unknown-strategy'
  | 'bad-strategy'
  | 'unknown-plugin'
  | 'bad-plugin'
  | 'unknown-symbol'
  | 'bad-data'
  | 'bad-param'
  | 'conflict'
  /** A warning: parameters request more than a limit allows. */
  | 'beyond-limit';

/** A place in a file; line and column count from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
  /** The file, if it is not the requested one but one that it extends. */
  readonly file?: string;
}

/** One mistake: its place, what was found and what was expected. */
export interface ConfigProblem extends Place {
  readonly code: ConfigProblemCode;
  readonly file: string;
  /** Keys from the top, such as `risk.maxOrderNotional` or `symbols[0]`; empty for the whole file. */
  readonly path: string;
  /** The value or name that was found, safe to print; undefined if there is none. */
  readonly value: string | undefined;
  readonly wanted: string;
  /** The nearest valid name. */
  readonly nearest: string | undefined;
  /** The whole mistake as one sentence. */
  readonly message: string;
}

/** Keys and indexes from the top of a config down to one place in it. */
export type ConfigPath = readonly (string | number)[];

/** Formats a path: `risk.priceCollar`, `symbols[2]`. */
export function pathText(path: ConfigPath): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? printable(part) : `${text}.${printable(part)}`;
  }, '');
}

const TITLES: Readonly<Record<string, string>> = {
  params: 'parameters',
  data: 'data range',
  risk: 'risk limits',
  paper: 'paper settings',
  notify: 'notifiers',
};

/** Name of a section in sentences, by its first key: `risk limits`. */
export function titleOf(path: ConfigPath): string {
  const head = path[0];
  return typeof head === 'string' ? (TITLES[head] ?? printable(head)) : 'config';
}

/** Name of a setting within its section: the path without its first key, unless it has only one. */
export function nameWithin(path: ConfigPath): string {
  return typeof path[1] === 'string' ? pathText(path.slice(1)) : pathText(path);
}

/** Formats a value of a config for an error: quoted, shortened, without control characters. */
export function quotedValue(value: unknown): string {
  if (value === null || value === undefined) return 'empty';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'object') return Object.keys(value).length === 0 ? 'an empty map' : 'a map';
  return `"${printable(String(value))}"`;
}

/** Formats "did you mean" with the nearest name, or lists the valid names. */
export function suggestion(nearest: string | undefined, known: readonly string[]): string {
  if (nearest !== undefined) return `did you mean "${nearest}"?`;
  if (known.length === 0) return 'there are none';
  const listed = known.slice(0, LISTED_NAMES).join(', ');
  return `want one of ${listed}${known.length > LISTED_NAMES ? `, ... (${known.length} in all)` : ''}`;
}

const LISTED_NAMES = 12;
