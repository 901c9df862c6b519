import { describe, expect, it } from 'vitest';
import type { CorporateAction } from '#src/model/corporate-action.ts';
import { decimal } from '#src/model/decimal.ts';
import { calendarDay } from '#src/model/time.ts';
import { PRINT_FILLS } from '#src/simulation/models.ts';
import {
  AAPL,
  at,
  bars,
  detail,
  fills,
  order,
  refusal,
  runUntil,
  terms,
  trialBalance,
  world,
} from './world.ts';

const FIRST = '2024-01-04T09:30:00-05:00';

/** Two trading days: 100 on the first, `second` on the other. */
function days(second: number, corporateActions: readonly CorporateAction[]) {
  const rows = [
    ['2024-01-04T00:00:00-05:00', 100, 100, 100, 100],
    ['2024-01-05T00:00:00-05:00', second, second, second, second],
    ['2024-01-08T00:00:00-05:00', second, second, second - 4, second],
  ] as const;
  const made = world({ bars: [bars('AAPL.US', '1d', rows)], start: FIRST, corporateActions });
  runUntil(made.simulation, '2024-01-04T09:31:00-05:00');
  return made;
}

const split = (ratio: string): CorporateAction => ({
  kind: 'split',
  symbol: AAPL,
  exDay: calendarDay('2024-01-05'),
  ratio: decimal(ratio),
});
const dividend: CorporateAction = {
  kind: 'dividend',
  symbol: AAPL,
  exDay: calendarDay('2024-01-05'),
  perShare: decimal('0.25'),
};

describe('a delisting', () => {
  const delisting = (price?: string): CorporateAction => ({
    kind: 'delisting',
    symbol: AAPL,
    exDay: calendarDay('2024-01-05'),
    ...(price === undefined ? {} : { price: decimal(price) }),
  });

  it.each([
    ['at nothing', '0', '99000'],
    ['at the listed price', '40', '99400'],
    ['at the last price', undefined, '100000'],
  ])('pays the position %s, and the books agree', (_, price, cash) => {
    const { simulation, account } = days(100, [delisting(price)]);
    order(account, { quantity: '10' });
    runUntil(simulation, '2024-01-05T10:00:00-05:00');
    expect(account.positions()).toEqual([]);
    const dollars = account.books().find((entry) => entry.account === 'cash' && entry.currency === 'USD');
    expect(dollars?.amount.toString()).toBe(cash);
    expect(trialBalance(account)).toEqual({ USD: '0', HKD: '0' });
  });

  it('ends open orders, and accepts none afterwards', () => {
    const { simulation, account } = days(50, [delisting()]);
    const waiting = order(account, { quantity: '10', price: '90', timeInForce: 'gtc' });
    runUntil(simulation, '2024-01-05T10:00:00-05:00');
    expect(detail(account, waiting).status).toBe('CanceledStatus');
    const late = account.submit(terms({ quantity: '10' }), '');
    expect(refusal(late).message).toBe('"AAPL.US" is delisted');
  });
});

