import { describe, expect, it } from 'vitest';
import type { CorporateAction } from '#src/model/corporate-action.ts';
import { decimal } from '#src/model/decimal.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { calendarDay } from '#src/model/time.ts';
import { CASH_ACCOUNT, MARGIN_ACCOUNT, type MarginModel, PRINT_FILLS } from '#src/simulation/models.ts';
import { send, TRANCHES } from './whole-bar-market.ts';
import {
  AAPL,
  type BarRow,
  bars,
  detail,
  fills,
  order,
  runUntil,
  settleNow,
  terms,
  trialBalance,
  world,
} from './world.ts';

const OPEN = '2024-01-04T10:00:00-05:00';

function minutes(...closes: readonly number[]): readonly BarRow[] {
  return closes.map((close, minute) => {
    const open = closes[minute - 1] ?? close;
    const time = `2024-01-04T10:${String(minute).padStart(2, '0')}:00-05:00`;
    return [time, open, Math.max(open, close), Math.min(open, close), close];
  });
}

function market(margin: MarginModel, cash: string, ...closes: readonly number[]) {
  const rows = minutes(...closes);
  const { simulation, account } = world({
    bars: [bars('AAPL.US', '1m', rows)],
    start: OPEN,
    accounts: [{ id: 'a', currency: 'USD', cash: { USD: decimal(cash) }, fx: {}, short: true }],
    models: { fills: { ...PRINT_FILLS, hours: 'bars' }, margin },
  });
  runUntil(simulation, '2024-01-04T10:00:50-05:00');
  return { simulation, account };
}

describe('an account that owes more than it has', () => {
  it('is closed out at the tick at which equity is below the forced-liquidation factors, and may trade again', () => {
    const model = { ...MARGIN_ACCOUNT, closeOut: 'forced' } as const;
    const { simulation, account } = market(model, '10000', 100, 100, 130, 160, 190);
    const short = order(account, { side: 'sell', quantity: '150' });
    const waiting = order(account, { quantity: '1', price: '50' });
    settleNow(simulation);
    runUntil(simulation, '2024-01-04T10:05:00-05:00');
    const [opened, closed] = fills(account);
    expect(opened).toMatch(/100 x 150/);
    expect(closed).toMatch(/x 150$/);
    const price = Number(closed?.split(' ')[1]);
    // 25,000 in cash, short 150 shares: equity falls below 25 % of their value for the first time.
    expect(25_000 - 150 * price).toBeLessThan(0.25 * 150 * price);
    expect(account.positions()).toEqual([]);
    expect(detail(account, short).status).toBe('FilledStatus');
    expect(detail(account, waiting)).toMatchObject({ status: 'CanceledStatus', message: 'Closed out' });
    expect(account.submit(terms({ quantity: '1' }), '').kind).toBe('accepted');
    expect(trialBalance(account)).toEqual({ USD: '0' });
  });

  it('is not closed out under a margin call, until equity is below the forced-liquidation factors', () => {
    const model = { ...MARGIN_ACCOUNT, closeOut: 'forced' } as const;
    const short = (last: number) => {
      // 6,250 and 10,000 from the sale, less 13,000 owed, are 25 % of those; a call is below 30 %.
      const { simulation, account } = market(model, '6250', 100, 100, last);
      order(account, { side: 'sell', quantity: '100' });
      settleNow(simulation);
      runUntil(simulation, '2024-01-04T10:05:00-05:00');
      return [account.positions().length, account.balance('USD').marginCall.gt(0)];
    };
    expect([short(120), short(130), short(130.01)]).toEqual([
      [1, false],
      [1, true],
      [0, false],
    ]);
  });

  it('is closed out once its equity is gone, owes nothing then, and accepts no more orders', () => {
    const model = { ...MARGIN_ACCOUNT, closeOut: 'equity' } as const;
    const { simulation, account } = market(model, '10000', 100, 100, 150, 210, 230);
    order(account, { side: 'sell', quantity: '100' });
    settleNow(simulation);
    runUntil(simulation, '2024-01-04T10:05:00-05:00');
    expect(fills(account)).toHaveLength(2);
    expect(account.balance().equity.toString()).toBe('0');
    expect(
      account
        .books()
        .find((entry) => entry.account === 'written-off')
        ?.amount.isZero(),
    ).toBe(false);
    expect(trialBalance(account)).toEqual({ USD: '0' });
    const late = order(account, { quantity: '1' });
    settleNow(simulation);
    expect(detail(account, late)).toMatchObject({ status: 'RejectedStatus', message: /was closed out/ });
  });

  it('is kept if close-outs are disabled', () => {
    const { simulation, account } = market(MARGIN_ACCOUNT, '10000', 100, 100, 150, 210, 230);
    order(account, { side: 'sell', quantity: '100' });
    settleNow(simulation);
    runUntil(simulation, '2024-01-04T10:05:00-05:00');
    expect(account.balance().equity.toString()).toBe('-3000');
  });
});

