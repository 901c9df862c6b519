import { describe, expect, it } from 'vitest';
import { runExpress } from '#src/backtest/express/run-express.ts';
import { runBacktest } from '#src/backtest/run-backtest.ts';
import type { RunSetup } from '#src/backtest/setup.ts';
import { createMemoryJournal } from '#src/journal/memory.ts';
import { decimal } from '#src/model/decimal.ts';
import type { Alarm } from '#src/model/notice.ts';
import { omitUndefined } from '#src/model/omit-undefined.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { calendarDay } from '#src/model/time.ts';
import { NO_INTEREST } from '#src/simulation/books/interest.ts';
import { CASH_ACCOUNT, MARGIN_ACCOUNT } from '#src/simulation/models.ts';
import { DEFAULT_RULES } from '#src/simulation/rules.ts';
import { defineStrategy, type StrategyDefinition } from '#src/strategy/define-strategy.ts';
import { setupOf, TWO_DOLLARS } from '../../fixtures/backtest.ts';
import { AAPL, at, type BarRow, columnsOf, TENCENT } from '../../fixtures/market.ts';
import { limitsOf } from '../../fixtures/risk.ts';

const MSFT = securitySymbol('MSFT.US');
const IBM = securitySymbol('IBM.US');
const DAYS = ['2024-03-04', '2024-03-05', '2024-03-06', '2024-03-07', '2024-03-08'];

const LIMITS: RunSetup['policy'] = { orderType: 'LO', offsetTicks: 0, cancelAfterMs: undefined };

type Weights = Readonly<Record<string, number>>;

/** An account that may borrow cash and shares. */
const SHORT: Partial<RunSetup> = {
  margin: MARGIN_ACCOUNT,
  short: true,
  limits: limitsOf({ allowShort: true, useMargin: true }),
  rules: { ...DEFAULT_RULES, interest: NO_INTEREST },
};

/** Rebalances at the closes of the given days, by index, in daily bars with one price each. */
function run(
  wants: Readonly<Record<number, Weights>>,
  {
    prices,
    change = {},
    more = {},
    band,
  }: {
    readonly prices: Readonly<Record<string, readonly (number | undefined)[]>>;
    readonly change?: Partial<RunSetup>;
    readonly more?: Partial<StrategyDefinition>;
    readonly band?: number;
  },
) {
  let day = -1;
  const strategy = defineStrategy({
    name: 'rebalances',
    params: {},
    onBars: (_event, { orders }) => {
      day += 1;
      const weights = wants[day];
      return weights === undefined
        ? undefined
        : orders.rebalance(weights, `day ${day}`, omitUndefined({ band }));
    },
    ...more,
  });
  const history = Object.entries(prices).map(([symbol, closes]) =>
    columnsOf(
      securitySymbol(symbol),
      '1d',
      closes.flatMap((price, index): BarRow[] => {
        const opens = symbol.endsWith('.HK') ? 'T09:30:00+08:00' : 'T09:30:00-05:00';
        return price === undefined ? [] : [[at(`${DAYS[index]}${opens}`), price, price, price, price, 1e6]];
      }),
    ),
  );
  const journal = createMemoryJournal();
  const alarms: Alarm[] = [];
  const record = runBacktest(setupOf(strategy, history, { cash: { USD: decimal('10000') }, ...change }), {
    journal,
    onAlarm: (alarm) => alarms.push(alarm),
  });
  const events = [...journal.replay()];
  return {
    record,
    events,
    alarms: alarms.map(({ code, message }) => `${code}: ${message}`),
    fills: record.fills.map(
      ({ time, side, quantity, price, symbol }) =>
        `${new Date(time).toISOString().slice(5, 16)} ${side} ${quantity} ${symbol} at ${price}`,
    ),
    denied: events.flatMap((event) =>
      event.kind === 'intent-denied' ? [`${event.rule}: ${event.reason}`] : [],
    ),
    ends: events.flatMap((event) =>
      event.kind === 'algorithm-ended' ? [`${event.outcome}: ${event.why}`] : [],
    ),
  };
}

/** The same number of days at one price. */
const flat = (price: number): readonly number[] => DAYS.map(() => price);
const TWO = { [AAPL]: flat(10), [MSFT]: flat(20) };
const THREE = { ...TWO, [IBM]: flat(30) };
const HALTED = [10, 10, undefined, 10, 10];
const ROTATION = { 0: { [AAPL]: 0.9 }, 1: { [MSFT]: 0.9 } };

