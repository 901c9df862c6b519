import { describe, expect, it } from 'vitest';
import { runExpress } from '#src/backtest/express/run-express.ts';
import { runBacktest } from '#src/backtest/run-backtest.ts';
import { runInFull } from '#src/backtest/run-in-full.ts';
import type { RunSetup } from '#src/backtest/setup.ts';
import type { RunRecord } from '#src/events/run-record.ts';
import { decimal } from '#src/model/decimal.ts';
import type { SecuritySymbol } from '#src/model/symbol.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { calendarDay } from '#src/model/time.ts';
import { denialsOf } from '#src/reports/denials.ts';
import type { StrategyContext } from '#src/strategy/context.ts';
import { defineStrategy } from '#src/strategy/define-strategy.ts';
import type { Decision } from '#src/strategy/order-draft.ts';
import { setupOf, TWO_DOLLARS } from '../fixtures/backtest.ts';
import { AAPL, type BarRow, columnsOf } from '../fixtures/market.ts';
import { limitsOf } from '../fixtures/risk.ts';
import { stampsOf } from '../fixtures/some-bars.ts';
import { venueFacts } from '../fixtures/venue-facts.ts';

const [IBM, MSFT] = [securitySymbol('IBM.US'), securitySymbol('MSFT.US')];
const SYMBOLS = [AAPL, IBM, MSFT];
const WEEK = { from: calendarDay('2024-03-04'), to: calendarDay('2024-03-08') };

type Hook = (context: StrategyContext, turn: number) => Decision;

interface Made {
  readonly period?: '1d' | '30m';
  /** Bars of IBM that are left out, by their index. */
  readonly leftOut?: readonly number[];
  /** Price increase of IBM per bar. */
  readonly gains?: number;
  readonly change?: Partial<RunSetup>;
}

/** A strategy that decides at each instant at which bars close, over bars at 10, 10.1, 10.2 and so on. */
function made(hook: Hook, { period = '1d', leftOut = [], gains = 0.1, change = {} }: Made) {
  const history = SYMBOLS.map((symbol) =>
    columnsOf(
      symbol,
      period,
      stampsOf(symbol, period, WEEK).flatMap((stamp, bar): readonly BarRow[] => {
        const price = Math.round(1_000 + 100 * bar * (symbol === IBM ? gains : 0.1)) / 100;
        const isOut = symbol === IBM && leftOut.includes(bar);
        return isOut ? [] : [[stamp, price, price + 0.05, price - 0.05, price, 1e6]];
      }),
    ),
  );
  return (seen: unknown[]): RunSetup => {
    let turn = -1;
    const strategy = defineStrategy({
      name: 'rotates',
      params: {},
      onBars: (_event, context) => {
        turn += 1;
        return hook(context as StrategyContext, turn);
      },
      onFill: ({ fill }, { position, symbols: traded }) => {
        seen.push([fill, traded.map((symbol) => ({ ...position(symbol) }))]);
        return undefined;
      },
    });
    return setupOf(strategy, history, {
      ...{ cash: { USD: decimal('10000') }, charges: TWO_DOLLARS, ...WEEK },
      ...change,
    });
  };
}

/**
 * Runs it in plain numbers, which must equal the full engine; returns the fills as "Tue 10:00 buy 100 AAPL.US at 10".
 */
function fillsIn(setup: (seen: unknown[]) => RunSetup): readonly string[] {
  const [seen, seenInFull]: [unknown[], unknown[]] = [[], []];
  const full = runInFull(setup(seenInFull));
  const express = runExpress(setup([]));
  expect(express.kind === 'bailed-out' ? express.why : 'plain numbers').toBe('plain numbers');
  const record = runBacktest(setup(seen));
  expect(factsOf(record)).toEqual(factsOf(full));
  expect(seen).toEqual(seenInFull);
  return record.fills.map(({ time, side, quantity, symbol, price }) => {
    const at = new Date(time).toUTCString();
    return `${at.slice(0, 3)} ${at.slice(17, 22)} ${side} ${quantity} ${symbol} at ${price}`;
  });
}

function factsOf(record: RunRecord) {
  const { flow, equity, assumptions, fills } = record;
  return { flow, equity, assumptions, fills: fills.map(venueFacts), denials: denialsOf(record) };
}

/** Rebalances to these weights at these decisions. */
const rotation =
  (wants: Readonly<Record<number, Readonly<Record<SecuritySymbol, number>>>>): Hook =>
  ({ orders }, turn) => {
    const weights = wants[turn];
    return weights === undefined ? undefined : orders.rebalance(weights);
  };

