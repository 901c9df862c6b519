import type { BarColumns } from '../../src/model/bar.ts';
import type { RunResult } from '../run-result.ts';
import { Account, Crosses, cents, isLastOfDay, lowComesFirst } from './loop-parts.ts';
import type { Shape } from './shape.ts';
import { usMarket } from './us-market.ts';

const SHARES = 3_000;
const OFFSET = 0.3;
/** A fill takes at most this fraction (1/10) of the shares of a tick. */
const PARTICIPATION = 10;

export const s5Limits: Shape = {
  id: 's5-limits',
  work: 'Working limits with 10 % participation, partial fills and day expiry',
  loopRatio: 0.15,
  config: 'charges: none\nsimulation: { participation: 10% }',
  market: usMarket,
  loop: ([bars]) => limitsLoop(bars as BarColumns),
};

/** One working limit that takes a tenth of the volume of each tick that reaches it, until its day ends. */
function limitsLoop(bars: BarColumns): RunResult {
  const { time, open, high, low, close, volume, length } = bars;
  const crosses = new Crosses(bars);
  const account = new Account(length);
  let held = 0;
  /** Remaining shares of the working order; negative to sell. */
  let rest = 0;
  let limit = 0;
  const prints = new Float64Array(4);
  for (let bar = 0; bar < length; bar += 1) {
    if (rest !== 0 && (rest > 0 ? (low[bar] as number) <= limit : (high[bar] as number) >= limit)) {
      const lowFirst = lowComesFirst(open[bar] as number, high[bar] as number, low[bar] as number);
      prints[0] = open[bar] as number;
      prints[1] = (lowFirst ? low[bar] : high[bar]) as number;
      prints[2] = (lowFirst ? high[bar] : low[bar]) as number;
      prints[3] = close[bar] as number;
      const quarter = Math.floor((volume[bar] as number) / 4);
      for (let step = 0; step < 4 && rest !== 0; step += 1) {
        const printed = prints[step] as number;
        if (rest > 0 ? printed > limit : printed < limit) continue;
        const shares = step < 3 ? quarter : (volume[bar] as number) - 3 * quarter;
        const room = Math.floor(shares / PARTICIPATION);
        if (room === 0) continue;
        const price =
          step === 0 ? printed : metOnTheWay(prints[step - 1] as number, printed, limit, rest > 0);
        const quantity = rest > 0 ? Math.min(rest, room) : Math.max(rest, -room);
        account.fill(time[bar] as number, price, quantity);
        held += quantity;
        rest -= quantity;
      }
    }
    const last = close[bar] as number;
    account.mark(account.cash + held * last);
    if (rest !== 0 && isLastOfDay(time, bar)) rest = 0;
    const cross = crosses.at(bar);
    if (rest !== 0 || cross === 0) continue;
    if (cross > 0 && held === 0) {
      rest = SHARES;
      limit = cents(last - OFFSET);
    } else if (cross < 0 && held > 0) {
      rest = -held;
      limit = cents(last + OFFSET);
    }
  }
  return account.result();
}

/** The limit, or the worse end of the price step if the market was already beyond it. */
function metOnTheWay(before: number, printed: number, limit: number, buys: boolean): number {
  return buys ? Math.min(limit, Math.max(before, printed)) : Math.max(limit, Math.min(before, printed));
}
