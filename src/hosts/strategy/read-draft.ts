import { asDecimal, Decimal } from '../../model/decimal.ts';
import { nearestName } from '../../model/nearest-name.ts';
import { intentId, ORDER_TYPES, type OrderType, removedOrderType } from '../../model/order.ts';
import { printable } from '../../model/printable.ts';
import type { ExitTerms } from '../../strategy/exits.ts';
import { readNotional } from '../../strategy/notional.ts';
import { isPositive, type Numeric } from '../../strategy/numeric.ts';
import {
  type DraftTerms,
  type OcoDraft,
  type OrderDraft,
  PARTS_MAX,
  type SizedDraft,
} from '../../strategy/order-draft.ts';
import { decimalOf, decimalText } from './request-codec.ts';

/** An untrusted object. */
export type Fields = Readonly<Record<string, unknown>>;

/** Longest reason of an order, in characters. */
export const REASON_CHARS_MAX = 1_000;
/** Longest figure, symbol or name in a draft, in characters. */
const FIELD_CHARS_MAX = 100;
/** Most legs of an OCO group. */
const LEGS_MAX = 10;
/** Most symbols of a rebalance; more than one quote connection can subscribe to. */
const HOLDINGS_MAX = 1_000;
/** Most fields of an invalid value in an error message. */
const FIELDS_SHOWN = 8;

/** What is wrong with a draft; the text follows "returned" or "declares". */
export class DraftProblem {
  readonly what: string;

  constructor(what: string) {
    this.what = what;
  }
}

interface Field {
  /** Returns a copy of the value, a specific problem, or undefined if the value is not what `want` describes. */
  readonly read: (value: unknown) => unknown;
  readonly want: string;
  readonly isOptional?: true;
  /** A field of a received order that a draft may repeat; it has no effect. */
  readonly isIgnored?: true;
}

/** The fields of an object, by name. */
type Shape<K extends string = string> = Readonly<Record<K, Field>>;

const optional = (field: Field): Field => ({ ...field, isOptional: true });
const ignored: Field = { read: () => undefined, want: '', isIgnored: true };
const oneOf = (...words: readonly string[]): Field => ({
  read: (value) => words.find((word) => word === value),
  want: words.map((word) => `"${word}"`).join(' or '),
});

const TEXT: Field = { read: readText, want: `a text of at most ${FIELD_CHARS_MAX} characters` };
const NUMBER: Field = { read: readNumber, want: 'a number' };
const FIGURE: Field = { read: readFigure, want: 'a number, or a decimal text such as "10.5"' };
const MINUTES: Field = { read: readMinutes, want: 'a number of minutes above zero' };

const DISTANCE_WANTED =
  '{ percent: 2 } (2 %) or { amount: 1.5 } (in the currency of the security), above zero';
const DISTANCE: Field = { read: readDistance, want: DISTANCE_WANTED };
const LEVEL: Field = { read: readLevel, want: `a price such as 95.5, ${DISTANCE_WANTED}` };

const EXITS: Shape<keyof Required<ExitTerms>> = {
  stop: optional(LEVEL),
  target: optional(LEVEL),
  trail: optional(DISTANCE),
  breakEven: optional(DISTANCE),
  afterMinutes: optional(MINUTES),
  beforeCloseMinutes: optional(MINUTES),
};

const TERMS: Shape<keyof Required<DraftTerms> | 'symbol' | 'side' | 'quantity'> = {
  type: optional({ read: readOrderType, want: oneOf(...ORDER_TYPES).want }),
  timeInForce: optional(oneOf('day', 'gtc', 'gtd')),
  price: optional(FIGURE),
  triggerPrice: optional(FIGURE),
  limitOffset: optional(FIGURE),
  trailingAmount: optional(FIGURE),
  trailingPercent: optional(FIGURE),
  expireDate: optional(TEXT),
  outsideRth: optional(oneOf('rth-only', 'any-time', 'overnight')),
  limitDepthLevel: optional(NUMBER),
  monitorPrice: optional(FIGURE),
  triggerCount: optional(NUMBER),
  symbol: ignored,
  side: ignored,
  quantity: ignored,
};

