import { runBacktest } from '../src/backtest/run-backtest.ts';
import type { RunSetup } from '../src/backtest/setup.ts';
import { loadStrategy, usualRoots } from '../src/config/plugin-loader.ts';
import type { RunRecord } from '../src/events/run-record.ts';
import { CHARGE_SCHEDULES } from '../src/markets/charge-schedules.ts';
import { dayOf } from '../src/markets/sessions.ts';
import type { BarColumns } from '../src/model/bar.ts';
import { Decimal, decimal } from '../src/model/decimal.ts';
import { millis } from '../src/model/time.ts';
import { defaultLimits } from '../src/risk/limits.ts';
import { CASH_ACCOUNT } from '../src/simulation/models.ts';
import type { Strategy } from '../src/strategy/define-strategy.ts';
import type { Benchmark, Gate } from './benchmark.ts';
import { BARS_PER_SECOND, compare, ROUNDS_MIN } from './compare.ts';
import { type Outcome, type Rules, runHandLoop } from './hand-loop.ts';
import { minuteBars, SECURITY } from './minute-bars.ts';

const BARS = { full: 1_000_000, smoke: 20_000 } as const;
const RULES: Rules = { fast: 10, slow: 30, weight: 0.05, cash: 1_000_000 };
const EQUITY_TOLERANCE = 1e-9;

const smaCross = await shipped('sma-cross');

/** Bars per second of a whole backtest of the shipped `sma-cross`, from columns in memory to the finished record. */
export const backtestThroughput: Benchmark = {
  name: 'backtest-throughput',
  about: 'a backtest of sma-cross on generated minute bars, beside a hand-written loop with the same trades',
  run(scale) {
    const bars = minuteBars(BARS[scale]);
    const setup = setupOf(bars);
    const comparison = compare(
      { name: 'sluice backtest', work: () => runBacktest(setup).flow.bars },
      {
        name: 'hand-written loop',
        work: () => {
          runHandLoop(bars, RULES);
          return bars.length;
        },
      },
      BARS_PER_SECOND,
      ROUNDS_MIN,
    );
    return {
      comparisons: [comparison],
      gates: gatesOf(runBacktest(setup), runHandLoop(bars, RULES)),
      notes: [
        `${bars.length} bars, no charges, journal in memory; reading the data is not counted`,
        'The loop sizes orders in float64 and has no gate, no order life, no sessions and no ledger',
      ],
    };
  },
};

async function shipped(name: string): Promise<Strategy> {
  const loaded = await loadStrategy(name, usualRoots(import.meta.dirname));
  if (loaded.kind !== 'ok') throw new Error(`Cannot load strategy: ${loaded.message}`);
  return loaded.strategy;
}

function setupOf(bars: BarColumns): RunSetup {
  const { fast, slow, weight, cash } = RULES;
  return {
    config: 'bench/backtest-throughput.ts',
    strategy: smaCross,
    params: { fast, slow, weight },
    securities: [SECURITY],
    period: bars.period,
    history: [bars],
    from: dayOf('US', millis(bars.time[0] ?? Number.NaN)),
    to: dayOf('US', millis(bars.time[bars.length - 1] ?? Number.NaN)),
    currency: SECURITY.currency,
    cash: { [SECURITY.currency]: new Decimal(cash) },
    fx: {},
    limits: {
      ...defaultLimits(SECURITY.currency),
      maxOrderNotional: { amount: decimal('1000000000'), currency: SECURITY.currency },
      maxPositionWeight: decimal('0.9'),
    },
    policy: { orderType: 'MO', offsetTicks: 0, cancelAfterMs: undefined },
    charges: CHARGE_SCHEDULES.none,
    margin: CASH_ACCOUNT,
    seed: 1,
  };
}

function gatesOf(record: RunRecord, loop: Outcome): readonly Gate[] {
  const final = record.equity.value.at(-1) ?? Number.NaN;
  const difference = Math.abs(final - loop.finalEquity) / loop.finalEquity;
  return [
    {
      what: 'equal number of fills, and more than none',
      holds: loop.fills > 0 && record.flow.fills === loop.fills,
      saw: `${record.flow.fills} and ${loop.fills}`,
    },
    {
      what: `final equity equal within ${EQUITY_TOLERANCE} of it`,
      holds: difference <= EQUITY_TOLERANCE,
      saw: `${final} and ${loop.finalEquity}`,
    },
  ];
}
