import type { RawSignal } from './signal.ts';

/** A signal on one bar of a series of bars. */
export interface ColumnSignal extends RawSignal {
  /** The bar, counted from the first one taken. */
  readonly index: number;
}

/** One signal of a program: its name and the labels of its inputs. */
export interface EventKind {
  readonly name: string;
  readonly labels: readonly string[];
}

/**
 * Signals in the order of bars, within a bar in the order of the strategy's record; stored as numbers until they are
 * read.
 */
export interface SignalEvents {
  readonly count: number;
  /** Bar of each event, ascending. */
  readonly bars: Int32Array;
  /** Index of each event's signal in the program's `signals`. */
  readonly kinds: Uint16Array;
  /** 1 up, -1 down. */
  readonly directions: Int8Array;
  readonly strengths: Float64Array;
  /** Returns the event as an object; throws RangeError outside 0 to count - 1. */
  readonly at: (event: number) => ColumnSignal;
  readonly [Symbol.iterator]: () => Iterator<ColumnSignal>;
}

/**
 * Collects events and copies their inputs. Its arrays are reused for the next run of bars: new arrays would be filled
 * with zeros and collected as garbage. Plain fields, because a run adds tens of thousands.
 */
export class EventList {
  readonly #kinds: readonly EventKind[];
  #count = 0;
  #watched = 0;
  #bars = new Int32Array(ROOM);
  #which = new Uint16Array(ROOM);
  #ways = new Int8Array(ROOM);
  #strengths = new Float64Array(ROOM);
  /** Index of each event's first input in `#values`. */
  #offsets = new Uint32Array(ROOM);
  #values = new Float64Array(ROOM);

  constructor(kinds: readonly EventKind[]) {
    this.#kinds = kinds;
  }

  add(bar: number, which: number, direction: number, strength: number): void {
    const event = this.#count;
    if (event === this.#bars.length) this.#grow();
    this.#bars[event] = bar;
    this.#which[event] = which;
    this.#ways[event] = direction;
    this.#strengths[event] = strength;
    this.#offsets[event] = this.#watched;
    this.#count = event + 1;
  }

  /** Adds the next input of the event added last. */
  watch(value: number): void {
    if (this.#watched === this.#values.length)
      this.#values = copied(this.#values, new Float64Array(this.#watched * 2));
    this.#values[this.#watched] = value;
    this.#watched += 1;
  }

  /** Removes all events; the result of `finish` becomes invalid. */
  begin(): void {
    this.#count = 0;
    this.#watched = 0;
  }

  /** Returns the events since `begin`. */
  finish(): SignalEvents {
    const count = this.#count;
    const view = { bars: this.#bars.subarray(0, count), kinds: this.#which.subarray(0, count) };
    const sizes = {
      directions: this.#ways.subarray(0, count),
      strengths: this.#strengths.subarray(0, count),
    };
    return readable(this.#kinds, { count, ...view, ...sizes }, this.#offsets, this.#values);
  }

  #grow(): void {
    const room = this.#count * 2;
    this.#bars = copied(this.#bars, new Int32Array(room));
    this.#which = copied(this.#which, new Uint16Array(room));
    this.#ways = copied(this.#ways, new Int8Array(room));
    this.#strengths = copied(this.#strengths, new Float64Array(room));
    this.#offsets = copied(this.#offsets, new Uint32Array(room));
  }
}

const ROOM = 1_024;

type Numbers = Omit<SignalEvents, 'at' | typeof Symbol.iterator>;

function readable(
  kinds: readonly EventKind[],
  numbers: Numbers,
  offsets: Uint32Array,
  values: Float64Array,
): SignalEvents {
  const at = (event: number): ColumnSignal => {
    const kind = kinds[numbers.kinds[event] ?? -1];
    if (kind === undefined) throw new RangeError(`No event ${event} among ${numbers.count} signals`);
    const offset = offsets[event] as number;
    return {
      index: numbers.bars[event] as number,
      name: kind.name,
      direction: numbers.directions[event] === 1 ? 'up' : 'down',
      strength: numbers.strengths[event] as number,
      values: valuesFrom(kind.labels, values, offset),
    };
  };
  return {
    ...numbers,
    at,
    *[Symbol.iterator]() {
      for (let event = 0; event < numbers.count; event++) yield at(event);
    },
  };
}

function valuesFrom(
  labels: readonly string[],
  values: Float64Array,
  offset: number,
): Readonly<Record<string, number>> {
  const read: Record<string, number> = {};
  for (let i = 0; i < labels.length; i += 1) read[labels[i] as string] = values[offset + i] as number;
  return read;
}

function copied<T extends { set(source: T): void }>(from: T, into: T): T {
  into.set(from);
  return into;
}
