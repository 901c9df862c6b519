import { describe, expect, it } from 'vitest';
import { decimal } from '#src/model/decimal.ts';
import { DAYS, statuses } from './over-a-weekend.ts';
import { bars, detail, fills, order, refusal, runUntil, settleNow, tickWorld as world } from './world.ts';

describe('a replace', () => {
  const start = '2024-03-08T10:00:00-05:00';

  it('keeps the id, has ReplacedStatus in the history and continues with the new terms', () => {
    const { simulation, account } = world({ bars: [DAYS], start });
    const id = order(account, { price: '90' });
    settleNow(simulation);
    account.replace(id, { quantity: decimal('200'), price: decimal('91'), remark: 'again' });
    settleNow(simulation);
    const replaced = detail(account, id);
    expect(replaced.status).toBe('NewStatus');
    expect([replaced.terms.price, replaced.terms.quantity].map(String)).toEqual(['91', '200']);
    expect(replaced.remark).toBe('again');
    expect(statuses(account, id)).toEqual(['ReplacedStatus', 'NewStatus']);
    expect(account.balance().cash[0]?.frozen.toString()).toBe('18200');
  });

  it('to a marketable price fills at the current tick', () => {
    const { simulation, account } = world({ bars: [DAYS], start });
    const id = order(account, { price: '90' });
    settleNow(simulation);
    account.replace(id, { quantity: decimal('100'), price: decimal('110') });
    settleNow(simulation);
    expect(detail(account, id).executedPrice?.toString()).toBe('100');
  });

  it('beyond the available cash changes nothing but the message', () => {
    const { simulation, account } = world({ bars: [DAYS], start });
    const id = order(account, { price: '90' });
    settleNow(simulation);
    account.replace(id, { quantity: decimal('2000'), price: decimal('90') });
    settleNow(simulation);
    const kept = detail(account, id);
    expect([kept.status, kept.terms.quantity.toString()]).toEqual(['NewStatus', '100']);
    expect(kept.message).toMatch(/Insufficient funds/);
  });

  it('of an armed order moves its trigger', () => {
    const { simulation, account } = world({ bars: [DAYS], start });
    const id = order(account, { type: 'MIT', triggerPrice: '90' });
    settleNow(simulation);
    account.replace(id, { quantity: decimal('100'), triggerPrice: decimal('99') });
    runUntil(simulation, '2024-03-08T15:00:00-05:00');
    expect(fills(account)).toEqual(['17:45:00 99 x 100']);
  });

  it("of a stop's quantity keeps the trailed level", () => {
    const climb = bars('AAPL.US', '1m', [
      ['2024-03-08T10:00:00-05:00', 100, 100, 100, 100],
      ['2024-03-08T10:01:00-05:00', 100, 140, 100, 135],
      ['2024-03-08T10:02:00-05:00', 135, 135, 120, 120],
    ]);
    const { simulation, account } = world({ bars: [climb], start });
    runUntil(simulation, '2024-03-08T10:00:30-05:00');
    order(account);
    settleNow(simulation);
    const trailing = { type: 'TSLPAMT', side: 'sell', trailingAmount: '10', limitOffset: '0' } as const;
    const stop = order(account, { ...trailing, quantity: '50' });
    runUntil(simulation, '2024-03-08T10:02:00-05:00');
    account.replace(stop, { quantity: decimal('100') });
    runUntil(simulation, '2024-03-08T10:04:00-05:00');
    expect(fills(account).at(-1)).toMatch(/ 130 x 100$/);
  });

  it('to a smaller sale reserves no shares, although another sale reserves all that are left', () => {
    const { simulation, account } = world({ bars: [DAYS], start });
    order(account);
    settleNow(simulation);
    const stop = order(account, { type: 'MIT', side: 'sell', triggerPrice: '50' });
    settleNow(simulation);
    order(account, { side: 'sell', price: '500', quantity: '70' });
    settleNow(simulation);
    account.replace(stop, { quantity: decimal('70'), triggerPrice: decimal('50') });
    settleNow(simulation);
    expect(detail(account, stop).terms.quantity.toString()).toBe('70');
    account.replace(stop, { quantity: decimal('80'), triggerPrice: decimal('50') });
    settleNow(simulation);
    expect(detail(account, stop).message).toMatch(/Insufficient quantity/);
  });

  it.each([
    ['a type that knows no amendment', {}, 602012],
    ['an order that waits for the open', { price: '90' }, 602013],
  ] as const)('is refused for %s', (_what, draft, code) => {
    const { simulation, account } = world({ bars: [DAYS], start: '2024-03-08T17:00:00-05:00' });
    const id = order(account, draft);
    settleNow(simulation);
    expect(refusal(account.replace(id, { quantity: decimal('50') })).code).toBe(code);
  });

  it('is refused below what is executed, while another is pending, off lot or tick, and after the end', () => {
    const { simulation, account } = world({ bars: [DAYS], start });
    const id = order(account, { price: '90' });
    settleNow(simulation);
    const code = (quantity: string, price = '90') =>
      refusal(account.replace(id, { quantity: decimal(quantity), price: decimal(price) })).code;
    expect(code('0')).toBe(602001);
    expect(code('0.5')).toBe(602001);
    expect(code('10', '90.001')).toBe(602001);
    account.replace(id, { quantity: decimal('50') });
    expect(code('60')).toBe(602013);
    settleNow(simulation);
    account.cancel(id);
    expect(code('60')).toBe(602013);
    settleNow(simulation);
    expect(code('60')).toBe(601011);
  });
});
