import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FillLog, UNITS } from '../../src/events/curve/fill-columns.ts';
import { bookFill, EMPTY_PORTFOLIO } from '../../src/events/portfolio.ts';
import { Decimal, ZERO } from '../../src/model/decimal.ts';
import type { Fill } from '../../src/model/fill.ts';
import { securitySymbol } from '../../src/model/symbol.ts';
import { DAY_MS, millis } from '../../src/model/time.ts';
import { performanceOf } from '../../src/reports/performance.ts';
import { type OpenTrade, type RoundTrip, tradesOf } from '../../src/reports/trades.ts';
import { aFill, aRun, aSecurity, START } from './a-run.ts';

const aSide = fc.constantFrom('buy' as const, 'sell' as const);
const manyFills: fc.Arbitrary<readonly Fill[]> = fc.array(
  fc
    .tuple(
      aSide,
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 1, max: 50_000 }),
      fc.constantFrom('A.US', 'B.HK'),
    )
    .map(([side, quantity, cents, symbol]) =>
      aFill(side, quantity, new Decimal(cents).div(100).toString(), { symbol: securitySymbol(symbol) }),
    ),
  { maxLength: 40 },
);

describe('trades in a position that was held before the run', () => {
  const SPX = securitySymbol('SPX.US');
  const opening = (quantity: number, averageCost: string | undefined) => ({
    at: START,
    holdings: new Map([
      [
        SPX,
        {
          ...{ currency: 'USD', quantity: new Decimal(quantity) },
          averageCost: averageCost === undefined ? undefined : new Decimal(averageCost),
        },
      ],
    ]),
  });

  it('count from its average cost; a sale opens no short', () => {
    const { closed, open, uncounted } = tradesOf([aFill('sell', 10, '110')], opening(10, '100'));
    expect(closed).toMatchObject([
      {
        direction: 'long',
        entryPrice: new Decimal(100),
        exitPrice: new Decimal(110),
        profit: new Decimal(99),
      },
    ]);
    expect([open, uncounted]).toEqual([[], 0]);
  });

  it('have no profit if the cost is not known, until the position is flat', () => {
    const fills = [aFill('buy', 10, '90'), aFill('sell', 20, '110', { day: 1 })];
    const later = [aFill('buy', 10, '100', { day: 2 }), aFill('sell', 10, '105', { day: 3 })];
    const { closed, uncounted } = tradesOf([...fills, ...later], opening(10, undefined));
    expect(uncounted).toBe(1);
    expect(closed).toMatchObject([{ entryPrice: new Decimal(100), profit: new Decimal(48) }]);
  });

  it('are open without a cost', () => {
    const { open } = tradesOf([aFill('sell', 4, '110')], opening(10, undefined));
    expect(open).toMatchObject([{ quantity: new Decimal(6), averageCost: undefined, realized: ZERO }]);
  });

  it('close a short that was taken over', () => {
    const { closed } = tradesOf([aFill('buy', 10, '90')], opening(-10, '100'));
    expect(closed).toMatchObject([{ direction: 'short', profit: new Decimal(99) }]);
  });

  it('end if an operator adopts another quantity, and continue if it is the same', () => {
    const held = (quantity: number) => ({
      ...{ kind: 'books-adopted' as const, at: START, cash: {}, by: 'me', reason: 'a test' },
      positions: [
        {
          ...{ symbol: SPX, currency: 'USD', quantity: new Decimal(quantity), averageCost: new Decimal(50) },
          ...{ available: new Decimal(quantity), initial: new Decimal(quantity) },
        },
      ],
    });
    const bought = aFill('buy', 10, '100');
    const sold = (quantity: number) => aFill('sell', quantity, '110', { day: 1 });
    const same = tradesOf([bought, held(10), sold(10)]);
    expect([same.closed[0]?.profit.toString(), same.uncounted]).toEqual(['98', 0]);
    const other = tradesOf([bought, held(15), sold(15)]);
    expect([other.closed[0]?.profit.toString(), other.uncounted]).toEqual(['899', 1]);
  });
});

describe('trades of fills in columns', () => {
  it('are those of the same fills one by one: long, short, and turned round by one fill', () => {
    fc.assert(
      fc.property(manyFills, (many) => {
        const fills = many.map((fill, day) => ({ ...fill, time: millis(START + day * DAY_MS) }));
        const securities = ['A.US', 'B.HK'].map((symbol) => aSecurity({ symbol: securitySymbol(symbol) }));
        const fillColumns = new FillLog();
        for (const { symbol, time, price, side, quantity, fee } of fills)
          fillColumns.add({
            ...{ security: symbol === 'A.US' ? 0 : 1, at: time, price: price.toNumber(), by: 0, order: 0 },
            quantity: quantity.toNumber() * (side === 'buy' ? 1 : -1),
            fee: fee.toNumber() * UNITS,
          });
        const columns = performanceOf({ ...aRun([100], { fills, securities }), fillColumns });
        const each = tradesOf(fills);
        expect(columns.trades.closed.map(roundedTrade)).toEqual(each.closed.map(roundedTrade));
        expect(columns.trades.open.map(roundedTrade)).toEqual(each.open.map(roundedTrade));
        expect(columns.closedTrades).toBe(each.closed.length);
      }),
    );
  });
});

