import type { BarColumns } from '../../src/model/bar.ts';
import type { RunResult } from '../run-result.ts';
import { Account, Crosses, cents } from './loop-parts.ts';
import type { Shape } from './shape.ts';
import { usMarket } from './us-market.ts';

const PERIOD = 14;
const MULTIPLE = 3;
/** Bars until an exponential average no longer depends on its first bar. @see docs/indicators.md */
const WARM_UP = 294;

export const s8Trailing: Shape = {
  id: 's8-trailing',
  work: 'Market entries, each with a stop that trails by three ATRs',
  loopRatio: 0.15,
  config: 'charges: none',
  market: usMarket,
  loop: ([bars]) => trailingLoop(bars as BarColumns),
};

/** A stop behind the best price. The extremes of a bar move it at the close, which is then matched against it. */
function trailingLoop(bars: BarColumns): RunResult {
  const { time, open, high, low, close, length } = bars;
  const crosses = new Crosses(bars);
  const account = new Account(length);
  let range = 0;
  let held = 0;
  let wanted = 0;
  let distance = 0;
  let best = 0;
  for (let bar = 0; bar < length; bar += 1) {
    const first = open[bar] as number;
    const [highest, lowest, last] = [high[bar] as number, low[bar] as number, close[bar] as number];
    if (wanted !== 0) {
      account.fill(time[bar] as number, first, wanted);
      held = wanted;
      wanted = 0;
      best = first;
    } else if (first > best) best = first;
    if (held > 0) {
      const stop = cents(best - distance);
      const moved = cents(Math.max(best, highest) - distance);
      // An entry is filled at the open, which equals the previous close, so neither gaps beyond the stop.
      const price = lowest <= stop ? stop : last <= moved ? last : 0;
      if (price > 0) {
        account.fill(time[bar] as number, price, -held);
        held = 0;
      } else best = Math.max(best, highest);
    }
    account.mark(account.cash + held * last);
    if (bar > 0) {
      const before = close[bar - 1] as number;
      const trueRange = Math.max(highest, before) - Math.min(lowest, before);
      range += bar <= PERIOD ? trueRange / PERIOD : (trueRange - range) / PERIOD;
    }
    if (crosses.at(bar) > 0 && held === 0 && bar >= WARM_UP) {
      wanted = Math.trunc((account.equity * 0.5) / last);
      distance = cents(MULTIPLE * range);
    }
  }
  return account.result();
}
