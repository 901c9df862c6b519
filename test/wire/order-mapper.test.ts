import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Decimal } from '../../src/model/decimal.ts';
import { calendarDay, millis } from '../../src/model/time.ts';
import { parseLosslessJson } from '../../src/wire/lossless-json.ts';
import {
  type OrderFacts,
  type ParsedRows,
  readOrderDetail,
  readOrderList,
  writeOrder,
  writeOrderDetail,
  writeOrderList,
} from '../../src/wire/mapper/order.ts';
import { WireError } from '../../src/wire/wire-error.ts';
import { someDetail } from './arbitraries.ts';

const facts: OrderFacts = {
  stockName: 'TENCENT',
  lastDone: undefined,
  triggerStatus: 'NOT_USED',
  lastValidDay: calendarDay('2026-11-23'),
};

/** What a client reads: the value encoded as JSON text and parsed. */
const sent = (json: unknown) => parseLosslessJson(JSON.stringify(json));

/** An order of the reference's own example, with figures in the forms that a real service mixes. */
const live = {
  order_id: '900100200300400500',
  status: 'PartialFilledStatus',
  stock_name: 'TENCENT',
  quantity: '200',
  executed_quantity: '100',
  price: '412.400',
  executed_price: '412.200',
  submitted_at: '1763692800',
  side: 'Buy',
  symbol: '700.HK',
  order_type: 'LO',
  last_done: '412.200',
  trigger_price: '0.0000',
  msg: '',
  tag: 'Normal',
  time_in_force: 'Day',
  expire_date: '2025-11-21',
  updated_at: 1763692812,
  trigger_at: '0',
  trailing_amount: '',
  trailing_percent: null,
  limit_offset: '0.0000',
  trigger_status: 'NOT_USED',
  currency: 'HKD',
  outside_rth: 'UnknownOutsideRth',
  remark: 'sig#18821',
  limit_depth_level: 0,
  trigger_count: 0,
};

