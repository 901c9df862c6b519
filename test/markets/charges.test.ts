import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChargeRow } from '#src/markets/charge-row.ts';
import { CHARGE_SCHEDULES, withCommission } from '#src/markets/charge-schedules.ts';
import { type ChargeLine, chargeTable, totalOf } from '#src/markets/charges.ts';
import { MARKET_RECORDS } from '#src/markets/market-records.ts';
import { midnightOf } from '#src/markets/sessions.ts';
import {
  type Amount,
  add,
  amount,
  formatAmount,
  isNegative,
  subtract,
  toDecimal,
} from '#src/model/amount.ts';
import { Decimal, decimal } from '#src/model/decimal.ts';
import type { Side } from '#src/model/order.ts';
import { SECURITY_KINDS, type SecurityKind } from '#src/model/security.ts';
import { addDays, calendarDay, millis } from '#src/model/time.ts';
import { addToBill, billed, chargesOn, estimateCharges, NO_BILL } from '#src/simulation/orders/bill.ts';
import { security } from '../simulation/world.ts';

const { standard, none } = CHARGE_SCHEDULES;

interface Deal {
  readonly market?: string;
  readonly kind?: SecurityKind;
  readonly side?: Side;
  readonly day?: string;
  readonly quantity: string;
  readonly notional: string;
}

function charged(deal: Deal, schedule = standard): readonly ChargeLine[] {
  const { market = 'HK', kind = 'stock', side = 'buy', day = '2025-11-21', quantity, notional } = deal;
  const at = midnightOf(market, calendarDay(day));
  return chargeTable(schedule, { market, kind, side }).lines(at, amount(quantity), amount(notional));
}

/** Lines as `CODE amount`, the broker's first. */
function lines(deal: Deal, schedule = standard): readonly string[] {
  return charged(deal, schedule).map(({ row, amount: sum }) => `${row.code} ${formatAmount(sum, 2)}`);
}

describe('standard charges of Hong Kong', () => {
  it('are those of the published example: 62.23 on a buy of HK$41,220', () => {
    const deal = { quantity: '100', notional: '41220' };
    expect(lines(deal)).toEqual([
      'PLATFORM_FEE 15.00',
      'STAMP_DUTY 42.00',
      'TRADING_FEE 2.33',
      'SFC_LEVY 1.11',
      'AFRC_LEVY 0.06',
      'SETTLEMENT_FEE 1.73',
    ]);
    const charges = charged(deal);
    expect(formatAmount(totalOf(charges))).toBe('62.23');
    expect(charges.map(({ row }) => row.category)).toEqual(['broker', ...Array(5).fill('third-party')]);
  });

  it.each([
    ['stock', '2021-07-31', '100.00'],
    ['stock', '2021-08-01', '130.00'],
    ['stock', '2023-11-16', '130.00'],
    ['stock', '2023-11-17', '100.00'],
    ['stock', '2024-12-20', '100.00'],
    ['stock', '2024-12-21', '100.00'],
    ['reit', '2024-12-20', '100.00'],
    ['reit', '2024-12-21', undefined],
    ['etf', '2025-11-21', undefined],
    ['warrant', '2025-11-21', undefined],
    ['index', '2025-11-21', '100.00'],
  ] as const)('include stamp duty on a %s on %s: %s', (kind, day, amount) => {
    const stamp = lines({ kind, day, quantity: '1000', notional: '100000' }).filter((line) =>
      line.startsWith('STAMP'),
    );
    expect(stamp).toEqual(amount === undefined ? [] : [`STAMP_DUTY ${amount}`]);
  });

  it.each([
    ['2025-06-29', '50000', '2.00'],
    ['2025-06-29', '1000000', '20.00'],
    ['2025-06-29', '90000000', '100.00'],
    ['2025-06-30', '50000', '2.10'],
    ['2025-06-30', '90000000', '3780.00'],
  ])('settle on %s a notional of %s for %s', (day, notional, amount) => {
    expect(lines({ day, quantity: '100', notional })).toContain(`SETTLEMENT_FEE ${amount}`);
  });

  it('round stamp duty up to the dollar, and only then', () => {
    expect(lines({ quantity: '100', notional: '41000' })).toContain('STAMP_DUTY 41.00');
    expect(lines({ quantity: '100', notional: '41000.01' })).toContain('STAMP_DUTY 42.00');
  });

  it('leave out a line of zero and keep the minimum trading fee', () => {
    expect(lines({ quantity: '1', notional: '10' })).toEqual([
      'PLATFORM_FEE 15.00',
      'STAMP_DUTY 1.00',
      'TRADING_FEE 0.01',
    ]);
  });
});

