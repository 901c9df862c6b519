import { Decimal } from '../../model/decimal.ts';
import type { StrategyRequest } from '../../ports/strategy-host.ts';
import type { StrategyEvent } from '../../strategy/strategy-event.ts';

/** A request for another thread: its event is packed; the rest contains no Decimal. */
export interface PackedRequest extends Omit<StrategyRequest, 'event'> {
  readonly event: unknown;
}

/** Packs a request into plain data that structured clone copies exactly. */
export function packRequest(request: StrategyRequest): PackedRequest {
  return { ...request, event: packPlain(request.event) };
}

/** Unpacks a request without loss of digits. Throws RangeError for an invalid figure. */
export function unpackRequest(packed: PackedRequest): StrategyRequest {
  return { ...packed, event: unpackPlain(packed.event) as StrategyEvent };
}

/**
 * Packs plain data: each Decimal, at any depth, becomes `{ decimal: '1.5' }`, because structured clone drops methods.
 */
export function packPlain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Decimal.isDecimal(value)) return { decimal: decimalText(value) };
  if (Array.isArray(value)) return value.map(packPlain);
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, packPlain(field)]));
}

/**
 * Depth to which figures are unpacked: that of the terms of a leg in a list of drafts. Deeper values are not ours and
 * remain unchanged.
 */
const DEPTH_MAX = 7;

/** Unpacks the result of `packPlain` from an untrusted thread. Throws RangeError for an invalid figure. */
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

/** Returns a Decimal as text without loss: every digit, and the sign of zero. */
export function decimalText(value: Decimal): string {
  return value.valueOf();
}

/** Returns the Decimal of a text of `decimalText`; undefined for anything else. */
export function decimalOf(text: unknown): Decimal | undefined {
  return typeof text === 'string' && DECIMAL_TEXT.test(text) ? new Decimal(text) : undefined;
}
