import { type FillColumns, UNITS } from '../events/fill-columns.ts';
import type { RunRecord } from '../events/run-record.ts';
import { Decimal } from '../model/decimal.ts';
import type { Security } from '../model/security.ts';
import { type Millis, millis } from '../model/time.ts';
import { type Estimate, estimate, noEstimate } from './estimate.ts';
import type { CurrencyFigures, TradeFigures } from './trade-figures.ts';
import type { OpenTrade, RoundTrip, Trades } from './trades.ts';

/** One position from flat on: sums in units, as a run in columns keeps them. */
interface Running {
  openedAt: number;
  held: number;
  entered: number;
  entryValue: number;
  exitValue: number;
  fees: number;
  /** What the shares held cost, at average cost. */
  cost: number;
}

/** A round trip in units. */
interface Closed extends Running {
  readonly place: number;
  readonly closedAt: number;
}

/**
 * The same as figures of trades from fills one by one, of a run whose fills are columns: bought and sold again in one
 * currency, never short. Sums are exact to 2^53 units, beyond that to 16 digits.
 */
export function columnTrades({ securities, currency }: RunRecord, fills: FillColumns): TradeFigures {
  const running = new Map<number, Running>();
  const closed: Closed[] = [];
  const sums = { fees: 0, turnover: 0 };
  for (let row = 0; row < fills.length; row += 1) {
    const place = fills.security[row] as number;
    const quantity = fills.quantity[row] as number;
    const value = Math.round((fills.price[row] as number) * UNITS) * quantity;
    const fee = Math.round((fills.fee[row] as number) * UNITS);
    const time = fills.time[row] as number;
    sums.fees += fee;
    sums.turnover += value;
    let trade = running.get(place);
    if (fills.side[row] === 1) {
      trade ??= started(running, place, time);
      trade.held += quantity;
      trade.entered += quantity;
      trade.entryValue += value;
      trade.cost += value;
      trade.fees += fee;
      continue;
    }
    if (trade === undefined) throw new Error(`Fill ${row} sells what was never bought`);
    trade.exitValue += value;
    trade.fees += fee;
    trade.cost -= (trade.cost * quantity) / trade.held;
    trade.held -= quantity;
    if (trade.held > 0) continue;
    closed.push({ ...trade, place, closedAt: time });
    running.delete(place);
  }
  return figuresOf({ securities, currency, closed, running, ...sums });
}

function started(running: Map<number, Running>, place: number, openedAt: number): Running {
  const trade = { openedAt, held: 0, entered: 0, entryValue: 0, exitValue: 0, fees: 0, cost: 0 };
  running.set(place, trade);
  return trade;
}

interface Counted {
  readonly securities: readonly Security[];
  readonly currency: string;
  readonly closed: readonly Closed[];
  readonly running: ReadonlyMap<number, Running>;
  readonly fees: number;
  readonly turnover: number;
}

function figuresOf({ securities, currency, closed, running, fees, turnover }: Counted): TradeFigures {
  let [wins, won, lost, returns] = [0, 0, 0, 0];
  for (const trade of closed) {
    const profit = profitOf(trade);
    returns += profit / trade.entryValue;
    if (profit > 0) {
      wins += 1;
      won += profit;
    } else lost -= profit;
  }
  const count = closed.length;
  const money: CurrencyFigures = {
    currency,
    fees: amount(fees),
    turnover: amount(turnover),
    profit: amount(won - lost),
    averageProfit: count === 0 ? undefined : amount(won - lost).div(count),
    profitFactor: profitFactor(count, won, lost),
  };
  return {
    trades: new ColumnTrades(securities, currency, closed, running),
    closed: count,
    wins,
    averageReturn: count === 0 ? noEstimate('no closed trades') : estimate(returns / count),
    money: turnover === 0 ? [] : [money],
  };
}

function profitOf({ exitValue, entryValue, fees }: Running): number {
  return exitValue - entryValue - fees;
}

function profitFactor(count: number, won: number, lost: number): Estimate {
  if (count === 0) return noEstimate('no closed trades');
  return lost === 0 ? noEstimate('no losing trades') : estimate(won / lost);
}

function amount(units: number): Decimal {
  return new Decimal(units).div(UNITS);
}

/** Trades that are put into objects when somebody reads them. */
class ColumnTrades implements Trades {
  readonly #securities: readonly Security[];
  readonly #currency: string;
  readonly #closed: readonly Closed[];
  readonly #running: ReadonlyMap<number, Running>;
  #read: { readonly closed: readonly RoundTrip[]; readonly open: readonly OpenTrade[] } | undefined;

  constructor(
    securities: readonly Security[],
    currency: string,
    closed: readonly Closed[],
    running: ReadonlyMap<number, Running>,
  ) {
    this.#securities = securities;
    this.#currency = currency;
    this.#closed = closed;
    this.#running = running;
  }

  get closed(): readonly RoundTrip[] {
    return this.#all().closed;
  }

  get open(): readonly OpenTrade[] {
    return this.#all().open;
  }

  #all() {
    this.#read ??= {
      closed: this.#closed.map((trade) => this.#roundTrip(trade)),
      open: [...this.#running].map(([place, trade]) => this.#openTrade(place, trade)),
    };
    return this.#read;
  }

  #roundTrip(trade: Closed): RoundTrip {
    const { entered, entryValue, exitValue, fees, closedAt } = trade;
    const profit = profitOf(trade);
    return {
      ...this.#common(trade.place, trade),
      closedAt: millis(closedAt),
      quantity: new Decimal(entered),
      entryPrice: amount(entryValue).div(entered),
      exitPrice: amount(exitValue).div(entered),
      fees: amount(fees),
      profit: amount(profit),
      returnShare: profit / entryValue,
    };
  }

  #openTrade(place: number, { held, cost, fees, exitValue, entryValue, ...trade }: Running): OpenTrade {
    return {
      ...this.#common(place, trade),
      quantity: new Decimal(held),
      averageCost: amount(cost).div(held),
      fees: amount(fees),
      realized: amount(exitValue - (entryValue - cost)),
    };
  }

  #common(place: number, { openedAt }: Pick<Running, 'openedAt'>) {
    const security = this.#securities[place];
    if (security === undefined) throw new Error(`No security ${place} in this run`);
    return {
      symbol: security.symbol,
      currency: this.#currency,
      direction: 'long' as const,
      openedAt: openedAt as Millis,
    };
  }
}
