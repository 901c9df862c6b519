/** Smallest and largest id that the interface can carry. @see docs/catalogue.md */
export const INT64_MIN = -(2n ** 63n);
export const INT64_MAX = 2n ** 63n - 1n;

/** One spelling for each number: no leading zero, no plus, no minus zero, no fraction, no exponent. */
const WHOLE = /^(?:0|-?[1-9]\d{0,18})$/;

/** Reads a whole number from its digits, exactly; undefined for any other text and for what int64 cannot hold. */
export function parseInt64(text: string): bigint | undefined {
  if (!WHOLE.test(text)) return undefined;
  const value = BigInt(text);
  return isInt64(value) ? value : undefined;
}

/** True for a whole number that 64 bits with a sign can hold. */
export function isInt64(value: bigint): boolean {
  return value >= INT64_MIN && value <= INT64_MAX;
}
