import type { RawSignal } from './signal.ts';

/** A signal on one bar of a series of bars. */
export interface ColumnSignal extends RawSignal {
  /** The bar, counted from the first one fed. */
  readonly index: number;
}

/** One signal of a program: its name and the labels of what it watches. */
export interface EventKind {
  readonly name: string;
  readonly labels: readonly string[];
}

/** Signals in the order of bars, within a bar in the order of the strategy's record; kept as numbers until asked for. */
export interface SignalEvents {
  readonly count: number;
  /** Bar of each event, ascending. */
  readonly bars: Int32Array;
  /** Place of each event's signal in the program's `signals`. */
  readonly kinds: Uint16Array;
  /** 1 up, -1 down. */
  readonly directions: Int8Array;
  readonly strengths: Float64Array;
  /** The event as an object; throws RangeError outside 0 to count - 1. */
  readonly at: (event: number) => ColumnSignal;
  readonly [Symbol.iterator]: () => Iterator<ColumnSignal>;
}

/** Collects events; what they watch is copied when they happen. */
export interface EventList {
  readonly add: (bar: number, kind: number, direction: number, strength: number) => void;
  /** Adds the next watched value of the event added last. */
  readonly watch: (value: number) => void;
  readonly finish: () => SignalEvents;
}

/** Starts an empty list for events of the given kinds. */
export function eventList(kinds: readonly EventKind[]): EventList {
  let room = 256;
  let [bars, kind, way] = [new Int32Array(room), new Uint16Array(room), new Int8Array(room)];
  let [strength, firstValue, values] = [
    new Float64Array(room),
    new Float64Array(room),
    new Float64Array(room),
  ];
  let [count, watched] = [0, 0];
  const grow = (): void => {
    room *= 2;
    bars = copied(bars, new Int32Array(room));
    kind = copied(kind, new Uint16Array(room));
    way = copied(way, new Int8Array(room));
    strength = copied(strength, new Float64Array(room));
    firstValue = copied(firstValue, new Float64Array(room));
  };
  return {
    add: (bar, which, direction, size) => {
      if (count === room) grow();
      bars[count] = bar;
      kind[count] = which;
      way[count] = direction;
      strength[count] = size;
      firstValue[count] = watched;
      count++;
    },
    watch: (value) => {
      if (watched === values.length) values = copied(values, new Float64Array(watched * 2));
      values[watched++] = value;
    },
    finish: () => {
      const view = { bars: bars.subarray(0, count), kinds: kind.subarray(0, count) };
      const sizes = { directions: way.subarray(0, count), strengths: strength.subarray(0, count) };
      return readable(kinds, { count, ...view, ...sizes }, firstValue, values);
    },
  };
}

type Numbers = Omit<SignalEvents, 'at' | typeof Symbol.iterator>;

function readable(
  kinds: readonly EventKind[],
  numbers: Numbers,
  firstValue: Float64Array,
  values: Float64Array,
): SignalEvents {
  const at = (event: number): ColumnSignal => {
    const kind = kinds[numbers.kinds[event] ?? -1];
    if (kind === undefined) throw new RangeError(`No event ${event} among ${numbers.count} signals`);
    const offset = firstValue[event] as number;
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
