import { type FillColumns, UNITS } from '../events/fill-columns.ts';
import type { RunRecord } from '../events/run-record.ts';
import { Decimal } from '../model/decimal.ts';
import type { Security } from '../model/security.ts';
import { type Millis, millis } from '../model/time.ts';
import { ClosedColumns, Running } from './closed-columns.ts';
import { type Estimate, estimate, noEstimate } from './estimate.ts';
import { meanOf } from './mean.ts';
import type { CurrencyFigures, TradeFigures } from './trade-figures.ts';
import type { OpenTrade, RoundTrip, Trades } from './trades.ts';

/**
 * The same as figures of trades from fills one by one, of a run whose fills are columns: bought and sold again in one
 * currency, never short. Sums are exact to 2^53 units, beyond that to 16 digits.
 */
export function columnTrades({ securities, currency }: RunRecord, fills: FillColumns): TradeFigures {
  const running = securities.map(() => new Running());
  const closed = new ClosedColumns(fills.length >> 1);
  const { security, side, time, price, quantity, fee } = fills;
  const sums = { fees: 0, turnover: 0 };
  for (let row = 0; row < fills.length; row += 1) {
    const place = security[row] as number;
    const shares = quantity[row] as number;
    const value = Math.round((price[row] as number) * UNITS) * shares;
    const charged = Math.round((fee[row] as number) * UNITS);
    const trade = running[place] as Running;
    sums.fees += charged;
    sums.turnover += value;
    if (side[row] === 1) {
      if (trade.held === 0) trade.begin(row, time[row] as number);
      trade.enter(shares, value, charged);
      continue;
    }
    if (!(trade.held > 0)) throw new Error(`Fill ${row} sells what was never bought`);
    trade.leave(shares, value, charged);
    if (!(trade.held > 0)) closed.add(place, time[row] as number, trade);
  }
  return figuresOf({ securities, currency, closed, running, ...sums });
}

interface Counted {
  readonly securities: readonly Security[];
  readonly currency: string;
  readonly closed: ClosedColumns;
  readonly running: readonly Running[];
  readonly fees: number;
  readonly turnover: number;
}

function figuresOf({ securities, currency, closed, running, fees, turnover }: Counted): TradeFigures {
  let [wins, won, lost] = [0, 0, 0];
  const { length: count, profit: profits, entryValue } = closed;
  const returns = new Float64Array(count);
  for (let row = 0; row < count; row += 1) {
    const profit = profits[row] as number;
    returns[row] = profit / (entryValue[row] as number);
    if (profit > 0) {
      wins += 1;
      won += profit;
    } else lost -= profit;
  }
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
    averageReturn: meanOf(returns, 'no closed trades'),
    money: turnover === 0 ? [] : [money],
  };
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
  readonly #closed: ClosedColumns;
  readonly #running: readonly Running[];
  #read: readonly RoundTrip[] | undefined;

  constructor(
    securities: readonly Security[],
    currency: string,
    closed: ClosedColumns,
    running: readonly Running[],
  ) {
    this.#securities = securities;
    this.#currency = currency;
    this.#closed = closed;
    this.#running = running;
  }

  get closed(): readonly RoundTrip[] {
    this.#read ??= Array.from({ length: this.#closed.length }, (_, row) => this.#roundTrip(row));
    return this.#read;
  }

  get open(): readonly OpenTrade[] {
    return [...this.#running.entries()]
      .filter(([, { held }]) => held > 0)
      .sort(([, one], [, other]) => one.row - other.row)
      .map(([place, trade]) => this.#openTrade(place, trade));
  }

  #roundTrip(row: number): RoundTrip {
    const { place, openedAt, closedAt, entered, entryValue, exitValue, fees, profit } = this.#closed;
    const figure = (column: Float64Array): number => column[row] as number;
    const shares = figure(entered);
    return {
      ...this.#common(place[row] as number, figure(openedAt)),
      closedAt: millis(figure(closedAt)),
      quantity: new Decimal(shares),
      entryPrice: amount(figure(entryValue)).div(shares),
      exitPrice: amount(figure(exitValue)).div(shares),
      fees: amount(figure(fees)),
      profit: amount(figure(profit)),
      returnShare: figure(profit) / figure(entryValue),
    };
  }

  #openTrade(place: number, trade: Running): OpenTrade {
    const { held, cost, fees, exitValue, entryValue, openedAt } = trade;
    return {
      ...this.#common(place, openedAt),
      quantity: new Decimal(held),
      averageCost: amount(cost).div(held),
      fees: amount(fees),
      realized: amount(exitValue - (entryValue - cost)),
    };
  }

  #common(place: number, openedAt: number) {
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
