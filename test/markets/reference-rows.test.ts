import { describe, expect, it } from 'vitest';
import { CHARGE_SCHEDULES } from '#src/markets/charge-schedules.ts';
import { chargeTable } from '#src/markets/charges.ts';
import { defaultLotSize } from '#src/markets/lots.ts';
import { hasTable } from '#src/markets/market-records.ts';
import { midnightOf, sessionsOf } from '#src/markets/sessions.ts';
import { settlementDay } from '#src/markets/settlement.ts';
import { tickSize } from '#src/markets/ticks.ts';
import { zoneName } from '#src/markets/zones.ts';
import { amount, formatAmount } from '#src/model/amount.ts';
import { decimal } from '#src/model/decimal.ts';
import { calendarDay } from '#src/model/time.ts';

/** A row of the reference on one day: market, kind, side, day, shares, notional, code, amount ("-" for none). */
type Row = readonly [
  'HK' | 'US',
  'stock' | 'reit' | 'etf' | 'warrant' | 'cbbc',
  'buy' | 'sell',
  string,
  string,
  string,
  string,
  string,
];

function charged([market, kind, side, day, shares, notional, code]: Row): string {
  const table = chargeTable(CHARGE_SCHEDULES.standard, { market, kind, side });
  const lines = table
    .lines(midnightOf(market, calendarDay(day)), amount(shares), amount(notional))
    .filter(({ row }) => row.code === code);
  return lines.map((line) => formatAmount(line.amount)).join(' + ') || '-';
}

const STAMP: readonly Row[] = [
  ['HK', 'stock', 'buy', '2021-07-31', '1', '1000000', 'STAMP_DUTY', '1000'],
  ['HK', 'stock', 'buy', '2021-08-01', '1', '1000000', 'STAMP_DUTY', '1300'],
  ['HK', 'stock', 'sell', '2023-11-16', '1', '1000000', 'STAMP_DUTY', '1300'],
  ['HK', 'stock', 'sell', '2023-11-17', '1', '1000000', 'STAMP_DUTY', '1000'],
  ['HK', 'stock', 'buy', '2025-01-02', '1', '0.01', 'STAMP_DUTY', '1'],
  ['HK', 'stock', 'buy', '2025-01-02', '1', '1000', 'STAMP_DUTY', '1'],
  ['HK', 'stock', 'buy', '2025-01-02', '1', '1000.01', 'STAMP_DUTY', '2'],
  ['HK', 'reit', 'sell', '2024-12-20', '1', '1000000', 'STAMP_DUTY', '1000'],
  ['HK', 'reit', 'sell', '2024-12-21', '1', '1000000', 'STAMP_DUTY', '-'],
  ['HK', 'etf', 'buy', '2022-01-03', '1', '1000000', 'STAMP_DUTY', '-'],
  ['HK', 'warrant', 'buy', '2022-01-03', '1', '1000000', 'STAMP_DUTY', '-'],
  ['HK', 'cbbc', 'sell', '2025-01-02', '1', '1000000', 'STAMP_DUTY', '-'],
];

const LEVIES: readonly Row[] = [
  ['HK', 'stock', 'buy', '2022-12-31', '1', '1000000', 'TRADING_FEE', '50'],
  ['HK', 'stock', 'buy', '2023-01-01', '1', '1000000', 'TRADING_FEE', '56.5'],
  ['HK', 'etf', 'sell', '2023-01-01', '1', '1000000', 'TRADING_FEE', '56.5'],
  ['HK', 'stock', 'buy', '2023-01-01', '1', '1', 'TRADING_FEE', '0.01'],
  ['HK', 'stock', 'buy', '2023-01-01', '1', '1000', 'TRADING_FEE', '0.06'],
  ['HK', 'stock', 'buy', '2014-10-31', '1', '1000000', 'SFC_LEVY', '30'],
  ['HK', 'stock', 'buy', '2014-11-01', '1', '1000000', 'SFC_LEVY', '27'],
  ['HK', 'cbbc', 'sell', '2014-11-01', '1', '1000000', 'SFC_LEVY', '27'],
  ['HK', 'stock', 'buy', '2025-01-02', '1', '5000', 'SFC_LEVY', '0.14'],
  ['HK', 'stock', 'buy', '2025-01-02', '1', '185', 'SFC_LEVY', '-'],
  ['HK', 'stock', 'buy', '2025-01-02', '1', '186', 'SFC_LEVY', '0.01'],
  ['HK', 'stock', 'sell', '2021-12-31', '1', '1000000', 'AFRC_LEVY', '-'],
  ['HK', 'stock', 'sell', '2022-01-01', '1', '1000000', 'AFRC_LEVY', '1.5'],
  ['HK', 'reit', 'buy', '2022-01-01', '1', '10000', 'AFRC_LEVY', '0.02'],
];

