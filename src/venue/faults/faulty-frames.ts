import { gzipSync } from 'node:zlib';
import type { FrameFault } from './fault-specs.ts';

export interface CorruptedFrame {
  readonly bytes: Uint8Array;
  readonly isText: boolean;
}

const VERIFY_BIT = 0x10;
const GZIP_BIT = 0x20;
const RESERVED_BITS = 0xc0;
const RESPONSE = 2;
const PUSH = 3;
const HEADER_BYTES: Readonly<Record<number, number>> = { [RESPONSE]: 10, [PUSH]: 5 };
/** Nonce and signature after the body. @see docs/wire-protocol.md, "The sockets" */
const TRAILER_BYTES = 24;
const BIG_BYTES = 0xff_ff_ff;
const BOMB_BYTES = 64 * 1_048_576;

/** Returns a corrupted copy of a valid frame, which must be uncompressed and without a trailer. */
export function corruptedFrame(
  form: Extract<FrameFault, { knob: 'venue.frame' }>['form'],
  frame: Uint8Array,
): CorruptedFrame {
  return { bytes: corruptedBytes(form, frame), isText: form === 'text' };
}

function corruptedBytes(
  form: Extract<FrameFault, { knob: 'venue.frame' }>['form'],
  frame: Uint8Array,
): Uint8Array {
  switch (form) {
    case 'reserved-bits':
      return withBits(frame, RESERVED_BITS);
    case 'trailer': {
      const longer = new Uint8Array(frame.length + TRAILER_BYTES).fill(0xa5);
      longer.set(frame);
      return withBits(longer, VERIFY_BIT);
    }
    case 'short-length':
      return withLength(frame, -1);
    case 'long-length':
      return withLength(frame, 1);
    case 'big':
      return withBody(frame, new Uint8Array(BIG_BYTES));
    case 'bomb':
      return withBits(withBody(frame, gzipSync(new Uint8Array(BOMB_BYTES))), GZIP_BIT);
    case 'bad-gzip':
      return withBits(frame, GZIP_BIT);
    case 'noise':
      return frame.map((byte, index) => byte ^ ((index * 167 + 91) & 0xff));
    case 'empty':
      return new Uint8Array();
    case 'text':
      return new TextEncoder().encode('{"this":"is no frame"}');
  }
}

/** Returns the response with the id of a request that was never sent. */
export function withUnknownRequestId(response: Uint8Array): Uint8Array {
  const copy = response.slice();
  const view = new DataView(copy.buffer);
  view.setUint32(2, (view.getUint32(2) + 1_000_003) >>> 0);
  return copy;
}

function withBits(frame: Uint8Array, bits: number): Uint8Array {
  const copy = frame.slice();
  copy[0] = (copy[0] ?? 0) | bits;
  return copy;
}

function withLength(frame: Uint8Array, change: number): Uint8Array {
  const header = HEADER_BYTES[(frame[0] ?? 0) & 0x0f] ?? 5;
  return writeLength(frame.slice(), header, frame.length - header + change);
}

function withBody(frame: Uint8Array, body: Uint8Array): Uint8Array {
  const header = HEADER_BYTES[(frame[0] ?? 0) & 0x0f] ?? 5;
  const bytes = new Uint8Array(header + body.length);
  bytes.set(frame.subarray(0, header));
  bytes.set(body, header);
  return writeLength(bytes, header, body.length);
}

function writeLength(frame: Uint8Array, header: number, length: number): Uint8Array {
  const announced = Math.max(0, length);
  frame[header - 3] = (announced >>> 16) & 0xff;
  frame[header - 2] = (announced >>> 8) & 0xff;
  frame[header - 1] = announced & 0xff;
  return frame;
}