describe('a rebalance', () => {
  it('pays for its purchases with its sales, at the open at which these are filled', () => {
    const { fills, denied, ends } = run(ROTATION, { prices: TWO });
    expect(fills).toEqual([
      '03-05T14:30 buy 900 AAPL.US at 10',
      '03-06T14:30 sell 900 AAPL.US at 10',
      '03-06T14:30 buy 450 MSFT.US at 20',
    ]);
    expect(denied).toEqual([]);
    expect(ends).toEqual(['done: sent 0 to sell and 1 to buy', 'done: sent 1 to sell and 1 to buy']);
  });

  it('trades only the differences, and closes positions that it does not name', () => {
    const { fills } = run(
      { 0: { [AAPL]: 0.4, [MSFT]: 0.4 }, 1: { [AAPL]: 0.2, [MSFT]: 0.4, [IBM]: 0.3 }, 2: {} },
      { prices: THREE },
    );
    expect(fills.slice(2)).toEqual([
      '03-06T14:30 sell 200 AAPL.US at 10',
      '03-06T14:30 buy 100 IBM.US at 30',
      '03-07T14:30 sell 200 AAPL.US at 10',
      '03-07T14:30 sell 200 MSFT.US at 20',
      '03-07T14:30 sell 100 IBM.US at 30',
    ]);
  });

  it('buys in the order of its names, and less if there is not enough money', () => {
    const { fills, denied, ends } = run({ ...ROTATION, 1: { [IBM]: 0.7, [MSFT]: 0.6 } }, { prices: THREE });
    expect(fills.slice(1)).toEqual([
      '03-06T14:30 sell 900 AAPL.US at 10',
      '03-06T14:30 buy 145 MSFT.US at 20',
      '03-06T14:30 buy 233 IBM.US at 30',
    ]);
    expect(denied).toEqual([
      'buy-limit: Wants 300 of "MSFT.US", buy limit is 145 in cash (useMargin is false); ' +
        'of 10000.00 USD only -6059.90 USD are settled and not reserved',
    ]);
    expect(ends[1]).toBe('done: sent 1 to sell and 2 to buy');
  });

  it('holds as much as it can pay for if the weights add up to the whole equity', () => {
    const { fills } = run(
      { 0: { [AAPL]: 1 }, 1: { [MSFT]: 1 } },
      {
        prices: TWO,
        change: { charges: TWO_DOLLARS, limits: limitsOf({ marginHeadroom: decimal('0.05') }) },
      },
    );
    expect(fills).toEqual([
      '03-05T14:30 buy 950 AAPL.US at 10',
      '03-06T14:30 sell 950 AAPL.US at 10',
      '03-06T14:30 buy 474 MSFT.US at 20',
    ]);
  });

  it('waits for the proceeds of its sales if cash must settle', () => {
    const { fills, denied } = run(ROTATION, {
      prices: TWO,
      change: { margin: { ...CASH_ACCOUNT, settledOnly: true } },
    });
    expect(fills.slice(1)).toEqual([
      '03-06T14:30 sell 900 AAPL.US at 10',
      '03-08T14:30 buy 450 MSFT.US at 20',
    ]);
    expect(denied).toHaveLength(1);
  });

  it('buys what the cash permits once a sale that never filled has ended', () => {
    const { fills, denied, ends } = run(ROTATION, { prices: { ...TWO, [AAPL]: HALTED } });
    expect(fills.slice(1)).toEqual(['03-07T14:30 buy 49 MSFT.US at 20']);
    expect(denied).toEqual([
      'buy-limit: Wants 450 of "MSFT.US", buy limit is 49 in cash (useMargin is false)',
    ]);
    expect(ends[1]).toBe('failed: sent 1 to sell and 1 to buy; AAPL.US was ExpiredStatus');
  });

  it('is replaced by the next one, which cancels its open orders', () => {
    const { fills, ends } = run(
      { 0: { [AAPL]: 0.9 }, 1: { [MSFT]: 0.9 }, 2: { [AAPL]: 0.3, [IBM]: 0.5 } },
      { prices: { ...THREE, [AAPL]: HALTED } },
    );
    expect(ends[1]).toMatch(/^(failed|canceled)/);
    expect(fills.slice(1).map((fill) => fill.slice(12))).toEqual([
      'sell 600 AAPL.US at 10',
      'buy 166 IBM.US at 30',
    ]);
  });

  it('cancels open purchases, and sells no share that it never had', () => {
    const { fills, events } = run(
      { 0: { [AAPL]: 0.9 } },
      {
        prices: { ...TWO, [AAPL]: [10, 11, 9, 9, 9] },
        change: { policy: LIMITS },
        more: { timers: { noon: { at: '12:00' } }, onTimer: (_event, { orders }) => orders.rebalance({}) },
      },
    );
    expect(fills).toEqual([]);
    expect(events.filter(({ kind }) => kind === 'cancel-sending')).toHaveLength(1);
    expect(events.filter(({ kind }) => kind === 'intent-drafted')).toHaveLength(1);
  });

  it('spreads its orders over the minutes that the order rate permits', () => {
    const { fills, ends } = run(
      { 0: { [AAPL]: 0.4, [MSFT]: 0.3, [IBM]: 0.2 } },
      { prices: THREE, change: { limits: limitsOf({ maxOrderRate: 1 }) } },
    );
    expect(fills.map((fill) => fill.slice(12))).toEqual([
      'buy 400 AAPL.US at 10',
      'buy 150 MSFT.US at 20',
      'buy 66 IBM.US at 30',
    ]);
    expect(ends).toEqual(['done: sent 0 to sell and 3 to buy']);
  });

  it('sends a sale again, in new shares, when a split voids it before its fill', () => {
    const { fills, ends } = run(ROTATION, {
      prices: { ...TWO, [AAPL]: [10, 10, 5, 5, 5] },
      change: {
        rules: {
          ...DEFAULT_RULES,
          corporateActions: true,
          fills: { ...DEFAULT_RULES.fills, splitOrders: 'cancel' },
        },
        corporateActions: [
          { kind: 'split', symbol: AAPL, exDay: calendarDay('2024-03-06'), ratio: decimal('2') },
        ],
      },
    });
    expect(fills.slice(1)).toEqual([
      '03-06T14:30 sell 1800 AAPL.US at 5',
      '03-06T14:30 buy 450 MSFT.US at 20',
    ]);
    expect(ends[1]).toBe('done: sent 1 to sell and 1 to buy');
  });

  it('waits for the sales of every market', () => {
    const { fills } = run(
      { 1: { [AAPL]: 0.4, [TENCENT]: 0.4 }, 3: { [TENCENT]: 0.2, [AAPL]: 0.2, [MSFT]: 0.5 } },
      {
        prices: { [TENCENT]: flat(80), ...TWO },
        change: { cash: { USD: decimal('10000'), HKD: decimal('80000') } },
      },
    );
    expect(fills.slice(2)).toEqual([
      '03-06T01:30 sell 400 700.HK at 80',
      '03-06T14:30 sell 400 AAPL.US at 10',
      '03-06T14:30 buy 297 MSFT.US at 20',
    ]);
  });

  it('does not wait for the price of a symbol that is not listed yet', () => {
    const { fills, ends } = run(
      { 0: { [AAPL]: 0.9 }, 1: { [MSFT]: 0.4, [IBM]: 0.3 } },
      { prices: { ...THREE, [MSFT]: [undefined, undefined, undefined, 20, 20] } },
    );
    expect(fills.slice(1)).toEqual([
      '03-06T14:30 sell 900 AAPL.US at 10',
      '03-06T14:30 buy 100 IBM.US at 30',
    ]);
    expect(ends[1]).toBe('done: sent 1 to sell and 1 to buy');
  });

  it('is left out completely, with a message, if a weight is invalid', () => {
    const { fills, alarms } = run(
      { 0: { [MSFT]: 0.2, [AAPL]: 50 }, 1: { [AAPL]: Number.NaN } },
      { prices: TWO },
    );
    expect(fills).toEqual([]);
    expect(alarms.map((text) => text.replace(/^.*left out: /, ''))).toEqual([
      'a rebalance wants a share of "AAPL.US" from -1 to 1, not 50',
      'a rebalance wants a share of "AAPL.US" from -1 to 1, not NaN',
    ]);
  });

  it('fails a strategy that names a symbol that it does not trade, or declares exits that a rebalance would not keep', () => {
    expect(() => run({ 0: { 'NONE.US': 0.2 } }, { prices: TWO })).toThrow('an order in "NONE.US"');
    expect(() => run(ROTATION, { prices: TWO, more: { exits: () => ({ stop: { percent: 5 } }) } })).toThrow(
      'without the exits that it declares',
    );
  });

  it('runs in plain numbers, and calls the strategy once per bar', () => {
    const heard: number[] = [];
    const strategy = defineStrategy({
      name: 'monthly',
      params: {},
      onBar: ({ bar, symbol }, { orders }) => {
        heard.push(bar.time);
        return heard.length % 3 === 0 ? orders.rebalance({ [symbol]: 0.5 }) : undefined;
      },
    });
    const rows = DAYS.map((day): BarRow => [at(`${day}T09:30:00-05:00`), 10, 11, 9, 10, 1e6]);
    const setup = setupOf(strategy, [columnsOf(AAPL, '1d', rows)], { cash: { USD: decimal('10000') } });
    expect(runExpress(setup).kind).toBe('completed');
    heard.length = 0;
    expect(runBacktest(setup).flow.fills).toBe(1);
    expect(heard).toEqual(rows.map(([time]) => time));
  });
});

