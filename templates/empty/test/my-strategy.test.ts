import assert from 'node:assert/strict';
import { test } from 'node:test';
import { given, waves } from '@sluice-trading/sluice/testing';
import myStrategy from '../strategies/my-strategy.ts';

test('asks for nothing yet', () => {
  const { orders, error } = given(myStrategy).when(waves(60, 20, 0.1));
  assert.equal(error, undefined);
  assert.deepEqual(orders, []);
});
