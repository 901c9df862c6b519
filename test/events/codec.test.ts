import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeEvent, encodeEvent } from '#src/events/codec.ts';
import { decimal } from '#src/model/decimal.ts';
import { drafted, filled, fillOf, intentOf, termsOf } from '../fixtures/orders.ts';
import { EVENT_KINDS, someEvent, someEventOf } from '../fixtures/some-events.ts';

describe('the codec', () => {
  it.each(EVENT_KINDS)('returns every %s event unchanged (I-12)', (kind) => {
    fc.assert(
      fc.property(someEventOf(kind), (event) => {
        expect(decodeEvent(encodeEvent(event))).toEqual(event);
      }),
    );
  });

  it('writes the same text again after reading it', () => {
    fc.assert(
      fc.property(someEvent, (event) => {
        const text = encodeEvent(event);
        expect(encodeEvent(decodeEvent(text))).toBe(text);
      }),
    );
  });

  it('writes one line, whatever text a venue or a strategy sent', () => {
    fc.assert(
      fc.property(someEvent, (event) => {
        expect(encodeEvent(event)).not.toContain('\n');
      }),
    );
  });

  it('keeps money as text, digit for digit (I-11)', () => {
    const text = encodeEvent(filled(fillOf('e1', 'buy', '123456789012345678.123456789', '0.1')));
    expect(text).toContain('"quantity":"123456789012345678.123456789"');
    expect(text).toContain('"price":"0.1"');
    const read = decodeEvent(text);
    expect(read.kind === 'order-filled' && read.fill.quantity.toFixed()).toBe('123456789012345678.123456789');
  });

  it('reads any quantity that a strategy can order (F-G06)', () => {
    for (const quantity of [decimal('10').pow(50), decimal('10').pow(-50), decimal('1').div(3)]) {
      const event = drafted(intentOf('I', { terms: termsOf({ quantity }) }));
      expect(decodeEvent(encodeEvent(event))).toEqual(event);
    }
  });

  it.each([
    ['{"kind":"order-moved","executedQuantity":"many"}', RangeError],
    ['{"kind":"order-moved","executedQuantity":""}', RangeError],
    ['{"kind":"run-started","cash":{"USD":"1,000"}}', RangeError],
    ['{"kind":"run-started"', SyntaxError],
  ])('throws at %s', (text, error) => {
    expect(() => decodeEvent(text)).toThrow(error);
  });
});
