import fc from 'fast-check';
import type { Bar, BarColumns } from '#src/model/bar.ts';
import { barAt } from '#src/model/bar.ts';
import { barColumns } from '#src/model/bar-columns.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { MINUTE_MS } from '#src/model/time.ts';

const OPENING = Date.parse('2024-01-02T14:30:00Z');

/** A generator of numbers from 0 to 1 that a seed determines. */
export function seeded(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return (state >>> 0) / 4_294_967_296;
  };
}

/** Minute bars of a random walk in cents, with flat stretches, bars without a range and minutes without volume. */
export function walk(length: number, seed: number, price = 100): BarColumns {
  const random = seeded(seed);
  const columns = barColumns(
    { symbol: securitySymbol('700.HK'), period: '1m' },
    () => new Float64Array(length),
  );
  let last = price;
  let flat = 0;
  for (let i = 0; i < length; i++) {
    if (flat > 0) flat--;
    else if (random() < 0.01) flat = Math.floor(random() * 40);
    const open = last;
    if (flat === 0) last = Math.max(1, Math.round(last * (1 + (random() - 0.5) * 0.02) * 100) / 100);
    const reach = flat > 0 || random() < 0.1 ? 0 : Math.round(random() * 50) / 100;
    columns.time[i] = OPENING + i * MINUTE_MS;
    columns.open[i] = open;
    columns.close[i] = last;
    columns.high[i] = Math.max(open, last) + reach;
    columns.low[i] = Math.max(0.01, Math.min(open, last) - reach);
    columns.volume[i] = random() < 0.1 ? 0 : Math.floor(random() * 100_000);
  }
  return columns;
}

export function eachBar(bars: BarColumns): readonly Bar[] {
  return Array.from({ length: bars.length }, (_, index) => barAt(bars, index));
}

/** Minute bars with the given closes. */
export function closes(values: readonly number[]): BarColumns {
  const close = Float64Array.from(values);
  return { ...walk(values.length, 1), open: close, high: close, low: close, close };
}

export const someBars = (maxLength: number): fc.Arbitrary<BarColumns> =>
  fc
    .record({ length: fc.integer({ min: 1, max: maxLength }), seed: fc.integer() })
    .map(({ length, seed }) => walk(length, seed));
