import type { BarColumns } from '#src/model/bar.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { MINUTE_MS, type Millis, millis } from '#src/model/time.ts';

/** The instant that a text of date, time and offset names. */
export function at(text: string): Millis {
  return millis(Date.parse(text));
}

/** Minute bars whose price rises by one tick of 0.20 per bar, from `first` on. */
export function risingMinutes(symbol: string, opens: Millis, count: number, first: number): BarColumns {
  const prices = Float64Array.from(
    { length: count },
    (_, index) => Math.round((first + index * 0.2) * 10) / 10,
  );
  return {
    symbol: securitySymbol(symbol),
    period: '1m',
    length: count,
    time: Float64Array.from({ length: count }, (_, index) => opens + index * MINUTE_MS),
    open: prices,
    high: prices.map((price) => Math.round((price + 0.4) * 10) / 10),
    low: prices.map((price) => Math.round((price - 0.4) * 10) / 10),
    close: prices.map((price) => Math.round((price + 0.2) * 10) / 10),
    volume: new Float64Array(count).fill(4_000),
  };
}
