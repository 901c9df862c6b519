/** Smallest and largest id that the interface can carry. @see docs/catalogue.md */
export const INT64_MIN = -(2n ** 63n);
export const INT64_MAX = 2n ** 63n - 1n;

/** Canonical form of an integer: no leading zero, plus, minus zero, fraction or exponent. */
const WHOLE = /^(?:0|-?[1-9]\d{0,18})$/;

/** Parses an integer exactly; undefined for other text and for values outside int64. */
export function parseInt64(text: string): bigint | undefined {
  if (!WHOLE.test(text)) return undefined;
  const value = BigInt(text);
  return isInt64(value) ? value : undefined;
}

/** True for an integer within int64. */
export function isInt64(value: bigint): boolean {
  return value >= INT64_MIN && value <= INT64_MAX;
}
