import { Decimal } from '../../model/decimal.ts';
import type { StrategyQuestion } from '../../ports/strategy-host.ts';
import type { StrategyEvent } from '../../strategy/strategy-event.ts';

/** A question on its way between threads: its event is packed, and nothing else in it has a Decimal. */
export interface PackedQuestion extends Omit<StrategyQuestion, 'event'> {
  readonly event: unknown;
}

/** Packs a question into plain data that structured clone carries exactly. */
export function packQuestion(question: StrategyQuestion): PackedQuestion {
  return { ...question, event: packPlain(question.event) };
}

/** The question that was packed, equal to the last digit. Throws RangeError for what `packQuestion` never gives. */
export function unpackQuestion(packed: PackedQuestion): StrategyQuestion {
  return { ...packed, event: unpackPlain(packed.event) as StrategyEvent };
}

/** Packs plain data with Decimals at any depth: each becomes `{ decimal: '1.5' }`, as structured clone takes no instances with methods. */
export function packPlain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Decimal.isDecimal(value)) return { decimal: decimalText(value) };
  if (Array.isArray(value)) return value.map(packPlain);
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, packPlain(field)]));
}

/** Depth down to which figures are unpacked: that of a leg's terms in a list of drafts. Deeper values are not ours and stay as they are. */
const DEPTH_MAX = 7;

/** Unpacks what `packPlain` gave, from a thread that may send anything. Throws RangeError for a figure that is none. */
export function unpackPlain(value: unknown, depth = DEPTH_MAX): unknown {
  if (typeof value !== 'object' || value === null || depth === 0) return value;
  if ('decimal' in value && typeof value.decimal === 'string') {
    const decimal = decimalOf(value.decimal);
    if (decimal === undefined) throw new RangeError('Cannot read a figure that crossed between threads');
    return decimal;
  }
  if (Array.isArray(value)) return value.map((item) => unpackPlain(item, depth - 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, unpackPlain(field, depth - 1)]),
  );
}

const DECIMAL_TEXT = /^-?(?:\d+(?:\.\d+)?(?:e[+-]\d+)?|Infinity)$|^NaN$/;

/** A Decimal as a text that names it exactly: every digit, and the sign of zero. */
export function decimalText(value: Decimal): string {
  return value.valueOf();
}

/** The Decimal that a text names exactly; undefined for a text (or anything else) that `decimalText` never gives. */
export function decimalOf(text: unknown): Decimal | undefined {
  return typeof text === 'string' && DECIMAL_TEXT.test(text) ? new Decimal(text) : undefined;
}