describe('a rebalance to short positions', () => {
  it('closes all positions that it reduces, whatever their side, before it opens any', () => {
    const { fills, denied, ends } = run(
      {
        0: { [AAPL]: 0.5 },
        1: { [AAPL]: -0.4, [MSFT]: 0.4 },
        2: { [MSFT]: -0.2, [AAPL]: 0.2 },
        3: { [MSFT]: -0.1 },
      },
      { prices: TWO, change: SHORT },
    );
    expect(denied).toEqual([]);
    expect(fills).toEqual([
      '03-05T14:30 buy 500 AAPL.US at 10',
      '03-06T14:30 sell 500 AAPL.US at 10',
      '03-06T14:30 sell 400 AAPL.US at 10',
      '03-06T14:30 buy 200 MSFT.US at 20',
      '03-07T14:30 buy 400 AAPL.US at 10',
      '03-07T14:30 sell 200 MSFT.US at 20',
      '03-07T14:30 sell 100 MSFT.US at 20',
      '03-07T14:30 buy 200 AAPL.US at 10',
      '03-08T14:30 sell 200 AAPL.US at 10',
      '03-08T14:30 buy 50 MSFT.US at 20',
    ]);
    expect(ends).toEqual([
      'done: sent 0 to sell and 1 to buy',
      'done: sent 2 to sell and 1 to buy',
      'done: sent 2 to sell and 2 to buy',
      'done: sent 1 to sell and 1 to buy',
    ]);
  });

  it('is denied those where the account does not allow them, after it has closed the long position', () => {
    const { fills, denied, ends } = run({ 0: { [AAPL]: 0.5 }, 1: { [AAPL]: -0.5 } }, { prices: TWO });
    expect(fills.slice(1)).toEqual(['03-06T14:30 sell 500 AAPL.US at 10']);
    expect(denied).toHaveLength(1);
    expect(ends[1]).toContain('failed: sent 2 to sell and 0 to buy; AAPL.US was denied');
  });

  it('waits with them until a purchase that covers a short position is filled or ended', () => {
    const { fills } = run(
      { 0: { [IBM]: -0.3 }, 1: { [AAPL]: -0.3, [MSFT]: 0.3 } },
      { prices: { ...THREE, [IBM]: [30, 30, undefined, 30, 30] }, change: SHORT },
    );
    expect(fills).toEqual([
      '03-05T14:30 sell 100 IBM.US at 30',
      '03-07T14:30 sell 300 AAPL.US at 10',
      '03-07T14:30 buy 150 MSFT.US at 20',
    ]);
  });
});

