import { describe, expect, it } from 'vitest';
import { VENUE_STATUSES } from '#src/model/order.ts';
import { isLive, moveOrder, type OrderMove } from '#src/model/order-state.ts';
import {
  acked,
  armed,
  DRAFTED,
  executed,
  sending,
  status,
  unknown,
  whenMoved,
  working,
} from './some-moves.ts';

describe('the submit of an order', () => {
  it('ends with a denial before anything is sent (T-01)', () => {
    const order = whenMoved({ kind: 'denied', rule: 'no-short' });
    expect(order.submission).toEqual({ kind: 'denied', rule: 'no-short' });
    expect(isLive(order)).toBe(false);
  });

  it('counts as open from the moment it is armed (T-02)', () => {
    expect(isLive(DRAFTED)).toBe(false);
    expect(isLive(whenMoved(armed))).toBe(true);
  });

  it('may be denied although it was armed, and releases its reservation (T-03)', () => {
    expect(isLive(whenMoved(armed, { kind: 'denied', rule: 'stale' }))).toBe(false);
  });

  it('stays open while bytes are being sent and once it has an id (T-04, T-05)', () => {
    expect(whenMoved(armed, sending).submission).toEqual({ kind: 'sending', attempt: 1 });
    expect(isLive(whenMoved(armed, sending))).toBe(true);
    expect(whenMoved(armed, sending, acked).submission).toEqual({ kind: 'acked', orderId: '700' });
    expect(isLive(whenMoved(armed, sending, acked))).toBe(true);
  });

  it('is over when the venue certainly refused (T-07)', () => {
    expect(isLive(whenMoved(armed, sending, { kind: 'refused', code: 603001 }))).toBe(false);
  });

  it('is over when no byte left, and may be armed and sent again (T-08)', () => {
    expect(isLive(whenMoved(armed, sending, { kind: 'not-sent' }))).toBe(false);
    expect(whenMoved(armed, sending, armed, { kind: 'sending', attempt: 2 }).submission).toEqual({
      kind: 'sending',
      attempt: 2,
    });
  });

  it('reserves its cash while its state is unknown, and after it was considered lost (T-09, T-13)', () => {
    expect(isLive(whenMoved(armed, sending, unknown))).toBe(true);
    expect(isLive(whenMoved(armed, sending, unknown, { kind: 'abandoned' }))).toBe(true);
  });

  it('is bound when it is found, whatever its state was (T-10, T-15, T-17)', () => {
    for (const before of [unknown, { kind: 'refused', code: 1 }] as const) {
      expect(whenMoved(armed, sending, before, acked).submission.kind).toBe('acked');
    }
    expect(whenMoved(armed, sending, unknown, { kind: 'abandoned' }, acked).submission.kind).toBe('acked');
  });

  it('keeps its order id after a late report', () => {
    const order = whenMoved(...working);
    for (const late of [unknown, sending, armed, { kind: 'not-sent' }, { kind: 'abandoned' }] as const) {
      expect(moveOrder(order, late)).toBe(order);
    }
  });

  it('does not change when a report repeats', () => {
    const order = whenMoved(...working);
    expect(moveOrder(order, acked)).toBe(order);
  });
});

describe("the venue's status", () => {
  it('advances, and a repeated status changes nothing (T-18, T-19)', () => {
    const order = whenMoved(...working);
    expect(order.venue).toBe('NewStatus');
    expect(moveOrder(order, status('NewStatus'))).toBe(order);
    expect(moveOrder(order, status('PartialFilledStatus')).venue).toBe('PartialFilledStatus');
  });

  it('keeps an order with an unknown status open (T-53)', () => {
    expect(isLive(whenMoved(...working, status('unrecognised')))).toBe(true);
  });

  it('ends the order at exactly five statuses', () => {
    const ending = VENUE_STATUSES.filter(
      (said) =>
        !isLive(whenMoved(armed, sending, acked, executed('e1', '100'), status(said, { done: '100' }))),
    );
    expect(ending).toEqual([
      'FilledStatus',
      'RejectedStatus',
      'CanceledStatus',
      'ExpiredStatus',
      'PartialWithdrawal',
    ]);
  });
});

describe('executions', () => {
  it('increase the executed quantity, each id once (T-22, T-23, I-7)', () => {
    const once = whenMoved(...working, executed('e1', '40'));
    expect(moveOrder(once, executed('e1', '40'))).toBe(once);
    const twice = moveOrder(once, executed('e2', '60'));
    expect(twice.executed.toString()).toBe('100');
    expect([...twice.executions.keys()]).toEqual(['e1', 'e2']);
  });

  it('are still booked after the end (T-29, I-8)', () => {
    const order = whenMoved(...working, status('CanceledStatus'), executed('e1', '40'));
    expect(order.executed.toString()).toBe('40');
    expect(isLive(order)).toBe(false);
  });
});

describe('a cancel', () => {
  const asked: OrderMove = { kind: 'cancel-sending' };
  const answered = (answer: 'accepted' | 'refused' | 'unknown'): OrderMove => ({
    kind: 'cancel-answered',
    answer,
  });

  it('is pending once requested, and an accepted one has cancelled nothing yet (T-32, T-34)', () => {
    expect(whenMoved(...working, asked).pending).toBe('cancel-sending');
    const order = whenMoved(...working, asked, answered('accepted'));
    expect(order.pending).toBe('cancel-acked');
    expect(isLive(order)).toBe(true);
  });

  it('is in doubt without an answer (T-35)', () => {
    expect(whenMoved(...working, asked, answered('unknown')).pending).toBe('cancel-unknown');
  });

  it('is over when refused, which proves nothing about the order (T-36)', () => {
    const order = whenMoved(...working, asked, answered('refused'));
    expect(order.pending).toBe('none');
    expect(isLive(order)).toBe(true);
  });

  it('is dropped when the order fills first (T-37)', () => {
    const order = whenMoved(
      ...working,
      asked,
      executed('e1', '100'),
      status('FilledStatus', { done: '100' }),
    );
    expect(order.pending).toBe('none');
    expect(moveOrder(order, answered('accepted'))).toBe(order);
  });

  it('keeps the filled part (T-38)', () => {
    const order = whenMoved(
      ...working,
      asked,
      executed('e1', '40'),
      status('PartialWithdrawal', { done: '40' }),
    );
    expect([order.pending, order.executed.toString(), isLive(order)]).toEqual(['none', '40', false]);
  });

  it('cannot be requested for an order that is over', () => {
    const order = whenMoved(...working, status('CanceledStatus'));
    expect(moveOrder(order, asked)).toBe(order);
  });
});
