import { type LosslessJson, parseLosslessJson } from './lossless-json.ts';
import { WireError } from './wire-error.ts';

/**
 * Every answer of interface A. `msg` is the documented field, `message` the one that the official SDK reads; both
 * have the same text. `data` is an object on success (`{}` if empty), null on failure.
 * @see docs/wire-protocol.md, "The envelope"
 */
export interface Envelope<Data = unknown> {
  readonly code: number;
  readonly msg: string;
  readonly message: string;
  readonly data: Data;
}

export type ReadEnvelope =
  | { readonly kind: 'ok'; readonly message: string; readonly data: LosslessJson }
  | { readonly kind: 'failure'; readonly code: number; readonly message: string; readonly data: LosslessJson }
  | { readonly kind: 'not-an-envelope'; readonly reason: string };

export function success<Data>(data: Data): Envelope<Data> {
  return { code: 0, msg: 'success', message: 'success', data };
}

/** Throws RangeError for code 0, which means success. */
export function failure(code: number, message: string): Envelope<null> {
  if (code === 0) throw new RangeError('Cannot fail with code 0: it means success');
  return { code, msg: message, message, data: null };
}

/**
 * Parses the text of an answer from any sender: proxies answer in HTML, and real servers may omit `data`, which then
 * is null. Never throws. Numbers keep their digits.
 */
export function readEnvelope(text: string): ReadEnvelope {
  const value = parseOrReason(text);
  if (typeof value === 'string') return { kind: 'not-an-envelope', reason: value };
  const { json } = value;
  if (json === null || typeof json !== 'object' || isList(json)) {
    return { kind: 'not-an-envelope', reason: 'The response is JSON, but not an object' };
  }
  const code = json['code'];
  if (typeof code !== 'number') {
    return { kind: 'not-an-envelope', reason: 'The response has no integer "code"' };
  }
  const message = textOf(json['msg']) ?? textOf(json['message']) ?? '';
  const data = json['data'] ?? null;
  return code === 0 ? { kind: 'ok', message, data } : { kind: 'failure', code, message, data };
}

function parseOrReason(text: string): { readonly json: LosslessJson } | string {
  try {
    return { json: parseLosslessJson(text) };
  } catch (error) {
    if (error instanceof WireError) return error.message;
    throw error;
  }
}

function isList(json: LosslessJson): json is readonly LosslessJson[] {
  return Array.isArray(json);
}

function textOf(value: LosslessJson | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
