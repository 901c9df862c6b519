import { Decimal } from '../model/decimal.ts';
import { printable } from '../model/printable.ts';
import type { DraftTerms, Figure, OrderDraft } from '../strategy/order-draft.ts';
import { decimalOf, decimalText } from './decimal-text.ts';

/** What a hook returned, as drafts that share nothing with it, or what is odd about it. */
export type ReadDecision =
  | { readonly kind: 'drafts'; readonly drafts: readonly OrderDraft[] }
  | { readonly kind: 'odd'; readonly what: string };

/** Longest reason an author may give for an order, in characters. */
export const REASON_CHARS_MAX = 1_000;
/** Longest figure, symbol or name in a draft, in characters; every decimal that money needs is shorter. */
export const FIELD_CHARS_MAX = 100;
/** Most fields of a rubbish answer that an error names. */
const FIELDS_SHOWN = 8;

/**
 * Reads what a hook returned, of any type and shape, into plain copies: each field is read once and only known ones are
 * taken, so neither getters and proxies nor later changes reach further. Judges types alone; values are for sizing and the
 * gate. Throws what a getter throws.
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
      return { kind: 'odd', what: `returned ${describe(value)}, want what context.orders gives` };
    drafts.push(draft);
  }
  return { kind: 'drafts', drafts };
}

type Fields = Readonly<Record<string, unknown>>;

function readDraft(value: unknown): OrderDraft | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { kind, symbol, reason, ...rest } = value as Fields;
  if (!isField(symbol) || !isReason(reason)) return undefined;
  const common = { symbol: symbol as OrderDraft['symbol'], ...(reason === undefined ? {} : { reason }) };
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
  if (typeof value !== 'object' || value === null) return undefined;
  const fields = value as Fields;
  const terms: Record<string, unknown> = {};
  for (const [name, read] of Object.entries(TERMS)) {
    const given = fields[name];
    if (given === undefined) continue;
    const known = read(given);
    if (known === undefined) return undefined;
    terms[name] = known;
  }
  return { terms: terms as DraftTerms };
}

function describe(value: unknown): string {
  if (value instanceof Promise) {
    // Nobody will ever wait for it, so its failure must not end the process.
    value.catch(() => undefined);
    return 'a Promise (hooks are plain functions, not async)';
  }
  if (value === undefined || value === null) return `${value} in a list`;
  if (typeof value !== 'object') return `a ${typeof value}`;
  const names = Object.keys(value).slice(0, FIELDS_SHOWN);
  const fields = names.map((name) => printable(`${name.slice(0, 80)}: ${shown((value as Fields)[name])}`));
  return fields.length === 0 ? 'an empty object' : `an object with ${fields.join(', ')}`;
}

function shown(field: unknown): string {
  if (typeof field === 'string') return field.slice(0, FIELD_CHARS_MAX);
  if (Array.isArray(field)) return `a list of ${field.length}`;
  return typeof field === 'object' && field !== null && !Decimal.isDecimal(field)
    ? 'an object'
    : String(field).slice(0, FIELD_CHARS_MAX);
}