describe('standard charges of the US', () => {
  it('take regulatory fees on sales only', () => {
    const deal = { market: 'US', day: '2025-03-03', quantity: '1000', notional: '200000' };
    expect(lines(deal)).toEqual(['PLATFORM_FEE 5.00', 'SETTLEMENT_FEE 3.00']);
    expect(lines({ ...deal, side: 'sell' })).toEqual([
      'PLATFORM_FEE 5.00',
      'SEC_FEE 5.56',
      'TAF 0.17',
      'SETTLEMENT_FEE 3.00',
    ]);
  });

  it.each([
    ['2025-05-13', 'SEC_FEE 27.80'],
    ['2025-05-14', undefined],
    ['2026-04-03', undefined],
    ['2026-04-04', 'SEC_FEE 20.60'],
    ['2014-03-17', 'SEC_FEE 17.40'],
    ['2014-03-18', 'SEC_FEE 22.10'],
  ])('have the rate of the day: %s %s', (day, line) => {
    const found = lines({ market: 'US', side: 'sell', day, quantity: '100', notional: '1000000' });
    expect(found.filter((text) => text.startsWith('SEC_FEE'))).toEqual(line === undefined ? [] : [line]);
  });

  it.each([
    ['2025-12-31', '1000000', 'TAF 8.30'],
    ['2026-01-01', '1000000', 'TAF 9.79'],
    ['2026-01-01', '1000', 'TAF 0.20'],
    ['2026-01-01', '1', 'TAF 0.01'],
  ])('cap and floor the activity fee: %s, %s shares: %s', (day, quantity, line) => {
    expect(lines({ market: 'US', side: 'sell', day, quantity, notional: '5000' })).toContain(line);
  });

  it('bound the platform fee: a dollar at least, one percent at most, whichever is less', () => {
    expect(lines({ market: 'US', quantity: '10', notional: '2000' })).toContain('PLATFORM_FEE 1.00');
    expect(lines({ market: 'US', quantity: '10000', notional: '3000' })).toContain('PLATFORM_FEE 30.00');
    expect(lines({ market: 'US', quantity: '100', notional: '20' })).toContain('PLATFORM_FEE 1.00');
  });

  it('charge options the SEC fee of every sale, and nothing per contract', () => {
    const deal = {
      market: 'US',
      kind: 'option',
      day: '2025-03-03',
      quantity: '10',
      notional: '500',
    } as const;
    expect(lines({ ...deal, side: 'sell' })).toEqual(['SEC_FEE 0.01']);
    expect(lines(deal)).toEqual([]);
  });

  it('treat a tradable index as a share', () => {
    const deal = { market: 'US', side: 'sell', quantity: '10', notional: '60000' } as const;
    expect(lines({ ...deal, kind: 'index' })).toEqual(lines({ ...deal, kind: 'stock' }));
  });
});

