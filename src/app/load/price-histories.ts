import { splitAdjustments } from '../../backtest/due-actions.ts';
import { actionsWithin, barsBegin, cutColumns, programOf, type ReplaySetup } from '../../backtest/setup.ts';
import { barClose } from '../../markets/bar-span.ts';
import { midnightOf } from '../../markets/sessions.ts';
import { lowerBound } from '../../model/bar.ts';
import { dividendOn } from '../../model/corporate-action.ts';
import { datedRates } from '../../model/dated-rates.ts';
import { decimal } from '../../model/decimal.ts';
import { type FxRates, rateBetween } from '../../model/fx.ts';
import type { Currency } from '../../model/money.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import { marketOf, type SecuritySymbol } from '../../model/symbol.ts';
import { type Millis, millis } from '../../model/time.ts';
import type { IndicatorHistory, PriceHistory } from '../../reports/price-history.ts';
import { splitAdjustedColumns } from '../../signals/split-adjusted-signals.ts';
import type { SplitAdjustment } from '../../signals/split-adjustment.ts';
import type { LoadedRun } from './load-run.ts';

/** A run to report. */
interface Reported {
  readonly setup: ReplaySetup;
  /** Number of warm-up bars of its strategy. */
  readonly warmup: number;
}

/**
 * The bars of each symbol of a run from its warm-up on, with the corporate actions of a share bought at the first
 * close.
 */
export function priceHistories({ setup, warmup }: Reported): readonly PriceHistory[] {
  const { securities, history, from, currency } = setup;
  const changes = splitAdjustments(setup);
  return history.map((bars, index) => {
    const { columns, firstBar } = cutColumns(bars, barsBegin(bars, from), warmup);
    const market = marketOf(columns.symbol);
    const closeAt = (at: number): Millis =>
      barClose(market, columns.period, millis(columns.time[at] as number));
    const first = columns.time[firstBar];
    const shares = sharesOf(changes.get(columns.symbol) ?? [], first ?? Number.POSITIVE_INFINITY);
    const bought = first === undefined ? Number.POSITIVE_INFINITY : closeAt(firstBar);
    const dividends = dividendsOf(setup, columns.symbol, bought, shares);
    const held = securities[index]?.currency ?? currency;
    return {
      columns,
      firstBar,
      closeAt,
      rateAt: rateFrom(setup, held),
      sharesAt: (at) => shares((columns.time[at] as number) + 1),
      ...omitUndefined({ paidOut: paidOutIn(setup, columns.symbol) }),
      ...(dividends.length === 0 ? {} : { paidAt: (at) => paidBy(dividends, closeAt(at)) }),
    };
  });
}

/** The same for a backtest, whose signals are computed in this process, with the series of its strategies. */
export function testedHistories({ setup }: Pick<LoadedRun, 'setup'>): readonly PriceHistory[] {
  const indicatorsOf = indicatorsIn(setup);
  return priceHistories({ setup, warmup: programOf(setup).warmup }).map((history) => {
    const indicators = indicatorsOf(history.columns);
    return indicators.length === 0 ? history : { ...history, indicators };
  });
}

/** Computes the series that the strategies of a run saw for a symbol, each from the start of its warm-up on. */
function indicatorsIn(
  setup: LoadedRun['setup'],
): (columns: PriceHistory['columns']) => readonly IndicatorHistory[] {
  const { strategy, params, securities, members } = setup;
  const symbols = securities.map(({ symbol }) => symbol);
  const changes = splitAdjustments(setup);
  const strategies = members ?? [{ name: '', strategy, params, symbols }];
  const programs = strategies.map((each) => ({
    ...each,
    program: programOf({
      ...setup,
      strategy: each.strategy,
      params: each.params,
      securities: securities.filter(({ symbol }) => each.symbols.includes(symbol)),
    }),
  }));
  return (columns) => {
    const bars = setup.history.find(({ symbol }) => symbol === columns.symbol);
    if (bars === undefined) return [];
    return programs
      .filter((each) => each.symbols.includes(columns.symbol))
      .flatMap(({ name: member, program }) => {
        const own = cutColumns(bars, barsBegin(bars, setup.from), program.warmup).columns;
        const at = Array.from(columns.time, (time) => {
          const index = lowerBound(own, time);
          // There are no decisions during the warm-up, which extends into the run if there are few bars before it.
          return own.time[index] === time && index >= program.warmup ? index : -1;
        });
        return splitAdjustedColumns(program, own, changes.get(columns.symbol) ?? []).map(
          ({ name, isPrice, values }) => ({
            name: member === '' ? name : `${member}: ${name}`,
            isPrice,
            values: Float64Array.from(at, (index) => values[index] ?? Number.NaN),
          }),
        );
      });
  };
}

/** The exchange rate from a currency to that of the account at a time, from the figures and dated series of a run. */
function rateFrom(
  { currency, fx, fxSeries = [] }: Pick<ReplaySetup, 'currency' | 'fx' | 'fxSeries'>,
  held: Currency,
): (at: number) => number {
  const pairs = [`${held}${currency}`, `${currency}${held}`];
  const { asOf, changes } = datedRates(
    fx,
    fxSeries.filter(({ pair }) => pairs.includes(pair)),
  );
  const rateIn = (rates: FxRates): number => rateBetween(held, currency, rates)?.toNumber() ?? Number.NaN;
  // One more than changes: the first applies before all of them.
  const rates = [fx, ...changes.map(asOf)].map(rateIn);
  let place = 0;
  return (at) => {
    // Reports read rates in order of time, restarting for each line.
    if (at < (changes[place - 1] ?? at)) place = 0;
    while (at >= (changes[place] ?? Number.POSITIVE_INFINITY)) place += 1;
    return rates[place] as number;
  };
}

/** How many shares one of a timestamp has become by splits before a time. */
function sharesOf(splits: readonly SplitAdjustment[], first: number): (before: number) => number {
  return (before) =>
    splits
      .filter(({ barsFrom }) => barsFrom > first && barsFrom < before)
      .reduce((shares, { ratio }) => shares * ratio, 1);
}

interface Paid {
  readonly exAt: Millis;
  /** Payment per share of the first close. */
  readonly amount: number;
}

/** The dividends that a run applies, for a symbol bought at a time. */
function dividendsOf(
  { corporateActions = [] }: Pick<ReplaySetup, 'corporateActions'>,
  symbol: SecuritySymbol,
  bought: number,
  sharesBefore: (instant: number) => number,
): readonly Paid[] {
  return corporateActions.flatMap((action) => {
    if (action.kind !== 'dividend' || action.symbol !== symbol) return [];
    const exAt = midnightOf(marketOf(symbol), action.exDay);
    if (exAt < bought) return [];
    return [{ exAt, amount: dividendOn(action, decimal('1')).toNumber() * sharesBefore(exAt) }];
  });
}

/** The delisting of a symbol within a run, if it has a price. */
function paidOutIn(
  setup: Pick<ReplaySetup, 'corporateActions' | 'to'>,
  symbol: SecuritySymbol,
): PriceHistory['paidOut'] {
  for (const action of actionsWithin(setup)) {
    if (action.kind !== 'delisting' || action.symbol !== symbol) continue;
    const { price, exDay } = action;
    return price === undefined
      ? undefined
      : { at: midnightOf(marketOf(symbol), exDay), price: price.toNumber() };
  }
  return undefined;
}

function paidBy(dividends: readonly Paid[], at: Millis): number {
  return dividends.reduce((sum, { exAt, amount }) => (exAt < at ? sum + amount : sum), 0);
}