const SETTLEMENT: readonly Row[] = [
  ['HK', 'stock', 'buy', '2025-06-29', '1', '99999', 'SETTLEMENT_FEE', '2'],
  ['HK', 'stock', 'buy', '2025-06-29', '1', '101000', 'SETTLEMENT_FEE', '2.02'],
  ['HK', 'stock', 'sell', '2025-06-29', '1', '4999500', 'SETTLEMENT_FEE', '99.99'],
  ['HK', 'stock', 'sell', '2025-06-29', '1', '5001000', 'SETTLEMENT_FEE', '100'],
  ['HK', 'stock', 'buy', '2025-06-30', '1', '1000', 'SETTLEMENT_FEE', '0.04'],
  ['HK', 'warrant', 'sell', '2025-06-30', '1', '5001000', 'SETTLEMENT_FEE', '210.04'],
  ['US', 'stock', 'buy', '2026-01-02', '1000', '50000', 'SETTLEMENT_FEE', '3'],
  ['US', 'etf', 'sell', '2026-01-02', '1', '50', 'SETTLEMENT_FEE', '-'],
  ['US', 'etf', 'sell', '2026-01-02', '2', '100', 'SETTLEMENT_FEE', '0.01'],
];

const AMERICAN: readonly Row[] = [
  ['US', 'stock', 'sell', '2025-05-13', '100', '1000000', 'SEC_FEE', '27.8'],
  ['US', 'stock', 'sell', '2025-05-13', '1', '10', 'SEC_FEE', '0.01'],
  ['US', 'stock', 'buy', '2025-05-13', '100', '1000000', 'SEC_FEE', '-'],
  ['US', 'stock', 'sell', '2025-05-14', '100', '1000000', 'SEC_FEE', '-'],
  ['US', 'stock', 'sell', '2026-04-03', '100', '1000000', 'SEC_FEE', '-'],
  ['US', 'stock', 'sell', '2026-04-04', '100', '1000000', 'SEC_FEE', '20.6'],
  ['US', 'etf', 'sell', '2026-04-04', '1', '10', 'SEC_FEE', '0.01'],
  ['US', 'stock', 'sell', '2025-12-31', '10000', '50000', 'TAF', '1.66'],
  ['US', 'stock', 'sell', '2025-12-31', '49999', '50000', 'TAF', '8.3'],
  ['US', 'stock', 'sell', '2025-12-31', '60000', '50000', 'TAF', '8.3'],
  ['US', 'stock', 'sell', '2026-01-01', '10000', '50000', 'TAF', '1.95'],
  ['US', 'stock', 'sell', '2026-01-01', '50205', '50000', 'TAF', '9.79'],
  ['US', 'stock', 'sell', '2026-01-01', '60000', '50000', 'TAF', '9.79'],
  ['US', 'stock', 'sell', '2026-01-01', '1', '50', 'TAF', '0.01'],
  ['US', 'stock', 'buy', '2026-01-01', '10000', '50000', 'TAF', '-'],
];

const BROKER: readonly Row[] = [
  ['HK', 'etf', 'sell', '2025-01-02', '1', '10', 'PLATFORM_FEE', '15'],
  ['US', 'stock', 'buy', '2025-01-02', '1', '500', 'PLATFORM_FEE', '1'],
  ['US', 'stock', 'buy', '2025-01-02', '201', '50000', 'PLATFORM_FEE', '1.01'],
  ['US', 'stock', 'sell', '2025-01-02', '10000', '2000', 'PLATFORM_FEE', '20'],
  ['US', 'stock', 'sell', '2025-01-02', '10000', '2000', 'COMMISSION', '-'],
  ['HK', 'stock', 'buy', '2025-01-02', '10000', '2000', 'COMMISSION', '-'],
];

describe('charges, row by row of the reference (10.6)', () => {
  it.each([...STAMP, ...LEVIES, ...SETTLEMENT, ...AMERICAN, ...BROKER])(
    '%s %s %s on %s, %s shares for %s: %s is %s',
    (...row) => expect(charged(row)).toBe(row[7]),
  );
});

/**
 * Lower and upper price of a band, and its tick for shares before 2025-08-04, from then on, and for structured
 * products.
 */
const HK_BANDS = [
  ['0.01', '0.249', '0.001', '0.001'],
  ['0.25', '0.495', '0.005', '0.005'],
  ['0.5', '9.99', '0.01', '0.01'],
  ['10', '19.99', '0.02', '0.01'],
  ['20', '49.98', '0.05', '0.02'],
  ['50', '99.95', '0.05', '0.05'],
  ['100', '199.9', '0.1', '0.1'],
  ['200', '499.8', '0.2', '0.2'],
  ['500', '999.5', '0.5', '0.5'],
  ['1000', '1999', '1', '1'],
  ['2000', '4998', '2', '2'],
  ['5000', '9995', '5', '5'],
] as const;

/** First and last price of each band of funds. */
const FUND_BANDS = [
  ['0.5', '0.999', '0.001'],
  ['1', '4.998', '0.002'],
  ['5', '9.995', '0.005'],
  ['10', '19.99', '0.01'],
  ['20', '99.98', '0.02'],
  ['100', '199.95', '0.05'],
  ['200', '499.9', '0.1'],
  ['500', '999.8', '0.2'],
  ['1000', '1999.5', '0.5'],
  ['2000', '9999', '1'],
] as const;

type Kind = 'stock' | 'reit' | 'etf' | 'warrant' | 'cbbc';

