import { barCloses } from '../../markets/bar-span.ts';
import { type BarColumns, barAt, lowerBound } from '../../model/bar.ts';
import type { Security } from '../../model/security.ts';
import { marketOf } from '../../model/symbol.ts';
import { type Millis, millis, NEVER } from '../../model/time.ts';
import type { SignalColumns, SignalProgram } from '../../signals/program.ts';
import type { Signal } from '../../signals/signal.ts';
import type { FillModel } from '../../simulation/models.ts';
import { Tape } from '../../simulation/tape.ts';
import type { BarEvent } from '../../strategy/strategy-event.ts';
import type { SignalTargets } from '../../strategy/targets.ts';
import { Aims } from './aims.ts';
import type { TradingHours } from './hours.ts';
import type { OrdinaryDraft } from './wish.ts';

/** What a lane is made of. */
export interface LaneParts {
  readonly security: Security;
  readonly columns: BarColumns;
  readonly program: SignalProgram;
  readonly fills: FillModel;
  /** The whole file that the columns are of. */
  readonly whole: BarColumns;
  readonly hours: TradingHours;
  /** Orders are cancelled that are still open after so long; infinite: never. */
  readonly cancelAfterMs: number;
  /** Whether the strategy hears of each bar, and not only of signals. */
  readonly everyBar: boolean;
  /** What the strategy holds by each signal, where it says so once and for all. */
  readonly targets: SignalTargets | undefined;
}

/** One security's way through its bars: what the run knows of it at each instant, and what it has to say next. */
export class Lane {
  readonly security: Security;
  readonly columns: BarColumns;
  /** When each bar closes. */
  readonly closes: Float64Array;
  readonly tape: Tape;
  readonly hours: TradingHours;
  readonly cancelAfterMs: number;
  readonly checkTicks: boolean;
  /** The instant at which it stands, the newest bar that had closed by then (-1 before the first), and its close (NaN before). */
  now = Number.NEGATIVE_INFINITY;
  closed = -1;
  price = Number.NaN;
  /** Bar that is told of next; behind the last at the end. */
  bar: number;
  /** When it closes; NEVER behind the last. */
  nextAt: Millis = NEVER;
  readonly #signals: SignalColumns;
  readonly #aims: Aims | undefined;
  /** Columns that a strategy asked for, and their names: a few, found faster than by a map. */
  readonly #names: string[] = [];
  readonly #columns: Float64Array[] = [];
  readonly #everyBar: boolean;
  #event = 0;
  /** Newest bar that had opened by now. */
  #opened = -1;

  constructor({
    security,
    columns,
    program,
    fills,
    whole,
    hours,
    cancelAfterMs,
    everyBar,
    targets,
  }: LaneParts) {
    this.security = security;
    this.columns = columns;
    this.closes = barCloses(marketOf(columns.symbol), columns.period, columns.time);
    this.tape = new Tape(columns, fills, whole);
    this.hours = hours;
    this.cancelAfterMs = cancelAfterMs;
    this.checkTicks = fills.checkTicks;
    this.#signals = program.overColumns(columns, { decideFrom: program.warmup });
    this.#aims = targets && new Aims(columns.symbol, targets, program.signals);
    this.#everyBar = everyBar;
    this.bar = program.warmup;
    this.#lookAhead();
  }

  /** The bar that is told of now. */
  barEvent(): BarEvent {
    const { columns, bar, nextAt } = this;
    return { kind: 'bar', symbol: columns.symbol, time: nextAt, bar: barAt(columns, bar) };
  }

  /** Whether a signal at that bar is still to be told. */
  hasSignal(): boolean {
    return this.#signals.bars[this.#event] === this.bar;
  }

  /** Goes past that signal. */
  passSignal(): void {
    this.#event += 1;
  }

  /** That signal. */
  signal(): Signal {
    const { columns, bar, nextAt } = this;
    const { name, direction, strength, values } = this.#signals.at(this.#event);
    return {
      kind: 'signal',
      symbol: columns.symbol,
      time: nextAt,
      barTime: millis(columns.time[bar] as number),
      close: columns.close[bar] as number,
      name,
      direction,
      strength,
      values,
    };
  }

  /** What the strategy holds by that signal, where it has said so for all of them; undefined: nothing changes. */
  aim(): OrdinaryDraft | undefined {
    return this.#aims?.at(this.#signals, this.#event);
  }

  /** Goes on to the next bar that is to be told of. */
  step(): void {
    this.bar += 1;
    this.#lookAhead();
  }

  /** Goes to an instant, not before the one at which it stands. */
  goTo(now: number): void {
    const { time, close, length } = this.columns;
    const { bar } = this;
    let opened = this.#opened;
    // The bar that is told of next is often the one: a sparse strategy sleeps over all between.
    if (bar > opened && (time[bar] as number) <= now) opened = bar;
    while (opened + 1 < length && (time[opened + 1] as number) <= now) opened += 1;
    const closed = opened >= 0 && (this.closes[opened] as number) > now ? opened - 1 : opened;
    this.#opened = opened;
    this.now = now;
    this.closed = closed;
    this.price = closed < 0 ? Number.NaN : (close[closed] as number);
  }

  /** Close of the newest bar that had closed at an instant, now or before; NaN before the first. */
  closeAt(at: number): number {
    if (at > this.now) this.goTo(at);
    if (at === this.now) return this.price;
    return this.columns.close[this.#closedBy(at)] ?? Number.NaN;
  }

  /** One of the strategy's own series at that bar; NaN before the first. */
  valueAt(name: string, at: number): number {
    if (at > this.now) this.goTo(at);
    const index = at === this.now ? this.closed : this.#closedBy(at);
    return index < 0 ? Number.NaN : (this.#column(name)[index] as number);
  }

  #column(name: string): Float64Array {
    const names = this.#names;
    for (let index = 0; index < names.length; index += 1)
      if (names[index] === name) return this.#columns[index] as Float64Array;
    const column = this.#signals.column(name);
    names.push(name);
    this.#columns.push(column);
    return column;
  }

  /** For a context that somebody kept. */
  #closedBy(at: number): number {
    const opened = lowerBound(this.columns, at + 1) - 1;
    return opened >= 0 && (this.closes[opened] as number) > at ? opened - 1 : opened;
  }

  #lookAhead(): void {
    if (!this.#everyBar) this.bar = this.#signals.bars[this.#event] ?? this.columns.length;
    this.nextAt = this.bar < this.columns.length ? (this.closes[this.bar] as Millis) : NEVER;
  }
}
