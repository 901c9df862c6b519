import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  CONTROL_COMMANDS,
  type Command,
  commandByCode,
  quoteCommands,
  TRADE_COMMANDS,
} from '../../src/wire/commands.ts';
import {
  MarketTradePeriodResponseSchema,
  PushQuoteSchema,
  SubscriptionResponseSchema,
} from '../../src/wire/gen/quote_pb.ts';
import { decodeMessage, decodePushedQuote, encodeMessage, MAX_FIELDS } from '../../src/wire/message.ts';
import { PROFILES } from '../../src/wire/profiles.ts';
import { WireError } from '../../src/wire/wire-error.ts';

const commands: readonly Command[] = [
  ...Object.values(CONTROL_COMMANDS),
  ...Object.values(TRADE_COMMANDS),
  ...Object.values(quoteCommands(PROFILES.documented)),
];
const schemas = commands.flatMap((command) =>
  command.kind === 'push'
    ? [command.push]
    : [command.response, ...(command.request === undefined ? [] : [command.request])],
);

type QuoteFields = Parameters<typeof encodeMessage<typeof PushQuoteSchema>>[1];

function unlessBroken<T>(decode: () => T): T | undefined {
  try {
    return decode();
  } catch (error) {
    expect(error).toBeInstanceOf(WireError);
    return undefined;
  }
}

describe('commands', () => {
  it('swap 24 and 25 between the profiles and nothing else', () => {
    const documented = quoteCommands(PROFILES.documented);
    const live = quoteCommands(PROFILES.longbridge);
    expect(commandByCode(documented, 24)?.name).toBe('capitalDistribution');
    expect(commandByCode(documented, 25)?.name).toBe('capitalFlow');
    expect(commandByCode(live, 24)?.name).toBe('capitalFlow');
    expect(commandByCode(live, 25)?.name).toBe('capitalDistribution');
    const others = (table: object) => Object.entries(table).filter(([name]) => !name.startsWith('capital'));
    expect(others(documented)).toEqual(others(live));
  });

  it('have one number each, 4 to 27 and 101 to 104 on the quote socket', () => {
    const codes = Object.values(quoteCommands(PROFILES.longbridge)).map((command) => command.code);
    const asked = Array.from({ length: 24 }, (_, index) => index + 4);
    expect(codes.toSorted((a, b) => a - b)).toEqual([...asked, 101, 102, 103, 104]);
    expect(commandByCode(TRADE_COMMANDS, 99)).toBeUndefined();
  });
});

describe('messages', () => {
  it('a pushed quote is read like every other message, for any bytes', () => {
    const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    const int32 = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
    const text = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 40 }), fc.constantFrom('', '412.400'));
    const texts = fc.record({
      symbol: text,
      lastDone: text,
      open: text,
      high: text,
      low: text,
      turnover: text,
    });
    const numbers = fc.record({ sequence: int64, timestamp: int64, volume: int64, currentVolume: int64 });
    const marks = fc.record({ tradeStatus: int32, tradeSession: int32, tag: int32 });
    const written = fc
      .tuple(texts, numbers, marks)
      .map(([a, b, c]) => encodeMessage(PushQuoteSchema, { ...a, ...b, ...c } as QuoteFields));
    const change = fc.record({ at: fc.nat(), byte: fc.integer({ min: 0, max: 255 }), rest: fc.uint8Array() });
    const bodies = fc.oneof(
      written,
      fc.uint8Array({ maxLength: 64 }),
      fc.tuple(written, change).map(([body, { at, byte, rest }]) => {
        const broken = Uint8Array.from([...body, ...rest]);
        broken[at % Math.max(1, broken.length)] = byte;
        return broken;
      }),
      fc.tuple(written, fc.nat()).map(([body, at]) => body.subarray(0, at % (body.length + 1))),
    );
    fc.assert(
      fc.property(bodies, (body) => {
        const quote = unlessBroken(() => decodePushedQuote(body));
        const whole = unlessBroken(() => decodeMessage(PushQuoteSchema, body));
        // The money traded is skipped, so a text in it that is not UTF-8 is not noticed.
        if (whole === undefined) return;
        const { $typeName, turnover, currentTurnover, ...rest } = whole;
        expect(quote).toEqual(rest);
      }),
      { numRuns: 2_000 },
    );
  });

  it('S-02: any bytes read as a message or as a WireError, under every schema', () => {
    fc.assert(
      fc.property(fc.constantFrom(...schemas), fc.uint8Array({ maxLength: 64 }), (schema, bytes) => {
        try {
          expect(decodeMessage(schema, bytes).$typeName).toBe(schema.typeName);
        } catch (error) {
          expect(error).toBeInstanceOf(WireError);
          expect(error).toMatchObject({ code: 'bad-message' });
        }
      }),
      { numRuns: 5_000 },
    );
  });

  it('an empty body is a message of unset fields', () => {
    for (const schema of schemas)
      expect(decodeMessage(schema, new Uint8Array()).$typeName).toBe(schema.typeName);
  });

  it('a quote push is read as it was written, with complete 64-bit numbers', () => {
    const aPush = fc.record({
      symbol: fc.string(),
      sequence: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      lastDone: fc.string(),
      volume: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
      tradeStatus: fc.integer({ min: 0, max: 10 }),
    });
    fc.assert(
      fc.property(aPush, (fields) => {
        const body = encodeMessage(PushQuoteSchema, fields as QuoteFields);
        expect(decodeMessage(PushQuoteSchema, body)).toMatchObject(fields);
      }),
    );
  });

  it('skip unknown fields', () => {
    const body = Uint8Array.of(0x0a, 0x01, 0x41, 0xfa, 0x01, 0x02, 0x08, 0x01);
    expect(decodeMessage(PushQuoteSchema, body)).toMatchObject({ symbol: 'A' });
    expect(encodeMessage(PushQuoteSchema, decodeMessage(PushQuoteSchema, body))).toHaveLength(3);
  });

  it('I-23: have at most 10,000 fields, at the top and below', () => {
    const entries = (count: number) =>
      new Uint8Array(Array.from({ length: count }, () => [0x0a, 0x00]).flat());
    expect(decodeMessage(SubscriptionResponseSchema, entries(MAX_FIELDS)).subList).toHaveLength(MAX_FIELDS);
    expect(() => decodeMessage(SubscriptionResponseSchema, entries(MAX_FIELDS + 1))).toThrow(WireError);
    const nested = (count: number) => {
      const inner = entries(count).map((byte) => (byte === 0x0a ? 0x12 : byte));
      return Uint8Array.from([
        0x0a,
        (inner.length & 0x7f) | 0x80,
        ((inner.length >> 7) & 0x7f) | 0x80,
        inner.length >> 14,
        ...inner,
      ]);
    };
    expect(() => decodeMessage(MarketTradePeriodResponseSchema, nested(MAX_FIELDS))).not.toThrow();
    expect(() => decodeMessage(MarketTradePeriodResponseSchema, nested(MAX_FIELDS + 1))).toThrow(WireError);
  });

  it('S-02: refuse groups nested without end', () => {
    const groups = new Uint8Array(9_000).fill(0xf3);
    for (let index = 1; index < groups.length; index += 2) groups[index] = 0x01;
    expect(() => decodeMessage(PushQuoteSchema, groups)).toThrow(WireError);
  });
});
