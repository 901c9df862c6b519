import type { RateSteps, RunBounds } from '../events/run-bounds.ts';
import type { BarColumns } from '../model/bar.ts';
import { datedRates } from '../model/dated-rates.ts';
import { rateBetween } from '../model/fx.ts';
import type { Currency } from '../model/money.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import type { Millis } from '../model/time.ts';
import type { SplitAdjustment } from '../signals/split-adjustment.ts';
import { type ReplaySetup, startOf } from './setup.ts';

/** The last bar of a symbol: open time and close price. */
export interface LastBar {
  readonly symbol: SecuritySymbol;
  readonly stamp: number;
  readonly close: number;
}

/** Returns the last of some bars; undefined if there are none. */
export function lastBarOf({ symbol, time, close, length }: BarColumns): LastBar | undefined {
  if (length === 0) return undefined;
  return { symbol, stamp: time[length - 1] as number, close: close[length - 1] as number };
}

/**
 * Returns the initial and final values of a backtest's equity: opening cash, and the last close of each symbol on its
 * final share basis.
 */
export function boundsOf(
  setup: Pick<ReplaySetup, 'cash' | 'currency' | 'from' | 'fx' | 'fxSeries' | 'securities'>,
  lastBars: readonly LastBar[],
  changes: ReadonlyMap<SecuritySymbol, readonly SplitAdjustment[]>,
  end: number,
): RunBounds {
  const prices = lastBars.map(({ symbol, stamp, close }) => {
    const since = (changes.get(symbol) ?? []).filter(({ at, barsFrom }) => at <= end && stamp < barsFrom);
    return [symbol, since.reduce((price, { ratio }) => price / ratio, close)] as const;
  });
  const symbols = setup.securities.map(({ symbol }) => symbol);
  const opened = startOf(symbols, setup.from);
  return { opened, cash: setup.cash, prices: new Map(prices), rates: ratesOf(setup) };
}

/**
 * Returns the values for a run on the embedded venue, which opens an account with cash only: positions are valued at
 * observed closes.
 */
export function engineBounds(
  setup: Pick<ReplaySetup, 'cash' | 'currency' | 'fx' | 'fxSeries' | 'securities'>,
  opened: Millis,
  lastClose: (symbol: SecuritySymbol) => number,
): RunBounds {
  const closes = setup.securities.map(({ symbol }) => [symbol, lastClose(symbol)] as const);
  const prices = new Map(closes.filter(([, close]) => !Number.isNaN(close)));
  return { opened, cash: setup.cash, prices, rates: ratesOf(setup) };
}

/** Returns the exchange rates of each currency of an account; a currency without rates is absent. */
export function ratesOf({
  cash,
  currency,
  fx,
  fxSeries = [],
  securities,
}: Pick<ReplaySetup, 'cash' | 'currency' | 'fx' | 'fxSeries' | 'securities'>): ReadonlyMap<
  Currency,
  RateSteps
> {
  const others = new Set([...Object.keys(cash), ...securities.map((each) => each.currency)]);
  others.delete(currency);
  const dated = datedRates(fx, fxSeries);
  const from = [Number.NEGATIVE_INFINITY, ...dated.changes];
  return new Map(
    [...others].flatMap((other) => {
      const rate = from.map((at) => rateBetween(other, currency, dated.asOf(at)));
      return rate.every((each) => each !== undefined) ? [[other, { from, rate }] as const] : [];
    }),
  );
}
