import { describe, expect, it } from 'vitest';
import { decimal } from '#src/model/decimal.ts';
import { orderId, type ReadStatus } from '#src/model/order.ts';
import type { OrderFacets } from '#src/model/order-facets.ts';
import { isLive, moveOrder, type OrderMove, openRest, stepOrder } from '#src/model/order-state.ts';
import {
  acked,
  armed,
  executed,
  pulled,
  pushed,
  sending,
  status,
  summaryOf,
  unknown,
  whenMoved,
  wishesOf,
  working,
} from './some-moves.ts';

describe('an order that is found', () => {
  const given = { kind: 'abandoned' } as const;
  it('is bound by a late answer, a list or a push, and read (T-10, T-11, T-12)', () => {
    expect(wishesOf(whenMoved(armed, sending, unknown), acked)).toEqual(['pull']);
  });

  it('is cancelled and reported if it had been abandoned (T-13, T-15)', () => {
    expect(wishesOf(whenMoved(armed, sending, unknown), given)).toEqual(['unproven']);
    expect(wishesOf(whenMoved(armed, sending, unknown, given), acked)).toEqual([
      'abandoned-found',
      'pull',
      'cancel',
    ]);
  });

  it('shows that a refusal was wrong (T-17)', () => {
    const refused = whenMoved(armed, sending, { kind: 'refused', code: 7 });
    expect(wishesOf(refused, acked)).toEqual(['refusal-was-false', 'pull']);
    expect(isLive(moveOrder(refused, acked))).toBe(true);
  });

  it('is cancelled when a cancel was requested in the meantime (T-14, T-33)', () => {
    const wanted = whenMoved(armed, sending, unknown, { kind: 'cancel-asked' });
    expect(wanted).toMatchObject({ cancelWanted: true, pending: 'none', submission: unknown });
    expect(wishesOf(wanted, acked)).toEqual(['pull', 'cancel']);
  });

  it('twice under one tag halts the account, once for each (T-16)', () => {
    const twin: OrderMove = { kind: 'doubled', orderId: orderId('701') };
    const order = whenMoved(...working);
    expect(wishesOf(order, twin)).toEqual(['order-doubled, halt account']);
    expect(moveOrder(order, twin).submission).toBe(order.submission);
    expect(wishesOf(moveOrder(order, twin), twin)).toEqual([]);
    expect(wishesOf(order, { kind: 'doubled', orderId: orderId('700') })).toEqual([]);
  });

  it('without ever having been sent halts the account', () => {
    expect(wishesOf(whenMoved(armed), acked)).toEqual(['never-sent-found, halt account']);
  });
});

describe('ranks of statuses', () => {
  const filling = whenMoved(...working, status('PartialFilledStatus'));

  it('permit a push to advance, and nothing else (T-18, T-20)', () => {
    expect(stepOrder(whenMoved(...working), pushed('PartialFilledStatus')).order.venue).toBe(
      'PartialFilledStatus',
    );
    for (const said of ['WaitToNew', 'NewStatus', 'FilledStatus', 'unrecognised'] as const) {
      expect(stepOrder(filling, pushed(said))).toMatchObject({ order: filling, effects: [{ kind: 'pull' }] });
    }
  });

  it('permit no push to another status of the same rank: the order is read (T-20)', () => {
    const leaving = whenMoved(...working, status('WaitToCancel'));
    expect(stepOrder(leaving, pushed('PendingCancelStatus'))).toMatchObject({
      order: leaving,
      effects: [{ kind: 'pull' }],
    });
  });

  it('ignore the same status by push (T-19)', () => {
    expect(stepOrder(filling, pushed('PartialFilledStatus'))).toEqual({ order: filling, effects: [] });
  });

  it('permit a read to go back only if the order works (T-21)', () => {
    expect(moveOrder(filling, pulled('NewStatus')).venue).toBe('NewStatus');
    expect(moveOrder(whenMoved(...working, pulled('WaitToCancel')), pulled('NewStatus')).venue).toBe(
      'NewStatus',
    );
    for (const said of ['NotReported', 'WaitToNew'] as const) {
      expect(moveOrder(filling, pulled(said))).toBe(filling);
      expect(wishesOf(filling, pulled(said))).toEqual(['pull in 2000']);
    }
  });

  it('permit leaving the lowest when a condition is met (T-51)', () => {
    const waiting = whenMoved(armed, sending, acked, pulled('VarietiesNotReported'));
    expect(isLive(waiting)).toBe(true);
    expect(openRest(waiting).toString()).toBe('100');
    expect(moveOrder(waiting, pulled('NewStatus')).venue).toBe('NewStatus');
  });

  it('keep an order with an unknown status open, alert the operator and read it again (T-53)', () => {
    expect(wishesOf(filling, pulled('unrecognised'))).toEqual(['unrecognised-status', 'pull']);
    const strange = moveOrder(filling, pulled('unrecognised'));
    expect([strange.venue, isLive(strange)]).toEqual(['unrecognised', true]);
    expect(moveOrder(strange, pulled('NewStatus')).venue).toBe('NewStatus');
  });
});

