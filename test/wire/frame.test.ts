import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  DEFAULT_FRAME_LIMITS,
  decodeFrame,
  encodeFrame,
  type Frame,
  MAX_BODY_BYTES,
} from '../../src/wire/frame.ts';
import { AuthRequestSchema, AuthResponseSchema, ErrorBodySchema } from '../../src/wire/gen/control_pb.ts';
import { PushDepthSchema, SubscribeRequestSchema, SubType } from '../../src/wire/gen/quote_pb.ts';
import { decodeMessage, encodeMessage } from '../../src/wire/message.ts';
import { WireError } from '../../src/wire/wire-error.ts';

const hex = (text: string) => Uint8Array.from(Buffer.from(text.replaceAll(/\s/g, ''), 'hex'));

const auth = hex(
  `01 02 00000001 1388 00001e 0a05 6f74702d31 1215 0a0f 6163636570742d6c616e6775616765 1202 656e`,
);
const authAnswer = hex(`02 02 00000001 00 000019 0a0c 71756f74652d736573732d31 10 b1b78de19f34 18 0a 20 01`);
const refusal = hex(`02 0e 00000009 07 000016 08 a0b412 12 10 73796d626f6c206e6f7420666f756e64`);
const subscribe = hex(`01 06 00000008 7530 00000e 0a06 3730302e484b 12 02 0102 18 01`);
const depth = hex(`03 66 00002f 0a06 3730302e484b 10 e807 1a10 0801 1207 3332302e363030 18 f403 20 02
  2210 0801 1207 3332302e343030 18 ac02 20 01`);
const packedDepth = hex(`33 66 00003c
  1f8b0800000000000203e362333730d0f3f01678c12e25c0c128c46e6c64a067666020f185598149092e62626020b18649811100281825442f000000
  00 01020304050607 a0a1a2a3a4a5a6a7a8a9aaabacadaeaf`);

function good(bytes: Uint8Array): Frame {
  const frame = decodeFrame(bytes);
  if (frame.kind === 'broken') throw new Error(frame.reason);
  return frame;
}

describe('frames recorded from the official client', () => {
  it('1: requests a login', () => {
    const frame = good(auth);
    expect(frame).toMatchObject({ kind: 'request', command: 2, requestId: 1, timeoutMs: 5000 });
    expect(decodeMessage(AuthRequestSchema, frame.body)).toMatchObject({
      token: 'otp-1',
      metadata: { 'accept-language': 'en' },
    });
  });

  it('2: is logged in', () => {
    const frame = good(authAnswer);
    expect(frame).toMatchObject({ kind: 'response', command: 2, requestId: 1, status: 0 });
    expect(decodeMessage(AuthResponseSchema, frame.body)).toMatchObject({
      sessionId: 'quote-sess-1',
      expires: 1795231538097n,
      limit: 10,
      online: 1,
    });
  });

  it('3: is refused', () => {
    const frame = good(refusal);
    expect(frame).toMatchObject({ kind: 'response', command: 14, requestId: 9, status: 7 });
    expect(decodeMessage(ErrorBodySchema, frame.body)).toMatchObject({
      code: 301600n,
      msg: 'symbol not found',
    });
  });

  it('4: subscribes', () => {
    const frame = good(subscribe);
    expect(frame).toMatchObject({ kind: 'request', command: 6, requestId: 8, timeoutMs: 30_000 });
    expect(decodeMessage(SubscribeRequestSchema, frame.body)).toMatchObject({
      symbol: ['700.HK'],
      subType: [SubType.QUOTE, SubType.DEPTH],
      isFirstPush: true,
    });
  });

  it('5: reads depth', () => {
    const frame = good(depth);
    expect(frame).toMatchObject({ kind: 'push', command: 102 });
    expect(decodeMessage(PushDepthSchema, frame.body)).toMatchObject({
      symbol: '700.HK',
      sequence: 1000n,
      ask: [{ position: 1, price: '320.600', volume: 500n, orderNum: 2n }],
      bid: [{ position: 1, price: '320.400', volume: 300n, orderNum: 1n }],
    });
  });

  it('6: receives the same packed and signed', () => {
    const [packed, plain] = [good(packedDepth), good(depth)];
    expect({ ...packed, body: [...packed.body] }).toEqual({ ...plain, body: [...plain.body] });
  });

  it.each([
    ['1', auth],
    ['2', authAnswer],
    ['3', refusal],
    ['4', subscribe],
    ['5', depth],
  ])('%s is written byte for byte', (_, bytes) => {
    expect(encodeFrame(good(bytes))).toEqual(bytes);
  });

  it('4 has a body that our messages write byte for byte', () => {
    const body = encodeMessage(SubscribeRequestSchema, {
      symbol: ['700.HK'],
      subType: [SubType.QUOTE, SubType.DEPTH],
      isFirstPush: true,
    });
    expect(body).toEqual(new Uint8Array(good(subscribe).body));
  });
});