const tickOn = (day: string, kind: Kind, price: string, market = 'HK'): string =>
  tickSize({ market, kind }, decimal(price), calendarDay(day)).toString();

describe('ticks, row by row of the reference (10.4)', () => {
  it.each(HK_BANDS)(
    'of HK from %s to %s are %s on 2025-08-03 and %s on 2025-08-04',
    (low, high, old, now) => {
      for (const price of [low, high]) {
        for (const kind of ['stock', 'reit'] as const) {
          expect(tickOn('2025-08-03', kind, price)).toBe(old);
          expect(tickOn('2025-08-04', kind, price)).toBe(now);
        }
        for (const kind of ['warrant', 'cbbc'] as const) expect(tickOn('2025-08-04', kind, price)).toBe(old);
      }
    },
  );

  it.each(FUND_BANDS)('of HK funds from %s to %s are %s on any day', (low, high, tick) => {
    for (const day of ['2025-08-03', '2025-08-04'])
      expect([low, high].map((price) => tickOn(day, 'etf', price))).toEqual([tick, tick]);
  });

  it.each([
    ['0.9999', '0.0001'],
    ['1', '0.01'],
    ['900', '0.01'],
  ])('of the US at %s are %s', (price, tick) => {
    expect(tickOn('2025-11-03', 'stock', price, 'US')).toBe(tick);
  });
});

describe('lots and settlement, row by row of the reference (10.3, 10.7)', () => {
  it('have lots of 100 in HK and of 1 in the US', () => {
    expect(['HK', 'US'].map(defaultLotSize)).toEqual([100, 1]);
  });

  it.each([
    ['HK', '2024-05-24', '2024-05-28', 'T+2, over a weekend'],
    ['HK', '2024-05-27', '2024-05-29', 'T+2, though the US goes to T+1 that week'],
    ['HK', '2024-12-24', '2024-12-30', 'the half day of the trade, Christmas and a weekend'],
    ['HK', '2024-09-05', '2024-09-10', 'over a typhoon day'],
    ['US', '2024-05-23', '2024-05-28', 'T+2, over Memorial Day'],
    ['US', '2024-05-24', '2024-05-29', 'the last day of T+2'],
    ['US', '2024-05-28', '2024-05-29', 'the first day of T+1'],
    ['US', '2024-11-29', '2024-12-02', 'T+1 of a half day, over a weekend'],
  ])('%s of %s settles on %s: %s', (market, day, settles) => {
    expect(settlementDay(market, calendarDay(day))).toBe(settles);
  });
});

/** Sessions of a day in exchange time, as `kind hh:mm-hh:mm`. */
function hours(market: string, day: string): readonly string[] {
  const clock = new Intl.DateTimeFormat('en-GB', {
    timeZone: zoneName(market),
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  return sessionsOf(market, calendarDay(day)).map(
    ({ kind, open, close }) => `${kind} ${clock.format(open)}-${clock.format(close)}`,
  );
}

const [MORNING, AFTERNOON] = ['regular 09:30-12:00', 'regular 13:00-16:00'];
const [OPENING, CLOSING] = ['opening-auction 09:00-09:30', 'closing-auction 16:00-16:10'];
const EARLY = ['overnight 20:00-04:00', 'pre 04:00-09:30'];
const FULL_US = [...EARLY, 'regular 09:30-16:00', 'post 16:00-20:00'];
const HALF_US = [...EARLY, 'regular 09:30-13:00', 'post 13:00-17:00'];

describe('sessions, row by row of the reference (10.2)', () => {
  it.each([
    ['HK', '2025-11-21', [OPENING, MORNING, AFTERNOON, CLOSING], 'a full day'],
    ['HK', '2024-12-24', [OPENING, MORNING, 'closing-auction 12:00-12:10'], 'a half day'],
    ['HK', '2016-07-22', [OPENING, MORNING, AFTERNOON], 'the last day without a closing auction'],
    ['HK', '2016-07-25', [OPENING, MORNING, AFTERNOON, CLOSING], 'the first day with one'],
    ['HK', '2024-09-06', [], 'a typhoon day'],
    [
      'HK',
      '2024-11-14',
      [OPENING, MORNING, AFTERNOON, CLOSING],
      'signal 8 after 2024-09-23: trading continues',
    ],
    ['HK', '2021-06-28', ['regular 13:30-16:00', CLOSING], 'a morning lost to a rainstorm'],
    ['HK', '2023-10-09', ['regular 14:00-16:00', CLOSING], 'a morning lost to a typhoon, and an hour more'],
    ['US', '2025-03-07', FULL_US, 'the last day of winter time'],
    ['US', '2025-03-10', FULL_US, 'the first day of summer time: Sunday evening counts as well'],
    ['US', '2025-11-28', HALF_US, 'the day after Thanksgiving'],
    ['US', '2025-11-27', [], 'Thanksgiving'],
  ])('%s on %s: %j, %s', (market, day, wanted) => {
    expect(hours(market, day)).toEqual(wanted);
  });

  it('are not defined for mainland China', () => {
    expect(['SH', 'SZ'].map(hasTable)).toEqual([false, false]);
  });
});
