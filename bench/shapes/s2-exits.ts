import type { BarColumns } from '../../src/model/bar.ts';
import type { RunResult } from '../run-result.ts';
import { Account, Crosses, cents, FAST, lowComesFirst, SLOW } from './loop-parts.ts';
import { CASH, type Shape } from './shape.ts';
import { usMarket } from './us-market.ts';

const STOP = 1.5;
const TARGET = 3;

export const s2Exits: Shape = {
  id: 's2-exits',
  work: 'Market orders on a cross of averages, each position with a stop and a target',
  loopRatio: 0.2,
  config: 'charges: none',
  peers: {
    rules: {
      ...{ fast: FAST, slow: SLOW, charge: 0, cash: CASH, weight: 0.5 },
      exits: { stop: STOP, target: TARGET },
    },
    names: ['backtesting', 'nautilus', 'backtrader'],
  },
  market: usMarket,
  loop: ([bars]) => exitsLoop(bars as BarColumns),
};

/**
 * The loop of s1 with two levels that the ticks after the entry may reach; the first one reached closes the position.
 */
function exitsLoop(bars: BarColumns): RunResult {
  const { time, open, high, low, close, length } = bars;
  const crosses = new Crosses(bars);
  const account = new Account(length);
  let held = 0;
  let wanted = 0;
  let stop = 0;
  let target = 0;
  for (let bar = 0; bar < length; bar += 1) {
    const first = open[bar] as number;
    if (wanted !== 0) {
      account.fill(time[bar] as number, first, wanted);
      held += wanted;
      wanted = 0;
      stop = cents(first - STOP);
      target = cents(first + TARGET);
    }
    if (held > 0) {
      const stops = (low[bar] as number) <= stop;
      const gains = (high[bar] as number) >= target;
      if (stops || gains) {
        const stopsFirst = stops && (!gains || lowComesFirst(first, high[bar] as number, low[bar] as number));
        account.fill(time[bar] as number, stopsFirst ? stop : target, -held);
        held = 0;
      }
    }
    const last = close[bar] as number;
    account.mark(account.cash + held * last);
    const cross = crosses.at(bar);
    if (cross > 0 && held === 0) wanted = Math.trunc((account.equity * 0.5) / last);
    else if (cross < 0) wanted = -held;
  }
  return account.result();
}
