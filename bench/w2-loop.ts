import type { BarColumns } from '../src/model/bar.ts';
import type { RunResult } from './run-result.ts';
import { FillRows, type Rules } from './w1-loop.ts';

/** Averages of whole cents that are not equal differ by more than this. */
const TIE = 1e-6;

interface Symbol {
  readonly bars: BarColumns;
  at: number;
  fastSum: number;
  slowSum: number;
  held: number;
  last: number;
  /** Shares to trade at the next open; negative to sell. */
  wanted: number;
}

/** The yardstick of W2: series merged by time in one loop. `weight` is the share of equity per symbol. */
export function runW2Loop(
  history: readonly BarColumns[],
  rules: Rules & { readonly weight: number },
): RunResult {
  const { fast, slow, charge, weight } = rules;
  const symbols = history.map(
    (bars): Symbol => ({ bars, at: 0, fastSum: 0, slowSum: 0, held: 0, last: 0, wanted: 0 }),
  );
  const fills = new FillRows();
  const equity = new Float64Array(symbols.reduce((most, { bars }) => most + bars.length, 0));
  let { cash } = rules;
  let worth = cash;
  let instants = 0;
  let peak = cash;
  let maxDrawdown = 0;
  for (;;) {
    let now = Number.POSITIVE_INFINITY;
    for (const { bars, at } of symbols) if (at < bars.length) now = Math.min(now, bars.time[at] as number);
    if (now === Number.POSITIVE_INFINITY) break;
    for (const symbol of symbols) {
      const { bars, at } = symbol;
      if (symbol.wanted === 0 || bars.time[at] !== now) continue;
      const price = bars.open[at] as number;
      cash -= symbol.wanted * price + Math.abs(symbol.wanted) * price * charge;
      symbol.held += symbol.wanted;
      fills.add(now, symbol.wanted > 0 ? 1 : 2, price, Math.abs(symbol.wanted));
      symbol.wanted = 0;
    }
    worth = cash;
    for (const symbol of symbols) {
      const { bars, at } = symbol;
      if (bars.time[at] === now) {
        symbol.last = bars.close[at] as number;
        symbol.fastSum += symbol.last - (at >= fast ? (bars.close[at - fast] as number) : 0);
        symbol.slowSum += symbol.last - (at >= slow ? (bars.close[at - slow] as number) : 0);
        symbol.at += 1;
      }
      worth += symbol.held * symbol.last;
    }
    for (const symbol of symbols) {
      if (symbol.at < slow || symbol.bars.time[symbol.at - 1] !== now) continue;
      const distance = symbol.fastSum / fast - symbol.slowSum / slow;
      if (symbol.held === 0 && distance > TIE) symbol.wanted = Math.trunc((worth * weight) / symbol.last);
      else if (symbol.held > 0 && distance < -TIE) symbol.wanted = -symbol.held;
    }
    equity[instants] = worth;
    instants += 1;
    if (worth > peak) peak = worth;
    else maxDrawdown = Math.max(maxDrawdown, 1 - worth / peak);
  }
  return { fills: fills.length / 4, finalEquity: worth, maxDrawdown };
}