const REASON: Field = { read: readReason, want: `a text of at most ${REASON_CHARS_MAX} characters` };
const COMMON: Shape = {
  symbol: { read: readText, want: 'a symbol such as "AAPL.US"' },
  reason: optional(REASON),
};
const EXITS_FIELD: Field = { read: readExits, want: 'an object such as { stop: { percent: 2 } }' };
const SIZED: Shape = { ...COMMON, exits: optional(EXITS_FIELD) };
const INTENT_ID: Field = {
  read: (value) => (isField(value) ? intentId(value) : undefined),
  want: 'the id of an order',
};
const ORDER: Field = {
  read: (value) => readNested(value, SIZED_KINDS),
  want: 'an order in the same symbol such as context.orders.buy gives',
};

/** The fields of each kind of draft, except `kind`. */
const DRAFTS: Readonly<Record<OrderDraft['kind'], Shape>> = {
  'target-weight': { ...SIZED, weight: NUMBER },
  'target-quantity': { ...SIZED, quantity: FIGURE },
  'target-notional': {
    ...SIZED,
    notional: {
      read: (value) => (isField(value) && readNotional(value) !== undefined ? value : undefined),
      want: 'an amount such as "20000 USD"',
    },
  },
  'target-risk': { ...SIZED, share: NUMBER, atr: NUMBER, multiple: NUMBER },
  order: {
    ...SIZED,
    side: oneOf('buy', 'sell'),
    quantity: FIGURE,
    terms: optional({ read: readTerms, want: 'an object such as { type: "LO", price: 10 }' }),
  },
  oco: {
    ...COMMON,
    legs: {
      read: readLegs,
      want: `2 to ${LEGS_MAX} orders in the same symbol such as context.orders.buy gives`,
    },
  },
  slices: {
    ...COMMON,
    style: oneOf('twap', 'vwap', 'iceberg'),
    order: ORDER,
    weights: optional({ read: readWeights, want: `a list of at most ${PARTS_MAX} numbers` }),
    minutes: optional(NUMBER),
    shown: optional(FIGURE),
  },
  chase: {
    ...COMMON,
    order: ORDER,
    bound: LEVEL,
    minutes: NUMBER,
    atEnd: oneOf('cancel', 'cross'),
    everySeconds: optional(NUMBER),
  },
  replace: {
    ...COMMON,
    intentId: INTENT_ID,
    quantity: optional(FIGURE),
    price: optional(FIGURE),
    triggerPrice: optional(FIGURE),
  },
  cancel: { ...COMMON, intentId: INTENT_ID },
  rebalance: {
    weights: {
      read: readHoldings,
      want: `weights by symbol such as { 'SPY.US': 0.6 }, at most ${HOLDINGS_MAX}`,
    },
    reason: optional(REASON),
    band: optional(NUMBER),
  },
};

const SIZED_KINDS: ReadonlySet<unknown> = new Set<SizedDraft['kind']>([
  'target-weight',
  'target-quantity',
  'target-notional',
  'target-risk',
  'order',
]);
const BY_HAND: ReadonlySet<unknown> = new Set<SizedDraft['kind']>(['order']);

/**
 * Reads a draft into a plain copy, or returns what is wrong with it; undefined if the value does not resemble a
 * draft.
 */
export function readDraft(value: unknown): OrderDraft | DraftProblem | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const fields = value as Fields;
  const { kind } = fields;
  return isKind(kind) ? readKind(kind, fields) : undefined;
}

/** Returns what is wrong with the exits of a strategy; undefined if they are valid. */
export function exitsProblem(exits: unknown): string | undefined {
  const read = exits === undefined ? undefined : readExitTerms(exits);
  return read instanceof DraftProblem ? read.what : undefined;
}

