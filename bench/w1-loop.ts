import type { BarColumns } from '../src/model/bar.ts';
import type { RunResult } from './run-result.ts';

/** Averages, opening cash, and the charge as a share of the traded amount. */
export interface Rules {
  readonly fast: number;
  readonly slow: number;
  readonly cash: number;
  readonly charge: number;
}

/** Averages of whole cents that are not equal differ by more than this. */
const TIE = 1e-6;

/** Fills as rows of four: time, side, price, quantity. */
export class FillRows {
  rows = new Float64Array(4_096);
  length = 0;

  add(time: number, side: number, price: number, quantity: number): void {
    if (this.length + 4 > this.rows.length) {
      const grown = new Float64Array(this.rows.length * 2);
      grown.set(this.rows);
      this.rows = grown;
    }
    this.rows[this.length] = time;
    this.rows[this.length + 1] = side;
    this.rows[this.length + 2] = price;
    this.rows[this.length + 3] = quantity;
    this.length += 4;
  }
}

/**
 * The yardstick "js-curve": W1 as one loop over typed arrays, with an equity curve, the running drawdown and a list
 * of fills, all in float64. It has no journal, gate or sessions and can run no other rule.
 */
export function runW1Loop({ time, open, close, length }: BarColumns, rules: Rules): RunResult {
  const { fast, slow, charge } = rules;
  const equity = new Float64Array(length);
  const fills = new FillRows();
  let { cash } = rules;
  let held = 0;
  let pending = 0;
  let fastSum = 0;
  let slowSum = 0;
  let peak = 0;
  let maxDrawdown = 0;
  for (let bar = 0; bar < length; bar += 1) {
    if (pending !== 0) {
      const price = open[bar] as number;
      if (pending === 1) {
        held = cash / (price * (1 + charge));
        cash = 0;
        fills.add(time[bar] as number, 1, price, held);
      } else {
        cash = held * price * (1 - charge);
        fills.add(time[bar] as number, 2, price, held);
        held = 0;
      }
      pending = 0;
    }
    const last = close[bar] as number;
    fastSum += last;
    slowSum += last;
    if (bar >= fast) fastSum -= close[bar - fast] as number;
    if (bar >= slow) slowSum -= close[bar - slow] as number;
    if (bar >= slow - 1) {
      const distance = fastSum / fast - slowSum / slow;
      if (held === 0) {
        if (distance > TIE) pending = 1;
      } else if (distance < -TIE) pending = 2;
    }
    const worth = cash + held * last;
    equity[bar] = worth;
    if (worth > peak) peak = worth;
    else {
      const drawdown = 1 - worth / peak;
      if (drawdown > maxDrawdown) maxDrawdown = drawdown;
    }
  }
  return { fills: fills.length / 4, finalEquity: equity[length - 1] ?? rules.cash, maxDrawdown };
}
