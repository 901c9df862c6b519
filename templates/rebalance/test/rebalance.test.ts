import assert from 'node:assert/strict';
import { test } from 'node:test';
import { flat, given, rise, tryStrategy } from '@sluice-trading/sluice/testing';
import rebalance from '../../../strategies/rebalance.ts';

const setting = { symbols: ['STOCKS.US', 'BONDS.US'], params: { invested: 0.8, band: 0.05 } };

test('buys every symbol in equal parts', () => {
  const { orders } = given(rebalance, setting).when(flat(5));
  assert.deepEqual(
    orders.map((order) => `${order.side} ${order.quantity} ${order.symbol}`),
    ['buy 400 STOCKS.US', 'buy 400 BONDS.US'],
  );
});

test('sells what has grown beyond its band', () => {
  const { orders } = given(rebalance, setting).whenEach({
    'STOCKS.US': [flat(3), rise(10, 0.6), flat(2)],
    'BONDS.US': [flat(15)],
  });
  assert.ok(orders.some((order) => order.side === 'sell' && order.symbol === 'STOCKS.US'));
  assert.ok(!orders.some((order) => order.side === 'sell' && order.symbol === 'BONDS.US'));
});

test('does nothing silly on a bad day', () => {
  assert.deepEqual(tryStrategy(rebalance, setting).findings, []);
});