describe('schedules', () => {
  it('charge nothing under "none", for nothing executed, and without a table', () => {
    expect(lines({ quantity: '100', notional: '41220' }, none)).toEqual([]);
    expect(lines({ quantity: '0', notional: '0' })).toEqual([]);
    expect(lines({ market: 'CRYPTO', quantity: '1', notional: '67000' })).toEqual([]);
  });

  it('accept a custom commission with its minimum, in any market', () => {
    const percent = withCommission(none, { kind: 'percent', rate: decimal('0.001') });
    expect(lines({ market: 'CRYPTO', quantity: '1', notional: '67001.555' }, percent)).toEqual([
      'COMMISSION 67.00',
    ]);
    const shares = withCommission(none, {
      kind: 'per-share',
      perShare: decimal('0.0049'),
      minimum: decimal('0.99'),
    });
    expect(lines({ market: 'US', quantity: '100', notional: '2000' }, shares)).toEqual(['COMMISSION 0.99']);
    expect(lines({ market: 'US', quantity: '1000', notional: '2000' }, shares)).toEqual(['COMMISSION 4.90']);
    const capped = withCommission(none, [
      {
        kind: 'per-share',
        perShare: decimal('0.005'),
        minimum: decimal('1'),
        maximumRatio: decimal('0.01'),
        market: 'US',
      },
      { kind: 'percent', rate: decimal('0.0003'), maximum: decimal('50'), market: 'HK' },
    ]);
    const us = (quantity: string, notional: string) => lines({ market: 'US', quantity, notional }, capped);
    expect(us('1000', '100000')).toEqual(['COMMISSION 5.00']);
    expect(us('1000', '300')).toEqual(['COMMISSION 3.00']);
    expect(us('10', '50')).toEqual(['COMMISSION 0.50']);
    expect(us('10', '2')).toEqual(['COMMISSION 0.02']);
    expect(lines({ quantity: '100', notional: '100000' }, capped)).toEqual(['COMMISSION 30.00']);
    expect(lines({ quantity: '100', notional: '1000000' }, capped)).toEqual(['COMMISSION 50.00']);
    const flat = withCommission(standard, { kind: 'per-order', amount: decimal('3') });
    expect(lines({ quantity: '100', notional: '41220' }, flat)[0]).toBe('COMMISSION 3.00');
    expect(flat.name).toBe('standard + commission');
  });

  it('leave an exact commission unrounded', () => {
    const percent = { kind: 'percent', rate: decimal('0.002') } as const;
    const exact = withCommission(none, percent, 'exact');
    for (const schedule of [exact, withCommission(none, { ...percent, exact: true })]) {
      const charges = charged({ market: 'US', quantity: '3', notional: '123.4567' }, schedule);
      expect(formatAmount(totalOf(charges))).toBe('0.2469134');
    }
  });

  it('have exactly one row of a code in force on any day, for any kind of security', () => {
    const applying = (row: ChargeRow, market: string, kind: SecurityKind, day: string): boolean =>
      row.market === market &&
      !(row.exempt?.includes(kind) ?? false) &&
      (row.from === undefined || row.from <= day) &&
      (row.until === undefined || row.until >= day);
    for (let day = calendarDay('1998-01-01'); day < '2030'; day = addDays(day, 1)) {
      for (const [market, kind] of [
        ['HK', 'stock'],
        ['HK', 'reit'],
        ['US', 'stock'],
        ['SG', 'stock'],
      ] as const) {
        const codes = MARKET_RECORDS.flatMap(({ authorityCharges }) => authorityCharges)
          .filter((row) => applying(row, market, kind, day))
          .map((row) => row.code);
        if (new Set(codes).size !== codes.length)
          expect.fail(`Two rows of one code on ${day}: ${codes.join(', ')}`);
        if (market === 'US') expect(codes).toEqual(['SEC_FEE', 'TAF', 'SETTLEMENT_FEE']);
      }
    }
  });
});

