import { Decimal, parseDecimal } from '../model/decimal.ts';
import { intentId } from '../model/order.ts';
import { printable } from '../model/printable.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import type { ExitTerms } from '../strategy/exits.ts';
import type { Figure } from '../strategy/figure.ts';
import type { Notional } from '../strategy/notional.ts';
import {
  type CancelDraft,
  type ChaseDraft,
  type DraftTerms,
  type OcoDraft,
  type OrderByHand,
  type OrderDraft,
  PARTS_MAX,
  type RebalanceDraft,
  type ReplaceDraft,
  type SizedDraft,
  type SlicesDraft,
} from '../strategy/order-draft.ts';
import { decimalOf, decimalText } from './decimal-text.ts';

/** An object of anybody's making. */
export type Fields = Readonly<Record<string, unknown>>;

/** Longest reason an author may give for an order, in characters. */
export const REASON_CHARS_MAX = 1_000;
/** Longest figure, symbol or name in a draft, in characters; every decimal that money needs is shorter. */
export const FIELD_CHARS_MAX = 100;
/** Most orders of which one cancels the others. */
const LEGS_MAX = 10;

/** Most symbols of a rebalance; more than one quote connection may hear of. */
const HOLDINGS_MAX = 1_000;

/** Reads one draft into a plain copy; undefined for what `context.orders` never gives. */
export function readDraft(value: unknown): OrderDraft | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { kind, symbol, reason, ...rest } = value as Fields;
  if (!isReason(reason)) return undefined;
  if (kind === 'rebalance') return readRebalance(reason, rest);
  if (!isField(symbol)) return undefined;
  const common: Common = { symbol: symbol as SecuritySymbol, ...reasonOf(reason) };
  switch (kind) {
    case 'oco':
      return readOco(common, rest);
    case 'slices':
      return readSlices(common, rest);
    case 'chase':
      return readChase(common, rest);
    case 'replace':
    case 'cancel':
      return readChange(kind, common, rest);
    default:
      return readSized(kind, common, rest);
  }
}

/**
 * Control and direction characters become escapes: a reason is printed on terminals and kept in journals. Escapes are longer than what they
 * stand for, so the result is cut to the limit (never within a surrogate pair): reading it a second time changes nothing.
 */
function reasonOf(reason: string | undefined): { readonly reason?: string } {
  if (reason === undefined) return {};
  return {
    reason: printable(reason, REASON_CHARS_MAX)
      .slice(0, REASON_CHARS_MAX)
      .replace(/[\ud800-\udbff]$/, ''),
  };
}

function readRebalance(reason: string | undefined, { weights }: Fields): RebalanceDraft | undefined {
  if (typeof weights !== 'object' || weights === null || Array.isArray(weights)) return undefined;
  const read: [string, number][] = [];
  for (const [symbol, weight] of Object.entries(weights)) {
    if (!isField(symbol) || typeof weight !== 'number' || read.length === HOLDINGS_MAX) return undefined;
    read.push([symbol, weight]);
  }
  return {
    kind: 'rebalance',
    weights: Object.fromEntries(read),
    ...reasonOf(reason),
  };
}

interface Common {
  readonly symbol: SecuritySymbol;
  readonly reason?: string;
}

function readOco(common: Common, { legs }: Fields): OcoDraft | undefined {
  if (!Array.isArray(legs) || legs.length < 2 || legs.length > LEGS_MAX) return undefined;
  const read = legs.map(readDraft).filter((leg): leg is OrderByHand => leg?.kind === 'order');
  const isWhole = read.length === legs.length && read.every((leg) => leg.symbol === common.symbol);
  return isWhole ? { kind: 'oco', ...common, legs: read } : undefined;
}

/** The order that an algorithm is about; it trades in the algorithm's own symbol. */
function readOrder(symbol: SecuritySymbol, value: unknown): SizedDraft | undefined {
  const { kind } = typeof value === 'object' && value !== null ? (value as Fields) : { kind: undefined };
  // Its kind first: a draft that nests drafts is not read into.
  if (!SIZED_KINDS.has(kind)) return undefined;
  const draft = readDraft(value);
  return draft !== undefined && isSized(draft) && draft.symbol === symbol ? draft : undefined;
}

const SIZED_KINDS: ReadonlySet<unknown> = new Set<SizedDraft['kind']>([
  'target-weight',
  'target-quantity',
  'target-notional',
  'target-risk',
  'order',
]);

function isSized(draft: OrderDraft): draft is SizedDraft {
  return SIZED_KINDS.has(draft.kind);
}

function readSlices(common: Common, fields: Fields): SlicesDraft | undefined {
  const { style } = fields;
  const order = readOrder(common.symbol, fields['order']);
  const read = readFields(fields, { weights: readWeights, minutes: readNumber, shown: readFigure });
  const isKnown = style === 'twap' || style === 'vwap' || style === 'iceberg';
  return isKnown && order !== undefined && read !== undefined
    ? { kind: 'slices', ...common, style, order, ...read }
    : undefined;
}

