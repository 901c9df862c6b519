import { Decimal } from '../model/decimal.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import type { ExitTerms } from '../strategy/exits.ts';
import type { Figure } from '../strategy/figure.ts';
import type { DraftTerms, OcoDraft, OrderByHand, OrderDraft, SizedDraft } from '../strategy/order-draft.ts';
import { decimalOf, decimalText } from './decimal-text.ts';

/** An object of anybody's making. */
export type Fields = Readonly<Record<string, unknown>>;

/** Longest reason an author may give for an order, in characters. */
export const REASON_CHARS_MAX = 1_000;
/** Longest figure, symbol or name in a draft, in characters; every decimal that money needs is shorter. */
export const FIELD_CHARS_MAX = 100;
/** Most orders of which one cancels the others. */
export const LEGS_MAX = 10;

/** Reads one draft into a plain copy; undefined for what `context.orders` never gives. */
export function readDraft(value: unknown): OrderDraft | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { kind, symbol, reason, ...rest } = value as Fields;
  if (!isField(symbol) || !isReason(reason)) return undefined;
  const common: Common = { symbol: symbol as SecuritySymbol, ...(reason === undefined ? {} : { reason }) };
  return kind === 'oco' ? readOco(common, rest) : readSized(kind, common, rest);
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
  if (!Decimal.isDecimal(value)) return undefined;
  const text = decimalText(value);
  return isField(text) ? decimalOf(text) : undefined;
}

const readText = (value: unknown): string | undefined => (isField(value) ? value : undefined);
const readNumber = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

function readDistance(value: unknown): ExitTerms['trail'] {
  if (typeof value !== 'object' || value === null) return undefined;
  const { amount, percent } = value as Fields;
  const [read, other] = [readFigure(amount), readFigure(percent)];
  if (read !== undefined) return { amount: read };
  return other === undefined ? undefined : { percent: other };
}

const readLevel = (value: unknown): ExitTerms['stop'] => readFigure(value) ?? readDistance(value);

/** How each exit is read; undefined is one of the wrong type. */
const EXITS: { readonly [K in keyof Required<ExitTerms>]: (value: unknown) => unknown } = {
  stop: readLevel,
  target: readLevel,
  trail: readDistance,
  breakEven: readDistance,
  afterMinutes: readNumber,
  beforeCloseMinutes: readNumber,
};

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

/** The terms as a field to spread, empty when there are none; undefined when one is of the wrong type. */
function readTerms(value: unknown): { readonly terms?: DraftTerms } | undefined {
  if (value === undefined) return {};
  const terms = readFields(value, TERMS);
  return terms === undefined ? undefined : { terms: terms as DraftTerms };
}

function readExitTerms(value: unknown): { readonly exits?: ExitTerms } | undefined {
  if (value === undefined) return {};
  const exits = readFields(value, EXITS);
  return exits === undefined ? undefined : { exits: exits as ExitTerms };
}

/** The known fields of an object, each read by its own reader; undefined when one is of the wrong type. */
export function readFields(
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
