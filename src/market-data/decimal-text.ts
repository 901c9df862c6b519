export const DECIMAL_MARKS = ['point', 'comma'] as const;
export type DecimalMark = (typeof DECIMAL_MARKS)[number];

/** A comma that may separate thousands or decimals. */
const AMBIGUOUS_COMMA = /^[+-]?\d{1,3},\d{3}$/;
const GROUPED = /^([+-]?)(\d{1,3}(?:,\d{3})+)(\.\d+)?$/;
const COMMA_GROUPED = /^[+-]?\d{1,3}(?:[. \u00a0\u202f]\d{3})*(?:,\d+)?$/;
const COMMA_PLAIN = /^[+-]?\d+(?:,\d+)?$/;
const SHORT_COUNT = /^(\d+(?:\.\d+)?) ?([KMBT千万萬亿億])$/i;
const MULTIPLES: Readonly<Record<string, number>> = {
  K: 1e3,
  M: 1e6,
  B: 1e9,
  T: 1e12,
  千: 1e3,
  万: 1e4,
  萬: 1e4,
  亿: 1e8,
  億: 1e8,
};

/**
 * Returns a number with a decimal point and without thousands separators: `1,187.15`, `82,488,700`, or `1.187,15`
 * with a decimal comma. Returns any other text unchanged, and so an ambiguous `1,187` if the mark is `open`.
 */
export function plainNumber(text: string, mark: DecimalMark | 'open'): string {
  if (mark === 'comma') {
    const isFigure = COMMA_PLAIN.test(text) || COMMA_GROUPED.test(text);
    return isFigure ? text.replaceAll(/[. \u00a0\u202f]/g, '').replace(',', '.') : text;
  }
  if (mark === 'open' && AMBIGUOUS_COMMA.test(text)) return text;
  return GROUPED.test(text) ? text.replaceAll(',', '') : text;
}

/** Expands an abbreviated count (`58.41M`, `1.2B`, `12.3万`); returns any other text unchanged. */
export function fullCount(text: string, mark: DecimalMark | 'open'): string {
  const [, figure, unit] = SHORT_COUNT.exec(mark === 'comma' ? text.replace(',', '.') : text) ?? [];
  if (figure === undefined || unit === undefined) return text;
  return String(Math.round(Number(figure) * (MULTIPLES[unit.toUpperCase()] ?? 1)));
}

/** A comma that must be decimal: not every group after it has three digits. */
const DECIMAL_COMMA = /^[+-]?\d{1,3}(?:\.\d{3})+,\d+$|^[+-]?\d+,(?:\d{1,2}|\d{4,})$/;

/** A point that must be decimal: the group after it does not have three digits, or comma groups precede it. */
const DECIMAL_POINT = /^[+-]?\d{1,3}(?:,\d{3})+\.\d+$|^[+-]?\d+\.(?:\d{1,2}|\d{4,})$/;

/** True for a number that can only have the other decimal mark. */
export function hasOtherDecimalMark(text: string, mark: DecimalMark | 'open'): boolean {
  return mark === 'comma' ? DECIMAL_POINT.test(text) : DECIMAL_COMMA.test(text);
}

/** Returns the decimal mark of prices; undefined if it is ambiguous (`1,187`) or mixed. */
export function decimalMarkOf(prices: readonly string[]): DecimalMark | undefined {
  if (prices.some((text) => DECIMAL_COMMA.test(text)))
    return prices.some((text) => DECIMAL_POINT.test(text)) ? undefined : 'comma';
  return prices.some((text) => AMBIGUOUS_COMMA.test(text)) ? undefined : 'point';
}