describe('a rebalance with a band', () => {
  const prices = { [AAPL]: [10, 10, 11, 13, 13], [MSFT]: flat(20) };

  it('trades a position only beyond the band around its target', () => {
    const weights = { [AAPL]: 0.5, [MSFT]: 0.4 };
    const { fills } = run({ 0: weights, 2: weights, 3: weights }, { prices, band: 0.04 });
    // At 11 AAPL is 5,500 of 10,500, 2.4 % above its target; at 13 it is 6,500 of 11,500, 6.5 % above. MSFT is 1.9 %
    // and 5.2 % below.
    expect(fills).toEqual([
      '03-05T14:30 buy 500 AAPL.US at 10',
      '03-05T14:30 buy 200 MSFT.US at 20',
      '03-08T14:30 sell 58 AAPL.US at 13',
      '03-08T14:30 buy 30 MSFT.US at 20',
    ]);
  });

  it('opens what is not held and closes what has no target, within the band, too', () => {
    const { fills } = run(
      { 0: { [AAPL]: 0.03 }, 1: { [MSFT]: 0.03 }, 2: { [MSFT]: 0 } },
      { prices: TWO, band: 0.05 },
    );
    expect(fills).toEqual([
      '03-05T14:30 buy 30 AAPL.US at 10',
      '03-06T14:30 sell 30 AAPL.US at 10',
      '03-06T14:30 buy 15 MSFT.US at 20',
      '03-07T14:30 sell 15 MSFT.US at 20',
    ]);
  });

  it('keeps a short position within its band, and is refused a band that is none', () => {
    const { fills } = run(
      { 0: { [AAPL]: -0.3 }, 2: { [AAPL]: -0.31 }, 3: { [AAPL]: 0.03 } },
      { prices: TWO, change: SHORT, band: 0.05 },
    );
    expect(fills).toEqual([
      '03-05T14:30 sell 300 AAPL.US at 10',
      '03-08T14:30 buy 300 AAPL.US at 10',
      '03-08T14:30 buy 30 AAPL.US at 10',
    ]);
    const { alarms } = run({ 0: { [AAPL]: 0.3 } }, { prices: TWO, band: 1 });
    expect(alarms[0]).toContain('a rebalance wants a band from 0 to less than 1, not 1');
  });
});