/** Reads exits into a plain copy, or returns what is wrong with them. */
export function readExitTerms(exits: unknown): ExitTerms | DraftProblem {
  return readExits(exits) ?? new DraftProblem(wrong('exits', exits, EXITS_FIELD.want));
}

function isKind(kind: unknown): kind is OrderDraft['kind'] {
  return typeof kind === 'string' && Object.hasOwn(DRAFTS, kind);
}

function readKind(kind: OrderDraft['kind'], fields: Fields): OrderDraft | DraftProblem {
  const where = `a draft of kind "${kind}"`;
  const read = readShape(fields, DRAFTS[kind], { where, path: '', besides: 'kind' });
  if (read instanceof DraftProblem) return read;
  const draft = { kind, ...read } as OrderDraft;
  const other = otherSymbol(draft);
  return other === undefined
    ? draft
    : new DraftProblem(`${where} about another symbol than the order in it: ${other}, want one symbol`);
}

/** Returns a symbol in a draft that differs from the draft's; undefined if there is none. */
function otherSymbol(draft: OrderDraft): string | undefined {
  switch (draft.kind) {
    case 'oco':
      return draft.legs.find(({ symbol }) => symbol !== draft.symbol)?.symbol;
    case 'slices':
    case 'chase':
      return draft.order.symbol === draft.symbol ? undefined : draft.order.symbol;
    default:
      return undefined;
  }
}

interface Place {
  readonly where: string;
  /** Prefix of field names, such as `terms.`. */
  readonly path: string;
  readonly besides?: string;
}

/** Copies the fields of an object, reading each once; or returns which one is unknown, missing or invalid. */
function readShape(fields: Fields, shape: Shape, { where, path, besides }: Place): Fields | DraftProblem {
  for (const name of Object.keys(fields))
    if (name !== besides && !Object.hasOwn(shape, name))
      return unknownFieldProblem(name, where, Object.keys(shape));
  const read: Record<string, unknown> = {};
  for (const name in shape) {
    const field = shape[name] as Field;
    if (field.isIgnored === true) continue;
    const givenValue = fields[name];
    if (givenValue === undefined) {
      if (field.isOptional === true) continue;
      return new DraftProblem(`${where} without "${name}", want ${field.want}`);
    }
    const known = field.read(givenValue);
    if (known instanceof DraftProblem) return known;
    if (known === undefined) return new DraftProblem(wrong(`${path}${name}`, givenValue, field.want));
    read[name] = known;
  }
  return read;
}

function unknownFieldProblem(name: string, where: string, known: readonly string[]): DraftProblem {
  const alias = ALIASES[name];
  const near = alias !== undefined && known.includes(alias) ? alias : nearestName(name, known);
  const suggestion = near === undefined ? '' : ` (did you mean "${near}"?)`;
  return new DraftProblem(
    `"${printable(name.slice(0, FIELD_CHARS_MAX))}" in ${where}${suggestion}, want any of ${known.join(', ')}`,
  );
}

/** Names in other programs for our fields. */
const ALIASES: Readonly<Record<string, string>> = {
  qty: 'quantity',
  shares: 'quantity',
  size: 'quantity',
  limit: 'price',
  tif: 'timeInForce',
  stopLoss: 'stop',
  takeProfit: 'target',
  trailing: 'trail',
};

function wrong(path: string, givenValue: unknown, want: string): string {
  const isPlural = /^\w+s$/.test(path);
  const what = isPlural ? `${path} that are` : `${/^[aeio]/.test(path) ? 'an' : 'a'} ${path} that is`;
  return `${what} ${shownValue(givenValue)}, want ${want}`;
}