describe('a close-out of several symbols', () => {
  const CALLED = { ...MARGIN_ACCOUNT, closeOut: 'forced' } as const;
  interface Rows {
    readonly first: readonly BarRow[];
    readonly other: readonly BarRow[];
  }
  const two = (rows: Rows, other: string, start = '2024-01-04T09:30:00-05:00') => {
    const made = world({
      bars: [bars('AAPL.US', '30m', rows.first), bars(other, '30m', rows.other)],
      start,
      corporateActions: [
        {
          kind: 'split',
          symbol: securitySymbol('IBM.US'),
          exDay: calendarDay('2024-01-05'),
          ratio: decimal('2'),
        },
      ].filter(({ symbol }) => symbol === other) as readonly CorporateAction[],
      accounts: [
        {
          ...{ id: 'a', currency: 'USD', fx: { USDHKD: decimal('7.8') }, short: true },
          cash: { USD: decimal('10000'), HKD: decimal('42000') },
        },
      ],
      models: { margin: CALLED },
    });
    return made;
  };
  const still = (...times: readonly string[]): readonly BarRow[] =>
    times.map((time) => [time, 100, 100, 100, 100] as const);

  it('counts a split without a tick yet in new shares: there is no margin call for the old shares', () => {
    const first = still('2024-01-04T09:30:00-05:00', '2024-01-05T09:30:00-05:00');
    const other: readonly BarRow[] = [
      ['2024-01-04T09:30:00-05:00', 100, 100, 100, 100],
      ['2024-01-05T09:30:00-05:00', 50, 50, 50, 50],
    ];
    const { simulation, account } = two({ first, other }, 'IBM.US');
    runUntil(simulation, '2024-01-04T09:31:00-05:00');
    order(account, { symbol: 'IBM.US', side: 'sell', quantity: '100' });
    order(account, { side: 'sell', quantity: '10' });
    runUntil(simulation, '2024-01-05T09:31:00-05:00');
    expect(account.balance('HKD').equity.toString()).toBe('120000');
    expect(account.positions().map(({ quantity }) => quantity.toString())).toEqual(['-200', '-10']);
  });

  it('keeps positions in a closed market until it opens, at the price then', () => {
    const hongKong: readonly BarRow[] = [
      ['2024-01-04T09:30:00+08:00', 100, 100, 100, 100],
      ['2024-01-05T09:30:00+08:00', 90, 90, 90, 90],
    ];
    const first: readonly BarRow[] = [
      ['2024-01-03T09:30:00-05:00', 100, 100, 100, 100],
      ['2024-01-04T09:30:00-05:00', 100, 200, 100, 200],
    ];
    const { simulation, account } = two({ first, other: hongKong }, '700.HK', '2024-01-04T09:30:00+08:00');
    runUntil(simulation, '2024-01-04T09:31:00+08:00');
    order(account, { symbol: '700.HK', quantity: '400' });
    runUntil(simulation, '2024-01-04T09:31:00-05:00');
    order(account, { side: 'sell', quantity: '100' });
    runUntil(simulation, '2024-01-04T12:00:00-05:00');
    expect(fills(account).map((text) => text.split(' ').slice(1).join(' '))).toEqual([
      '100 x 400',
      '100 x 100',
      '200 x 100',
    ]);
    expect(account.positions().map(({ symbol }) => symbol)).toEqual(['700.HK']);
  });

  it('leaves no order when the tick has too few shares', () => {
    const rows: readonly BarRow[] = [
      ['2024-01-04T10:00:00-05:00', 100, 100, 100, 100, 40_000],
      ['2024-01-04T10:01:00-05:00', 180, 180, 180, 180, 400],
    ];
    const { simulation, account } = world({
      bars: [bars('AAPL.US', '1m', rows)],
      start: OPEN,
      accounts: [{ id: 'a', currency: 'USD', cash: { USD: decimal('10000') }, fx: {}, short: true }],
      models: { fills: { ...PRINT_FILLS, participation: 0.1 }, margin: CALLED },
    });
    runUntil(simulation, '2024-01-04T10:00:50-05:00');
    order(account, { side: 'sell', quantity: '150' });
    runUntil(simulation, '2024-01-04T10:03:00-05:00');
    // Four ticks of 100 shares with a participation of a tenth.
    expect(
      fills(account)
        .slice(1)
        .map((text) => text.split(' ').slice(1).join(' ')),
    ).toEqual(Array.from({ length: 4 }, () => '180 x 10'));
    expect(account.positions()[0]?.quantity.toString()).toBe('-110');
    expect(account.ordersToday().every(({ status }) => !/^(New|PartialFilled)Status$/.test(status))).toBe(
      true,
    );
  });
});

