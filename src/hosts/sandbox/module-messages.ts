/** Requests of a sandboxed process to its parent, on a separate pipe. */
export type ModuleRequest =
  | {
      readonly op: 'resolve';
      readonly specifier: string;
      readonly parent: string;
      readonly conditions: readonly string[];
    }
  | { readonly op: 'load'; readonly url: string }
  /** Needs no answer: the process ends itself, since a call of an author's code went past a limit. */
  | { readonly op: 'stopped'; readonly why: StopReason; readonly call: string };

/** Limits of a call: its time, what it writes, and the memory of its process. */
export const STOP_REASONS = ['late', 'flood', 'memory'] as const;
export type StopReason = (typeof STOP_REASONS)[number];

export type ModuleAnswer =
  | { readonly kind: 'resolved'; readonly url: string }
  | { readonly kind: 'loaded'; readonly format: string; readonly source: string }
  | { readonly kind: 'refused'; readonly message: string };

/** Longest request, in bytes; what a plugin names is short. */
const REQUEST_BYTES_MAX = 65_536;
const HEAD_BYTES = 4;

/** A text with its length before it. */
export function frameOf(text: string): Buffer {
  const body = Buffer.from(text);
  const frame = Buffer.alloc(HEAD_BYTES + body.length);
  frame.writeUInt32LE(body.length);
  body.copy(frame, HEAD_BYTES);
  return frame;
}

/** Puts frames together from the pieces in which a pipe brings them. Throws RangeError for a longer one than is ever sent. */
export class FrameReader {
  #rest: Buffer = Buffer.alloc(0);

  take(bytes: Buffer): string[] {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    const texts: string[] = [];
    while (this.#rest.length >= HEAD_BYTES) {
      const length = this.#rest.readUInt32LE();
      if (length > REQUEST_BYTES_MAX) return [...texts, ''];
      if (this.#rest.length < HEAD_BYTES + length) break;
      texts.push(this.#rest.toString('utf8', HEAD_BYTES, HEAD_BYTES + length));
      this.#rest = this.#rest.subarray(HEAD_BYTES + length);
    }
    return texts;
  }
}

/** Reads a request from a process in which foreign code runs; undefined when our own part of it would send no such thing. */
export function readRequest(text: string): ModuleRequest | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { op, specifier, parent, conditions, url, call, why } = value as Readonly<Record<string, unknown>>;
  if (op === 'stopped' && typeof call === 'string') {
    const reason = STOP_REASONS.find((each) => each === why);
    return reason && { op, call, why: reason };
  }
  if (op === 'load' && typeof url === 'string') return { op, url };
  if (op !== 'resolve' || typeof specifier !== 'string' || typeof parent !== 'string') return undefined;
  if (!Array.isArray(conditions) || !conditions.every((each) => typeof each === 'string')) return undefined;
  return { op, specifier, parent, conditions };
}
