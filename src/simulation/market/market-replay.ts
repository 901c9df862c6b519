import {
  type Amount,
  amountOfDouble,
  decimalOfDouble,
  divide,
  toAmount,
  toDecimal,
} from '../../model/amount.ts';
import type { BarColumns } from '../../model/bar.ts';
import { type Decimal, type Price, ZERO } from '../../model/decimal.ts';
import type { LatestTrade, Quote, TradeStatus } from '../../model/quote.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import { type Millis, NEVER } from '../../model/time.ts';
import { wholeSeconds } from '../../model/whole-seconds.ts';
import { DayTally } from './day-figures.ts';
import { LiveColumns, rescaledPrice, rescaledVolume, type Tick } from './live-columns.ts';
import { type BarFigures, PRINTS_PER_BAR } from './prints.ts';
import { barCalendars, barOf, NO_PRINT, type PrintIndex, stepOf, Tape, type TapeModel } from './tape.ts';

export interface SymbolMarket {
  readonly symbol: SecuritySymbol;
  /** Index among the symbols; prints of one instant happen in this order. */
  readonly place: number;
  tape: Tape;
  tally: DayTally;
  /**
   * The latest trade between prints, if generated since the last print; `volumeToCome` shares of that print have not
   * traded yet.
   */
  between:
    | { readonly place: number; readonly at: Millis; readonly price: number; readonly volumeToCome: number }
    | undefined;
  /** Any status but `normal` suspends prints and matching. Set it with `MarketReplay.setStatus`. */
  status: TradeStatus;
  /** Prints of the latest halt, `until` exclusive; no order may match them. */
  haltedPrints: { readonly from: PrintIndex; readonly until: PrintIndex } | undefined;
  /** First print known not to have happened; never decreases. */
  upcoming: PrintIndex;
  /** A split since the latest print, whose price still counts old shares: `ratio` new shares for one. */
  split: { readonly since: PrintIndex | undefined; readonly ratio: Decimal } | undefined;
  /** Time of the delisting, if known in advance. */
  endsAt: Millis | undefined;
  /** The symbol's next print that is a separate step, and its time. */
  dueIndex: PrintIndex;
  dueAt: Millis;
  latest: CachedTrade | undefined;
}

interface CachedTrade extends Pick<SymbolMarket, 'tape' | 'between'> {
  readonly index: PrintIndex;
  readonly trade: LatestTrade;
  quote: Quote | undefined;
}

/**
 * Replays prints of all symbols in order of time, then of symbol. A print at `now` has happened once it, or a later one
 * of the same instant, was stepped. Earlier prints have happened whether stepped or not.
 */
export class MarketReplay {
  readonly symbolMarkets: readonly SymbolMarket[];
  readonly #bySymbol: ReadonlyMap<SecuritySymbol, SymbolMarket>;
  readonly #fills: TapeModel;
  readonly #calendars = barCalendars();
  #now: Millis;
  #steppedPlace = -1;
  #due: SymbolMarket | undefined;
  #isDueKnown = false;

