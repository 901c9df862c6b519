/** Data that JSON carries without loss: what a strategy may keep. Figures are finite; times are numbers, money is text. */
export type PlainData =
  | null
  | boolean
  | number
  | string
  | readonly PlainData[]
  | { readonly [name: string]: PlainData };

/** Immutable data, at any depth. */
export type Frozen<T> = [PlainData] extends [T]
  ? T
  : T extends string | number | boolean | null | undefined
    ? T
    : { readonly [K in keyof T]: Frozen<T[K]> };

/** What a strategy remembers from one event to the next, over restarts too. */
export interface StateTerms<S> {
  /** The state before the first event; its shape is the state's shape. */
  readonly initial: S;
  /** Raise it whenever the shape changes; default 1. */
  readonly version?: number;
  /** Maximum number of characters of the state as JSON; default 16,384, at most 262,144. */
  readonly charsMax?: number;
  /** Makes the present shape from what an earlier version kept; without it an earlier version's state is refused. */
  upgrade?(kept: PlainData, version: number): S;
}

/** Default maximum number of characters of a state: each change of it is written to disk as a whole. */
export const STATE_CHARS = 16_384;
/** Most characters that a strategy may ask for. */
export const STATE_CHARS_MAX = 262_144;
/** Most levels of lists and records within each other. */
const DEPTH_MAX = 32;

/** A state as text, or what is wrong with it. */
export type ReadState =
  | { readonly kind: 'state'; readonly text: string }
  | { readonly kind: 'odd'; readonly what: string };

/** Reads a value of any type and shape into JSON text that gives back the very same data; each field is read once. */
export function readState(value: unknown, charsMax: number): ReadState {
  const read = copyOf(value, 'state', 0);
  if (typeof read === 'string') return { kind: 'odd', what: read };
  const text = JSON.stringify(read.data);
  if (text.length <= charsMax) return { kind: 'state', text };
  return { kind: 'odd', what: `state is ${text.length} characters of JSON, most is ${charsMax}` };
}

/** The data of a kept state, immutable. */
export function stateOf(text: string): PlainData {
  return frozen(JSON.parse(text) as PlainData);
}

/** What is wrong with a declaration of state, in words; undefined when nothing is. */
export function stateTermsProblem(terms: StateTerms<unknown> | undefined): string | undefined {
  if (terms === undefined) return undefined;
  if (typeof terms !== 'object' || terms === null || terms.initial === undefined)
    return 'its state has no "initial", want state: { initial: ... } with the state before the first event (null for nothing)';
  const { version = 1, charsMax = STATE_CHARS, initial } = terms;
  if (!Number.isSafeInteger(version) || version < 1)
    return `its state's version is ${String(version)}, want a whole number from 1`;
  if (!Number.isSafeInteger(charsMax) || charsMax < 2 || charsMax > STATE_CHARS_MAX)
    return `its state's charsMax is ${String(charsMax)}, want 2 to ${STATE_CHARS_MAX}`;
  const read = readState(initial, charsMax);
  return read.kind === 'odd' ? `its initial ${read.what}` : undefined;
}

/** The copy, or what is wrong with the value. */
type Copied = { readonly data: PlainData } | string;

function copyOf(value: unknown, path: string, depth: number): Copied {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return { data: value };
    case 'number':
      // JSON has no sign of zero.
      return Number.isFinite(value)
        ? { data: value === 0 ? 0 : value }
        : `${path} is ${value}, want a finite number`;
    case 'object':
      if (value === null) return { data: null };
      return depth < DEPTH_MAX
        ? copyOfObject(value, path, depth)
        : `${path} is deeper than ${DEPTH_MAX} levels`;
    default:
      return `${path} is ${value === undefined ? 'undefined' : `a ${typeof value}`}, want plain data (null for nothing)`;
  }
}

function copyOfObject(value: object, path: string, depth: number): Copied {
  if (Array.isArray(value)) {
    const items: PlainData[] = [];
    for (let index = 0; index < value.length; index += 1) {
      const item = copyOf(value[index], `${path}[${index}]`, depth + 1);
      if (typeof item === 'string') return item;
      items.push(item.data);
    }
    return { data: items };
  }
  const kind: unknown = Object.getPrototypeOf(value);
  if (kind !== Object.prototype && kind !== null)
    return `${path} is a ${nameOf(kind)}, want plain data (an object, a list, a number, a text)`;
  const fields: [string, PlainData][] = [];
  for (const [name, field] of Object.entries(value)) {
    if (name === '__proto__') return `${path} has a field "__proto__"`;
    const read = copyOf(field, `${path}.${name.slice(0, 80)}`, depth + 1);
    if (typeof read === 'string') return read;
    fields.push([name, read.data]);
  }
  return { data: Object.fromEntries(fields) };
}

function nameOf(kind: unknown): string {
  const made: unknown =
    typeof kind === 'object' && kind !== null ? Reflect.get(kind, 'constructor') : undefined;
  return typeof made === 'function' ? made.name.slice(0, 80) : 'value of an unnamed class';
}

function frozen<T extends PlainData>(data: T): T {
  if (typeof data !== 'object' || data === null) return data;
  for (const field of Object.values(data)) frozen(field as PlainData);
  return Object.freeze(data);
}