describe('hedged positions', () => {
  it('are separate, each uses equity, and each is closed by its name', () => {
    const rows = minutes(100, 100, 100, 100, 120, 120);
    const { simulation, account } = world({
      bars: [bars('AAPL.US', '1m', rows)],
      start: OPEN,
      accounts: [{ id: 'a', currency: 'USD', cash: { USD: decimal('1000') }, fx: {}, short: true }],
      models: {
        fills: {
          ...PRINT_FILLS,
          hours: 'bars',
          checkTicks: false,
          matching: {
            kind: 'whole-bars',
            queue: 'submitted',
            exits: 'next-bar',
            stopLimit: 'limit-beyond',
            openingSpread: decimal('0'),
            billing: 'order',
            ...TRANCHES,
            positions: 'hedged',
          },
        },
        margin: { ...CASH_ACCOUNT, cover: 'at-fill', closeOut: 'equity' },
      },
    });
    runUntil(simulation, '2024-01-04T10:01:00-05:00');
    const long = send(account, { quantity: '5' });
    const short = send(account, { side: 'sell', quantity: '4' });
    const tooMuch = send(account, { side: 'sell', quantity: '2' });
    runUntil(simulation, '2024-01-04T10:02:00-05:00');
    expect(account.positions([AAPL])).toMatchObject([{ quantity: decimal('1') }]);
    expect(detail(account, tooMuch)).toMatchObject({
      status: 'RejectedStatus',
      message: /needs 200.00 USD, available 100.00/,
    });
    send(account, { side: 'buy', quantity: '4' }, { closes: short });
    runUntil(simulation, '2024-01-04T10:03:00-05:00');
    expect(account.positions([AAPL])).toMatchObject([{ quantity: decimal('5') }]);
    send(account, { side: 'sell', quantity: '5' }, { closes: long });
    runUntil(simulation, '2024-01-04T10:06:00-05:00');
    expect(account.positions([AAPL])).toEqual([]);
    expect(trialBalance(account)).toEqual({ USD: '0' });
  });
});