const aByte = fc.integer({ min: 0, max: 255 });
const aBody = fc.uint8Array({ maxLength: 300 });
const aRequestId = fc.integer({ min: 0, max: 0xff_ff_ff_ff });
const aFrame: fc.Arbitrary<Frame> = fc.oneof(
  fc.record({
    kind: fc.constant('request' as const),
    command: aByte,
    requestId: aRequestId,
    timeoutMs: fc.integer({ min: 0, max: 60_000 }),
    body: aBody,
  }),
  fc.record({
    kind: fc.constant('response' as const),
    command: aByte,
    requestId: aRequestId,
    status: aByte,
    body: aBody,
  }),
  fc.record({ kind: fc.constant('push' as const), command: aByte, body: aBody }),
);

describe('any frame', () => {
  it('is read as it was written, packed or not', () => {
    fc.assert(
      fc.property(aFrame, fc.option(fc.nat(200), { nil: undefined }), (frame, gzipFrom) => {
        const bytes = encodeFrame(frame, gzipFrom === undefined ? {} : { gzipFrom });
        const read = good(bytes);
        expect({ ...read, body: [...read.body] }).toEqual({ ...frame, body: [...frame.body] });
      }),
    );
  });

  it('is read from a view into a larger buffer', () => {
    const buffer = Buffer.concat([Buffer.alloc(7, 1), depth, Buffer.alloc(5, 2)]);
    expect(good(buffer.subarray(7, 7 + depth.length))).toMatchObject({ kind: 'push', command: 102 });
  });

  it('never packs an empty body', () => {
    const bytes = encodeFrame({ kind: 'push', command: 1, body: new Uint8Array() }, { gzipFrom: 0 });
    expect([...bytes]).toEqual([3, 1, 0, 0, 0]);
  });

  it('S-02: never crashes on any bytes', () => {
    const kinds = new Set(['request', 'response', 'push', 'broken']);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
        expect(kinds).toContain(decodeFrame(bytes).kind);
      }),
      { numRuns: 5_000 },
    );
  });

  it('S-02: never crashes on a real frame with one byte changed or cut off', () => {
    const real = fc.constantFrom(auth, authAnswer, depth, packedDepth);
    fc.assert(
      fc.property(real, fc.nat(200), aByte, fc.nat(100), (bytes, place, byte, cut) => {
        const copy = bytes.slice(0, bytes.length - (cut % bytes.length));
        copy[place % copy.length] = byte;
        expect(decodeFrame(copy)).toHaveProperty('kind');
      }),
      { numRuns: 3_000 },
    );
  });

  it.each([
    ['no bytes', '', 'too-short'],
    ['half a header', '01 02 0000', 'too-short'],
    ['type 4', '04 02 000000', 'unknown-type'],
    ['fewer bytes than announced', '03 66 000002 01', 'length-mismatch'],
    ['more bytes than announced', '03 66 000001 01 02', 'length-mismatch'],
    ['an announced trailer that is missing', '13 66 000001 01', 'length-mismatch'],
    ['a packed body of nothing', '23 66 000000', 'bad-gzip'],
    ['a packed body that is no gzip', '23 66 000003 010203', 'bad-gzip'],
  ])('F-B31: is broken with %s', (_, bytes, code) => {
    expect(decodeFrame(hex(bytes))).toMatchObject({ kind: 'broken', code });
  });
});

describe('limits of a frame', () => {
  const push = (body: Uint8Array) => encodeFrame({ kind: 'push', command: 101, body });
  const packed = (size: number) => {
    const body = gzipSync(Buffer.alloc(size));
    const bytes = push(body);
    bytes[0] = 0x23;
    return bytes;
  };

  it('I-23: reads a frame of exactly the largest size and none above', () => {
    const { maxFrameBytes } = DEFAULT_FRAME_LIMITS;
    expect(decodeFrame(push(new Uint8Array(maxFrameBytes - 5))).kind).toBe('push');
    expect(decodeFrame(push(new Uint8Array(maxFrameBytes - 4)))).toMatchObject({ code: 'frame-too-large' });
  });

  it('S-02: stops unpacking at the ratio and at four megabytes', () => {
    expect(decodeFrame(packed(1_000)).kind).toBe('push');
    expect(decodeFrame(packed(100_000))).toMatchObject({ code: 'unpacks-too-large' });
    const wide = { ...DEFAULT_FRAME_LIMITS, maxRatio: 10_000 };
    expect(decodeFrame(packed(4_194_304), wide)).toMatchObject({ kind: 'push', body: { length: 4_194_304 } });
    expect(decodeFrame(packed(4_194_305), wide)).toMatchObject({ code: 'unpacks-too-large' });
  });

  it('refuses to write what does not fit its field', () => {
    const body = new Uint8Array();
    const request = { kind: 'request', command: 1, requestId: 1, timeoutMs: 1, body } as const;
    expect(() => encodeFrame({ ...request, command: 256 })).toThrow(WireError);
    expect(() => encodeFrame({ ...request, requestId: 2 ** 32 })).toThrow(WireError);
    expect(() => encodeFrame({ ...request, timeoutMs: 60_001 })).toThrow(WireError);
    expect(() => encodeFrame({ ...request, body: new Uint8Array(MAX_BODY_BYTES + 1) })).toThrow(WireError);
  });
});