  constructor(bars: readonly BarColumns[], start: Millis, fills: TapeModel) {
    this.#now = start;
    this.#fills = fills;
    this.symbolMarkets = bars.map((columns, place) => {
      const tape = new Tape(columns, fills, undefined, this.#calendars);
      const upcoming = tape.firstFrom(start);
      const tally = new DayTally(tape);
      return {
        symbol: columns.symbol,
        place,
        tape,
        tally,
        status: 'normal',
        haltedPrints: undefined,
        between: undefined,
        split: undefined,
        endsAt: undefined,
        upcoming,
        dueIndex: NO_PRINT,
        dueAt: NEVER,
        latest: undefined,
      };
    });
    this.#bySymbol = new Map(this.symbolMarkets.map((symbolMarket) => [symbolMarket.symbol, symbolMarket]));
    if (this.#bySymbol.size !== bars.length)
      throw new RangeError('Cannot replay two series of bars of one symbol');
  }

  now(): Millis {
    return this.#now;
  }

  moveTo(at: Millis): void {
    if (at === this.#now) return;
    if (!(at > this.#now)) throw new RangeError(`Cannot move the clock from ${this.#now} back to ${at}`);
    this.#now = at;
    this.#steppedPlace = -1;
  }

  symbolMarket(symbol: SecuritySymbol): SymbolMarket | undefined {
    return this.#bySymbol.get(symbol);
  }

  /** Returns the symbol's first print that has not happened yet; NO_PRINT past the last. */
  upcoming(symbolMarket: SymbolMarket): PrintIndex {
    const { tape } = symbolMarket;
    if (this.#isAhead(symbolMarket, symbolMarket.upcoming)) return symbolMarket.upcoming;
    const following = tape.next(symbolMarket.upcoming);
    symbolMarket.upcoming = this.#isAhead(symbolMarket, following)
      ? following
      : tape.firstFrom(this.#now, symbolMarket.place <= this.#steppedPlace);
    return symbolMarket.upcoming;
  }

  /** Multiplies all past and future prices of a symbol and divides its volumes. False if it has no bars. */
  rescale(symbol: SecuritySymbol, factor: number): boolean {
    const symbolMarket = this.#bySymbol.get(symbol);
    if (symbolMarket === undefined) return false;
    const columns = rescaled(symbolMarket.tape.columns, factor);
    symbolMarket.tape = new Tape(columns, this.#fills, undefined, this.#calendars);
    symbolMarket.tally = new DayTally(symbolMarket.tape);
    symbolMarket.between = undefined;
    return true;
  }

  /** Returns the latest visible print that has happened; undefined before the first. */
  last(symbolMarket: SymbolMarket): PrintIndex | undefined {
    const latest = symbolMarket.tape.before(this.upcoming(symbolMarket));
    const { haltedPrints } = symbolMarket;
    if (haltedPrints === undefined || latest === undefined) return latest;
    return latest >= haltedPrints.from && latest < haltedPrints.until
      ? symbolMarket.tape.before(haltedPrints.from)
      : latest;
  }

  /**
   * Returns the latest print while it is current: until the next print or the close of its bar. Undefined between bars,
   * and if the latest print happened during a halt.
   */
  currentPrint(symbolMarket: SymbolMarket): PrintIndex | undefined {
    const last = this.last(symbolMarket);
    if (last === undefined || last !== symbolMarket.tape.before(this.upcoming(symbolMarket)))
      return undefined;
    return this.#now < symbolMarket.tape.barClose(last) ? last : undefined;
  }

  /** Halts, resumes or delists a security; prints in any status but `normal` never become visible. */
  setStatus(symbolMarket: SymbolMarket, status: TradeStatus): void {
    const [before, after] = [symbolMarket.status === 'normal', status === 'normal'];
    symbolMarket.status = status;
    if (before && !after)
      symbolMarket.haltedPrints = { from: (this.last(symbolMarket) ?? -1) + 1, until: NO_PRINT };
    if (after && !before && symbolMarket.haltedPrints !== undefined)
      symbolMarket.haltedPrints = { ...symbolMarket.haltedPrints, until: this.nextPrintIndex(symbolMarket) };
  }

  /** Returns the index of the next print, even if its data is not known yet. */
  nextPrintIndex(symbolMarket: SymbolMarket): PrintIndex {
    const upcoming = this.upcoming(symbolMarket);
    return upcoming === NO_PRINT ? symbolMarket.tape.columns.length * PRINTS_PER_BAR : upcoming;
  }

  /**
   * Returns the latest price of a symbol in current shares: adjusted for a split since the latest print. Undefined
   * before the first print.
   */
  lastPrice(symbol: SecuritySymbol): Price | undefined {
    const last = this.lastAmount(symbol);
    return last === undefined ? undefined : toDecimal(last);
  }

  /** Like `lastPrice`, as an amount. */
  lastAmount(symbol: SecuritySymbol): Amount | undefined {
    const symbolMarket = this.symbolMarket(symbol);
    const last = symbolMarket === undefined ? undefined : this.last(symbolMarket);
    if (symbolMarket === undefined || last === undefined) return undefined;
    const price = amountOfDouble(symbolMarket.between?.price ?? symbolMarket.tape.price(last));
    const { split } = symbolMarket;
    if (split === undefined || !this.isSplit(symbolMarket)) return price;
    return divide(price, toAmount(split.ratio), 'half-up', SPLIT_PRICE_PLACES);
  }

  /** True if shares were split since the latest print, whose price still counts old shares. */
  isSplit(symbolMarket: SymbolMarket): boolean {
    return symbolMarket.split !== undefined && symbolMarket.split.since === this.last(symbolMarket);
  }

  /** Expresses the last price in new shares, `ratio` for one, until the next print. */
  split(symbol: SecuritySymbol, ratio: Decimal): void {
    const symbolMarket = this.#bySymbol.get(symbol);
    if (symbolMarket === undefined) return;
    const since = this.last(symbolMarket);
    const before = symbolMarket.split?.since === since ? symbolMarket.split?.ratio : undefined;
    symbolMarket.split = { since, ratio: before === undefined ? ratio : before.times(ratio) };
  }

  schedule(symbolMarket: SymbolMarket, index: PrintIndex): void {
    if (index === symbolMarket.dueIndex) return;
    symbolMarket.dueIndex = index;
    symbolMarket.dueAt = symbolMarket.tape.time(index);
    this.#isDueKnown = false;
  }

  nextDue(): SymbolMarket | undefined {
    if (!this.#isDueKnown) {
      this.#due = undefined;
      for (const symbolMarket of this.symbolMarkets) {
        if (symbolMarket.dueAt < (this.#due?.dueAt ?? NEVER)) this.#due = symbolMarket;
      }
      this.#isDueKnown = true;
    }
    return this.#due;
  }

  /**
   * Appends a live price to a symbol with live columns; undefined for any other symbol. Throws RangeError like
   * `LiveColumns.append`.
   */
  append(tick: Tick): SymbolMarket | undefined {
    const symbolMarket = this.symbolMarket(tick.symbol);
    if (symbolMarket === undefined || !(symbolMarket.tape.columns instanceof LiveColumns)) return undefined;
    symbolMarket.tape.columns.append(tick);
    if (symbolMarket.upcoming === NO_PRINT)
      symbolMarket.upcoming = (symbolMarket.tape.columns.length - 1) * PRINTS_PER_BAR;
    return symbolMarket;
  }

  /** Invalidates the prices of live symbols until the next tick. */
  invalidatePrices(): void {
    for (const { tape } of this.symbolMarkets) {
      if (tape.columns instanceof LiveColumns) tape.columns.invalidate(this.#now);
    }
  }

  /** Performs a symbol's next step: its due print and all before it. */
  stepDue(symbolMarket: SymbolMarket): PrintIndex {
    const index = symbolMarket.dueIndex;
    if (index === NO_PRINT) throw new Error(`No print of "${symbolMarket.symbol}" is due`);
    this.moveTo(symbolMarket.dueAt);
    this.#steppedPlace = Math.max(this.#steppedPlace, symbolMarket.place);
    return index;
  }

  /** Returns the quote of the latest print; undefined before the first. The same object until another print happens. */
  lastQuote(symbolMarket: SymbolMarket): Quote | undefined {
    const newest = this.#newest(symbolMarket);
    if (newest === undefined) return undefined;
    newest.quote ??= this.quoteOf(symbolMarket, newest.index);
    return newest.quote;
  }

  /**
   * Returns the latest print without the day's other figures; undefined before the first. The same object until another
   * print happens.
   */
  lastTrade(symbolMarket: SymbolMarket): LatestTrade | undefined {
    return this.#newest(symbolMarket)?.trade;
  }

  #newest(symbolMarket: SymbolMarket): CachedTrade | undefined {
    const index = this.last(symbolMarket);
    if (index === undefined) return undefined;
    const { latest, tape, between, status } = symbolMarket;
    const isCurrent = latest?.index === index && latest.tape === tape && latest.between === between;
    if (isCurrent && latest.trade.status === status) return latest;
    const trade = this.#tradeOf(symbolMarket, index);
    symbolMarket.latest = { index, tape, between, trade, quote: undefined };
    return symbolMarket.latest;
  }

  #tradeOf({ symbol, tape, between, tally, status }: SymbolMarket, index: PrintIndex): LatestTrade {
    const time = wholeSeconds(between?.at ?? tape.time(index));
    const last = decimalOfDouble(between?.price ?? tape.price(index));
    // Live prices may be rescaled in place, so their day's open is read now.
    if (tape.isLive) return { symbol, time, last, dayOpen: decimalOfDouble(tally.at(index).open), status };
    let dayOpen: Price | undefined;
    return {
      symbol,
      time,
      last,
      get dayOpen() {
        dayOpen ??= decimalOfDouble(tally.at(index).open);
        return dayOpen;
      },
      status,
    };
  }

  /** Returns all visible prints from an instant on as one bar; undefined if there are none. */
  tradedSince(symbolMarket: SymbolMarket, from: Millis): BarFigures | undefined {
    const last = this.last(symbolMarket);
    const { tape, haltedPrints, between } = symbolMarket;
    const first = tape.firstFrom(from);
    if (last === undefined || first > last) return undefined;
    let sum: BarFigures | undefined;
    for (let index = first; index <= last; ) {
      const bar = barOf(index);
      const isWhole = stepOf(index) === 0 && bar < barOf(last);
      const isUnseen = (at: PrintIndex): boolean =>
        haltedPrints !== undefined && at >= haltedPrints.from && at < haltedPrints.until;
      if (
        isWhole &&
        (haltedPrints === undefined ||
          bar < barOf(haltedPrints.from) ||
          bar * PRINTS_PER_BAR >= haltedPrints.until)
      ) {
        sum = mergeBars(sum, tape.figures(bar));
        index += PRINTS_PER_BAR;
        continue;
      }
      const [price, volume] = [tape.price(index), tape.volume(index)];
      if (!isUnseen(index))
        sum = mergeBars(sum, { open: price, high: price, low: price, close: price, volume });
      index += 1;
    }
    if (sum === undefined || between === undefined) return sum;
    const { price, volumeToCome } = between;
    return mergeBars(sum, { open: price, high: price, low: price, close: price, volume: -volumeToCome });
  }

  /** Returns the quote after a print, or after the trades since; `volume` is the volume of the latest of them. */
  quoteOf(symbolMarket: SymbolMarket, index: PrintIndex, volume: Decimal = ZERO): Quote {
    const { tape, between } = symbolMarket;
    const figures = symbolMarket.tally.at(index);
    const { symbol, time, last, dayOpen, status } = this.#tradeOf(symbolMarket, index);
    return {
      ...{ symbol, time, last, dayOpen },
      dayHigh: decimalOfDouble(figures.high),
      dayLow: decimalOfDouble(figures.low),
      dayVolume: decimalOfDouble(figures.volume - (between?.volumeToCome ?? 0)),
      volume,
      status,
      session: tape.session(barOf(index)) ?? 'regular',
    };
  }

  #isAhead(symbolMarket: SymbolMarket, index: PrintIndex): boolean {
    const time = symbolMarket.tape.time(index);
    return time > this.#now || (time === this.#now && symbolMarket.place > this.#steppedPlace);
  }
}

function mergeBars(sum: BarFigures | undefined, next: BarFigures): BarFigures {
  if (sum === undefined) return next;
  return {
    open: sum.open,
    high: Math.max(sum.high, next.high),
    low: Math.min(sum.low, next.low),
    close: next.close,
    volume: sum.volume + next.volume,
  };
}

const SPLIT_PRICE_PLACES = 8;

function rescaled(columns: BarColumns, factor: number): BarColumns {
  if (columns instanceof LiveColumns) {
    columns.rescale(factor);
    return columns;
  }
  const prices = (column: Float64Array): Float64Array => column.map((price) => rescaledPrice(price, factor));
  return {
    ...columns,
    open: prices(columns.open),
    high: prices(columns.high),
    low: prices(columns.low),
    close: prices(columns.close),
    volume: columns.volume.map((volume) => rescaledVolume(volume, factor)),
  };
}
