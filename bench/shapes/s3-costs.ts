import type { BarColumns } from '../../src/model/bar.ts';
import type { RunResult } from '../run-result.ts';
import { Account, Crosses, cents, dated, inForce } from './loop-parts.ts';
import type { Shape } from './shape.ts';
import { usMarket } from './us-market.ts';

/** Half of the spread, as a share of the price. */
const HALF_SPREAD = 0.0002;

export const s3Costs: Shape = {
  id: 's3-costs',
  work: 'Market orders on a cross of averages, with a spread and dated US charges',
  loopRatio: 0.2,
  config: 'charges: standard\nsimulation: { slippage: { spread: 4 bps } }',
  market: usMarket,
  loop: ([bars]) => costsLoop(bars as BarColumns),
};

/** The loop of s1 that pays half of the spread at every fill, and the charges in force that day. */
function costsLoop(bars: BarColumns): RunResult {
  const { time, open, close, length } = bars;
  const crosses = new Crosses(bars);
  const account = new Account(length);
  let held = 0;
  let wanted = 0;
  for (let bar = 0; bar < length; bar += 1) {
    if (wanted !== 0) {
      const at = time[bar] as number;
      const price = slipped(open[bar] as number, wanted > 0);
      account.fill(at, price, wanted);
      account.cash -= chargesOf(wanted, price, at);
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

/** Half of the spread away from the tick, rounded to the cent that is worse for the order. */
function slipped(price: number, buys: boolean): number {
  return buys
    ? Math.ceil(price * (1 + HALF_SPREAD) * 100 - 1e-6) / 100
    : Math.floor(price * (1 - HALF_SPREAD) * 100 + 1e-6) / 100;
}

/**
 * Charges that change during the years of the bars: the SEC fee on sales, and FINRA's activity fee per share with its
 * maximum.
 */
const SEC_FEES = dated({
  '2022-05-14': 0.0000229,
  '2021-02-25': 0.0000051,
  '2020-02-18': 0.0000221,
  '2019-04-16': 0.0000207,
  '2018-05-22': 0.000013,
  '2017-07-04': 0.0000231,
  '2016-02-16': 0.0000218,
  '2015-02-14': 0.0000184,
  '2014-03-18': 0.0000221,
  '2013-05-25': 0.0000174,
  '2012-04-01': 0.0000224,
});
const ACTIVITY_FEES = dated({ '2023-01-01': 0.000145, '2022-01-01': 0.00013, '2012-07-01': 0.000119 });
const ACTIVITY_MAXIMA = dated({ '2023-01-01': 7.27, '2022-01-01': 6.49, '2012-07-01': 5.95 });

/** All charges of one order in a New York share, as docs/charges.md lists them. */
function chargesOf(quantity: number, price: number, at: number): number {
  const shares = Math.abs(quantity);
  const notional = shares * price;
  const platform = cents(Math.max(1, Math.min(shares * 0.005, notional * 0.01)));
  const settlement = cents(shares * 0.003);
  if (quantity > 0) return platform + settlement;
  const sec = cents(Math.max(0.01, notional * inForce(SEC_FEES, at)));
  const activity = Math.min(inForce(ACTIVITY_MAXIMA, at), shares * inForce(ACTIVITY_FEES, at));
  return platform + settlement + sec + cents(Math.max(0.01, activity));
}
