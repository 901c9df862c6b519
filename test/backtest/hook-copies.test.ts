import { expect, it } from 'vitest';
import { runInFull } from '#src/backtest/run-in-full.ts';
import { decimal } from '#src/model/decimal.ts';
import { calendarDay } from '#src/model/time.ts';
import { defineStrategy } from '#src/strategy/define-strategy.ts';
import { setupOf } from '../fixtures/backtest.ts';
import { AAPL, columnsOf } from '../fixtures/market.ts';
import { stampsOf } from '../fixtures/some-bars.ts';

const DAYS = { from: calendarDay('2024-03-04'), to: calendarDay('2024-03-28') };

/** Alternately buys and sells a share at each bar; `spoil` writes to the argument of each hook. */
function alternating(spoil: (event: object) => void) {
  return defineStrategy({
    name: 'alternating',
    params: {},
    onBar: (event, { orders, position }) => {
      spoil(event);
      return orders.targetQuantity(event.symbol, position(event.symbol).quantity === 0 ? 1 : 0);
    },
    onQuote: (event) => {
      spoil(event);
      return [];
    },
    onFill: (event) => {
      spoil(event);
      return [];
    },
    onOrder: (event) => {
      spoil(event);
      return [];
    },
  });
}

/** Writes to every field at every depth. */
function overwrite(value: object): void {
  for (const [name, field] of Object.entries(value)) {
    if (typeof field === 'object' && field !== null) overwrite(field);
    else if (name !== 'kind' && name !== 'symbol' && name !== 'constructor') Reflect.set(value, name, 7);
  }
}

it('a hook that writes to its event changes neither the record nor the fills', () => {
  const bars = columnsOf(
    AAPL,
    '1d',
    stampsOf(AAPL, '1d', DAYS).map((stamp, day) => [stamp, 100, 102 + (day % 3), 99, 101]),
  );
  const run = (spoil: (event: object) => void) =>
    runInFull({ ...setupOf(alternating(spoil), [bars], { ...DAYS, cash: { USD: decimal('10000') } }) });
  const [plain, spoiled] = [run(() => undefined), run(overwrite)];
  expect(plain.flow.fills).toBeGreaterThan(5);
  expect(spoiled.decisions).toEqual(plain.decisions);
  expect(spoiled.equity).toEqual(plain.equity);
});
