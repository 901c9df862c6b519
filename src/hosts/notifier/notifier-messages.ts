import type { NotifyingBot } from '../../model/notice.ts';
import type { ParamDeclarations, ParamValues } from '../../strategy/params.ts';
import { fieldsOf, lineOf } from '../workers/read-fields.ts';

export interface NotifierFile {
  /** Name as the config has it. */
  readonly name: string;
  /** Absolute path. */
  readonly file: string;
  readonly params: ParamValues<ParamDeclarations>;
  /** Values from the environment. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly bot: NotifyingBot;
}

/** Start data of a notifier's worker. */
export interface NotifierSetup extends NotifierFile {
  /** Time limit of a delivery, in milliseconds from its start. */
  readonly abortMs: number;
}

/** Result of a delivery. */
export type Delivered =
  | { readonly kind: 'carried' }
  /**
   * The notifier reported a failure; it may deliver the next notice, or this one after `retryAfterMs`, if the service
   * requests a wait.
   */
  | { readonly kind: 'failed'; readonly what: string; readonly retryAfterMs?: number }
  | NotifierEnd;

export interface NotifierEnd {
  readonly kind: 'over';
  readonly what: string;
}

/** Shortest and longest wait before a notice is sent again, in milliseconds; one that must wait longer is lost. */
const RETRY_AFTER_MS_MIN = 1_000;
const RETRY_AFTER_MS_MAX = 600_000;

/** Longest failure text, in characters. */
const TEXT_CHARS_MAX = 500;

/** Removes secrets from a text. */
export type Redact = (text: string) => string;

/** A failure on one line. A cut inside of a secret would hide it from redaction, so that is first. */
export function failureText(what: unknown, redact: Redact): string {
  return typeof what === 'string' ? lineOf(redact(what), TEXT_CHARS_MAX) : '';
}

/** Reads an answer from a notifier's worker; undefined if it is malformed. */
export function readDelivered(value: unknown, redact: Redact): Delivered | undefined {
  const { kind, what, retryAfterMs } = fieldsOf(value);
  if (kind === 'carried') return { kind };
  if (kind !== 'failed') return undefined;
  const failed = { kind, what: failureText(what, redact) } as const;
  const isWait = typeof retryAfterMs === 'number' && retryAfterMs >= 0 && retryAfterMs <= RETRY_AFTER_MS_MAX;
  return isWait ? { ...failed, retryAfterMs: Math.max(retryAfterMs, RETRY_AFTER_MS_MIN) } : failed;
}
