import { constants, gunzipSync, gzipSync } from 'node:zlib';
import { WireError } from './wire-error.ts';

/** A request; its response repeats `command` and `requestId`. `timeoutMs` is the client's timeout, at most 60,000. */
export interface RequestFrame {
  readonly kind: 'request';
  readonly command: number;
  readonly requestId: number;
  readonly timeoutMs: number;
  readonly body: Uint8Array;
}

/** A response; if `status` is not 0, the body is an ErrorBody. */
export interface ResponseFrame {
  readonly kind: 'response';
  readonly command: number;
  readonly requestId: number;
  readonly status: number;
  readonly body: Uint8Array;
}

export interface PushFrame {
  readonly kind: 'push';
  readonly command: number;
  readonly body: Uint8Array;
}

export type Frame = RequestFrame | ResponseFrame | PushFrame;

/** Bytes that are not a valid frame: a stable code, and a reason for the log. */
export interface BrokenFrame {
  readonly kind: 'broken';
  readonly code: BrokenFrameCode;
  readonly reason: string;
}

export type BrokenFrameCode =
  | 'too-short'
  | 'unknown-type'
  | 'length-mismatch'
  | 'frame-too-large'
  | 'bad-gzip'
  | 'unpacks-too-large';

/** Limits for decoding, in bytes; `maxRatio` is unpacked size divided by packed size. */
export interface FrameLimits {
  readonly maxFrameBytes: number;
  readonly maxUnpackedBytes: number;
  readonly maxRatio: number;
}

/** 1 MB per frame, 4 MB unpacked, ratio at most 100. @see docs/reliability.md, S-02 */
export const DEFAULT_FRAME_LIMITS: FrameLimits = {
  maxFrameBytes: 1_048_576,
  maxUnpackedBytes: 4_194_304,
  maxRatio: 100,
};

/** The length field has 24 bits. */
export const MAX_BODY_BYTES = 0xff_ff_ff;
const MAX_TIMEOUT_MS = 60_000;

const TYPE = { request: 1, response: 2, push: 3 } as const;
const TYPE_MASK = 0x0f;
const VERIFY_BIT = 0x10;
const GZIP_BIT = 0x20;
const HEADER_BYTES = { request: 11, response: 10, push: 5 } as const;
/** Nonce of 8 bytes and signature of 16, after the body. */
const TRAILER_BYTES = 24;

/**
 * Decodes one WebSocket message as one frame. Never throws. Ignores the two reserved bits, skips a nonce and
 * signature after the body (if flagged), and unpacks a compressed body. The body may be a view into `bytes`. Missing
 * or extra bytes make the frame broken.
 * @see docs/wire-protocol.md, "The sockets"
 */
export function decodeFrame(
  bytes: Uint8Array,
  limits: FrameLimits = DEFAULT_FRAME_LIMITS,
): Frame | BrokenFrame {
  if (bytes.length > limits.maxFrameBytes) {
    return broken('frame-too-large', `${bytes.length} bytes, limit ${limits.maxFrameBytes}`);
  }
  const first = bytes[0] ?? 0;
  const kind = kindOf(first & TYPE_MASK);
  if (bytes.length === 0) return broken('too-short', 'No bytes');
  if (kind === undefined) return broken('unknown-type', `Type ${first & TYPE_MASK}`);
  const header = HEADER_BYTES[kind];
  if (bytes.length < header) return broken('too-short', `${bytes.length} bytes, a ${kind} has ${header}`);
  const length = readUint24(bytes, header - 3);
  const trailer = (first & VERIFY_BIT) === 0 ? 0 : TRAILER_BYTES;
  if (bytes.length !== header + length + trailer) {
    return broken('length-mismatch', `${bytes.length} bytes, announced ${header + length + trailer}`);
  }
  const packed = bytes.subarray(header, header + length);
  const body = (first & GZIP_BIT) === 0 ? packed : unpack(packed, limits);
  return body instanceof Uint8Array ? frameOf(kind, bytes, body) : body;
}

function frameOf(kind: Frame['kind'], bytes: Uint8Array, body: Uint8Array): Frame {
  const command = bytes[1] ?? 0;
  if (kind === 'push') return { kind, command, body };
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const requestId = view.getUint32(2);
  if (kind === 'request') return { kind, command, requestId, timeoutMs: view.getUint16(6), body };
  return { kind, command, requestId, status: view.getUint8(6), body };
}

export interface EncodeOptions {
  /** Compresses bodies of at least this many bytes; never if absent. */
  readonly gzipFrom?: number;
}

/**
 * Encodes one frame as the bytes of one WebSocket message, without nonce and signature. Throws WireError
 * (`frame-too-large`, `not-writable`) if a value does not fit its field.
 */
export function encodeFrame(frame: Frame, options: EncodeOptions = {}): Uint8Array<ArrayBuffer> {
  const gzip = options.gzipFrom !== undefined && frame.body.length >= Math.max(1, options.gzipFrom);
  const body = gzip ? gzipSync(frame.body) : frame.body;
  if (body.length > MAX_BODY_BYTES) {
    throw new WireError(
      'frame-too-large',
      `Cannot send a body of ${body.length} bytes, limit ${MAX_BODY_BYTES}`,
    );
  }
  const header = HEADER_BYTES[frame.kind];
  const bytes = new Uint8Array(header + body.length);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, TYPE[frame.kind] | (gzip ? GZIP_BIT : 0));
  view.setUint8(1, within(frame.command, 0xff, 'command'));
  if (frame.kind !== 'push') view.setUint32(2, within(frame.requestId, 0xff_ff_ff_ff, 'request id'));
  if (frame.kind === 'request') view.setUint16(6, within(frame.timeoutMs, MAX_TIMEOUT_MS, 'timeout'));
  if (frame.kind === 'response') view.setUint8(6, within(frame.status, 0xff, 'status'));
  view.setUint8(header - 3, body.length >>> 16);
  view.setUint16(header - 2, body.length & 0xff_ff);
  bytes.set(body, header);
  return bytes;
}

function kindOf(type: number): Frame['kind'] | undefined {
  if (type === TYPE.request) return 'request';
  if (type === TYPE.response) return 'response';
  return type === TYPE.push ? 'push' : undefined;
}

function readUint24(bytes: Uint8Array, offset: number): number {
  return ((bytes[offset] ?? 0) << 16) | ((bytes[offset + 1] ?? 0) << 8) | (bytes[offset + 2] ?? 0);
}

/** Unpacks a body. It stops at the limit, so a decompression bomb costs no more than a valid frame. */
function unpack(packed: Uint8Array, limits: FrameLimits): Uint8Array | BrokenFrame {
  const limit = Math.min(limits.maxUnpackedBytes, packed.length * limits.maxRatio);
  try {
    return gunzipSync(packed, { maxOutputLength: Math.max(1, limit), finishFlush: constants.Z_FINISH });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ERR_BUFFER_TOO_LARGE') {
      return broken('unpacks-too-large', `${packed.length} bytes decompress to more than ${limit}`);
    }
    return broken('bad-gzip', `${packed.length} bytes are not gzip: ${String(code)}`);
  }
}

function broken(code: BrokenFrameCode, reason: string): BrokenFrame {
  return { kind: 'broken', code, reason };
}

function within(value: number, max: number, what: string): number {
  if (Number.isInteger(value) && value >= 0 && value <= max) return value;
  throw new WireError('not-writable', `Cannot write ${what} "${value}" into a frame, want 0 to ${max}`);
}
