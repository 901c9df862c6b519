import { describe, expect, it } from 'vitest';
import { CHARGE_SCHEDULES, withCommission } from '#src/markets/charge-schedules.ts';
import { decimal } from '#src/model/decimal.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { CASH_ACCOUNT } from '#src/simulation/models.ts';
import { FLAT, guardProcessExit, market, minutes, send, TRANCHES } from './whole-bar-market.ts';
import { detail, fills, runUntil, world } from './world.ts';

describe('cover', () => {
  it('checked at the fill counts a short position against equity', () => {
    const { simulation, account } = market(minutes(FLAT, FLAT, FLAT), { rule: TRANCHES, cash: '1000' });
    send(account, { side: 'sell', quantity: '6' });
    runUntil(simulation, '2024-01-04T10:02:00-05:00');
    const more = send(account, { side: 'sell', quantity: '5' });
    guardProcessExit(simulation);
    expect(fills(account)).toEqual(['15:01:45 100 x 6']);
    expect(detail(account, more)).toMatchObject({ status: 'RejectedStatus', message: /needs 500.00 USD/ });
  });

  it('checked at the fill counts only initial margins if the account borrows', () => {
    const rows = minutes(FLAT, FLAT, FLAT, FLAT);
    const { simulation, account } = market(rows, { rule: TRANCHES, cash: '1000', borrows: true });
    const { initial } = simulation.marginFactors(securitySymbol('AAPL.US')) ?? {};
    expect(initial?.toString()).toBe('0.35');
    send(account, { quantity: '28' });
    runUntil(simulation, '2024-01-04T10:02:00-05:00');
    const more = send(account, { quantity: '1' });
    guardProcessExit(simulation);
    expect(fills(account)).toEqual(['15:01:45 100 x 28']);
    expect(detail(account, more)).toMatchObject({ status: 'RejectedStatus', message: /available 57.14 USD/ });
  });

  it('rehearsed lets an order of the same instant pay for the next', () => {
    const { simulation, account } = market(minutes(FLAT, FLAT, FLAT), { cover: 'rehearsed', cash: '1000' });
    send(account, { quantity: '10' });
    runUntil(simulation, '2024-01-04T10:02:00-05:00');
    const early = send(account, { quantity: '1' });
    send(account, { side: 'sell', quantity: '10' });
    const paid = send(account, { quantity: '5' });
    guardProcessExit(simulation);
    expect(detail(account, early).status).toBe('RejectedStatus');
    expect(detail(account, paid).status).toBe('FilledStatus');
  });

  it('rehearsed charges the closing and the opening part of an order, each once', () => {
    const charges = withCommission(CHARGE_SCHEDULES.none, { kind: 'percent', rate: decimal('0.1') });
    const last = (quantity: string) => {
      const rows = minutes(FLAT, FLAT, FLAT);
      const { simulation, account } = market(rows, { cover: 'rehearsed', cash: '2000', charges });
      send(account, { quantity: '10' });
      runUntil(simulation, '2024-01-04T10:02:00-05:00');
      send(account, { side: 'sell', quantity: '12' });
      const id = send(account, { quantity });
      runUntil(simulation, '2024-01-04T10:02:00.001-05:00');
      return detail(account, id).status;
    };
    // 900 are left of 2,000; the sale brings 1,200 and costs 100 and 20: 1,980. For the missing 18, selling two is
    // enough: 20 and 160, and 1,800.
    expect([last('18'), last('19')]).toEqual(['NewStatus', 'RejectedStatus']);
  });

  it('that was pre-checked is checked again at the price of the fill', () => {
    const rows = minutes(FLAT, [120, 121, 119, 120]);
    const { simulation, account } = market(rows, { cover: 'rehearsed', cash: '1000' });
    const id = send(account, { quantity: '10' });
    guardProcessExit(simulation);
    expect(detail(account, id)).toMatchObject({ status: 'RejectedStatus', message: /needs 1200.00 USD/ });
  });

  it('other than reserved is not available if orders are matched against ticks', () => {
    const models = { margin: { ...CASH_ACCOUNT, cover: 'at-fill' } as const };
    const make = () => world({ bars: [], start: '2024-01-04T10:00:00-05:00', models });
    expect(make).toThrow('Cannot cover orders "at-fill" where they meet prints');
  });
});
