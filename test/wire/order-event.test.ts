import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NotificationSchema } from '../../src/wire/gen/trade_pb.ts';
import {
  notificationOf,
  type OrderEventFacts,
  readNotification,
  readOrderEvent,
  writeOrderEvent,
} from '../../src/wire/mapper/order-event.ts';
import { decodeMessage, encodeMessage } from '../../src/wire/message.ts';
import { defined } from '../../src/wire/schemas/parameter-fields.ts';
import { WireError } from '../../src/wire/wire-error.ts';
import { aPositive, aQuantity, someDetail } from './arbitraries.ts';

const eventFacts: OrderEventFacts = {
  stockName: '騰訊',
  triggerStatus: 'NOT_USED',
  accountNo: 'A1',
  lastFill: undefined,
};

describe('order event', () => {
  /** An order as 25 fields can describe it. */
  const asPushed = someDetail.map((detail) => {
    const { expireDate: _day, outsideRth: _session, limitDepthLevel: _level, ...rest } = detail.terms;
    const { monitorPrice: _monitor, triggerCount: _count, ...terms } = rest;
    const timeInForce = terms.timeInForce === 'day' ? ('day' as const) : ('gtc' as const);
    return { ...detail, terms: defined({ ...terms, timeInForce }), charges: undefined };
  });
  const aFill = fc.option(fc.record({ quantity: aQuantity, price: aPositive() }), { nil: undefined });

  it('is read by the client as the venue wrote it, under both profiles', () => {
    fc.assert(
      fc.property(asPushed, aFill, (detail, lastFill) => {
        const text = writeOrderEvent(detail, { ...eventFacts, lastFill });
        const body = encodeMessage(NotificationSchema, notificationOf(text));
        expect(readNotification(decodeMessage(NotificationSchema, body))).toEqual({
          kind: 'order-changed',
          detail,
          accountNo: 'A1',
          lastFill,
        });
      }),
    );
  });

  it('has 25 fields, all texts, with no empty price', () => {
    fc.assert(
      fc.property(someDetail, (detail) => {
        const { data } = JSON.parse(writeOrderEvent(detail, eventFacts));
        expect(Object.keys(data)).toHaveLength(25);
        expect(Object.values(data).every((each) => typeof each === 'string')).toBe(true);
        expect(data.submitted_price).not.toBe('');
        expect(data.executed_price).not.toBe('');
      }),
      { numRuns: 30 },
    );
  });

  it('of another kind or topic is distinguished', () => {
    expect(readOrderEvent('{"event":"gridtrading_order","data":{}}')).toEqual({
      kind: 'other',
      event: 'gridtrading_order',
    });
    const elsewhere = decodeMessage(
      NotificationSchema,
      encodeMessage(NotificationSchema, { topic: 'public' }),
    );
    expect(readNotification(elsewhere)).toEqual({ kind: 'other', event: 'topic public' });
  });

  it.each([
    '',
    '[]',
    '{}',
    '{"event":"order_changed_lb"}',
    '{"event":"order_changed_lb","data":{"side":"Buy"}}',
  ])('throws a WireError on %j', (text) => {
    expect(() => readOrderEvent(text)).toThrow(WireError);
  });

  it('throws a WireError on bytes that are no UTF-8', () => {
    const body = encodeMessage(NotificationSchema, { topic: 'private', data: Uint8Array.of(0xff, 0xfe) });
    expect(() => readNotification(decodeMessage(NotificationSchema, body))).toThrow(WireError);
  });
});
