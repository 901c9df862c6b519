import type { BarColumns } from '../../src/model/bar.ts';
import { securitySymbol } from '../../src/model/symbol.ts';
import { calendarDay, MINUTE_MS } from '../../src/model/time.ts';
import type { RunResult } from '../run-result.ts';
import { type Walk, walkBars, walkSecurity } from '../walk-bars.ts';
import { Account, Crosses, cents, dated, inForce } from './loop-parts.ts';
import type { Shape, ShapeMarket } from './shape.ts';

const SEED = 42;
const PARTS = 5;
/** Shares per part: four lots. */
const PART = 400;
const LOT = 100;

/** A share around 150 dollars, where the price step is ten cents. */
const WALK: Walk = {
  ...{ market: 'HK', period: '1m', firstDay: calendarDay('2012-03-05'), perUnit: 10 },
  ...{ level: 1_500, least: 1_010, most: 1_990, move: 1, reach: 3 },
};

export const s7HongKong: Shape = {
  id: 's7-hong-kong',
  work: 'Hong Kong minutes with lots, dated charges, a lunch break and TWAP entries',
  loopRatio: 0.1,
  config: 'charges: standard',
  market: hongKongMarket,
  loop: ([bars]) => twapLoop(bars as BarColumns),
};

function hongKongMarket(count: number): ShapeMarket {
  const symbol = securitySymbol('9999.HK');
  const security = {
    ...walkSecurity('WALK', SEED),
    ...{ symbol, board: 'HKEquity', currency: 'HKD' as const, lotSize: LOT },
  };
  return { securities: [security], history: [walkBars(count, SEED, symbol, WALK)] };
}

/**
 * Buys a part at the close of a cross up and in each of the next four minutes; sells everything at the open after a
 * cross down.
 */
function twapLoop(bars: BarColumns): RunResult {
  const { time, open, close, length } = bars;
  const crosses = new Crosses(bars);
  const account = new Account(length);
  let held = 0;
  let sells = false;
  let parts = 0;
  let due = 0;
  for (let bar = 0; bar < length; bar += 1) {
    const at = time[bar] as number;
    const price = open[bar] as number;
    // Parts that are due in the lunch break wait for its end together.
    for (; parts > 0 && due <= at; due += MINUTE_MS) {
      account.fill(at, price, PART);
      account.cash -= chargesOf(PART * price, at);
      held += PART;
      parts -= 1;
    }
    if (sells) {
      account.fill(at, price, -held);
      account.cash -= chargesOf(held * price, at);
      held = 0;
      sells = false;
    }
    account.mark(account.cash + held * (close[bar] as number));
    const cross = crosses.at(bar);
    if (cross > 0 && held === 0 && parts === 0) {
      parts = PARTS;
      due = at + MINUTE_MS;
    } else if (cross < 0) sells = held === PARTS * PART;
  }
  return account.result();
}

/** Rates as shares of the traded amount, as in docs/charges.md. */
const STAMP = dated({ '2023-11-17': 0.001, '2021-08-01': 0.0013, '2000-01-01': 0.001 });
const TRADING = dated({ '2023-01-01': 0.0000565, '2000-01-01': 0.00005 });
const SFC = dated({ '2014-11-01': 0.000027, '2010-10-01': 0.00003 });
const AFRC = dated({ '2022-01-01': 0.0000015 });
const SETTLEMENT = 0.00002;
const PLATFORM = 15;

/** All charges of one order in a Hong Kong share. */
function chargesOf(notional: number, at: number): number {
  return (
    PLATFORM +
    Math.ceil(notional * inForce(STAMP, at) - 1e-7) +
    Math.max(0.01, cents(notional * inForce(TRADING, at))) +
    cents(notional * inForce(SFC, at)) +
    cents(notional * inForce(AFRC, at)) +
    Math.min(100, Math.max(2, cents(notional * SETTLEMENT)))
  );
}