/** Limits that are this number of cents better than the last price. */
const better = (offsetTicks: number): Partial<RunSetup> => {
  return { policy: { orderType: 'LO', offsetTicks: -offsetTicks, cancelAfterMs: undefined } };
};

describe('a rebalance in plain numbers', () => {
  it.each([
    ['1d', 'Thu 14:30', 10.3],
    ['30m', 'Mon 16:00', 10.3],
  ] as const)(
    'buys at the tick that fills its sale, symbols before and after that of the sale: %s',
    (period, at, price) => {
      const fills = fillsIn(
        made(rotation({ 0: { [IBM]: 0.9 }, 2: { [MSFT]: 0.4, [AAPL]: 0.4 } }), { period }),
      );
      expect(fills.slice(1)).toEqual([
        `${at} sell 900 IBM.US at ${price}`,
        `${at} buy 399 AAPL.US at ${price}`,
        `${at} buy 399 MSFT.US at ${price}`,
      ]);
    },
  );

  it('buys at the close of the day at which its sale ends unfilled', () => {
    const rotates: Hook = ({ orders }, turn) =>
      turn === 0
        ? orders.buy(AAPL, 500, { type: 'MO' })
        : turn === 1
          ? orders.rebalance({ [IBM]: 0.4 })
          : undefined;
    // 40 % of the equity at 9.7, the previous day's close: this day's bar has not closed yet.
    expect(fillsIn(made(rotates, { gains: -0.3, change: better(40) }))).toEqual([
      'Tue 14:30 buy 500 AAPL.US at 10.1',
      'Thu 14:30 buy 412 IBM.US at 9.1',
    ]);
  });

  it('buys less if the account cannot pay for all of it', () => {
    expect(fillsIn(made(rotation({ 0: { [AAPL]: 0.5 }, 2: { [IBM]: 1 } }), {}))).toEqual([
      'Tue 14:30 buy 500 AAPL.US at 10.1',
      'Thu 14:30 sell 500 AAPL.US at 10.3',
      'Thu 14:30 buy 979 IBM.US at 10.3',
    ]);
  });

  it('sends orders beyond the order rate a minute later', () => {
    const limits = limitsOf({ maxOrderRate: 2 });
    const rotates = rotation({ 0: { [AAPL]: 0.2, [IBM]: 0.2, [MSFT]: 0.2 } });
    expect(fillsIn(made(rotates, { period: '30m', change: { limits } }))).toEqual([
      'Mon 15:00 buy 200 AAPL.US at 10.1',
      'Mon 15:00 buy 200 IBM.US at 10.1',
      'Mon 15:01 buy 199 MSFT.US at 10.1',
    ]);
  });

  it('buys a symbol whose quote is stale once it has a new one', () => {
    const rotates = rotation({ 1: { [AAPL]: 0.3, [IBM]: 0.3 } });
    expect(fillsIn(made(rotates, { period: '30m', leftOut: [1] }))).toEqual([
      'Mon 15:30 buy 297 AAPL.US at 10.2',
      'Mon 15:30 buy 299 IBM.US at 10.2',
    ]);
  });

  it('cancels open orders, including those of another rebalance', () => {
    const rotates: Hook = ({ orders }, turn) => {
      if (turn === 0) return orders.buy(AAPL, 100, { type: 'MO' });
      if (turn === 2) return orders.buy(MSFT, 100, { type: 'LO', price: '9.5' });
      if (turn === 3) return orders.rebalance({ [MSFT]: 0.5 });
      return turn === 5 ? orders.rebalance({ [AAPL]: 0.1, [IBM]: 0.5 }) : undefined;
    };
    expect(fillsIn(made(rotates, { period: '30m', gains: -0.1, change: better(50) }))).toEqual([
      'Mon 15:00 buy 100 AAPL.US at 10.1',
      'Mon 19:30 sell 5 AAPL.US at 11',
    ]);
  });

  it('counts a dividend that is paid while its sale waits', () => {
    const exDay = calendarDay('2024-03-07');
    const dividend = { kind: 'dividend', symbol: AAPL, exDay, perShare: decimal('0.5') } as const;
    const rotates = rotation({ 0: { [AAPL]: 0.5 }, 2: { [IBM]: 0.5 } });
    expect(fillsIn(made(rotates, { change: { corporateActions: [dividend] } }))).toEqual([
      'Tue 14:30 buy 500 AAPL.US at 10.1',
      'Thu 14:30 sell 500 AAPL.US at 10.3',
      'Thu 14:30 buy 507 IBM.US at 10.3',
    ]);
  });
});
