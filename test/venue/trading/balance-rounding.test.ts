import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AccountBalance } from '#src/model/account.ts';
import { Decimal } from '#src/model/decimal.ts';
import { accountCurrencyBalance, convertedBalance } from '#src/venue/trading/balance-rounding.ts';
import { call } from '../a-client.ts';
import { aVenue } from '../a-venue.ts';

const anAmount = fc
  .tuple(fc.integer({ min: -1_000_000_000, max: 1_000_000_000 }), fc.integer({ min: 1, max: 9_999 }))
  .map(([over, under]) => new Decimal(over).div(under));

const aBalance = fc
  .record({
    ...{ equity: anAmount, initMargin: anAmount, maintenanceMargin: anAmount, totalCash: anAmount },
    ...{ maxFinance: anAmount, available: anAmount, marginCall: anAmount },
  })
  .map(
    ({ available, ...sums }): AccountBalance => ({
      ...sums,
      currency: 'CNH',
      buyPower: sums.equity.minus(sums.initMargin),
      remainingFinance: sums.maxFinance.plus(available),
      riskLevel: 0,
      cash: [],
      frozenFees: [],
    }),
  );

describe('a balance as the account reports it', () => {
  it('keeps the relations of the reference to the cent and never reports more than there is', () => {
    fc.assert(
      fc.property(aBalance, (exact) => {
        const stated = convertedBalance(exact);
        for (const value of Object.values(stated)) {
          if (Decimal.isDecimal(value)) expect(value.decimalPlaces()).toBeLessThanOrEqual(2);
        }
        expect(stated.buyPower.eq(stated.equity.minus(stated.initMargin))).toBe(true);
        const credit = stated.remainingFinance.minus(stated.maxFinance);
        const exactCredit = exact.remainingFinance.minus(exact.maxFinance);
        expect(credit.lte(exactCredit) && credit.gt(exactCredit.minus('0.01'))).toBe(true);
        expect(stated.equity.lte(exact.equity) && stated.equity.gt(exact.equity.minus('0.01'))).toBe(true);
        expect(stated.buyPower.lte(exact.buyPower)).toBe(true);
        expect(stated.buyPower.gt(exact.buyPower.minus('0.02'))).toBe(true);
        expect(stated.maintenanceMargin.gte(exact.maintenanceMargin)).toBe(true);
      }),
    );
  });

  it('has the booked amounts in its own currency, so that a bot decides by the numbers of its backtest', () => {
    const half = { equity: new Decimal('99748.675'), initMargin: new Decimal('0.0049999999999') };
    const [balance] = fc.sample(aBalance, { numRuns: 1, seed: 1 });
    if (balance === undefined) throw new Error('No balance was drawn');
    const own = accountCurrencyBalance({ ...balance, ...half });
    expect([own.equity.toString(), own.initMargin.toString()]).toEqual(['99748.675', '0.005']);
  });

  it('has two decimals on the wire, in its own currency and in another one', async () => {
    const { venue } = await aVenue();
    const own = (await call(venue, 'GET', '/v1/asset/account')).data.list[0];
    expect(own).toMatchObject({ currency: 'HKD', net_assets: '1000000.00', buy_power: '1000000.00' });
    expect(own.cash_infos[0]).toMatchObject({ available_cash: '1000000.00', settling_cash: '0.00' });
    const usd = (await call(venue, 'GET', '/v1/asset/account?currency=USD')).data.list[0];
    expect(usd).toMatchObject({ currency: 'USD', net_assets: '128205.12', total_cash: '128205.12' });
    expect(usd.cash_infos).toEqual(own.cash_infos);
  });

  it.each([
    'symbol=700.HK&order_type=LO&side=Buy&price=300&currency=EUR',
    'symbol=700.HK&order_type=LO&side=Buy&price=300&currency=usd',
  ])('is refused to an estimate in a currency without a rate: %s', async (query) => {
    const { venue } = await aVenue();
    const answer = await call(venue, 'GET', `/v1/trade/estimate/buy_limit?${query}`);
    expect(answer).toMatchObject({
      status: 400,
      code: 602001,
      message: expect.stringMatching(/^currency: /),
    });
  });

  it.each(['EUR', 'usd', 'XYZ'])('is refused in "%s", which has no rate', async (currency) => {
    const { venue } = await aVenue();
    const answer = await call(venue, 'GET', `/v1/asset/account?currency=${currency}`);
    expect(answer).toMatchObject({ status: 400, code: 602001 });
    expect(answer.message).toMatch(/^currency: /);
  });
});