describe('order detail', () => {
  it('I-11: is read by the client as the venue has it', () => {
    fc.assert(
      fc.property(someDetail, (detail) => {
        const wire = writeOrderDetail(detail, { ...facts, history: [] });
        expect(readOrderDetail(sent(wire))).toEqual(detail);
      }),
    );
  });

  it('reads an answer of the live service', () => {
    const detail = readOrderDetail({
      ...live,
      charge_detail: { total_amount: '0', currency: 'HKD', items: [] },
    });
    expect(detail).toEqual({
      orderId: '900100200300400500',
      terms: {
        symbol: '700.HK',
        side: 'buy',
        type: 'LO',
        quantity: new Decimal(200),
        timeInForce: 'day',
        price: new Decimal('412.4'),
      },
      status: 'PartialFilledStatus',
      rawStatus: 'PartialFilledStatus',
      executedQuantity: new Decimal(100),
      executedPrice: new Decimal('412.2'),
      currency: 'HKD',
      submittedAt: 1_763_692_800_000,
      updatedAt: 1_763_692_812_000,
      triggerAt: undefined,
      message: '',
      remark: 'sig#18821',
      charges: [],
    });
  });

  it('F-B27: keeps the text of an unknown status', () => {
    expect(readOrderDetail({ ...live, status: 'Teleported' })).toMatchObject({
      status: 'unrecognised',
      rawStatus: 'Teleported',
    });
  });

  it.each([
    ['a negative quantity', { quantity: '-1' }],
    ['a price that is no number', { price: 'NaN' }],
    ['a time that is no time', { submitted_at: 'yesterday' }],
    ['an unknown side', { side: 'Borrow' }],
    ['an unknown order type', { order_type: 'TSMAMT' }],
    ['no order id', { order_id: '' }],
    ['GTD without a day', { time_in_force: 'GTD', expire_date: '' }],
    [
      'charges of an unknown category',
      { charge_detail: { items: [{ code: 'TIPS', fees: [{ code: 'x', amount: '1', currency: 'HKD' }] }] } },
    ],
  ])('F-B20: is refused with %s', (_, change) => {
    expect(() => readOrderDetail({ ...live, ...change })).toThrow(WireError);
  });

  it('has every field that the official client requires, none of them empty if it must not be', () => {
    fc.assert(
      fc.property(someDetail, (detail) => {
        const wire = writeOrderDetail(detail, { ...facts, history: [] });
        for (const key of Object.keys(live)) expect(wire).toHaveProperty(key);
        expect(wire.executed_price).not.toBe('');
        expect(wire.executed_quantity).not.toBe('');
        expect(Number.isInteger(wire.limit_depth_level) && Number.isInteger(wire.trigger_count)).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  it('tags a long-term order as in the newest documents', () => {
    const gtc = {
      ...readOrderDetail(live),
      terms: { ...readOrderDetail(live).terms, timeInForce: 'gtc' as const },
    };
    expect(writeOrder(gtc, facts).tag).toBe('Gtc');
    expect(writeOrder(readOrderDetail(live), facts).tag).toBe('Normal');
  });

  it('includes its history and its charges', () => {
    const detail = {
      ...readOrderDetail(live),
      charges: [
        {
          code: 'STAMP_DUTY',
          name: 'Stamp Duty',
          category: 'third-party' as const,
          amount: new Decimal('42.10'),
          currency: 'HKD',
        },
        {
          code: 'PLATFORM_FEE',
          name: 'Platform Fee',
          category: 'broker' as const,
          amount: new Decimal(15),
          currency: 'HKD',
        },
      ],
    };
    const row = {
      price: new Decimal('412.2'),
      quantity: new Decimal(100),
      status: 'PartialFilledStatus' as const,
      message: 'Execution of 100',
      time: millis(1_763_692_812_000),
    };
    const wire = writeOrderDetail(detail, { ...facts, history: [row] });
    expect(wire.history).toEqual([
      {
        price: '412.2',
        quantity: '100',
        status: 'PartialFilledStatus',
        msg: 'Execution of 100',
        time: '1763692812',
      },
    ]);
    expect(wire.charge_detail).toMatchObject({
      total_amount: '57.1',
      currency: 'HKD',
      items: [
        { code: 'BROKER_FEES' },
        { code: 'THIRD_FEES', fees: [{ code: 'STAMP_DUTY', amount: '42.1' }] },
      ],
    });
  });
});

describe('order listing', () => {
  it('is read by the client as the venue has it, without charges', () => {
    fc.assert(
      fc.property(fc.array(someDetail, { maxLength: 5 }), fc.boolean(), (details, hasMore) => {
        const wire = writeOrderList(
          details.map((each) => writeOrder(each, facts)),
          hasMore,
        );
        const read = readOrderList(sent(wire));
        expect(read.rows).toEqual(details.map((detail) => ({ ...detail, charges: undefined })));
        expect(read).toMatchObject({ hasMore, problems: [] });
      }),
      { numRuns: 40 },
    );
  });

  it('skips rows that are unchanged, and reads every row that changed', () => {
    const rows = [live, { ...live, order_id: '2' }];
    const seen: ParsedRows = new Map();
    const first = readOrderList({ orders: rows }, { seen });
    const again: ParsedRows = new Map();
    const [kept, changed] = readOrderList(
      { orders: [live, { ...live, order_id: '2', status: 'CanceledStatus' }] },
      { before: seen, seen: again },
    ).rows;
    expect(kept).toBe(first.rows[0]);
    expect(changed).toMatchObject({ orderId: '2', status: 'CanceledStatus' });
    expect(again.size).toBe(2);
  });

  it.each([
    ['absent', undefined, undefined],
    ['null', null, undefined],
    ['empty', '', undefined],
    ['a word', 'many', undefined],
    ['0', '0', '0'],
    ['a figure', 40, '40'],
  ])('T-53: reads the executed quantity of a row of unknown type if it is %s', (_, stated, read) => {
    const row = sent({ ...live, order_type: 'TSMPCT', status: 'CanceledStatus', executed_quantity: stated });
    const { unread } = readOrderList({ orders: [row] });
    expect(unread.map(({ executedQuantity }) => executedQuantity?.toString())).toEqual([read]);
  });

  it('F-B20: reports a bad row and keeps the others', () => {
    const read = readOrderList({ orders: [live, { ...live, price: 'garbage' }, null] });
    expect(read.rows).toHaveLength(1);
    expect(read.problems.map((problem) => problem.code)).toEqual(['bad-value', 'bad-answer']);
    expect(read.hasMore).toBe(false);
  });

  it('F-B07: keeps an order id that was sent as a number digit for digit', () => {
    const text = JSON.stringify({ orders: [live] }).replace('"900100200300400500"', '900100200300400501');
    expect(readOrderList(parseLosslessJson(text)).rows[0]?.orderId).toBe('900100200300400501');
  });
});
