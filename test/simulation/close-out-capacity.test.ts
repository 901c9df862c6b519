import { describe, expect, it } from 'vitest';
import { decimal } from '#src/model/decimal.ts';
import { type FillModel, MARGIN_ACCOUNT, type MarginModel, PRINT_FILLS } from '#src/simulation/models.ts';
import { RULE, send, TRANCHES } from './whole-bar-market.ts';
import { type BarRow, bars, order, runUntil, trialBalance, world } from './world.ts';

const OPEN = '2024-01-04T10:00:00-05:00';

describe('a close-out at ticks without enough shares', () => {
  const thin = (
    closeOut: MarginModel['closeOut'],
    rows: readonly BarRow[],
    fill: Partial<FillModel> = {},
  ) => {
    const made = world({
      bars: [bars('AAPL.US', '1m', rows)],
      start: OPEN,
      accounts: [{ id: 'a', currency: 'USD', cash: { USD: decimal('10000') }, fx: {}, short: true }],
      models: {
        fills: { ...PRINT_FILLS, participation: 0.1, ...fill },
        margin: { ...MARGIN_ACCOUNT, closeOut },
      },
    });
    runUntil(made.simulation, '2024-01-04T10:00:50-05:00');
    return made;
  };
  const row = (minute: number, price: number, volume: number): BarRow => {
    const open = `2024-01-04T10:0${minute}:00-05:00`;
    return [open, price, price, price, price, volume];
  };

  it('continues at a loss of the whole equity until nothing is held, and then writes off the debt', () => {
    const rows = [row(0, 100, 40_000), row(1, 180, 400), row(2, 180, 4_000)];
    const { simulation, account } = thin('equity', rows);
    order(account, { side: 'sell', quantity: '150' });
    runUntil(simulation, '2024-01-04T10:01:50-05:00');
    expect(account.positions()[0]?.quantity.toString()).toBe('-110');
    expect(account.balance().equity.toString()).toBe('-2000');
    runUntil(simulation, '2024-01-04T10:04:00-05:00');
    expect(account.positions()).toEqual([]);
    expect(account.balance().equity.toString()).toBe('0');
    expect(trialBalance(account)).toEqual({ USD: '0' });
  });

  it('reduces tranches by no more than it closed', () => {
    const rows = [row(0, 100, 40_000), row(1, 100, 40_000), row(2, 180, 400), row(3, 180, 400)];
    const matching = { ...RULE, ...TRANCHES };
    const { simulation, account } = thin('forced', rows, { matching, hours: 'bars' });
    send(account, { side: 'sell', quantity: '75' });
    send(account, { side: 'sell', quantity: '75' });
    runUntil(simulation, '2024-01-04T10:03:50-05:00');
    // A tenth of 400 shares of each of two bars: first from the first tranche, then from the second.
    expect(account.positions()[0]?.quantity.toString()).toBe('-70');
    send(account, { quantity: '70' });
    expect(() => runUntil(simulation, '2024-01-04T10:05:00-05:00')).not.toThrow();
  });
});
