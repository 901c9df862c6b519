import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Decimal } from '../../src/model/decimal.ts';
import { executionId, orderId } from '../../src/model/order.ts';
import { parseLosslessJson } from '../../src/wire/lossless-json.ts';
import {
  PAPER_CHANNEL,
  readAccountBalances,
  readBuyLimit,
  readMarginFactors,
  readPositions,
  writeAccountBalances,
  writeBuyLimit,
  writeMarginFactors,
  writePositions,
} from '../../src/wire/mapper/account.ts';
import { readExecutions, writeExecutions } from '../../src/wire/mapper/execution.ts';
import { WireError } from '../../src/wire/wire-error.ts';
import { aCurrency, anAmount, anOrderId, aPositive, aQuantity, aSecond, aSymbol } from './arbitraries.ts';

const sent = (json: unknown) => parseLosslessJson(JSON.stringify(json));

const aBalance = fc.record({
  currency: aCurrency,
  equity: anAmount,
  totalCash: anAmount,
  initMargin: anAmount,
  maintenanceMargin: anAmount,
  buyPower: anAmount,
  marginCall: anAmount,
  riskLevel: fc.integer({ min: 0, max: 3 }),
  maxFinance: anAmount,
  remainingFinance: anAmount,
  cash: fc.array(
    fc.record({
      currency: aCurrency,
      available: anAmount,
      frozen: anAmount,
      settling: anAmount,
      withdrawable: anAmount,
    }),
    { maxLength: 3 },
  ),
  frozenFees: fc.array(fc.record({ currency: aCurrency, amount: anAmount }), { maxLength: 2 }),
});

describe('account balance', () => {
  it('I-11: is read by the client as the venue has it', () => {
    fc.assert(
      fc.property(fc.array(aBalance, { maxLength: 2 }), (balances) => {
        expect(readAccountBalances(sent(writeAccountBalances(balances)))).toEqual(balances);
      }),
    );
  });

  const live = {
    total_cash: '331218.23',
    risk_level: '',
    currency: 'HKD',
    net_assets: 620000,
    buy_power: '499500.00',
    cash_infos: null,
  };

  it('reads figures that the live service leaves out as zero', () => {
    expect(readAccountBalances({ list: [live] })).toMatchObject([
      { equity: new Decimal(620000), riskLevel: 0, initMargin: new Decimal(0), cash: [], frozenFees: [] },
    ]);
  });

  it.each([
    ['no equity', { net_assets: '' }],
    ['no buy power', { buy_power: null }],
    ['cash that is not a number', { total_cash: 'lots' }],
    ['an unknown risk level', { risk_level: '7' }],
  ])('F-B20: is refused with %s', (_, change) => {
    expect(() => readAccountBalances({ list: [{ ...live, ...change }] })).toThrow(WireError);
  });
});

describe('positions', () => {
  const aPosition = fc.record({
    symbol: aSymbol,
    currency: aCurrency,
    quantity: anAmount,
    available: anAmount,
    averageCost: fc.option(aPositive(), { nil: undefined }),
    initial: anAmount,
  });

  it('are read by the client as the venue has them', () => {
    fc.assert(
      fc.property(fc.array(aPosition, { maxLength: 4 }), (positions) => {
        const wire = writePositions(positions, {
          channel: PAPER_CHANNEL,
          nameOf: (symbol) => `name of ${symbol}`,
        });
        expect(readPositions(sent(wire))).toMatchObject({ rows: positions, problems: [] });
      }),
    );
  });

  it('may be missing in a channel', () => {
    expect(readPositions({ list: [{ account_channel: 'lb' }] })).toEqual({
      rows: [],
      problems: [],
      channels: ['lb'],
    });
    expect(readPositions({ list: [] })).toEqual({ rows: [], problems: [], channels: [] });
  });

  it('F-B20: report a bad row and keep the others', () => {
    const good = { symbol: '700.HK', currency: 'HKD', quantity: '300', available_quantity: '300' };
    const rows = [good, { ...good, quantity: '' }, { ...good, symbol: 'tencent' }];
    const read = readPositions({ list: [{ account_channel: 'lb', stock_info: rows }] });
    expect(read.rows).toMatchObject([{ averageCost: undefined, initial: new Decimal(0) }]);
    expect(read.problems).toHaveLength(2);
  });
});

describe('executions', () => {
  const anExecution = fc.record({
    executionId: fc.string({ minLength: 1, maxLength: 40 }).map(executionId),
    orderId: anOrderId,
    symbol: aSymbol,
    side: fc.constantFrom('buy' as const, 'sell' as const),
    quantity: aQuantity,
    price: aPositive(),
    time: aSecond,
  });

  it('are read by the client as the venue has them', () => {
    fc.assert(
      fc.property(fc.array(anExecution, { maxLength: 5 }), fc.boolean(), (executions, hasMore) => {
        const read = readExecutions(sent(writeExecutions(executions, hasMore)), () => undefined);
        expect(read).toEqual({ rows: executions, problems: [], hasMore });
      }),
    );
  });

  const live = {
    order_id: '1',
    trade_id: '1-2',
    symbol: '700.HK',
    trade_done_at: '1763692812',
    quantity: '100',
    price: '412.2',
  };

  it('have the side of their order if the row has none', () => {
    const sideOf = (id: string) => (id === orderId('1') ? ('sell' as const) : undefined);
    expect(readExecutions({ trades: [live] }, sideOf).rows).toMatchObject([{ side: 'sell' }]);
    expect(readExecutions({ trades: [live] }, () => undefined)).toMatchObject({
      rows: [],
      problems: [{ code: 'unknown-value' }],
    });
  });

  it('F-B20: refuse a row without id, price or quantity', () => {
    const trades = [
      { ...live, trade_id: '' },
      { ...live, price: '0' },
      { ...live, quantity: '-5' },
    ];
    expect(readExecutions({ trades }, () => 'buy').problems).toHaveLength(3);
  });
});

describe('facts for the gate', () => {
  it('the buy limit reads as it was written', () => {
    fc.assert(
      fc.property(aQuantity, aQuantity, (cash, margin) => {
        expect(readBuyLimit(sent(writeBuyLimit({ cash, margin })))).toEqual({ cash, margin });
      }),
    );
  });

  it('F-B23: an empty buy limit permits no purchase, a broken one is no answer', () => {
    expect(readBuyLimit({ cash_max_qty: '', margin_max_qty: null })).toEqual({
      cash: new Decimal(0),
      margin: new Decimal(0),
    });
    expect(() => readBuyLimit({})).toThrow(/cash_max_qty: is missing/);
    expect(() => readBuyLimit({ cash_max_qty: '-1', margin_max_qty: '1' })).toThrow(WireError);
    expect(() => readBuyLimit({ cash_max_qty: 'many', margin_max_qty: '1' })).toThrow(WireError);
  });

  it('margin factors read as they were written', () => {
    fc.assert(
      fc.property(aPositive(), aPositive(), aPositive(), (initial, maintenance, forced) => {
        const factors = { initial, maintenance, forced };
        expect(readMarginFactors(sent(writeMarginFactors(factors)))).toEqual(factors);
      }),
    );
    expect(() => readMarginFactors({ im_factor: '0.35', mm_factor: '0.30' })).toThrow(WireError);
  });
});