/** Formats a value of any type, in at most 100 printable characters. */
function shownValue(value: unknown): string {
  if (typeof value === 'string') return `"${printable(value.slice(0, FIELD_CHARS_MAX))}"`;
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'function') return 'a function';
  if (typeof value !== 'object' || value === null || Decimal.isDecimal(value))
    return String(value).slice(0, FIELD_CHARS_MAX);
  const fields = Object.keys(value)
    .slice(0, FIELDS_SHOWN)
    .map((name) => {
      const field = (value as Fields)[name];
      return `${name}: ${typeof field === 'string' ? `"${field}"` : typeof field === 'object' ? 'an object' : String(field)}`;
    });
  return printable(`{ ${fields.join(', ')} }`.slice(0, FIELD_CHARS_MAX));
}

/** Reads a draft within a draft. Its kind is checked first, so that nesting is limited to one level. */
function readNested(value: unknown, kinds: ReadonlySet<unknown>): OrderDraft | DraftProblem | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { kind } = value as Fields;
  return isKind(kind) && kinds.has(kind) ? readKind(kind, value as Fields) : undefined;
}

function readLegs(value: unknown): OcoDraft['legs'] | DraftProblem | undefined {
  if (!Array.isArray(value) || value.length < 2 || value.length > LEGS_MAX) return undefined;
  const legs: unknown[] = [];
  for (const each of value) {
    const leg = readNested(each, BY_HAND);
    if (leg === undefined || leg instanceof DraftProblem) return leg;
    legs.push(leg);
  }
  return legs as unknown as OcoDraft['legs'];
}

function readHoldings(weights: unknown): Readonly<Record<string, number>> | undefined {
  if (typeof weights !== 'object' || weights === null || Array.isArray(weights)) return undefined;
  const read: [string, number][] = [];
  for (const [symbol, weight] of Object.entries(weights)) {
    if (!isField(symbol) || typeof weight !== 'number' || read.length === HOLDINGS_MAX) return undefined;
    read.push([symbol, weight]);
  }
  return Object.fromEntries(read);
}

function readWeights(value: unknown): readonly number[] | undefined {
  if (!Array.isArray(value) || value.length > PARTS_MAX) return undefined;
  const weights: unknown[] = [...value];
  return weights.every((weight) => typeof weight === 'number') ? weights : undefined;
}

function readTerms(value: unknown): Fields | DraftProblem | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return readShape(value as Fields, TERMS, { where: 'the terms of an order', path: 'terms.' });
}

function readExits(value: unknown): Fields | DraftProblem | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return readShape(value as Fields, EXITS, { where: 'the exits of an order', path: 'exits.' });
}

/**
 * Escapes control and direction characters, because reasons are printed on terminals. Cuts the result to the limit
 * (never within a surrogate pair), so that a second reading changes nothing.
 */
function readReason(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > REASON_CHARS_MAX) return undefined;
  return printable(value, REASON_CHARS_MAX)
    .slice(0, REASON_CHARS_MAX)
    .replace(/[\ud800-\udbff]$/, '');
}

function readOrderType(value: unknown): OrderType | DraftProblem | undefined {
  const removed = isField(value) ? removedOrderType(value) : undefined;
  if (removed !== undefined) return new DraftProblem(`terms.type: ${removed}`);
  return ORDER_TYPES.find((type) => type === value);
}

function isField(value: unknown): value is string {
  return typeof value === 'string' && value.length <= FIELD_CHARS_MAX;
}

function readText(value: unknown): string | undefined {
  return isField(value) ? value : undefined;
}

