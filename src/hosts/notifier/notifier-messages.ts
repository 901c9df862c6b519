import type { Alarm, DayNotice } from '../../model/notice.ts';
import type { ParamDeclarations, ParamValues } from '../../strategy/params.ts';
import { fieldsOf, lineOf } from '../workers/read-fields.ts';

/** Something that a notifier carries. */
export type Notice =
  | { readonly kind: 'alarm'; readonly alarm: Alarm }
  | { readonly kind: 'day'; readonly day: DayNotice };

/** A notifier in the setup of its worker. */
export interface NotifierFile {
  /** Name as the config has it. */
  readonly name: string;
  /** Absolute path. */
  readonly file: string;
  readonly params: ParamValues<ParamDeclarations>;
  /** Values, from the environment. */
  readonly secrets: Readonly<Record<string, string>>;
}

/** What the worker of a notifier is started with. */
export interface NotifierSetup extends NotifierFile {
  /** Deadline of a notice, in milliseconds from its start. */
  readonly abortMs: number;
}

/** What became of a notice. */
export type Delivered =
  | { readonly kind: 'carried' }
  /** The notifier reported a failure; it may deliver the next notice. */
  | { readonly kind: 'failed'; readonly what: string }
  | NotifierEnd;

/** The notifier's worker is gone. */
export interface NotifierEnd {
  readonly kind: 'over';
  readonly what: string;
}

/** Longest text about a failure, in characters. */
export const TEXT_CHARS_MAX = 500;

/** Reads an answer from a notifier's worker; undefined when our own part of the worker would send no such thing. */
export function readDelivered(value: unknown): Delivered | undefined {
  const { kind, what } = fieldsOf(value);
  if (kind === 'carried') return { kind };
  return kind === 'failed' ? { kind, what: lineOf(what, TEXT_CHARS_MAX) } : undefined;
}
