import type { RunRecord } from '../../src/events/run-record.ts';
import type { BarColumns } from '../../src/model/bar.ts';
import { Decimal } from '../../src/model/decimal.ts';
import { securitySymbol } from '../../src/model/symbol.ts';
import { DAY_MS, millis } from '../../src/model/time.ts';
import type { PriceHistory } from '../../src/reports/price-history.ts';
import { type RunPage, type RunSource, runPage } from '../../src/reports/run-page.ts';
import { aFill, aRun, START } from './a-run.ts';

export const SOURCE: RunSource = {
  yaml: 'strategy: sma-cross # a comment\nsymbols: [SPX.US]\nparams: { fast: 10 }\n',
  yamlSha256: 'ab'.repeat(32),
  strategySha256: 'cd'.repeat(32),
  sluice: '0.1.0',
  node: '24.0.0',
};

/** Daily bars that close a day after they open, at the given prices. */
export function aHistory(closes: readonly number[], change: Partial<PriceHistory> = {}): PriceHistory {
  const time = Float64Array.from(closes, (_, index) => START + index * DAY_MS);
  const close = Float64Array.from(closes);
  const columns: BarColumns = {
    symbol: securitySymbol('SPX.US'),
    period: '1d',
    length: closes.length,
    time,
    open: close.map((price) => price - 0.5),
    high: close.map((price) => price + 1),
    low: close.map((price) => price - 1),
    close,
    volume: close.map(() => 1_000),
  };
  return {
    columns,
    firstBar: 0,
    closeAt: (index) => millis((time[index] ?? 0) + DAY_MS),
    rateAt: () => 1,
    ...change,
  };
}

/** A page over the given equity, with prices that move with it. */
export function aPage(
  equity: readonly number[],
  change: Parameters<typeof aRun>[1] = {},
  source: Partial<RunSource> = {},
): RunPage {
  const record: RunRecord = aRun(equity, change);
  return runPage(record, [aHistory(equity.map((value) => value / 1_000))], { ...SOURCE, ...source });
}

/** This number of trades of two fills each, a day apart; every second one is a loss. */
export function manyFills(trades: number): readonly ReturnType<typeof aFill>[] {
  return Array.from({ length: trades }, (_, index) => [
    aFill('buy', 10, '100.25', { day: index * 2, fee: new Decimal('1.05') }),
    aFill('sell', 10, index % 2 === 0 ? '101.5' : '99.75', { day: index * 2 + 1, fee: new Decimal('1.10') }),
  ]).flat();
}
