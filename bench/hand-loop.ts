import type { BarColumns } from '../src/model/bar.ts';

/** What both sides of the benchmark must agree on. */
export interface Outcome {
  readonly fills: number;
  readonly finalEquity: number;
  readonly maxDrawdown: number;
}

/** The strategy's parameters and the opening cash. */
export interface Rules {
  readonly fast: number;
  readonly slow: number;
  readonly weight: number;
  readonly cash: number;
}

/** Two averages this close, as a share of the slower, are equal but for rounding. */
const TIE = 1e-12;

/**
 * The yardstick: a moving-average cross on one symbol, written out as one loop over columns, with whole shares, market
 * orders that fill at the next open, no charges, an equity curve, exposure and drawdown, and a list of fills. It keeps no
 * journal, asks no gate, knows no sessions and can do nothing else.
 */
export function runHandLoop({ time, open, close, length }: BarColumns, rules: Rules): Outcome {
  const { fast, slow, weight } = rules;
  const equity = new Float64Array(length);
  const exposure = new Float64Array(length);
  const fills: number[] = [];
  let { cash } = rules;
  let held = 0;
  let wanted = 0;
  let fastSum = 0;
  let slowSum = 0;
  let side = 0;
  let peak = 0;
  let maxDrawdown = 0;
  for (let bar = 0; bar < length; bar += 1) {
    if (wanted !== 0) {
      const price = open[bar] as number;
      cash -= wanted * price;
      held += wanted;
      fills.push(time[bar] as number, wanted, price);
      wanted = 0;
    }
    const last = close[bar] as number;
    fastSum += last - (bar >= fast ? (close[bar - fast] as number) : 0);
    slowSum += last - (bar >= slow ? (close[bar - slow] as number) : 0);
    const worth = cash + held * last;
    if (bar >= slow - 1) {
      const level = slowSum / slow;
      const distance = fastSum / fast - level;
      const slack = level * TIE;
      const now = distance > slack ? 1 : distance < -slack ? -1 : 0;
      if (bar >= slow) {
        if (side <= 0 && now > 0) wanted = Math.trunc((worth * weight) / last) - held;
        else if (side >= 0 && now < 0) wanted = -held;
      }
      side = now;
    }
    equity[bar] = worth;
    exposure[bar] = (held * last) / worth;
    if (worth > peak) peak = worth;
    else maxDrawdown = Math.max(maxDrawdown, 1 - worth / peak);
  }
  return { fills: fills.length / 3, finalEquity: equity[length - 1] ?? rules.cash, maxDrawdown };
}