function readWeights(value: unknown): readonly number[] | undefined {
  if (!Array.isArray(value) || value.length > PARTS_MAX) return undefined;
  const weights: unknown[] = [...value];
  return weights.every((weight) => typeof weight === 'number') ? weights : undefined;
}

function readChase(common: Common, fields: Fields): ChaseDraft | undefined {
  const { atEnd, minutes, everySeconds } = fields;
  const order = readOrder(common.symbol, fields['order']);
  const bound = readLevel(fields['bound']);
  const isTimed =
    typeof minutes === 'number' && (everySeconds === undefined || typeof everySeconds === 'number');
  if (order === undefined || bound === undefined || !isTimed || (atEnd !== 'cancel' && atEnd !== 'cross'))
    return undefined;
  return {
    kind: 'chase',
    ...common,
    order,
    bound,
    minutes,
    atEnd,
    ...(everySeconds === undefined ? {} : { everySeconds }),
  };
}

function readChange(
  kind: 'replace' | 'cancel',
  common: Common,
  fields: Fields,
): ReplaceDraft | CancelDraft | undefined {
  const id = fields['intentId'];
  const read = readFields(fields, { quantity: readFigure, price: readFigure, triggerPrice: readFigure });
  if (!isField(id) || read === undefined) return undefined;
  return kind === 'cancel'
    ? { kind, ...common, intentId: intentId(id) }
    : { kind, ...common, intentId: intentId(id), ...read };
}

function readSized(kind: unknown, plain: Common, rest: Fields): SizedDraft | undefined {
  const exits = readExitTerms(rest['exits']);
  if (exits === undefined) return undefined;
  const common = { ...plain, ...exits };
  switch (kind) {
    case 'target-weight': {
      const weight = rest['weight'];
      return typeof weight === 'number' ? { kind, ...common, weight } : undefined;
    }
    case 'target-quantity': {
      const quantity = readFigure(rest['quantity']);
      return quantity === undefined ? undefined : { kind, ...common, quantity };
    }
    case 'target-notional': {
      const notional = rest['notional'];
      return isField(notional) ? { kind, ...common, notional: notional as Notional } : undefined;
    }
    case 'target-risk': {
      const { share, atr, multiple } = rest;
      const isRead = typeof share === 'number' && typeof atr === 'number' && typeof multiple === 'number';
      return isRead ? { kind, ...common, share, atr, multiple } : undefined;
    }
    case 'order': {
      const side = rest['side'];
      const quantity = readFigure(rest['quantity']);
      const terms = readTerms(rest['terms']);
      if ((side !== 'buy' && side !== 'sell') || quantity === undefined || terms === undefined)
        return undefined;
      return { kind, ...common, side, quantity, ...terms };
    }
    default:
      return undefined;
  }
}

function isField(value: unknown): value is string {
  return typeof value === 'string' && value.length <= FIELD_CHARS_MAX;
}

function isReason(value: unknown): value is string | undefined {
  return value === undefined || (typeof value === 'string' && value.length <= REASON_CHARS_MAX);
}

function readFigure(value: unknown): Figure | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' ? (isField(value) ? value : undefined) : readDecimal(value);
}

function readDecimal(value: unknown): Decimal | undefined {
  const decimal = Decimal.from(value);
  if (decimal === undefined) return undefined;
  const text = decimalText(decimal);
  return isField(text) ? decimalOf(text) : undefined;
}

const readText = (value: unknown): string | undefined => (isField(value) ? value : undefined);
const readNumber = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

/** A figure of an exit. A text has to be a decimal: "2%" can be meant as a price or as a distance. */
function readExitFigure(value: unknown): Figure | undefined {
  const figure = readFigure(value);
  return typeof figure === 'string' && parseDecimal(figure) === undefined ? undefined : figure;
}

/** An object with `amount` or `percent`, exactly one of them. */
function readDistance(value: unknown): ExitTerms['trail'] {
  if (typeof value !== 'object' || value === null) return undefined;
  const { amount, percent } = value as Fields;
  if (amount !== undefined && percent !== undefined) return undefined;
  const figure = readExitFigure(amount ?? percent);
  if (figure === undefined) return undefined;
  return amount === undefined ? { percent: figure } : { amount: figure };
}

const readLevel = (value: unknown): ExitTerms['stop'] => readExitFigure(value) ?? readDistance(value);

/** How each exit is read; undefined is one of the wrong type. */
const EXITS: { readonly [K in keyof Required<ExitTerms>]: (value: unknown) => unknown } = {
  stop: readLevel,
  target: readLevel,
  trail: readDistance,
  breakEven: readDistance,
  afterMinutes: readNumber,
  beforeCloseMinutes: readNumber,
};

