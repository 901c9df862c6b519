import type { Decimal } from './decimal.ts';
import type { FxRates } from './fx.ts';
import { type Millis, NEVER } from './time.ts';

/** A changing exchange rate: `rate[i]` applies from `from[i]` (epoch ms, ascending) until the next. */
export interface FxSeries {
  /** Such as `USDHKD`: the value of one USD in HKD. */
  readonly pair: string;
  readonly from: readonly number[];
  readonly rate: readonly Decimal[];
}

/** Exchange rates as of an instant, without look-ahead. */
export interface DatedRates {
  /** Returns the rates as of an instant; the same object until a rate changes. */
  asOf(at: number): FxRates;
  /** Instants at which a rate changes, ascending. */
  readonly changes: readonly Millis[];
}

/** Combines fixed rates with series, each of which replaces its pair's rate from its first instant on. */
export function datedRates(fx: FxRates, series: readonly FxSeries[] = []): DatedRates {
  const changes = [...new Set(series.flatMap(({ from }) => from))].sort(
    (one, other) => one - other,
  ) as Millis[];
  let known = { from: Number.NEGATIVE_INFINITY, until: changes[0] ?? NEVER, rates: fx };

  function asOf(at: number): FxRates {
    if (at >= known.from && at < known.until) return known.rates;
    const next = changes.findIndex((change) => change > at);
    const place = next < 0 ? changes.length : next;
    const rates = { ...fx };
    for (const { pair, from, rate } of series) {
      const figure = rate[from.findLastIndex((instant) => instant <= at)];
      if (figure !== undefined) rates[pair] = figure;
    }
    known = {
      from: changes[place - 1] ?? Number.NEGATIVE_INFINITY,
      until: changes[place] ?? NEVER,
      rates,
    };
    return rates;
  }

  return { asOf, changes };
}
