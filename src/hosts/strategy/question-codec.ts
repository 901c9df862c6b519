import { asDecimal, Decimal } from '../../model/decimal.ts';
import type { Fill } from '../../model/fill.ts';
import type { OrderTerms } from '../../model/order.ts';
import type { Quote } from '../../model/quote.ts';
import { unreachable } from '../../model/unreachable.ts';
import type { StrategyQuestion } from '../../ports/strategy-host.ts';
import type { OrderDraft } from '../../strategy/order-draft.ts';
import type { StrategyEvent } from '../../strategy/strategy-event.ts';
import { decimalOf, decimalText } from './decimal-text.ts';

/** A Decimal on its way between threads; structured clone takes no instances with methods. */
export interface PackedDecimal {
  readonly decimal: string;
}

/** A type with every Decimal in it packed: what forgets one does not compile. */
export type Packed<T> = T extends Decimal
  ? PackedDecimal
  : T extends string | number | boolean | undefined
    ? T
    : { readonly [K in keyof T]: Packed<T[K]> };

/** Packs a question into plain data that structured clone carries exactly. */
export function packQuestion({ event, ...plain }: StrategyQuestion): Packed<StrategyQuestion> {
  return { event: packEvent(event), ...plain };
}

/** The question that was packed, equal to the last digit. Throws RangeError for what `packQuestion` never gives. */
export function unpackQuestion({ event, ...plain }: Packed<StrategyQuestion>): StrategyQuestion {
  return { event: unpackEvent(event), ...plain };
}

/** Packs drafts that `readDecision` made. */
export function packDrafts(drafts: readonly OrderDraft[]): readonly unknown[] {
  return drafts.map((draft) => packDeep(draft));
}

/** Unpacks drafts from a thread that may send anything; what comes out has yet to be read as a decision. */
export function unpackDrafts(packed: readonly unknown[]): readonly unknown[] {
  return packed.map((draft) => unpackDeep(draft, DEPTH_MAX));
}

/** Packs any plain data, at any depth. */
export function packPlain(value: unknown): unknown {
  return packDeep(value);
}

/** Unpacks what `packPlain` gave, down to the maximum depth of a question. Throws RangeError for anything else. */
export function unpackPlain(value: unknown): unknown {
  return unpackDeep(value, DEPTH_MAX);
}

/** Depth of figures in a draft: a leg's terms; deeper values are not ours and stay unchanged. */
const DEPTH_MAX = 5;

function packDeep(value: unknown): unknown {
  const decimal = asDecimal(value);
  if (decimal !== undefined) return packValue(decimal);
  if (Array.isArray(value)) return value.map(packDeep);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, packDeep(field)]));
}

function unpackDeep(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || depth === 0) return value;
  if ('decimal' in value) return unpackValue(value);
  if (Array.isArray(value)) return value.map((item) => unpackDeep(item, depth - 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, unpackDeep(field, depth - 1)]),
  );
}

function packEvent(event: StrategyEvent): Packed<StrategyEvent> {
  switch (event.kind) {
    case 'quote':
      return { ...event, quote: packFields(event.quote) };
    case 'fill':
      return { ...event, fill: packFill(event.fill) };
    case 'order':
      return { ...event, terms: packFields(event.terms) };
    case 'signal':
    case 'bar':
    case 'bars':
    case 'timer':
    case 'start':
    case 'stop':
      return event;
    default:
      return unreachable(event);
  }
}

function unpackEvent(event: Packed<StrategyEvent>): StrategyEvent {
  switch (event.kind) {
    case 'quote':
      return { ...event, quote: unpackFields(event.quote) as unknown as Quote };
    case 'fill':
      return { ...event, fill: unpackFill(event.fill) };
    case 'order':
      return { ...event, terms: unpackFields(event.terms) as unknown as OrderTerms };
    case 'signal':
    case 'bar':
    case 'bars':
    case 'timer':
    case 'start':
    case 'stop':
      return event;
    default:
      return unreachable(event);
  }
}

function packFill(fill: Fill): Packed<Fill> {
  return { ...packFields(fill), charges: fill.charges.map(packFields) };
}

function unpackFill(fill: Packed<Fill>): Fill {
  return { ...unpackFields(fill), charges: fill.charges.map(unpackFields) } as unknown as Fill;
}

/** Packs the Decimals of a record that holds no deeper ones. */
function packFields<T extends object>(record: T): Packed<T> {
  const fields = Object.entries(record).map(([name, value]) => [name, packValue(value)]);
  return Object.fromEntries(fields);
}

function packValue(value: unknown): unknown {
  return Decimal.isDecimal(value) ? { decimal: decimalText(value) } : value;
}

function unpackFields(record: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, unpackValue(value)]));
}

function unpackValue(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('decimal' in value)) return value;
  const unpacked = decimalOf(value.decimal);
  if (unpacked === undefined) throw new RangeError('Cannot read a figure that crossed between threads');
  return unpacked;
}
