import { describe, expect, it } from 'vitest';
import type { CorporateAction } from '#src/model/corporate-action.ts';
import { decimal, ZERO } from '#src/model/decimal.ts';
import { calendarDay, millis } from '#src/model/time.ts';
import { DEFAULT_INTEREST } from '#src/simulation/books/interest.ts';
import { MARGIN_ACCOUNT } from '#src/simulation/models.ts';
import { AAPL, type BarRow, bars, order, runUntil, world } from './world.ts';

/** A trade at the opening of a day of May 2025; negative to sell. */
type Trade = readonly [day: string, quantity: number];

/** Trading days of May 2025 that begin on a Monday; the 26th is Memorial Day. US trades settle T+1. */
const DAYS = ['12', '13', '14', '15', '16', '19', '20', '21', '22', '23', '27', '28', '29', '30'];

/**
 * Nights, named by the day that begins with them, and their fees: 100 shares at 100 cost 10.00, 36 % a year over 360
 * days.
 */
function nights(
  trades: readonly Trade[],
  more: { readonly days?: readonly string[]; readonly actions?: readonly CorporateAction[] } = {},
): readonly string[] {
  const rows = ['09', ...(more.days ?? DAYS)].map(
    (day): BarRow => [`2025-05-${day}T00:00:00-04:00`, 100, 100, 100, 100, 10_000],
  );
  const { simulation, account } = world({
    bars: [bars('AAPL.US', '1d', rows)],
    start: '2025-05-12T00:00:00-04:00',
    corporateActions: more.actions ?? [],
    accounts: [{ id: 'a', currency: 'USD', cash: { USD: decimal('100000') }, fx: {}, short: true }],
    models: {
      margin: MARGIN_ACCOUNT,
      interest: { ...DEFAULT_INTEREST, borrow: { usual: decimal('0.36'), by: {} } },
    },
  });
  for (const [day, quantity] of trades) {
    runUntil(simulation, `2025-05-${day}T09:00:00-04:00`);
    order(account, { side: quantity < 0 ? 'sell' : 'buy', quantity: String(Math.abs(quantity)) });
  }
  runUntil(simulation, '2025-06-02T12:00:00-04:00');
  const fees = account.cashPostings(millis(0)).filter(({ kind }) => kind === 'borrow-fee');
  const booked = account.books().find((balance) => balance.account === 'borrowing');
  expect(booked?.amount ?? ZERO).toEqual(fees.reduce((sum, { amount }) => sum.minus(amount), ZERO));
  return fees.map(({ at, amount }) => `${new Date(at - 1).toISOString().slice(8, 10)} ${amount.neg()}`);
}

const delisted = (day: string): CorporateAction => ({
  ...{ kind: 'delisting', symbol: AAPL, exDay: calendarDay(`2025-05-${day}`) },
  price: decimal('100'),
});

describe('the fee for borrowed shares', () => {
  it('is owed from the settlement of the sale until that of the purchase which covers it', () => {
    // Sold on Monday, covered on Tuesday: borrowed from Tuesday to Wednesday.
    expect(
      nights([
        ['12', -100],
        ['13', 100],
      ]),
    ).toEqual(['14 10']);
    // A part over two nights.
    expect(
      nights([
        ['12', -100],
        ['13', 50],
        ['14', 50],
      ]),
    ).toEqual(['14 10', '15 5']);
  });

  it('is zero for shares that were covered on the same day', () => {
    expect(
      nights([
        ['12', -100],
        ['12', 100],
      ]),
    ).toEqual([]);
  });

  it('counts weekends and holidays between the settlements, not between the trades', () => {
    // Traded on Friday and Monday, settled on Monday and Tuesday.
    expect(
      nights([
        ['16', -100],
        ['19', 100],
      ]),
    ).toEqual(['20 10']);
    // Traded on Thursday and Friday, settled on Friday and on Tuesday after Memorial Day; four nights.
    expect(
      nights([
        ['22', -100],
        ['23', 100],
      ]),
    ).toEqual(['24 10', '25 10', '26 10', '27 10']);
  });

  it('is owed for the reversed part, not for what was held before', () => {
    expect(
      nights([
        ['12', 50],
        ['13', -150],
        ['14', 100],
      ]),
    ).toEqual(['15 10']);
  });

  it('is owed for the last night before a delisting, and for none after it', () => {
    expect(nights([['12', -100]], { actions: [delisted('16')] })).toEqual(['14 10', '15 10', '16 10']);
    // The last tick of all symbols, before a weekend.
    const last = { days: ['12', '13', '14', '15', '16'], actions: [delisted('19')] };
    expect(nights([['13', -100]], last)).toEqual(['15 10', '16 10', '17 10', '18 10', '19 10']);
  });

  it('counts new shares after a split before the settlement', () => {
    const split = {
      kind: 'split',
      symbol: AAPL,
      exDay: calendarDay('2025-05-14'),
      ratio: decimal('2'),
    } as const;
    // 200 new shares at 100 each: prices of this market do not follow splits.
    expect(
      nights(
        [
          ['13', -100],
          ['15', 200],
        ],
        { actions: [split] },
      ),
    ).toEqual(['15 20', '16 20']);
    expect(
      nights(
        [
          ['12', -100],
          ['13', 100],
        ],
        { actions: [split] },
      ),
    ).toEqual(['14 10']);
  });
});
