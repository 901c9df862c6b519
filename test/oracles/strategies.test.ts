import { describe, expect, it } from 'vitest';
import { runBacktest } from '#src/backtest/run-backtest.ts';
import type { RunSetup } from '#src/backtest/setup.ts';
import type { Decision, DetailedRecord, RunRecord } from '#src/events/run-record.ts';
import { LARGE_CAP_MARGIN } from '#src/markets/margin.ts';
import { Decimal } from '#src/model/decimal.ts';
import { calendarDay, type Millis, millis } from '#src/model/time.ts';
import { CASH_ACCOUNT, MARGIN_ACCOUNT } from '#src/simulation/models.ts';
import type { Strategy } from '#src/strategy/define-strategy.ts';
import { resolveParams } from '#src/strategy/params.ts';
import { limitsOf } from '../fixtures/risk.ts';
import { readRows } from './csv-bars.ts';
import { modelsOf } from './engines.ts';
import { oracleBars } from './oracle-bars.ts';
import { type Oracle, readJson, readOracle } from './oracle-file.ts';
import { ACCOUNTS, BACKTESTING, BACKTRADER, EXCLUSIVE, PRINTS } from './own-configs.ts';
import { type OwnRun, runAsConfigured, runOver } from './own-runs.ts';
import { type PublishedRun, publishedInputs } from './published.ts';
import { securityOf } from './stage.ts';
import { atrTrail } from './strategies/atr-trail.ts';
import bollingerBreakout from './strategies/bollinger-breakout.ts';
import { buyOnce } from './strategies/buy-once.ts';
import crossBracket from './strategies/cross-bracket.ts';
import { hold } from './strategies/hold.ts';
import { limitDip } from './strategies/limit-dip.ts';
import { limitValid } from './strategies/limit-valid.ts';
import { rotation } from './strategies/rotation.ts';
import rsiMeanrev from './strategies/rsi-meanrev.ts';
import smaAllIn from './strategies/sma-all-in.ts';
import smaBracket from './strategies/sma-bracket.ts';
import smaFlip from './strategies/sma-flip.ts';

const ORACLES = 'test/oracles/data/runs';
const DATA = 'test/oracles/data/prices';

/** Inputs of a run in addition to the oracle: bars for the warm-up, or a credit line. */
interface Circumstances {
  readonly past?: boolean;
  readonly borrows?: boolean;
  readonly params?: Readonly<Record<string, number | boolean>>;
}

/**
 * A run over an oracle's bars with its cash and commission, wide limits, and our default fills of four ticks per bar.
 */
function setupOf(
  oracle: Oracle,
  strategy: Strategy,
  { past, borrows, params = {} }: Circumstances,
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
    margin: borrows ? { ...MARGIN_ACCOUNT, financeMultiple: new Decimal(10) } : CASH_ACCOUNT,
    limits: {
      ...limitsOf(),
      maxOrderNotional: { amount: plenty, currency: 'USD' },
      maxPositionWeight: plenty,
      maxOpenOrders: 100,
      priceCollar: new Decimal(1),
      useMargin: borrows === true,
    },
    policy: { orderType: 'MO', offsetTicks: 0, cancelAfterMs: undefined },
    seed: 1,
  };
}