describe('a charge', () => {
  const capped = withCommission(CHARGE_SCHEDULES.authorities, {
    kind: 'per-share',
    perShare: decimal('0.005'),
    minimum: decimal('1'),
    maximumRatio: decimal('0.01'),
  });
  const exact = withCommission(standard, { kind: 'percent', rate: decimal('0.00123'), exact: true });

  /** An independent computation of the rule in docs/charges.md: bounds first, then rounding. */
  function referee(row: ChargeRow, quantity: Decimal, notional: Decimal): Decimal {
    const { basis, minimum, maximum, maximumRatio } = row;
    let sum =
      basis.kind === 'percent'
        ? notional.times(basis.rate)
        : basis.kind === 'per-share'
          ? quantity.times(basis.perShare)
          : basis.amount;
    if (sum.isZero()) return sum;
    const cap = maximumRatio === undefined ? undefined : notional.times(maximumRatio);
    if (maximum !== undefined) sum = Decimal.min(sum, maximum);
    if (cap !== undefined) sum = Decimal.min(sum, cap);
    if (minimum !== undefined) sum = Decimal.max(sum, minimum);
    if (cap !== undefined && row.capPrevails === true) sum = Decimal.min(sum, cap);
    if (row.rounding === 'exact') return sum;
    return row.rounding === 'cent' ? sum.toDecimalPlaces(2) : sum.toDecimalPlaces(0, Decimal.ROUND_UP);
  }

  it('is the bounded, then rounded share of each row in force, for any size of the order', () => {
    const size = fc.oneof(
      fc.integer({ min: 1, max: 300 }),
      fc.integer({ min: 1, max: 100_000 }),
      fc.maxSafeInteger().filter((units) => units > 0),
    );
    fc.assert(
      fc.property(
        fc.constantFrom(standard, CHARGE_SCHEDULES.authorities, capped, exact),
        fc.constantFrom('HK', 'US'),
        fc.constantFrom(...SECURITY_KINDS),
        fc.constantFrom<Side>('buy', 'sell'),
        fc.constantFrom('2005-01-03', '2011-06-01', '2019-06-03', '2021-08-01', '2024-06-03', '2025-11-21'),
        size,
        size,
        (schedule, market, kind, side, day, cents, shares) => {
          const [quantity, notional] = [new Decimal(shares), new Decimal(cents).times(shares).div(100)];
          const want = schedule.rows
            .filter(
              (row) =>
                (row.market ?? market) === market &&
                (row.side ?? side) === side &&
                !(row.exempt?.includes(kind) ?? false) &&
                (row.from ?? day) <= day &&
                (row.until ?? day) >= day,
            )
            .map((row) => `${row.code} ${referee(row, quantity, notional)}`)
            .filter((line) => !line.endsWith(' 0'));
          const deal = {
            market,
            kind,
            side,
            day,
            quantity: quantity.toFixed(),
            notional: notional.toFixed(),
          };
          const lines = charged(deal, schedule);
          expect(lines.map(({ row, amount: sum }) => `${row.code} ${formatAmount(sum)}`)).toEqual(want);
          const table = chargeTable(schedule, { market, kind, side });
          const at = midnightOf(market, calendarDay(day));
          expect(table.total(at, amount(deal.quantity), amount(deal.notional))).toEqual(totalOf(lines));
        },
      ),
      { numRuns: 5_000 },
    );
  });
});

describe('partial fills', () => {
  const fill = fc.record({
    quantity: fc.integer({ min: 1, max: 5000 }),
    cents: fc.integer({ min: 100, max: 100_000 }),
  });

  it('cost together what the whole order costs, and none is negative', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('AAPL.US', '700.HK'),
        fc.constantFrom(...SECURITY_KINDS),
        fc.constantFrom<Side>('buy', 'sell'),
        fc.array(fill, { minLength: 1, maxLength: 6 }),
        (symbol, kind, side, fills) => {
          const traded = security(symbol, { kind });
          const at = millis(Date.parse('2025-11-21T15:00:00Z'));
          let bill = NO_BILL;
          let [quantity, notional]: [Amount, Amount] = [0, 0];
          for (const { quantity: shares, cents } of fills) {
            const part = { quantity: amount(`${shares}`), notional: amount(`${shares * cents}e-2`) };
            quantity = add(quantity, part.quantity);
            notional = add(notional, part.notional);
            const before = billed(bill);
            bill = addToBill(bill, { security: traded, side, ...part, at }, standard);
            expect(isNegative(subtract(billed(bill), before))).toBe(false);
            const whole = { security: traded, side, quantity, notional, at };
            expect(billed(bill)).toBe(estimateCharges(whole, standard));
          }
          const currency = traded.currency;
          const total = chargesOn(bill, currency).reduce(
            (sum, each) => sum.plus(each.amount),
            new Decimal(0),
          );
          expect(total).toEqual(toDecimal(billed(bill)));
        },
      ),
    );
  });
});