function readNumber(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function readMinutes(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : undefined;
}

/** The text form of any Decimal, NaN and infinities included; sizing checks the value, as with numbers. */
const DECIMAL_TEXT = /^(-?\d+(\.\d+)?(e[+-]?\d+)?|-?Infinity|NaN)$/;

/** Reads a number of any value (sizing checks it), a Decimal, or a decimal text. */
function readFigure(value: unknown): Numeric | undefined {
  if (typeof value === 'number') return value;
  if (typeof value === 'string') return isField(value) && DECIMAL_TEXT.test(value) ? value : undefined;
  return readDecimal(value);
}

function readDecimal(value: unknown): Decimal | undefined {
  const decimal = asDecimal(value);
  if (decimal === undefined) return undefined;
  const text = decimalText(decimal);
  return isField(text) ? decimalOf(text) : undefined;
}

/** Reads a positive figure: an invalid exit must not leave a position without its stop. */
function readExitFigure(value: unknown): Numeric | undefined {
  const figure = readFigure(value);
  return figure !== undefined && isPositive(figure) ? figure : undefined;
}

/** Reads an object with exactly one of `amount` and `percent` and nothing else. */
function readDistance(value: unknown): ExitTerms['trail'] {
  if (typeof value !== 'object' || value === null) return undefined;
  const presentFields = Object.entries(value).filter(([, field]) => field !== undefined);
  const [name, field] = presentFields[0] ?? [];
  if (presentFields.length !== 1 || (name !== 'amount' && name !== 'percent')) return undefined;
  const figure = readExitFigure(field);
  if (figure === undefined) return undefined;
  return name === 'amount' ? { amount: figure } : { percent: figure };
}

function readLevel(value: unknown): ExitTerms['stop'] {
  return readExitFigure(value) ?? readDistance(value);
}

/** The result of a hook as copied drafts, or why it is invalid. */
type ReadDecision =
  | { readonly kind: 'drafts'; readonly drafts: readonly OrderDraft[] }
  | { readonly kind: 'odd'; readonly what: string };

/**
 * Reads the result of a hook into plain copies. Each field is read once, so that getters, proxies and later changes
 * have no effect; an unknown field is an error. Checks types and the figures of exits; sizing and the gate check
 * other values. Throws what a getter throws.
 */
export function readDecision(decision: unknown, draftsMax: number): ReadDecision {
  if (decision === undefined || decision === null) return { kind: 'drafts', drafts: [] };
  const list: readonly unknown[] = Array.isArray(decision) ? decision : [decision];
  const { length } = list;
  if (length > draftsMax)
    return { kind: 'odd', what: `returned ${length} orders at once, most is ${draftsMax}` };
  const drafts: OrderDraft[] = [];
  for (let index = 0; index < length; index += 1) {
    const value = list[index];
    const draft = readDraft(value);
    if (draft === undefined)
      return {
        kind: 'odd',
        what: `returned ${describe(value)}, want what context.orders gives, or undefined for nothing`,
      };
    if (draft instanceof DraftProblem) return { kind: 'odd', what: `returned ${draft.what}` };
    drafts.push(draft);
  }
  return { kind: 'drafts', drafts };
}

function describe(value: unknown): string {
  if (value instanceof Promise) {
    // The promise is not awaited, so its rejection must not end the process.
    value.catch(() => undefined);
    return 'a Promise (hooks are plain functions: remove "async")';
  }
  if (value === undefined || value === null) return `${value} in a list`;
  if (typeof value === 'function') return 'a function';
  if (typeof value !== 'object') return printable(`a ${typeof value} (${fieldText(value)})`);
  if (Array.isArray(value)) return 'a list within a list';
  const names = Object.keys(value).slice(0, FIELDS_SHOWN);
  const fields = names.map((name) =>
    printable(`${name.slice(0, 80)}: ${fieldText((value as Fields)[name])}`),
  );
  return fields.length === 0 ? 'an empty object' : `an object with ${fields.join(', ')}`;
}

function fieldText(field: unknown): string {
  if (typeof field === 'string') return field.slice(0, FIELD_CHARS_MAX);
  if (Array.isArray(field)) return `a list of ${field.length}`;
  return typeof field === 'object' && field !== null && !Decimal.isDecimal(field)
    ? 'an object'
    : String(field).slice(0, FIELD_CHARS_MAX);
}
