import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fall, flat, given, rise, tryStrategy } from '@sluice-trading/sluice/testing';
import momentum from '../strategies/momentum.ts';

const params = { length: 5, enter: 3, leave: 0 };

test('buys what has risen, and sells it once it falls', () => {
  const { orders, position } = given(momentum, { params }).when(rise(6, 0.1), fall(6, 0.1), flat(2));
  assert.deepEqual(
    orders.map((order) => `${order.side}: ${order.reason}`),
    ['buy: has risen enough', 'sell: rises no more'],
  );
  assert.equal(position(), 0);
});

test('sends no order in a market that does not move', () => {
  assert.equal(given(momentum, { params }).when(flat(40)).orders.length, 0);
});

test('does nothing silly on a bad day', () => {
  assert.deepEqual(tryStrategy(momentum, { params }).findings, []);
});
