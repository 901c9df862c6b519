import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { runBacktest } from '#src/backtest/run-backtest.ts';
import type { RunSetup } from '#src/backtest/setup.ts';
import type { RunRecord } from '#src/events/run-record.ts';
import { LARGE_CAP_MARGIN } from '#src/markets/margin.ts';
import { Decimal } from '#src/model/decimal.ts';
import { calendarDay, type Millis, millis } from '#src/model/time.ts';
import type { RiskLimits } from '#src/risk/limits.ts';
import { CASH_ACCOUNT, MARGIN_ACCOUNT } from '#src/simulation/models.ts';
import { HOUSE_RULES } from '#src/simulation/rules.ts';
import type { Strategy } from '#src/strategy/define-strategy.ts';
import { resolveParams } from '#src/strategy/params.ts';
import { limitsOf } from '../fixtures/risk.ts';
import { readRows } from './csv-bars.ts';
import { modelsOf } from './engines.ts';
import { oracleBars } from './oracle-bars.ts';
import { type Oracle, readOracle } from './oracle-file.ts';
import { securityOf } from './stage.ts';
import bollingerBreakout from './strategies/bollinger-breakout.ts';
import { rotation } from './strategies/rotation.ts';
import rsiMeanrev from './strategies/rsi-meanrev.ts';
import smaAllIn from './strategies/sma-all-in.ts';

const ORACLES = '../shared/oracles';
const DATA = '../shared/market-data';

/** What a run needs beyond the oracle: bars to warm up with, or a credit line. */
interface Circumstances {
  readonly past?: boolean;
  readonly borrows?: boolean;
  /** The oracle's own rules for fills and cover, where an order beyond the account is cut at the fill, and no limit of ours. */
  readonly itsRules?: boolean;
  readonly params?: Readonly<Record<string, number | boolean>>;
}

/** An all-in order names more than anybody could pay for; how much it is, the venue says. */
const NO_LIMITS = (plenty: Decimal): Partial<RiskLimits> => ({
  allowShort: true,
  maxOrderNotional: { amount: plenty.pow(2), currency: 'USD' },
  maxOrderQuantity: plenty,
  maxPositionWeight: plenty.pow(2),
  maxPositionQuantity: plenty.pow(2),
  maxGrossExposure: plenty.pow(2),
  maxNetExposure: plenty.pow(2),
  marginHeadroom: plenty.pow(2).neg(),
});

/** A run over an oracle's bars with its cash and commission, wide limits, and the house's own fills: four prints a bar. */
function setupOf(
  oracle: Oracle,
  strategy: Strategy,
  { past, borrows, itsRules, params = {} }: Circumstances,
): RunSetup {
  const models = modelsOf(oracle);
  const from = past ? '' : undefined;
  const history = oracleBars(
    DATA,
    oracle.data.map((data) => ({ ...data, from: from ?? data.from })),
  );
  const resolved = resolveParams(strategy.params, params);
  if (resolved.kind !== 'ok') throw new Error('A fixture has parameters without defaults');
  const plenty = new Decimal('1e12');
  return {
    config: `${oracle.id}.yaml`,
    strategy,
    params: resolved.values,
    period: history[0]?.period ?? '1d',
    securities: history.map(({ symbol }) => {
      const security = securityOf(symbol);
      return borrows ? { ...security, margin: LARGE_CAP_MARGIN } : security;
    }),
    history,
    from: calendarDay((oracle.data[0]?.from ?? '').slice(0, 10)),
    to: calendarDay((oracle.data[0]?.to ?? '').slice(0, 10)),
    currency: 'USD',
    cash: { USD: new Decimal(oracle.account.cash) },
    fx: {},
    charges: models.charges,
    margin: borrows
      ? { ...MARGIN_ACCOUNT, financeMultiple: new Decimal(10) }
      : itsRules
        ? { ...models.margin, shortfall: 'cut' }
        : CASH_ACCOUNT,
    ...(itsRules ? { rules: { ...HOUSE_RULES, fills: models.fills }, short: true } : {}),
    limits: {
      ...limitsOf(),
      maxOrderNotional: { amount: plenty, currency: 'USD' },
      maxPositionWeight: plenty,
      maxOpenOrders: 100,
      priceCollar: new Decimal(1),
      useMargin: borrows === true,
      ...(itsRules ? NO_LIMITS(plenty) : {}),
    },
    policy: { orderType: 'MO', offsetTicks: 0, cancelAfterMs: undefined },
    seed: 1,
  };
}

