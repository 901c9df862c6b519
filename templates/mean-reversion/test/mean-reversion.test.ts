import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fall, flat, given, rise, tryStrategy, waves } from '@sluice-trading/sluice/testing';
import meanReversion from '../../../strategies/mean-reversion.ts';

const params = { length: 10, entry: 1.5 };

test('buys the fall and sells the recovery', () => {
  const { orders, fills } = given(meanReversion, { params }).when(
    flat(12),
    fall(1, 0.1),
    rise(8, 0.12),
    flat(1),
  );
  assert.deepEqual(
    orders.map((order) => order.reason),
    ['far below its average', 'back at its average'],
  );
  const [bought, sold] = fills;
  assert.ok(bought !== undefined && sold !== undefined && sold.price > bought.price);
});

test('never holds more than its weight', () => {
  const { record } = given(meanReversion, { params: { ...params, weight: 0.3 } }).when(waves(120, 20, 0.1));
  assert.ok(record !== undefined && Math.max(...record.equity.exposure) < 0.35);
});

test('does nothing silly on a bad day', () => {
  assert.deepEqual(tryStrategy(meanReversion, { params }).findings, []);
});
