import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fall, flat, given, rise, tryStrategy } from '@sluice-trading/sluice/testing';
import pairs from '../../../strategies/pairs.ts';

const setting = { symbols: ['ALPHA.US', 'BETA.US'], params: { length: 10, entry: 1.5 } };

test('buys the one that falls behind, and sells it once it has caught up', () => {
  const { fills } = given(pairs, setting).whenEach({
    'ALPHA.US': [flat(12), fall(3, 0.05), rise(10, 0.06), flat(2)],
    'BETA.US': [flat(27)],
  });
  assert.deepEqual(
    fills.slice(0, 2).map((fill) => `${fill.side} ${fill.symbol}`),
    ['buy ALPHA.US', 'sell ALPHA.US'],
  );
});

test('does nothing while both move alike', () => {
  assert.equal(given(pairs, setting).when(rise(10, 0.1), fall(10, 0.1)).orders.length, 0);
});

test('does nothing silly on a bad day', () => {
  assert.deepEqual(tryStrategy(pairs, setting).findings, []);
});
