import type { Decimal } from './decimal.ts';
import type { FxRates } from './fx.ts';
import { type Millis, NEVER } from './time.ts';

/** A rate that changes: from each instant (epoch ms, ascending) on it is so much, until the next. */
export interface FxSeries {
  /** Such as `USDHKD`: how much HKD one USD is worth. */
  readonly pair: string;
  readonly from: readonly number[];
  readonly rate: readonly Decimal[];
}

/** Exchange rates as of an instant; what comes after it is never looked at. */
export interface DatedRates {
  /** The rates as of an instant: the same object until one of them changes. */
  asOf(at: number): FxRates;
  /** Instants at which a rate changes, ascending. */
  readonly changes: readonly Millis[];
}

/** Fixed figures, and series of which each holds in place of its pair's figure from its first instant on. */
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
