import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fall, flat, given, rise, tryStrategy } from '@sluice-trading/sluice/testing';
import hkIntraday from '../strategies/hk-intraday.ts';

const setting = { symbols: ['700.HK'], period: '1m' as const, params: { length: 5 } };

test('buys the dip in whole lots and sells the recovery', () => {
  const { fills, position } = given(hkIntraday, setting).when(
    rise(3, 0.01),
    fall(8, 0.05),
    rise(8, 0.05),
    flat(2),
  );
  assert.deepEqual(
    fills.map((fill) => fill.side),
    ['buy', 'sell'],
  );
  assert.ok(fills.every((fill) => fill.quantity % 100 === 0));
  assert.equal(position(), 0);
});

test('does nothing silly on a bad day', () => {
  assert.deepEqual(tryStrategy(hkIntraday, setting).findings, []);
});
