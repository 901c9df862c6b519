/** The decimal separators of files. */
export const DECIMAL_MARKS = ['point', 'comma'] as const;
export type DecimalMark = (typeof DECIMAL_MARKS)[number];

/** A comma that may stand before thousands or before parts. */
const MAYBE_COMMA = /^[+-]?\d{1,3},\d{3}$/;
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
 * A figure with a decimal point and without thousands separators, where the text is unambiguous: `1,187.15`,
 * `82,488,700`, with a decimal comma `1.187,15`; where the mark is open, `1,187` may be either. Anything else is returned unchanged, for the caller to report.
 */
export function plainFigure(text: string, mark: DecimalMark | 'open'): string {
  if (mark === 'comma') {
    const isFigure = COMMA_PLAIN.test(text) || COMMA_GROUPED.test(text);
    return isFigure ? text.replaceAll(/[. \u00a0\u202f]/g, '').replace(',', '.') : text;
  }
  if (mark === 'open' && MAYBE_COMMA.test(text)) return text;
  return GROUPED.test(text) ? text.replaceAll(',', '') : text;
}

/** A count that a vendor shortens, `58.41M`, `1.2B` or `12.3万`, in full; any other text unchanged. */
export function fullCount(text: string, mark: DecimalMark | 'open'): string {
  const [, figure, unit] = SHORT_COUNT.exec(mark === 'comma' ? text.replace(',', '.') : text) ?? [];
  if (figure === undefined || unit === undefined) return text;
  return String(Math.round(Number(figure) * (MULTIPLES[unit.toUpperCase()] ?? 1)));
}

/** A comma that can only be a decimal one: not every group behind it has three digits. */
const SURELY_COMMA = /^[+-]?\d{1,3}(?:\.\d{3})+,\d+$|^[+-]?\d+,(?:\d{1,2}|\d{4,})$/;

/** A point that can only be a decimal one: no group of thousands follows it. */
const SURELY_POINT = /^[+-]?\d{1,3}(?:,\d{3})+\.\d+$|^[+-]?\d+\.(?:\d{1,2}|\d{4,})$/;

/** True for a figure that cannot be read under a mark, since it can only have the other one. */
export function hasOtherMark(text: string, mark: DecimalMark | 'open'): boolean {
  return mark === 'comma' ? SURELY_POINT.test(text) : SURELY_COMMA.test(text);
}

/** Which mark these prices have; undefined when a comma may be either (`1,187`), and where some have one mark and some the other. */
export function markOf(prices: readonly string[]): DecimalMark | undefined {
  if (prices.some((text) => SURELY_COMMA.test(text)))
    return prices.some((text) => SURELY_POINT.test(text)) ? undefined : 'comma';
  return prices.some((text) => MAYBE_COMMA.test(text)) ? undefined : 'point';
}
