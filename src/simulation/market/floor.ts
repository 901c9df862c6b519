import { type Amount, amountOfDouble, divide, toAmount, toDecimal } from '../../model/amount.ts';
import type { BarColumns } from '../../model/bar.ts';
import { Decimal, type Price, ZERO } from '../../model/decimal.ts';
import type { Quote, TradeStatus } from '../../model/quote.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import { type Millis, NEVER } from '../../model/time.ts';
import { wholeSeconds } from '../../model/whole-seconds.ts';
import { DayTally } from './day-figures.ts';
import { LiveColumns, rescaledPrice, rescaledVolume, type Tick } from './live-columns.ts';
import { type BarFigures, PRINTS_PER_BAR } from './prints.ts';
import { barOf, NO_PRINT, type PrintIndex, stepOf, Tape, type TapeModel } from './tape.ts';

/** Where one symbol prints, and how far its tape has run. */
export interface Lane {
  readonly symbol: SecuritySymbol;
  /** Place among the symbols; prints of one instant come in this order. */
  readonly place: number;
  tape: Tape;
  tally: DayTally;
  /** The latest trade since the last print, where trades come between; `untold` shares of the print are still to come. */
  between:
    | { readonly place: number; readonly at: Millis; readonly price: number; readonly untold: number }
    | undefined;
  /** Anything but `normal` neither prints nor matches; `Floor.setStatus` changes it. */
  status: TradeStatus;
  /** Prints of the latest halt, from one up to another: nobody has seen them. */
  unseen: { readonly from: PrintIndex; readonly until: PrintIndex } | undefined;
  /** First print that has not happened, as far as anybody has looked; it never runs back. */
  upcoming: PrintIndex;
  /** A split since the latest print: that print's price counts `ratio` new shares for one. */
  split: { readonly since: PrintIndex | undefined; readonly ratio: Decimal } | undefined;
  /** When it is delisted, where that is known beforehand. */
  endsAt: Millis | undefined;
  /** The next print of this lane that is a step of its own, and its time. */
  dueIndex: PrintIndex;
  dueAt: Millis;
  /** The quote that was told last. */
  told: (Pick<Lane, 'tape' | 'between'> & { readonly index: PrintIndex; readonly quote: Quote }) | undefined;
}

/**
 * The market: prints of all symbols in the order of time, and among equals in the order of symbols. A print of `now` has
 * happened once it, or a later one of the same instant, was stepped; older prints have happened whether stepped or not.
 */
export class Floor {
  readonly lanes: readonly Lane[];
  readonly #bySymbol: ReadonlyMap<SecuritySymbol, Lane>;
  readonly #fills: TapeModel;
  #now: Millis;
  #steppedPlace = -1;
  #due: Lane | undefined;
  #dueKnown = false;

