import { describe, expect, it } from 'vitest';
import { isLive, moveOrder } from '#src/model/order-state.ts';
import {
  acked,
  armed,
  executed,
  pushed,
  sending,
  status,
  unknown,
  whenMoved,
  wishesOf,
  working,
} from './some-moves.ts';

describe('an order that an operator settled', () => {
  const dead = { kind: 'settled', outcome: 'dead' } as const;

  it.each([
    ['unknown', [armed, sending, unknown]],
    ['abandoned', [armed, sending, unknown, { kind: 'abandoned' }]],
    ['sending', [armed, sending]],
    ['working', working],
  ] as const)('is over, in whatever state it was: %s (T-55)', (_what, moves) => {
    const order = whenMoved(...moves, dead);
    expect([order.submission.kind, order.pending, isLive(order)]).toEqual(['settled', 'none', false]);
  });

  it.each([
    ['armed', [armed]],
    ['refused', [armed, sending, { kind: 'refused', code: 1 }]],
    ['filled', [...working, executed('e1', '100'), status('FilledStatus', { done: '100' })]],
  ] as const)('must have an unknown outcome: %s is unchanged (T-55)', (_what, moves) => {
    const order = whenMoved(...moves);
    expect(moveOrder(order, dead)).toBe(order);
  });

  it('halts the account when it turns out to be open, and is open again (T-55)', () => {
    const order = whenMoved(armed, sending, unknown, dead);
    expect(wishesOf(order, acked)).toEqual(['settled-otherwise, halt account', 'pull']);
    expect(isLive(moveOrder(order, acked))).toBe(true);
  });

  it('halts the account when the venue reports another outcome (T-55)', () => {
    const order = whenMoved(...working, dead);
    expect(wishesOf(order, status('NewStatus'))).toEqual(['settled-otherwise, halt account']);
    expect(wishesOf(order, executed('e1', '10'))).toContain('settled-otherwise, halt account');
    expect(wishesOf(order, status('CanceledStatus'))).toEqual([]);
  });
});

describe('an order in a suspended security', () => {
  it('stays open: only the venue’s report on the order ends it (T-54)', () => {
    const order = whenMoved(...working);
    expect(isLive(order)).toBe(true);
    expect(isLive(moveOrder(order, pushed('NewStatus')))).toBe(true);
  });
});