describe('contradictory executions', () => {
  it('with other content under a known id halt the account (T-24)', () => {
    const order = whenMoved(...working, executed('e1', '40'));
    expect(stepOrder(order, executed('e1', '41')).order).toBe(order);
    expect(wishesOf(order, executed('e1', '41'))).toEqual(['execution-changed, halt account']);
    const dearer = { ...executed('e1', '40'), price: decimal('10.01') };
    expect(wishesOf(order, dearer)).toEqual(['execution-changed, halt account']);
    expect(wishesOf(order, executed('e1', '40.0'))).toEqual([]);
  });

  it('keep an order open until the venue reports it as filled, and the reverse (T-25, T-26)', () => {
    expect(isLive(whenMoved(...working, executed('e1', '100')))).toBe(true);
    const early = whenMoved(...working, executed('e1', '40'), pulled('FilledStatus', { done: '100' }));
    expect([isLive(early), openRest(early).toString()]).toEqual([true, '60']);
    expect(isLive(moveOrder(early, executed('e2', '60')))).toBe(false);
    expect(wishesOf(early, executed('e2', '60'))).toEqual([]);
  });

  it('with a decreasing sum are ignored, and a divergence when read twice (T-27)', () => {
    const order = whenMoved(...working, executed('e1', '40'));
    const once = stepOrder(order, pulled('FilledStatus', { done: '39', at: 1 }));
    expect([once.order.venue, ...once.effects.map(summaryOf)]).toEqual(['NewStatus', 'pull in 2000']);
    expect(wishesOf(once.order, pulled('NewStatus', { done: '39', at: 2_001 }))).toEqual([
      'shrunk, halt account',
    ]);
    const settled = moveOrder(once.order, pulled('NewStatus', { done: '40', at: 2 }));
    expect(settled.doubt).toBeUndefined();
  });

  it('beyond the quantity are booked and halt the account (T-28)', () => {
    const order = whenMoved(...working, executed('e1', '60'));
    expect(wishesOf(order, executed('e2', '41'))).toEqual(['overfilled, halt account']);
    const over = moveOrder(order, executed('e2', '41'));
    expect([over.executed.toString(), openRest(over).toString()]).toEqual(['101', '0']);
    expect(wishesOf(order, pulled('NewStatus', { done: '101' }))).toEqual(['overfilled, halt account']);
  });

  it('after the end are booked and reported (T-29)', () => {
    expect(wishesOf(whenMoved(...working, pulled('CanceledStatus')), executed('e1', '1'))).toEqual([
      'late-fill',
    ]);
  });
});

describe('a second final status', () => {
  const ended = (said: ReadStatus, done: string): OrderFacets =>
    whenMoved(...working, ...(done === '0' ? [] : [executed('e1', done)]), pulled(said, { done }));

  it('is filled if the executions prove it (T-30)', () => {
    const late = moveOrder(ended('CanceledStatus', '40'), executed('e2', '60'));
    expect(moveOrder(late, pulled('FilledStatus', { done: '100' })).venue).toBe('FilledStatus');
    const filled = ended('FilledStatus', '100');
    expect(stepOrder(filled, pulled('CanceledStatus', { done: '100' }))).toEqual({
      order: filled,
      effects: [],
    });
  });

  it('is a cancel if a part was executed (T-30)', () => {
    for (const end of ['PartialWithdrawal', 'CanceledStatus'] as const) {
      const order = ended('ExpiredStatus', '40');
      expect(moveOrder(order, pulled(end, { done: '40' })).venue).toBe(end);
      expect(moveOrder(ended(end, '40'), pulled('RejectedStatus', { done: '40' })).venue).toBe(end);
    }
  });

  it('with less information changes nothing (T-30)', () => {
    const order = ended('PartialWithdrawal', '40');
    expect(stepOrder(order, pulled('CanceledStatus', { done: '40' }))).toEqual({ order, effects: [] });
  });

  it('without proof is a divergence (T-30)', () => {
    const order = ended('CanceledStatus', '0');
    for (const other of ['FilledStatus', 'RejectedStatus', 'ExpiredStatus'] as const) {
      expect(stepOrder(order, pulled(other)).order).toBe(order);
      expect(wishesOf(order, pulled(other))).toEqual(['terminal-conflict, halt account']);
    }
  });

  it('may be wrong: the order is open again after two reads 2 s apart (T-31)', () => {
    const order = ended('CanceledStatus', '0');
    const once = stepOrder(order, pulled('NewStatus', { at: 10 }));
    expect([once.order.venue, ...once.effects.map(summaryOf)]).toEqual(['CanceledStatus', 'pull in 2000']);
    expect(moveOrder(once.order, pulled('NewStatus', { at: 2_009 }))).toBe(once.order);
    const twice = stepOrder(once.order, pulled('NewStatus', { at: 2_010 }));
    expect([twice.order.venue, isLive(twice.order), ...twice.effects.map(summaryOf)]).toEqual([
      'NewStatus',
      true,
      'reopened',
    ]);
    const settled = moveOrder(once.order, pulled('CanceledStatus', { at: 11 }));
    expect(moveOrder(settled, pulled('NewStatus', { at: 5_000 })).venue).toBe('CanceledStatus');
  });
});

