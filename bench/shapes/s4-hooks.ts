import type { BarColumns } from '../../src/model/bar.ts';
import type { RunResult } from '../run-result.ts';
import { Account, Crosses, TIE } from './loop-parts.ts';
import type { Shape } from './shape.ts';
import { usMarket } from './us-market.ts';

const STEP = 10_000;
const ADVANCE = 0.5;
const STEPS_MAX = 3;

export const s4Hooks: Shape = {
  id: 's4-hooks',
  work: 'onBar at every bar and onFill at every fill, pyramiding in three steps',
  loopRatio: 0.12,
  config: 'charges: none',
  hearsEveryBar: true,
  market: usMarket,
  loop: ([bars]) => pyramidLoop(bars as BarColumns),
};

/** Buys above the average, twice more as the price rises, and sells everything below the average. */
function pyramidLoop(bars: BarColumns): RunResult {
  const { time, open, close, length } = bars;
  const averages = new Crosses(bars);
  const account = new Account(length);
  let held = 0;
  let wanted = 0;
  let bought = 0;
  for (let bar = 0; bar < length; bar += 1) {
    if (wanted !== 0) {
      const price = open[bar] as number;
      account.fill(time[bar] as number, price, wanted);
      held += wanted;
      if (wanted > 0) bought = price;
      wanted = 0;
    }
    const last = close[bar] as number;
    account.mark(account.cash + held * last);
    const distance = averages.distance(bar);
    if (distance < -TIE) wanted = -held;
    else if (held === 0) wanted = distance > TIE ? STEP : 0;
    else if (held < STEP * STEPS_MAX && last >= bought + ADVANCE) wanted = STEP;
  }
  return account.result();
}
