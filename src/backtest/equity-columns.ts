import type { EquityCurve } from '../events/curve/curve-input.ts';
import { type EstimatedPortfolio, estimated, type Portfolio } from '../events/portfolio.ts';
import { closesInto } from '../markets/bar-span.ts';
import type { BarColumns } from '../model/bar.ts';
import type { DatedRates } from '../model/dated-rates.ts';
import { rateBetween } from '../model/fx.ts';
import type { Currency } from '../model/money.ts';
import { marketOf, type SecuritySymbol } from '../model/symbol.ts';
import { type Millis, NEVER } from '../model/time.ts';
import type { SplitAdjustment } from '../signals/split-adjustment.ts';
import { CurveColumns, CurveWalk, type PortfolioOverTime } from './curve-walk.ts';
import { SecurityIndexList } from './security-index-list.ts';

/** Cash and positions from one time until the next period; closes at or after `from` are valued with them. */
export interface PortfolioPeriod {
  readonly from: Millis;
  readonly estimate: EstimatedPortfolio;
}

interface EquityInputs {
  /** One table per symbol. */
  readonly columns: readonly BarColumns[];
  /** Index of the first bar of the run in each table, after the warm-up. */
  readonly firstBars: readonly number[];
  /** Ordered by `from`; the first is the account at the start. */
  readonly periods: readonly PortfolioPeriod[];
  /** Additional valuation times, ascending. */
  readonly extraTimes?: readonly Millis[];
  /** Splits by symbol; earlier closes are converted to the new share basis. */
  readonly splitAdjustments?: ReadonlyMap<SecuritySymbol, readonly SplitAdjustment[]>;
}

/** Computes equity after each bar close, and at the additional times. */
export function equityOverColumns(inputs: EquityInputs): EquityCurve {
  const { columns, firstBars, periods, extraTimes = [], splitAdjustments } = inputs;
  const symbols = columns.map(({ symbol }) => symbol);
  const curve = new CurveColumns(columns.reduce((sum, { length }) => sum + length, extraTimes.length));
  const walk = new CurveWalk({
    series: columns.map((bars) => ({ base: 0, columns: bars, closes: closesOf(bars) })),
    firstBars,
    splits: symbols.map((symbol) => splitAdjustments?.get(symbol) ?? []),
    portfolio: new PeriodIterator(periods, symbols),
    output: curve,
  });
  for (const at of extraTimes) {
    walk.goTo(at);
    walk.valueAt(at);
  }
  walk.goTo(NEVER);
  return curve.curve();
}

function closesOf({ symbol, period, time, length }: BarColumns): Float64Array {
  const closes = new Float64Array(length);
  closesInto(closes, { market: marketOf(symbol), period, stamps: time });
  return closes;
}

/** Iterates over periods. */
class PeriodIterator implements PortfolioOverTime {
  cash = Number.NaN;
  readonly list: SecurityIndexList;
  readonly quantity: Float64Array;
  readonly rate: Float64Array;
  nextChangeAt: number = Number.NEGATIVE_INFINITY;
  readonly #periods: readonly PortfolioPeriod[];
  readonly #places: ReadonlyMap<SecuritySymbol, number>;
  #next = 0;

  constructor(periods: readonly PortfolioPeriod[], symbols: readonly SecuritySymbol[]) {
    this.#periods = periods;
    this.#places = new Map(symbols.map((symbol, place) => [symbol, place]));
    this.list = new SecurityIndexList(symbols.length);
    this.quantity = new Float64Array(symbols.length);
    this.rate = new Float64Array(symbols.length);
  }

  /** Does nothing, because all periods are known. */
  updateNextChange(): void {}

  goTo(now: number): void {
    let newest: PortfolioPeriod | undefined;
    for (let next = this.#nextBegun(now); next !== undefined; next = this.#nextBegun(now)) newest = next;
    if (newest !== undefined) this.#showPortfolio(newest.estimate);
    else if (this.#next === 0) throw new Error('Cannot compute equity: no portfolio at the start');
    this.nextChangeAt = this.#periods[this.#next]?.from ?? NEVER;
  }

  /** Returns the next period, if it has begun. */
  #nextBegun(now: number): PortfolioPeriod | undefined {
    const next = this.#periods[this.#next];
    if (next === undefined || next.from > now) return undefined;
    this.#next += 1;
    return next;
  }

  #showPortfolio({ cash, holdings }: EstimatedPortfolio): void {
    this.cash = cash;
    this.list.count = 0;
    for (const { symbol, quantity, rate } of holdings) {
      const place = this.#places.get(symbol);
      // The value of a symbol without bars is unknown.
      if (place === undefined) this.cash = Number.NaN;
      else {
        this.list.add(place);
        this.quantity[place] = quantity;
        this.rate[place] = rate;
      }
    }
  }
}

/** Splits periods where an exchange rate changes. `portfolios` has the portfolio of each period if any rate changes. */
export function fxAdjustedPeriods(
  periods: readonly PortfolioPeriod[],
  {
    portfolios,
    dated,
    currency,
  }: { readonly portfolios: readonly Portfolio[]; readonly dated: DatedRates; readonly currency: Currency },
): readonly PortfolioPeriod[] {
  const { changes } = dated;
  if (changes.length === 0) return periods;
  const rateAt =
    (at: Millis) =>
    (of: Currency): number =>
      rateBetween(of, currency, dated.asOf(at))?.toNumber() ?? Number.NaN;
  let next = 0;
  return periods.flatMap((period, place) => {
    const portfolio = portfolios[place];
    const until = periods[place + 1]?.from ?? NEVER;
    while (next < changes.length && (changes[next] as Millis) <= period.from) next += 1;
    const cut: PortfolioPeriod[] = [period];
    for (; next < changes.length && (changes[next] as Millis) < until; next += 1) {
      const from = changes[next] as Millis;
      if (portfolio !== undefined) cut.push({ from, estimate: estimated(portfolio, rateAt(from)) });
    }
    return cut;
  });
}
