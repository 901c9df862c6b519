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
import { CurveWalk, type HeldOverTime, WholeCurve } from './curve-walk.ts';
import { PlaceList } from './place-list.ts';

/** Cash and positions from one time until the next stretch; closes at or after `from` are valued with them. */
export interface Stretch {
  readonly from: Millis;
  readonly estimate: EstimatedPortfolio;
}

interface EquityInputs {
  /** One table per symbol. */
  readonly columns: readonly BarColumns[];
  /** Index of the first bar of the run in each table, after the warm-up. */
  readonly firstBars: readonly number[];
  /** Ordered by `from`; the first is the account at the start. */
  readonly stretches: readonly Stretch[];
  /** Additional valuation times, ascending. */
  readonly alsoAt?: readonly Millis[];
  /** Splits by symbol; earlier closes are converted to the new share basis. */
  readonly splitAdjustments?: ReadonlyMap<SecuritySymbol, readonly SplitAdjustment[]>;
}

/** Computes equity after each bar close, and at the additional times. */
export function equityOverColumns(inputs: EquityInputs): EquityCurve {
  const { columns, firstBars, stretches, alsoAt = [], splitAdjustments } = inputs;
  const symbols = columns.map(({ symbol }) => symbol);
  const takes = new WholeCurve(columns.reduce((sum, { length }) => sum + length, alsoAt.length));
  const walk = new CurveWalk({
    lines: columns.map((bars) => ({ base: 0, columns: bars, closes: closesOf(bars) })),
    firstBars,
    changes: symbols.map((symbol) => splitAdjustments?.get(symbol) ?? []),
    held: new HeldStretches(stretches, symbols),
    takes,
  });
  for (const at of alsoAt) {
    walk.goTo(at);
    walk.mark(at);
  }
  walk.goTo(NEVER);
  return takes.curve();
}

function closesOf({ symbol, period, time, length }: BarColumns): Float64Array {
  const closes = new Float64Array(length);
  closesInto(closes, { market: marketOf(symbol), period, stamps: time });
  return closes;
}

/** Iterates over stretches. */
class HeldStretches implements HeldOverTime {
  cash = Number.NaN;
  readonly list: PlaceList;
  readonly quantity: Float64Array;
  readonly rate: Float64Array;
  until: number = Number.NEGATIVE_INFINITY;
  readonly #stretches: readonly Stretch[];
  readonly #places: ReadonlyMap<SecuritySymbol, number>;
  #next = 0;

  constructor(stretches: readonly Stretch[], symbols: readonly SecuritySymbol[]) {
    this.#stretches = stretches;
    this.#places = new Map(symbols.map((symbol, place) => [symbol, place]));
    this.list = new PlaceList(symbols.length);
    this.quantity = new Float64Array(symbols.length);
    this.rate = new Float64Array(symbols.length);
  }

  /** Does nothing, because all stretches are known. */
  updateUntil(): void {}

  goTo(now: number): void {
    let newest: Stretch | undefined;
    for (let next = this.#from(now); next !== undefined; next = this.#from(now)) newest = next;
    if (newest !== undefined) this.#take(newest.estimate);
    else if (this.#next === 0) throw new Error('Equity needs to know what the account held at the start');
    this.until = this.#stretches[this.#next]?.from ?? NEVER;
  }

  /** Returns the next stretch, if it has begun. */
  #from(now: number): Stretch | undefined {
    const next = this.#stretches[this.#next];
    if (next === undefined || next.from > now) return undefined;
    this.#next += 1;
    return next;
  }

  #take({ cash, holdings }: EstimatedPortfolio): void {
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

/** Splits stretches where an exchange rate changes. `held` has the portfolio of each stretch if any rate changes. */
export function fxAdjustedPeriods(
  stretches: readonly Stretch[],
  {
    held,
    dated,
    currency,
  }: { readonly held: readonly Portfolio[]; readonly dated: DatedRates; readonly currency: Currency },
): readonly Stretch[] {
  const { changes } = dated;
  if (changes.length === 0) return stretches;
  const rateAt =
    (at: Millis) =>
    (of: Currency): number =>
      rateBetween(of, currency, dated.asOf(at))?.toNumber() ?? Number.NaN;
  let next = 0;
  return stretches.flatMap((stretch, place) => {
    const portfolio = held[place];
    const until = stretches[place + 1]?.from ?? NEVER;
    while (next < changes.length && (changes[next] as Millis) <= stretch.from) next += 1;
    const cut: Stretch[] = [stretch];
    for (; next < changes.length && (changes[next] as Millis) < until; next += 1) {
      const from = changes[next] as Millis;
      if (portfolio !== undefined) cut.push({ from, estimate: estimated(portfolio, rateAt(from)) });
    }
    return cut;
  });
}
