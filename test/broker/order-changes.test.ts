import { describe, expect, it } from 'vitest';
import { decimal } from '#src/model/decimal.ts';
import { orderId } from '#src/model/order.ts';
import type { OrderHint } from '#src/ports/broker.ts';
import { NotificationSchema } from '#src/wire/gen/trade_pb.ts';
import { notificationOf, writeOrderEvent } from '#src/wire/mapper/order-event.ts';
import { encodeMessage } from '#src/wire/message.ts';
import { makeTag } from '#src/wire/tag.ts';
import { eventually } from '../fixtures/eventually.ts';
import { DEPLOYMENT, INTENT, TERMS } from './fixtures.ts';
import { AT, onSockets } from './on-sockets.ts';

const on = onSockets();

describe('order changes', () => {
  function event(): Uint8Array {
    const detail = {
      orderId: orderId('709043056541253632'),
      terms: TERMS,
      status: 'NewStatus',
      rawStatus: 'NewStatus',
      executedQuantity: decimal('0'),
      executedPrice: undefined,
      currency: 'HKD',
      submittedAt: AT,
      updatedAt: AT,
      triggerAt: undefined,
      message: '',
      remark: makeTag({ deployment: DEPLOYMENT, intentId: INTENT }),
      charges: undefined,
    } as const;
    const facts = {
      stockName: 'TENCENT',
      triggerStatus: 'NOT_USED',
      accountNo: 'paper',
      lastFill: undefined,
    } as const;
    const text = writeOrderEvent(detail, facts);
    return encodeMessage(NotificationSchema, notificationOf(text));
  }

  function hearHints(): OrderHint[] {
    const hints: OrderHint[] = [];
    on.listen(
      on.bench.client.broker.hints$.subscribe({ next: (hint) => hints.push(hint), error: () => undefined }),
    );
    return hints;
  }

  it('become one hint each, with the intent of their tag', async () => {
    const hints = hearHints();
    await on.bench.client.connect();
    for (let i = 0; i < 3; i += 1) on.venue.line('trade').push(18, event(), i === 1 ? 1 : undefined);
    await eventually(() => hints.length === 3);
    expect(hints[0]).toMatchObject({ orderId: '709043056541253632', intentId: INTENT });
  });

  it('that cannot be read raise an alarm and are left out', async () => {
    const hints = hearHints();
    await on.bench.client.connect();
    const bad = notificationOf('{"event":"order_changed_lb","data":{}}');
    on.venue.line('trade').push(18, encodeMessage(NotificationSchema, bad));
    on.venue.line('trade').push(18, encodeMessage(NotificationSchema, notificationOf('{"event":"other"}')));
    on.venue.line('trade').push(18, event());
    await eventually(() => hints.length === 1);
    expect(on.bench.alarms.map((alarm) => alarm.code)).toEqual(['unreadable-order-event']);
  });

  it('F-N13: are subscribed again after a drop', async () => {
    const hints = hearHints();
    await on.bench.client.connect();
    on.venue.line('trade').socket.terminate();
    await eventually(() => on.bench.alarms.some((alarm) => alarm.code === 'socket-lost'));
    on.bench.clock.advance(250);
    await eventually(() => on.venue.lines.length === 3 && on.venue.line('trade').requests.length === 2);
    expect(on.venue.line('trade').requests.map((frame) => frame.command)).toEqual([3, 16]);
    on.venue.line('trade').push(18, event());
    await eventually(() => hints.length === 1);
  });
});