describe('a split', () => {
  it('changes shares, not the cost or the equity', () => {
    const { simulation, account } = days(25, [split('4')]);
    order(account, { quantity: '10' });
    runUntil(simulation, '2024-01-05T10:00:00-05:00');
    const [position] = account.positions();
    expect([position?.quantity.toString(), position?.averageCost?.toString()]).toEqual(['40', '25']);
    expect(position?.initial.toString()).toBe('40');
    expect(account.balance('USD').equity.toString()).toBe('164102.56410256410256410256');
    expect(trialBalance(account)).toEqual({ USD: '0', HKD: '0' });
  });

  it('counts positions from the beginning of the day in new shares', () => {
    const { simulation, account } = days(25, [split('4')]);
    order(account, { quantity: '10' });
    runUntil(simulation, '2024-01-05T10:00:00-05:00');
    order(account, { quantity: '1' });
    runUntil(simulation, '2024-01-05T12:00:00-05:00');
    expect(account.positions()).toMatchObject([{ quantity: decimal('41'), initial: decimal('40') }]);
    const bought = days(25, []);
    runUntil(bought.simulation, '2024-01-05T09:31:00-05:00');
    order(bought.account, { quantity: '10' });
    runUntil(bought.simulation, '2024-01-05T09:32:00-05:00');
    bought.simulation.inject({ kind: 'split', symbol: AAPL, ratio: decimal('2') });
    expect(bought.account.positions()).toMatchObject([{ quantity: decimal('20'), initial: decimal('0') }]);
  });

  it('in the middle of a day counts positions from the beginning of the day in new shares too', () => {
    const { simulation, account } = days(100, []);
    order(account, { quantity: '10' });
    runUntil(simulation, '2024-01-05T10:00:00-05:00');
    order(account, { quantity: '6' });
    runUntil(simulation, '2024-01-05T12:00:00-05:00');
    simulation.inject({ kind: 'split', symbol: AAPL, ratio: decimal('3') });
    expect(account.positions()).toMatchObject([{ quantity: decimal('48'), initial: decimal('30') }]);
  });

  it('pays fractions out at the opening price', () => {
    const { simulation, account } = days(2000, [split('0.05')]);
    order(account, { quantity: '30' });
    runUntil(simulation, '2024-01-05T10:00:00-05:00');
    expect(account.positions()[0]?.quantity.toString()).toBe('1');
    const cash = account.books().find((entry) => entry.account === 'cash' && entry.currency === 'USD');
    expect(cash?.amount.toString()).toBe('98000');
    expect(trialBalance(account)).toEqual({ USD: '0', HKD: '0' });
  });

  it('adjusts open orders: more shares at a lower price', () => {
    const { simulation, account } = days(25, [split('4')]);
    const id = order(account, { quantity: '10', price: '90', timeInForce: 'gtc' });
    runUntil(simulation, '2024-01-05T10:00:00-05:00');
    const { terms } = detail(account, id);
    expect([terms.quantity.toString(), terms.price?.toString()]).toEqual(['40', '22.5']);
    runUntil(simulation, '2024-01-08T16:00:00-05:00');
    expect(fills(account)).toEqual(['17:45:00 22.5 x 40']);
  });

  it.each([
    ['buy', '90.01', '22.5'],
    ['sell', '120.01', '30.01'],
  ] as const)('rounds the price of a %s order to the worse price step', (side, price, after) => {
    const { simulation, account } = days(25, [split('4')]);
    order(account, { quantity: '10' });
    runUntil(simulation, '2024-01-04T09:32:00-05:00');
    const id = order(account, { side, quantity: '10', price, timeInForce: 'gtc' });
    runUntil(simulation, '2024-01-05T10:00:00-05:00');
    expect(detail(account, id).terms.price?.toString()).toBe(after);
  });

  it('adjusts the limit of a trailing order that was triggered', () => {
    const rows = [
      ['2024-01-04T09:30:00-05:00', 100, 104, 100, 104, 4_000],
      ['2024-01-04T09:31:00-05:00', 104, 104, 102, 102, 40],
      ['2024-01-05T09:30:00-05:00', 25, 25, 25, 25, 4_000],
    ] as const;
    const { simulation, account } = world({
      bars: [bars('AAPL.US', '1m', rows)],
      start: FIRST,
      corporateActions: [split('4')],
      models: { fills: { ...PRINT_FILLS, participation: 0.1 } },
    });
    runUntil(simulation, '2024-01-04T09:30:05-05:00');
    order(account, { quantity: '50' });
    runUntil(simulation, '2024-01-04T09:30:10-05:00');
    const id = order(account, {
      ...{ side: 'sell', type: 'TSLPAMT', quantity: '50', timeInForce: 'gtc' },
      ...{ trailingAmount: '1', limitOffset: '0.4' },
    });
    runUntil(simulation, '2024-01-05T09:29:00-05:00');
    // Triggered at 103 with a limit of 102.6; each tick of ten shares filled one.
    expect(detail(account, id)).toMatchObject({
      status: 'PartialFilledStatus',
      terms: { price: decimal('102.6') },
    });
    runUntil(simulation, '2024-01-05T09:31:00-05:00');
    expect(detail(account, id)).toMatchObject({ terms: { price: decimal('25.65') } });
  });

  it('ends orders without remaining shares', () => {
    const { simulation, account } = days(2000, [split('0.05')]);
    const id = order(account, { quantity: '10', price: '90', timeInForce: 'gtc' });
    runUntil(simulation, '2024-01-05T10:00:00-05:00');
    expect(detail(account, id)).toMatchObject({ status: 'CanceledStatus', message: /split of 0.05 for 1/ });
  });
});

describe('a dividend', () => {
  it('is paid on positions from before the ex-day, and comes before a split of that day', () => {
    const { simulation, account } = days(25, [split('4'), dividend]);
    order(account, { quantity: '10' });
    runUntil(simulation, '2024-01-05T10:00:00-05:00');
    const paid = account.books().find((entry) => entry.account === 'dividends');
    expect(paid?.amount.toString()).toBe('-2.5');
    expect(trialBalance(account)).toEqual({ USD: '0', HKD: '0' });
  });

  it('is equity from the ex-day on, and settled cash from its pay day on', () => {
    const payDay = calendarDay('2024-01-08');
    const { simulation, account } = days(100, [{ ...dividend, payDay }]);
    order(account, { quantity: '10' });
    const dollars = () => {
      const row = account.balance('USD').cash.find(({ currency }) => currency === 'USD');
      return [row?.available, row?.frozen, row?.settling].map(String);
    };
    runUntil(simulation, '2024-01-05T09:29:00-05:00');
    expect(dollars()).toEqual(['99000', '0', '-1000']);
    runUntil(simulation, '2024-01-05T10:00:00-05:00');
    expect(dollars()).toEqual(['99002.5', '0', '-997.5']);
    // Both have settled: the purchase after two trading days, the dividend on its day.
    runUntil(simulation, '2024-01-08T10:00:00-05:00');
    expect(dollars()).toEqual(['99002.5', '0', '0']);
  });

  it('is not paid on purchases of the ex-day', () => {
    const { simulation, account } = days(100, [dividend]);
    runUntil(simulation, '2024-01-04T16:00:00-05:00');
    order(account, { quantity: '10' });
    runUntil(simulation, '2024-01-05T16:00:00-05:00');
    expect(account.positions()[0]?.quantity.toString()).toBe('10');
    expect(account.books().some((entry) => entry.account === 'dividends')).toBe(false);
  });
});

describe('a corporate action', () => {
  it('of a symbol without bars, or by no ratio, is refused at the start', () => {
    expect(() => days(25, [split('0')])).toThrow('want a ratio above 0');
    const make = () => world({ bars: [], start: FIRST, corporateActions: [dividend] });
    expect(make).toThrow('Cannot apply a dividend of "AAPL.US", no bars of it');
  });

  it('before the start or after the last print never happens', () => {
    const early: CorporateAction = { ...dividend, exDay: calendarDay('2024-01-03') };
    const late: CorporateAction = { ...dividend, exDay: calendarDay('2024-02-01') };
    const { simulation, account } = days(100, [early, late]);
    order(account, { quantity: '10' });
    runUntil(simulation, at('2024-03-01T00:00:00-05:00'));
    expect(account.books().some((entry) => entry.account === 'dividends')).toBe(false);
  });
});
