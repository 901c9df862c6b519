import { describe, expect, it } from 'vitest';
import { Decimal, decimal } from '#src/model/decimal.ts';
import { OPTION_MULTIPLIER, optionSymbolText, parseOptionSymbol } from '#src/model/option-symbol.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { during, livingSimulation, paper, terms } from './living-market.ts';
import { at } from './rising-minutes.ts';

const CALL = 'AAPL260515C190000.US';
const SYMBOL = securitySymbol(CALL);

function trading() {
  const simulation = livingSimulation('real');
  during(simulation, 5_000);
  return { simulation, account: paper(simulation) };
}

describe('the symbol of an option', () => {
  it('encodes root, expiry, right and strike', () => {
    const read = parseOptionSymbol(securitySymbol('BRK.B261218P412500.US'));
    expect(read).toEqual({ root: 'BRK.B', expiry: '2026-12-18', right: 'put', strike: new Decimal('412.5') });
    expect(read && optionSymbolText(read)).toBe('BRK.B261218P412500.US');
  });

  it.each(['AAPL.US', '700.HK', 'AAPL261332C190000.US', 'AAPL261218C0.US', 'AAPL261218C190000.HK'])(
    'does not accept "%s"',
    (text) => {
      expect(parseOptionSymbol(securitySymbol(text))).toBeUndefined();
    },
  );
});

describe('an option of the synthetic market', () => {
  it('costs a hundred times its price, and is listed as contracts at their price', () => {
    const { simulation, account } = trading();
    const cash = () =>
      account.books().find((book) => book.account === 'cash' && book.currency === 'USD')?.amount as Decimal;
    const before = cash();
    account.submit(terms(CALL, 'MO', 'buy', 2), '');
    during(simulation, 1_000);
    const spent = account
      .executionsToday()
      .reduce((sum, { price, quantity }) => sum.plus(price.times(quantity)), new Decimal(0));
    const paid = before.minus(cash());
    expect(paid.toString()).toBe(spent.times(OPTION_MULTIPLIER).toString());
    const [position] = account.positions();
    expect(position).toMatchObject({ symbol: CALL, currency: 'USD' });
    expect(position?.quantity.toString()).toBe('2');
    expect(position?.averageCost?.toString()).toBe(spent.div(2).toString());
    const last = simulation.quote(SYMBOL)?.last.toNumber() ?? 0;
    expect(account.balance('USD').initMargin.toNumber()).toBeCloseTo(last * 200, 6);
  });

  it('is bought only as far as cash for whole contracts reaches', () => {
    const { simulation, account } = trading();
    const price = decimal('10');
    const limit = account.buyLimit({ symbol: SYMBOL, type: 'LO', side: 'buy', price });
    expect(limit?.cash.toString()).toBe('100');
    account.submit(terms(CALL, 'LO', 'buy', 101, { price }), '');
    during(simulation, 1_000);
    expect(account.ordersToday()[0]).toMatchObject({ status: 'RejectedStatus' });
  });

  it('reserves the possible cost of a working order, and releases it when that is cancelled', () => {
    const { simulation, account } = trading();
    const submission = account.submit(terms(CALL, 'LO', 'buy', 3, { price: decimal('0.5') }), '');
    during(simulation, 1_000);
    const frozen = () =>
      account
        .balance('USD')
        .cash.find(({ currency }) => currency === 'USD')
        ?.frozen.toString();
    expect(frozen()).toBe('150');
    if (submission.kind === 'accepted') account.cancel(submission.orderId);
    during(simulation, 1_000);
    expect(frozen()).toBe('0');
  });

  it('accepts limit, market and conditional orders', () => {
    const { simulation, account } = trading();
    const last = simulation.quote(SYMBOL)?.last as Decimal;
    const cent = decimal('0.01');
    const orders = [
      terms(CALL, 'LO', 'buy', 1, { price: last.minus(1).toDecimalPlaces(2) }),
      terms(CALL, 'MO', 'buy', 1),
      terms(CALL, 'LIT', 'buy', 1, { price: last.plus(1), triggerPrice: last.plus(cent) }),
      terms(CALL, 'MIT', 'buy', 1, { triggerPrice: last.minus(3) }),
      terms(CALL, 'TSLPPCT', 'buy', 1, { trailingPercent: decimal('5'), limitOffset: decimal('0.10') }),
    ];
    expect(orders.map((order) => account.submit(order, '').kind)).toEqual(orders.map(() => 'accepted'));
    during(simulation, 1_000);
    expect(account.ordersToday().filter(({ status }) => status === 'RejectedStatus')).toEqual([]);
  });

  it.each([
    [{ outsideRth: 'any-time' }, 'regular hours only'],
    [{ price: decimal('5.005') }, 'multiple of the tick'],
    [{ quantity: decimal('0.5') }, 'multiple of the lot'],
  ] as const)('refuses %j', (changed, reason) => {
    const { account } = trading();
    const order = { ...terms(CALL, 'LO', 'buy', 1, { price: decimal('5') }), ...changed };
    expect(account.submit(order, '')).toMatchObject({ kind: 'refused', code: 602001 });
    expect(account.submit(order, '')).toMatchObject({ message: expect.stringContaining(reason) });
  });

  it('is not sold without a position, and not after its last day', () => {
    const { simulation, account } = trading();
    account.submit(terms(CALL, 'MO', 'sell', 1), '');
    during(simulation, 1_000);
    expect(account.ordersToday()[0]).toMatchObject({ status: 'RejectedStatus' });
    const late = livingSimulation('always', at('2026-03-05T15:17:30Z'));
    expect(
      late.securities().every(({ symbol }) => (parseOptionSymbol(symbol)?.expiry ?? '9') > '2026-03-05'),
    ).toBe(true);
  });
});
