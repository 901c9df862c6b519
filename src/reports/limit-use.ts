/** Used share of a limit, from 0 to 1; undefined if the two texts have different units. */
export function usedShare(value: string, limit: string): number | undefined {
  const read = both(value, limit);
  if (read === undefined || read.limit <= 0) return undefined;
  return Math.min(1, Math.max(0, read.value / read.limit));
}

/** Amount by which a value is above its limit, `100 HKD`; undefined if it is not, or their units differ. */
export function excessOver(value: string, limit: string): string | undefined {
  const read = both(value, limit);
  return read === undefined || read.value <= read.limit
    ? undefined
    : amountText(read.value - read.limit, read.unit);
}

/** Amount that is left of a limit, `0.15%`; undefined if the two texts have different units. */
export function leftOf(value: string, limit: string): string | undefined {
  const read = both(value, limit);
  return read === undefined ? undefined : amountText(Math.max(0, read.limit - read.value), read.unit);
}

interface Read {
  readonly value: number;
  readonly limit: number;
  readonly unit: string;
}

function both(value: string, limit: string): Read | undefined {
  const [one, other] = [amountOf(value), amountOf(limit)];
  if (one === undefined || other === undefined || one.unit !== other.unit) return undefined;
  return { value: one.amount, limit: other.amount, unit: one.unit };
}

function amountOf(text: string): { readonly amount: number; readonly unit: string } | undefined {
  const [, written, unit = ''] = /^(-?[\d,]*\.?\d+)\s*(.*)$/.exec(text) ?? [];
  return written === undefined ? undefined : { amount: Number(written.replaceAll(',', '')), unit };
}

/** Four decimals at most, as the limits themselves have. */
function amountText(amount: number, unit: string): string {
  const text = String(Number(amount.toFixed(4))).replace(/\B(?<!\.\d*)(?=(\d{3})+(?!\d))/g, ',');
  return unit === '' || unit === '%' ? `${text}${unit}` : `${text} ${unit}`;
}
