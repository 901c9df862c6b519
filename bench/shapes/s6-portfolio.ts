import { dayNumber, dayOfNumber } from '../../src/markets/day-number.ts';
import { settlementDay } from '../../src/markets/settlement.ts';
import type { BarColumns } from '../../src/model/bar.ts';
import { calendarDay, DAY_MS } from '../../src/model/time.ts';
import type { RunResult } from '../run-result.ts';
import { US_WALK, type Walk, walkBars, walkSecurity } from '../walk-bars.ts';
import { Account, cents } from './loop-parts.ts';
import type { Shape, ShapeMarket } from './shape.ts';

const SEED = 100;
const SYMBOLS = 10;
const LONG = 0.1;
const SHORT = -0.06;
const PERIOD = 20;
/** 1 % a year of 360 days on the value of borrowed shares. */
const BORROW = 0.01 / 360;

/** Daily bars around 100 dollars. */
const WALK: Walk = {
  ...US_WALK,
  ...{ period: '1d', firstDay: calendarDay('2000-01-03'), level: 10_000, least: 2_000, move: 100, reach: 60 },
};

export const s6Portfolio: Shape = {
  id: 's6-portfolio',
  work: 'Ten symbols by the day, a monthly rebalance long and short on margin, borrow fees',
  loopRatio: 0.15,
  config: 'charges: none',
  risk: { allowShort: 'true', useMargin: 'true' },
  // The calendar has these markets since 2000.
  barsMax: 62_000,
  hearsEveryBar: true,
  market: tenSymbols,
  loop: portfolioLoop,
};

function tenSymbols(bars: number): ShapeMarket {
  const securities = Array.from({ length: SYMBOLS }, (_, at) => walkSecurity(`WALK${at}`, SEED + at));
  const count = Math.floor(bars / SYMBOLS);
  return {
    securities,
    history: securities.map(({ symbol }, at) => walkBars(count, SEED + at, symbol, WALK)),
  };
}

interface Symbol {
  readonly bars: BarColumns;
  held: number;
  wanted: number;
  /** Shares sold short and settled, and shares still to settle. */
  borrowed: number;
  unsettled: { readonly day: number; readonly quantity: number }[];
}

/**
 * Once a month, at the next open, the better half by momentum is held long and the other half short; each midnight
 * the borrow fee is charged.
 */
function portfolioLoop(history: readonly BarColumns[]): RunResult {
  const symbols = history.map((bars): Symbol => ({ bars, held: 0, wanted: 0, borrowed: 0, unsettled: [] }));
  const [first] = history;
  if (first === undefined) throw new RangeError('A portfolio needs bars');
  const account = new Account(first.length);
  let month = -1;
  let yesterday = 0;
  for (let bar = 0; bar < first.length; bar += 1) {
    const at = first.time[bar] as number;
    const today = Math.floor(at / DAY_MS);
    if (bar > 0) borrowFees(symbols, account, [yesterday, today], bar);
    yesterday = today;
    for (const symbol of symbols) {
      if (symbol.wanted === 0) continue;
      const before = Math.max(0, -symbol.held);
      account.fill(at, symbol.bars.open[bar] as number, symbol.wanted);
      symbol.held += symbol.wanted;
      symbol.wanted = 0;
      const quantity = Math.max(0, -symbol.held) - before;
      if (quantity !== 0)
        symbol.unsettled.push({ day: dayNumber(settlementDay('US', dayOfNumber(today))), quantity });
    }
    let equity = account.cash;
    for (const { bars, held } of symbols) equity += held * (bars.close[bar] as number);
    account.mark(equity);
    const now = new Date(at).getUTCMonth();
    if (bar < PERIOD || now === month) continue;
    month = now;
    const ranked = symbols.toSorted((one, other) => momentum(other.bars, bar) - momentum(one.bars, bar));
    for (const [rank, symbol] of ranked.entries()) {
      const weight = rank < ranked.length / 2 ? LONG : SHORT;
      symbol.wanted = Math.trunc((equity * weight) / (symbol.bars.close[bar] as number)) - symbol.held;
    }
  }
  return account.result();
}

function momentum({ close }: BarColumns, bar: number): number {
  return (close[bar] as number) / (close[bar - PERIOD] as number) - 1;
}

/** Charges every day that ends between two bars for the shares borrowed then, at the last close. */
function borrowFees(
  symbols: readonly Symbol[],
  account: Account,
  days: readonly [number, number],
  bar: number,
): void {
  for (let day = days[0]; day < days[1]; day += 1)
    for (const symbol of symbols) {
      if (symbol.unsettled.length > 0) {
        for (const entry of symbol.unsettled) if (entry.day <= day) symbol.borrowed += entry.quantity;
        symbol.unsettled = symbol.unsettled.filter((entry) => entry.day > day);
      }
      if (symbol.borrowed > 0)
        account.cash -= cents(symbol.borrowed * (symbol.bars.close[bar - 1] as number) * BORROW);
    }
}