/** A trade with amounts to a millionth: a column has 16 digits of a fee that two trades share. */
function roundedTrade(trade: RoundTrip | OpenTrade): unknown {
  const entries = Object.entries(trade).map(([name, value]) => [
    name,
    Decimal.isDecimal(value) ? value.toFixed(6) : typeof value === 'number' ? value.toPrecision(9) : value,
  ]);
  return Object.fromEntries(entries);
}

describe('tradesOf', () => {
  it('makes one round trip of many fills, with average prices and all fees', () => {
    const { closed, open } = tradesOf([
      aFill('buy', 10, '100'),
      aFill('buy', 30, '104', { day: 1 }),
      aFill('sell', 20, '110', { day: 2 }),
      aFill('sell', 20, '99', { day: 3 }),
    ]);
    expect(open).toEqual([]);
    expect(closed).toHaveLength(1);
    expect(closed[0]).toMatchObject({
      symbol: 'SPX.US',
      direction: 'long',
      openedAt: START,
      closedAt: START + 3 * 86_400_000,
      quantity: new Decimal(40),
      entryPrice: new Decimal(103),
      exitPrice: new Decimal('104.5'),
      fees: new Decimal(4),
      profit: new Decimal(56),
    });
    expect(closed[0]?.returnShare).toBeCloseTo(56 / 4120, 12);
  });

  it('reports a profit on a short trade when the price falls', () => {
    const { closed } = tradesOf([aFill('sell', 10, '100'), aFill('buy', 10, '90')]);
    expect(closed[0]).toMatchObject({ direction: 'short', profit: new Decimal(98) });
  });

  it('splits a fill that turns a position round, and its fee by quantity', () => {
    const { closed, open } = tradesOf([
      aFill('buy', 10, '100', { fee: ZERO }),
      aFill('sell', 40, '110', { fee: new Decimal(4), day: 1 }),
    ]);
    expect(closed[0]).toMatchObject({
      direction: 'long',
      quantity: new Decimal(10),
      profit: new Decimal(99),
    });
    expect(open[0]).toMatchObject({
      direction: 'short',
      quantity: new Decimal(30),
      averageCost: new Decimal(110),
      fees: new Decimal(3),
    });
  });

  it('reports the profit of a partly closed position so far', () => {
    const { open } = tradesOf([aFill('buy', 10, '100'), aFill('sell', 4, '110')]);
    expect(open[0]).toMatchObject({
      quantity: new Decimal(6),
      averageCost: new Decimal(100),
      realized: new Decimal(40),
    });
  });

  it('keeps symbols apart', () => {
    const other = { symbol: securitySymbol('AAPL.US') };
    const { closed, open } = tradesOf([
      aFill('buy', 1, '5'),
      aFill('sell', 1, '6', other),
      aFill('sell', 1, '7'),
    ]);
    expect(closed.map((trade) => trade.symbol)).toEqual(['SPX.US']);
    expect(open.map((trade) => trade.symbol)).toEqual(['AAPL.US']);
  });

  it('accounts for every cent: profits, fees and open cost add up to the cash flow', () => {
    fc.assert(
      fc.property(manyFills, (fills) => {
        const { closed, open } = tradesOf(fills);
        const cash = fills.reduce((sum, fill) => {
          const value = fill.price.times(fill.quantity);
          return (fill.side === 'buy' ? sum.minus(value) : sum.plus(value)).minus(fill.fee);
        }, ZERO);
        const made = closed.reduce((sum, trade) => sum.plus(trade.profit), ZERO);
        const still = open.reduce((sum, trade) => {
          const cost = (trade.averageCost ?? ZERO)
            .times(trade.quantity)
            .times(trade.direction === 'long' ? -1 : 1);
          return sum.plus(cost).plus(trade.realized).minus(trade.fees);
        }, ZERO);
        expect(made.plus(still).minus(cash).abs().lt('1e-20')).toBe(true);
      }),
    );
  });

  it('holds what the books hold at the end', () => {
    fc.assert(
      fc.property(manyFills, (fills) => {
        const { holdings } = fills.reduce(bookFill, EMPTY_PORTFOLIO);
        const { open } = tradesOf(fills);
        expect(open.map((trade) => trade.symbol).sort()).toEqual([...holdings.keys()].sort());
        for (const trade of open) {
          const held = holdings.get(trade.symbol);
          expect(held?.quantity.abs().eq(trade.quantity)).toBe(true);
          expect(
            held?.averageCost
              ?.minus(trade.averageCost ?? ZERO)
              .abs()
              .lt('1e-20'),
          ).toBe(true);
        }
      }),
    );
  });
});