describe('cancels without effect', () => {
  const asked: OrderMove = { kind: 'cancel-sending' };
  const answered = (answer: 'accepted' | 'refused' | 'unknown'): OrderMove => ({
    kind: 'cancel-answered',
    answer,
  });
  const times = (count: number, ...moves: readonly OrderMove[]) =>
    Array.from({ length: count }, () => moves).flat();

  it('may be repeated, eight in total (T-35, T-36, F-B16)', () => {
    for (const answer of ['unknown', 'refused'] as const) {
      const order = whenMoved(...working, ...times(8, asked, answered(answer)));
      expect(order.cancels).toBe(8);
      expect(wishesOf(whenMoved(...working, asked), answered(answer))).toEqual(['pull']);
      expect(stepOrder(order, asked).order).toBe(order);
      expect(wishesOf(order, asked)).toEqual(['cancel-given-up']);
    }
  });

  it('that were accepted are sent again, and halt the symbol the third time (T-39)', () => {
    const overdue: OrderMove = { kind: 'cancel-overdue' };
    const ignored = (count: number) => whenMoved(...working, ...times(count, asked, answered('accepted')));
    expect(wishesOf(ignored(1), overdue)).toEqual(['cancel-ignored', 'cancel']);
    expect(wishesOf(ignored(2), overdue)).toEqual(['cancel-ignored', 'cancel']);
    expect(wishesOf(ignored(3), overdue)).toEqual(['cancel-ignored, halt symbol']);
    expect(wishesOf(moveOrder(ignored(3), pulled('CanceledStatus')), overdue)).toEqual([]);
  });

  it('are requested once while one is pending (T-47)', () => {
    expect(wishesOf(whenMoved(...working), { kind: 'cancel-asked' })).toEqual(['cancel']);
    expect(wishesOf(whenMoved(...working, asked), { kind: 'cancel-asked' })).toEqual([]);
  });
});

describe('a replace', () => {
  const asked: OrderMove = { kind: 'replace-sending', quantity: decimal('150') };
  const answered = (answer: 'accepted' | 'refused' | 'unknown'): OrderMove => ({
    kind: 'replace-answered',
    answer,
  });
  const read = (quantity: string): OrderMove => ({ kind: 'replace-read', quantity: decimal(quantity) });

  it('reserves both versions until a read shows the new one (T-40, T-41)', () => {
    const order = whenMoved(...working, asked, answered('accepted'));
    expect([order.pending, openRest(order).toString()]).toEqual(['replace-acked', '150']);
    expect(moveOrder(order, read('100'))).toBe(order);
    expect(moveOrder(order, read('150'))).toMatchObject({ pending: 'none', replacement: undefined });
    expect(openRest(moveOrder(order, read('150'))).toString()).toBe('150');
  });

  it('in doubt is not followed by a second until a read shows the terms (T-42)', () => {
    const order = whenMoved(...working, asked, answered('unknown'));
    expect(order.pending).toBe('replace-unknown');
    expect(moveOrder(order, { kind: 'replace-sending', quantity: decimal('200') })).toBe(order);
    expect(moveOrder(order, read('100'))).toMatchObject({ pending: 'none', replacement: undefined });
  });

  it('is dropped when the order fills first, or fills beyond it (T-43, T-44)', () => {
    const order = whenMoved(
      ...working,
      asked,
      executed('e1', '100'),
      pulled('FilledStatus', { done: '100' }),
    );
    expect([order.pending, isLive(order)]).toEqual(['none', false]);
    const fewer = whenMoved(...working, { kind: 'replace-sending', quantity: decimal('40') });
    expect(wishesOf(fewer, executed('e1', '50'))).toEqual(['pull']);
    expect(moveOrder(fewer, executed('e1', '50')).pending).toBe('none');
  });

  it('may be filled up to the larger version before it is read, and not beyond (T-28, T-41)', () => {
    const order = whenMoved(...working, asked);
    expect(wishesOf(order, executed('e1', '120'))).toEqual([]);
    expect(wishesOf(order, executed('e1', '151'))).toContain('overfilled, halt account');
    expect(wishesOf(order, pulled('PartialFilledStatus', { done: '150' }))).toEqual([]);
  });

  it('that is read while a cancel is in progress does not end the cancel (T-45)', () => {
    const order = whenMoved(...working, asked, { kind: 'cancel-sending' }, read('150'));
    expect([order.pending, order.ordered.toString()]).toEqual(['cancel-sending', '150']);
  });

  it('yields to a cancel (T-45)', () => {
    const order = whenMoved(...working, asked, { kind: 'cancel-sending' });
    expect([order.pending, openRest(order).toString()]).toEqual(['cancel-sending', '150']);
    expect(moveOrder(order, { kind: 'cancel-answered', answer: 'refused' }).pending).toBe('replace-unknown');
  });

  it('may give the order another id (T-46)', () => {
    const order = whenMoved(...working, asked, { kind: 'acked', orderId: orderId('701') });
    expect(order.submission).toEqual({ kind: 'acked', orderId: '701' });
    expect(order.twins.size).toBe(0);
  });
});
