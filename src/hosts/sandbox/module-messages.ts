/** Requests of a sandboxed process to its parent, on a separate pipe. */
export type ModuleRequest =
  | {
      readonly op: 'resolve';
      readonly specifier: string;
      readonly parent: string;
      readonly conditions: readonly string[];
    }
  | { readonly op: 'load'; readonly url: string }
  /** Has no answer: the process ends itself because a call of an author's code exceeded a limit. */
  | { readonly op: 'stopped'; readonly why: StopReason; readonly call: string };

/** Limits of a call: time, console output, and memory of its process. */
const STOP_REASONS = ['late', 'flood', 'memory'] as const;
export type StopReason = (typeof STOP_REASONS)[number];

export type ModuleAnswer =
  | { readonly kind: 'resolved'; readonly url: string }
  | { readonly kind: 'loaded'; readonly format: string; readonly source: string }
  | { readonly kind: 'refused'; readonly message: string };

/** Longest request, in bytes. */
const REQUEST_BYTES_MAX = 65_536;
const HEAD_BYTES = 4;

/** Returns a text, prefixed with its length. */
export function frameOf(text: string): Buffer {
  const body = Buffer.from(text);
  const frame = Buffer.alloc(HEAD_BYTES + body.length);
  frame.writeUInt32LE(body.length);
  body.copy(frame, HEAD_BYTES);
  return frame;
}

/**
 * Assembles frames from the chunks of a pipe. A frame above the limit results in an empty text, which is no valid
 * request.
 */
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

/** Reads a request from a process that runs untrusted code; undefined if it is malformed. */
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
