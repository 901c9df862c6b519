import type { BarColumns } from '../src/model/bar.ts';
import { DAY_MS } from '../src/model/time.ts';
import type { RunResult } from './run-result.ts';
import { FillRows } from './w1-loop.ts';

/** Distances from the close in currency, shares of an order, opening cash, and the charge as a share of what is traded. */
export interface BracketRules {
  readonly entry: number;
  readonly stop: number;
  readonly quantity: number;
  readonly cash: number;
  readonly charge: number;
}

/**
 * The yardstick: one loop with an entry below the close while flat and a stop below it while long, both filled at
 * their prices.
 */
export function runBracketLoop({ time, low, close, length }: BarColumns, rules: BracketRules): RunResult {
  const { entry, stop, quantity, charge } = rules;
  const equity = new Float64Array(length);
  const fills = new FillRows();
  let { cash } = rules;
  let held = 0;
  let resting = 0;
  let peak = cash;
  let maxDrawdown = 0;
  for (let bar = 0; bar < length; bar += 1) {
    if (resting > 0 && (low[bar] as number) <= resting) {
      const notional = quantity * resting;
      const fee = Math.round(notional * charge * 100 + 1e-7) / 100;
      cash -= held === 0 ? notional + fee : fee - notional;
      fills.add(time[bar] as number, held === 0 ? 1 : 2, resting, quantity);
      held = held === 0 ? quantity : 0;
      resting = 0;
    }
    const last = close[bar] as number;
    const worth = cash + held * last;
    equity[bar] = worth;
    if (worth > peak) peak = worth;
    else maxDrawdown = Math.max(maxDrawdown, 1 - worth / peak);
    if (resting === 0 || isLastOfDay(time, bar))
      resting = Math.round((last - (held === 0 ? entry : stop)) * 100) / 100;
  }
  return { fills: fills.length / 4, finalEquity: equity[length - 1] ?? rules.cash, maxDrawdown };
}

/** UTC days are enough: New York's regular session is within one. */
function isLastOfDay(time: Float64Array, bar: number): boolean {
  const next = time[bar + 1];
  return next !== undefined && Math.floor(next / DAY_MS) !== Math.floor((time[bar] as number) / DAY_MS);
}