  constructor(bars: readonly BarColumns[], start: Millis, fills: TapeModel) {
    this.#now = start;
    this.#fills = fills;
    this.lanes = bars.map((columns, place) => {
      const tape = new Tape(columns, fills);
      const upcoming = tape.firstFrom(start);
      const tally = new DayTally(tape);
      return {
        symbol: columns.symbol,
        place,
        tape,
        tally,
        status: 'normal',
        unseen: undefined,
        between: undefined,
        split: undefined,
        endsAt: undefined,
        upcoming,
        dueIndex: NO_PRINT,
        dueAt: NEVER,
        told: undefined,
      };
    });
    this.#bySymbol = new Map(this.lanes.map((lane) => [lane.symbol, lane]));
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

  lane(symbol: SecuritySymbol): Lane | undefined {
    return this.#bySymbol.get(symbol);
  }

  /** First print of the lane that has not happened yet; NO_PRINT past the last. */
  upcoming(lane: Lane): PrintIndex {
    const { tape } = lane;
    if (this.#isAhead(lane, lane.upcoming)) return lane.upcoming;
    const following = tape.next(lane.upcoming);
    lane.upcoming = this.#isAhead(lane, following)
      ? following
      : tape.firstFrom(this.#now, lane.place <= this.#steppedPlace);
    return lane.upcoming;
  }

  /** Multiplies all prices of a symbol, past and future, and divides its volumes; false when it has no bars. */
  rescale(symbol: SecuritySymbol, factor: number): boolean {
    const lane = this.#bySymbol.get(symbol);
    if (lane === undefined) return false;
    lane.tape = new Tape(rescaled(lane.tape.columns, factor), this.#fills);
    lane.tally = new DayTally(lane.tape);
    lane.between = undefined;
    return true;
  }

  /** The latest print that has happened for all to see; undefined before the first. */
  last(lane: Lane): PrintIndex | undefined {
    const latest = lane.tape.before(this.upcoming(lane));
    const { unseen } = lane;
    if (unseen === undefined || latest === undefined) return latest;
    return latest >= unseen.from && latest < unseen.until ? lane.tape.before(unseen.from) : latest;
  }

  /**
   * The print that stands now: the latest, until the next one happens or its bar closes; undefined between bars, and where the latest one
   * was seen by nobody.
   */
  standing(lane: Lane): PrintIndex | undefined {
    const last = this.last(lane);
    if (last === undefined || last !== lane.tape.before(this.upcoming(lane))) return undefined;
    return this.#now < lane.tape.barClose(last) ? last : undefined;
  }

  /** Halts a security, lets it go on, or ends it: what prints while it is not `normal` is seen by nobody, then or later. */
  setStatus(lane: Lane, status: TradeStatus): void {
    const [before, after] = [lane.status === 'normal', status === 'normal'];
    lane.status = status;
    if (before && !after) lane.unseen = { from: (this.last(lane) ?? -1) + 1, until: NO_PRINT };
    if (after && !before && lane.unseen !== undefined)
      lane.unseen = { ...lane.unseen, until: this.nextPlace(lane) };
  }

  /** Where the next print has its place, though nobody knows of it yet. */
  nextPlace(lane: Lane): PrintIndex {
    const upcoming = this.upcoming(lane);
    return upcoming === NO_PRINT ? lane.tape.columns.length * PRINTS_PER_BAR : upcoming;
  }

  /** Latest price of a symbol, in the shares of now: a split counts before anything prints in new ones. Undefined before the first print. */
  lastPrice(symbol: SecuritySymbol): Price | undefined {
    const last = this.lastAmount(symbol);
    return last === undefined ? undefined : toDecimal(last);
  }

  /** The same as an amount. */
  lastAmount(symbol: SecuritySymbol): Amount | undefined {
    const lane = this.lane(symbol);
    const last = lane === undefined ? undefined : this.last(lane);
    if (lane === undefined || last === undefined) return undefined;
    const price = amountOfDouble(lane.between?.price ?? lane.tape.price(last));
    const { split } = lane;
    if (split === undefined || !this.isSplit(lane)) return price;
    return divide(price, toAmount(split.ratio), 'half-up', SPLIT_PRICE_PLACES);
  }

  /** Whether shares have been split since the latest print, which counts old ones then. */
  isSplit(lane: Lane): boolean {
    return lane.split !== undefined && lane.split.since === this.last(lane);
  }

  /** Shares of a symbol have become `ratio` new ones: what printed last is told in those until the next print. */
  split(symbol: SecuritySymbol, ratio: Decimal): void {
    const lane = this.#bySymbol.get(symbol);
    if (lane === undefined) return;
    const since = this.last(lane);
    const before = lane.split?.since === since ? lane.split?.ratio : undefined;
    lane.split = { since, ratio: before === undefined ? ratio : before.times(ratio) };
  }

  /** States which print of the lane is its next step. */
  schedule(lane: Lane, index: PrintIndex): void {
    if (index === lane.dueIndex) return;
    lane.dueIndex = index;
    lane.dueAt = lane.tape.time(index);
    this.#dueKnown = false;
  }

  /** The lane whose step comes next; undefined when none is due. */
  due(): Lane | undefined {
    if (!this.#dueKnown) {
      this.#due = undefined;
      for (const lane of this.lanes) {
        if (lane.dueAt < (this.#due?.dueAt ?? NEVER)) this.#due = lane;
      }
      this.#dueKnown = true;
    }
    return this.#due;
  }

  /** Adds a price that nobody foresaw to a lane that takes them; undefined for any other symbol. Throws RangeError. */
  append(tick: Tick): Lane | undefined {
    const lane = this.lane(tick.symbol);
    if (lane === undefined || !(lane.tape.columns instanceof LiveColumns)) return undefined;
    lane.tape.columns.append(tick);
    if (lane.upcoming === NO_PRINT) lane.upcoming = (lane.tape.columns.length - 1) * PRINTS_PER_BAR;
    return lane;
  }

  /** Lets no price of a live lane stand from now on, until the next one comes. */
  fallSilent(): void {
    for (const { tape } of this.lanes) {
      if (tape.columns instanceof LiveColumns) tape.columns.fallSilent(this.#now);
    }
  }

  /** Lets the next step of a lane happen: its print, and with it all that come before it. */
  happen(lane: Lane): PrintIndex {
    const index = lane.dueIndex;
    if (index === NO_PRINT) throw new Error(`No print of "${lane.symbol}" is due`);
    this.moveTo(lane.dueAt);
    this.#steppedPlace = Math.max(this.#steppedPlace, lane.place);
    return index;
  }

  /** The quote of the latest print; undefined before the first. The same object until another print happens. */
  lastQuote(lane: Lane): Quote | undefined {
    const last = this.last(lane);
    if (last === undefined) return undefined;
    const { told } = lane;
    const stands = told?.index === last && told.tape === lane.tape && told.between === lane.between;
    if (stands && told !== undefined && told.quote.status === lane.status) return told.quote;
    const quote = this.quoteOf(lane, last);
    lane.told = { index: last, tape: lane.tape, between: lane.between, quote };
    return quote;
  }

  /** All that has printed from an instant on, as one bar; undefined where nothing has. */
  traded(lane: Lane, from: Millis): BarFigures | undefined {
    const last = this.last(lane);
    const { tape, unseen, between } = lane;
    const first = tape.firstFrom(from);
    if (last === undefined || first > last) return undefined;
    let sum: BarFigures | undefined;
    for (let index = first; index <= last; ) {
      const bar = barOf(index);
      const isWhole = stepOf(index) === 0 && bar < barOf(last);
      const isUnseen = (at: PrintIndex): boolean =>
        unseen !== undefined && at >= unseen.from && at < unseen.until;
      if (
        isWhole &&
        (unseen === undefined || bar < barOf(unseen.from) || bar * PRINTS_PER_BAR >= unseen.until)
      ) {
        sum = joined(sum, tape.figures(bar));
        index += PRINTS_PER_BAR;
        continue;
      }
      const [price, volume] = [tape.price(index), tape.volume(index)];
      if (!isUnseen(index)) sum = joined(sum, { open: price, high: price, low: price, close: price, volume });
      index += 1;
    }
    if (sum === undefined || between === undefined) return sum;
    const { price, untold } = between;
    return joined(sum, { open: price, high: price, low: price, close: price, volume: -untold });
  }

  /** The quote that a print makes, or the trades since; `volume` is what the latest of them adds to the day. */
  quoteOf(lane: Lane, index: PrintIndex, volume: Decimal = ZERO): Quote {
    const { tape, between } = lane;
    const figures = lane.tally.at(index);
    return {
      symbol: lane.symbol,
      time: wholeSeconds(between?.at ?? tape.time(index)),
      last: new Decimal(between?.price ?? tape.price(index)),
      dayOpen: new Decimal(figures.open),
      dayHigh: new Decimal(figures.high),
      dayLow: new Decimal(figures.low),
      dayVolume: new Decimal(figures.volume - (between?.untold ?? 0)),
      volume,
      status: lane.status,
      session: tape.session(barOf(index)) ?? 'regular',
    };
  }

  #isAhead(lane: Lane, index: PrintIndex): boolean {
    const time = lane.tape.time(index);
    return time > this.#now || (time === this.#now && lane.place > this.#steppedPlace);
  }
}

function joined(sum: BarFigures | undefined, next: BarFigures): BarFigures {
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
    ...{ open: prices(columns.open), high: prices(columns.high), low: prices(columns.low) },
    close: prices(columns.close),
    volume: columns.volume.map((volume) => rescaledVolume(volume, factor)),
  };
}