function replay(id: string, strategy: Strategy, circumstances: Circumstances = {}) {
  const oracle = readOracle(`${ORACLES}/${id}.json`);
  const setup = setupOf(oracle, strategy, circumstances);
  const record = runBacktest(setup);
  const times = setup.history[0]?.time ?? new Float64Array();
  const first = times.findIndex((time) => time >= Date.parse(oracle.data[0]?.from ?? ''));
  const barOf = (at: Millis): number => times.findLastIndex((time) => time < at) - first;
  return { oracle, record, barOf };
}

interface Placed {
  readonly bar: number;
  readonly code: string;
  readonly side: string;
  readonly units: number;
}

function ordersOf(record: RunRecord, barOf: (at: Millis) => number): readonly Placed[] {
  return record.decisions.flatMap((decision) => {
    if (decision.kind !== 'intent-drafted') return [];
    const { symbol, side, quantity } = decision.terms;
    return [{ bar: barOf(decision.at), code: symbol, side, units: quantity.toNumber() }];
  });
}

function wantedOrders({ orders, data }: Oracle): readonly Placed[] {
  return orders
    .filter(({ by }) => by !== 'engine')
    .map(({ bar, code, side, units }) => ({
      bar,
      code: code ?? data[0]?.code ?? '',
      side,
      units: units ?? Number.NaN,
    }));
}

/** Largest difference between the two equity curves, as a share of the oracle's. */
function worstEquity(oracle: Oracle, record: RunRecord): number {
  const rows = readRows(`${ORACLES}/${oracle.equity_csv}`);
  expect(record.equity.value.length).toBe(rows.length);
  return rows.reduce((worst, row, bar) => {
    const want = Number(row['equity']);
    return Math.max(worst, Math.abs((record.equity.value[bar] ?? Number.NaN) - want) / want);
  }, 0);
}

describe.skipIf(!existsSync(ORACLES))('a strategy written from the rules of an oracle', () => {
  const cases: readonly (readonly [id: string, strategy: () => Strategy, circumstances: Circumstances])[] = [
    // Our index asks for more bars than the oracle's before it is trusted, so it warms up on the bars before.
    ['spy-rsi14-meanrev', () => rsiMeanrev, { past: true }],
    ['aapl-bollinger-breakout', () => bollingerBreakout, {}],
    // It buys with what its own sales of the same instant bring, which our venue does not count before they fill.
    ['rotation-5-monthly', rotation, { borrows: true }],
  ];
  for (const [id, strategy, circumstances] of cases) {
    it(`places every order of ${id} by itself and ends every bar with its equity`, () => {
      const { oracle, record, barOf } = replay(id, strategy(), circumstances);
      expect(ordersOf(record, barOf)).toEqual(wantedOrders(oracle));
      expect(worstEquity(oracle, record)).toBeLessThan(1e-9);
    });
  }

  const allIn: readonly (readonly [id: string, params: Circumstances['params']])[] = [
    ['spy-1m-sma-10-30', { n1: 10, n2: 30 }],
    ['hsi-1h-sma-3-8', { n1: 3, n2: 8 }],
  ];
  for (const [id, params] of allIn) {
    it(`is all in where ${id} is, by its own rules: every order, fill and bar`, () => {
      const { oracle, record, barOf } = replay(id, smaAllIn, { itsRules: true, params: params ?? {} });
      const wanted = oracle.orders.filter(({ status, by }) => status !== 'refused' && by !== 'engine');
      expect(ordersOf(record, barOf).map(sideAndBar).toSorted()).toEqual(wanted.map(sideAndBar).toSorted());
      const fills = record.decisions.flatMap((decision) => {
        if (decision.kind !== 'order-filled') return [];
        const { side, quantity, price, time } = decision.fill;
        return [`${barOf(millis(time + 1))} ${side} ${quantity} at ${price}`];
      });
      const made = oracle.fills.map(({ bar, side, units, price }) => `${bar} ${side} ${units} at ${price}`);
      expect(fills.toSorted()).toEqual(made.toSorted());
      expect(worstEquity(oracle, record)).toBeLessThan(1e-9);
    });
  }
});

function sideAndBar({ bar, side }: { readonly bar: number; readonly side: string }): string {
  return `${bar} ${side}`;
}