function replay(id: string, strategy: Strategy, circumstances: Circumstances = {}) {
  const oracle = readOracle(`${ORACLES}/${id}.json`);
  const setup = setupOf(oracle, strategy, circumstances);
  const record = runBacktest(setup, { decisions: true });
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

function ordersOf(record: DetailedRecord, barOf: (at: Millis) => number): readonly Placed[] {
  return record.decisions.flatMap((decision) => {
    if (decision.kind !== 'intent-drafted' || isExit(decision)) return [];
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

describe('a strategy written from the rules of an oracle', () => {
  const cases: readonly (readonly [id: string, strategy: () => Strategy, circumstances: Circumstances])[] = [
    // Our RSI needs more bars than the oracle's before its value counts, so it warms up on the bars before.
    ['spy-rsi14-meanrev', () => rsiMeanrev, { past: true }],
    ['aapl-bollinger-breakout', () => bollingerBreakout, {}],
    // It buys with the proceeds of sales at the same instant, which our venue does not count before they fill.
    ['rotation-5-monthly', rotation, { borrows: true }],
  ];
  for (const [id, strategy, circumstances] of cases) {
    it(`places every order of ${id} by itself and ends every bar with its equity`, () => {
      const { oracle, record, barOf } = replay(id, strategy(), circumstances);
      expect(ordersOf(record, barOf)).toEqual(wantedOrders(oracle));
      expect(worstEquity(oracle, record)).toBeLessThan(1e-9);
    });
  }

  const configured: readonly (readonly [id: string, run: () => OwnRun])[] = [
    [
      'spy-1m-sma-10-30',
      () => ({ strategy: smaAllIn, params: { n1: 10, n2: 30 }, sections: percent('0.05') }),
    ],
    ['hsi-1h-sma-3-8', () => ({ strategy: smaAllIn, params: { n1: 3, n2: 8 }, sections: percent('0.1') })],
    ['goog-sma-10-20-commission', () => ({ strategy: smaFlip, sections: EXCLUSIVE + percent('0.2') })],
    [
      'goog-sma-10-20-readme',
      () => ({ strategy: smaFlip, sections: EXCLUSIVE + BACKTESTING('openingSpread: 20 bps') }),
    ],
    ['goog-bracket-sl3-tp6', () => ({ strategy: smaBracket, sections: percent('0.1') })],
    ['aapl-1h-atr-trail', () => ({ strategy: atrTrail(), sections: percent('0.05') })],
    ['iwm-limit-dip', () => ({ strategy: limitDip(), sections: percent('0.1') })],
    [
      'ibm-1m-bracket',
      () => ({ strategy: crossBracket, sections: BACKTRADER('commission: { percent: 0.01%, exact: true }') }),
    ],
    [
      'spy-1h-limit-valid',
      () => ({ strategy: limitValid(), sections: BACKTRADER('commission: { percent: 0.02%, exact: true }') }),
    ],
    [
      'spy-rsi14-meanrev',
      () => ({
        strategy: rsiMeanrev,
        sections: BACKTRADER('commission: { percent: 0.1%, exact: true }'),
        past: true,
      }),
    ],
    [
      'aapl-bollinger-breakout',
      () => ({
        strategy: bollingerBreakout,
        sections: BACKTRADER('commission: { percent: 0.1%, exact: true }'),
      }),
    ],
    ['aapl-buyhold-raw-cash', () => ({ strategy: hold(), sections: held })],
    ['aapl-buyhold-raw-drip', () => ({ strategy: hold(), params: { reinvest: true }, sections: held })],
    ['spy-buyhold-raw-drip', () => ({ strategy: hold(), params: { reinvest: true }, sections: held })],
  ];
  for (const [id, run] of configured) {
    it(`is configured by a YAML for ${id}: every order, fill and bar by itself`, () => {
      const oracle = readOracle(`${ORACLES}/${id}.json`);
      const record = runAsConfigured(oracle, DATA, run());
      const { time } = oracleBars(DATA, oracle.data)[0] ?? { time: new Float64Array() };
      const barOf = (at: Millis): number => time.findLastIndex((each) => each < at);
      expect(ordersOf(record, barOf).map(sideAndBar).toSorted()).toEqual(ownOrders(oracle).toSorted());
      expect(fillsOf(record, barOf).toSorted()).toEqual(wantedFills(oracle).toSorted());
      expect(worstEquity(oracle, record)).toBeLessThan(1e-9);
    });
  }
});

describe('a strategy written from the description of a published run', () => {
  const published = (): readonly PublishedRun[] =>
    readJson(`${ORACLES}/published-lean.json`) as readonly PublishedRun[];
  const runs: Readonly<Record<string, (factor: number) => OwnRun>> = {
    'lean-basic-template': (factor) => ({
      strategy: buyOnce(),
      params: { tick: 0.01 * factor },
      sections: PRINTS('commission: { perShare: 0.005, minimum: 1 }\n  quotes: true'),
    }),
    'lean-dividend-regression': () => ({
      strategy: buyOnce(),
      params: { units: 512 },
      sections: PRINTS('commission: { perShare: 0.005 }\n  corporateActions: true'),
    }),
  };
  for (const [id, own] of Object.entries(runs)) {
    it(`is configured by a YAML for ${id} and reaches its result to the cent`, () => {
      const run = published().find((each) => each.id === id);
      if (run === undefined) throw new Error(`There is no published run "${id}"`);
      const { bars, bidAsk, actions } = publishedInputs(run, DATA);
      const day = (bar: number): string => new Date(bars.time.at(bar) ?? 0).toISOString().slice(0, 10);
      const past = { id, history: [bars], from: day(0), to: day(-1), cash: 100_000, bidAsk };
      const record = runOver({ ...past, corporateActions: actions }, own(run.price_factor ?? 1));
      const fees = record.fills.map(({ fee }) => fee);
      expect(record.decisions.filter(({ kind }) => kind === 'intent-drafted').length).toBe(
        run.published['Total Orders'],
      );
      expect(fees.map(Number)).toEqual([run.published['Total Fees']]);
      expect(Number(record.equity.value.at(-1)?.toFixed(2))).toBe(run.published['End Equity']);
    });
  }
});

/** Digits of a price that must agree. */
const DIGITS = 10;

const percent = (rate: string): string => BACKTESTING(`commission: { percent: ${rate}%, exact: true }`);
const held = ACCOUNTS('commission: { percent: 0.1%, exact: true }');

/** Programs send and move exits at any time; their results are in the fills. */
function isExit({ terms, link }: Extract<Decision, { kind: 'intent-drafted' }>): boolean {
  return link?.exit === true || terms.type === 'MIT';
}

function ownOrders({ orders }: Oracle): readonly string[] {
  return orders
    .filter(({ by, parent, status }) => by !== 'engine' && parent == null && status !== 'refused')
    .filter(({ closes_trade, type }) => closes_trade == null || type === 'market')
    .map(sideAndBar);
}

function fillsOf(record: RunRecord, barOf: (at: Millis) => number): readonly string[] {
  return record.fills.map(
    ({ side, quantity, price, time }) =>
      `${barOf(millis(time + 1))} ${side} ${quantity} at ${price.toNumber().toPrecision(DIGITS)}`,
  );
}

function wantedFills({ fills }: Oracle): readonly string[] {
  return fills.map(
    ({ bar, side, units, price }) => `${bar} ${side} ${units} at ${price.toPrecision(DIGITS)}`,
  );
}

function sideAndBar({ bar, side }: { readonly bar: number; readonly side: string }): string {
  return `${bar} ${side}`;
}