const DISTANCE_WANTED = '{ percent: 2 } (2 %) or { amount: 1.5 } (in the currency of the security)';
const LEVEL_WANTED = `a price such as 95.5, ${DISTANCE_WANTED}`;
const MINUTES_WANTED = 'a number of minutes';

/** What each exit has to be, for error messages. */
const EXITS_WANTED: { readonly [K in keyof Required<ExitTerms>]: string } = {
  stop: LEVEL_WANTED,
  target: LEVEL_WANTED,
  trail: DISTANCE_WANTED,
  breakEven: DISTANCE_WANTED,
  afterMinutes: MINUTES_WANTED,
  beforeCloseMinutes: MINUTES_WANTED,
};

/** Names the first exit that has an unknown name or a wrong type, and what is expected; undefined where all can be read. */
export function exitsProblem(exits: unknown): string | undefined {
  if (exits === undefined) return undefined;
  if (typeof exits !== 'object' || exits === null || Array.isArray(exits))
    return `exits that are ${shownValue(exits)}, want an object such as { stop: { percent: 2 } }`;
  const unknown = unknownName(exits, EXIT_NAMES);
  if (unknown !== undefined) return strange(unknown, 'exits', EXIT_NAMES);
  for (const name of EXIT_NAMES as readonly (keyof ExitTerms)[]) {
    const given = (exits as Fields)[name];
    if (given !== undefined && EXITS[name](given) === undefined)
      return `an exits.${name} that is ${shownValue(given)}, want ${EXITS_WANTED[name]}`;
  }
  return undefined;
}

/** A value of any type in at most 100 printable characters. */
function shownValue(value: unknown): string {
  if (typeof value === 'string') return `"${printable(value.slice(0, FIELD_CHARS_MAX))}"`;
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'function') return 'a function';
  if (typeof value !== 'object' || value === null) return String(value).slice(0, FIELD_CHARS_MAX);
  const names = Object.keys(value).slice(0, EXIT_NAMES.length);
  const fields = names.map((name) => {
    const field = (value as Fields)[name];
    return `${name}: ${typeof field === 'string' ? `"${field}"` : typeof field === 'object' ? 'an object' : String(field)}`;
  });
  return printable(`{ ${fields.join(', ')} }`.slice(0, FIELD_CHARS_MAX));
}

/** How each term is read; undefined is a term of the wrong type. */
const TERMS: { readonly [K in keyof Required<DraftTerms>]: (value: unknown) => unknown } = {
  type: readText,
  timeInForce: readText,
  price: readFigure,
  triggerPrice: readFigure,
  limitOffset: readDecimal,
  trailingAmount: readDecimal,
  trailingPercent: readDecimal,
  expireDate: readText,
  outsideRth: readText,
  limitDepthLevel: readNumber,
  monitorPrice: readDecimal,
  triggerCount: readNumber,
};

/** The terms as a field to spread, empty when there are none; undefined when one is of the wrong type, or there is no such term. */
function readTerms(value: unknown): { readonly terms?: DraftTerms } | undefined {
  if (value === undefined) return {};
  const terms = unknownName(value, TERM_NAMES) === undefined ? readFields(value, TERMS) : undefined;
  return terms === undefined ? undefined : { terms: terms as DraftTerms };
}

function readExitTerms(value: unknown): { readonly exits?: ExitTerms } | undefined {
  if (value === undefined) return {};
  const exits = unknownName(value, EXIT_NAMES) === undefined ? readFields(value, EXITS) : undefined;
  return exits === undefined ? undefined : { exits: exits as ExitTerms };
}

/** Names in the terms of an order: a draft says some of them elsewhere, and whoever sends an order again may hand on all. */
const TERM_NAMES: readonly string[] = [...Object.keys(TERMS), 'symbol', 'side', 'quantity'];
const EXIT_NAMES: readonly string[] = Object.keys(EXITS);

/** A name that is not known: whoever wrote it meant something that must not be passed over. */
function unknownName(value: unknown, known: readonly string[]): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.keys(value).find((name) => !known.includes(name));
}

/** Names an unknown name in the terms of a draft, or an exit that is unknown or of a wrong type; undefined where there is none. */
export function strangeName(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { terms, exits } = value as Fields;
  const term = unknownName(terms, TERM_NAMES);
  return term === undefined ? exitsProblem(exits) : strange(term, 'terms', TERM_NAMES);
}

function strange(name: string, where: string, known: readonly string[]): string {
  return `"${printable(name)}" in the ${where} of an order, want any of ${known.join(', ')}`;
}

/** The known fields of an object, each read by its own reader; undefined when one is of the wrong type. */
function readFields(
  value: unknown,
  readers: Readonly<Record<string, (value: unknown) => unknown>>,
): Fields | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const fields = value as Fields;
  const read: Record<string, unknown> = {};
  for (const [name, reader] of Object.entries(readers)) {
    const given = fields[name];
    if (given === undefined) continue;
    const known = reader(given);
    if (known === undefined) return undefined;
    read[name] = known;
  }
  return read;
}
