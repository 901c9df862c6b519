import type { BarColumns } from '../../src/model/bar.ts';
import type { RunResult } from '../run-result.ts';
import { Account, Crosses, FAST, SLOW } from './loop-parts.ts';
import { CASH, type Shape } from './shape.ts';
import { usMarket } from './us-market.ts';

export const s1Cross: Shape = {
  id: 's1-cross',
  work: 'Market orders on a cross of averages',
  loopRatio: 0.3,
  config: 'charges: none',
  peers: {
    rules: { fast: FAST, slow: SLOW, charge: 0, cash: CASH, weight: 0.5 },
    names: ['backtesting', 'nautilus', 'backtrader', 'vectorbt'],
  },
  market: usMarket,
  loop: ([bars]) => crossLoop(bars as BarColumns),
};

/** Buys half of the equity at the open after a cross up, sells at the open after a cross down. */
function crossLoop(bars: BarColumns): RunResult {
  const { time, open, close, length } = bars;
  const crosses = new Crosses(bars);
  const account = new Account(length);
  let held = 0;
  let wanted = 0;
  for (let bar = 0; bar < length; bar += 1) {
    if (wanted !== 0) {
      account.fill(time[bar] as number, open[bar] as number, wanted);
      held += wanted;
      wanted = 0;
    }
    const last = close[bar] as number;
    account.mark(account.cash + held * last);
    const cross = crosses.at(bar);
    if (cross > 0) wanted = Math.trunc((account.equity * 0.5) / last);
    else if (cross < 0) wanted = -held;
  }
  return account.result();
}
