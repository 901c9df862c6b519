import { type FillColumns, UNITS } from '../events/curve/fill-columns.ts';
import { RunningMean } from '../events/curve/running-mean.ts';
import type { RunRecord } from '../events/run-record.ts';
import { Decimal } from '../model/decimal.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import { type Millis, millis } from '../model/time.ts';
import { wholeSeconds } from '../model/whole-seconds.ts';
import { type Estimate, estimate, noEstimate } from './estimate.ts';
import { Running } from './running.ts';
import type { CurrencyFigures, TradeFigures } from './trade-figures.ts';
import type { ClosedSums, OpenTrade, RoundTrip, Trades } from './trades.ts';

/**
 * Computes trade figures from fills in columns, for a run in one currency. Sums are exact to 2^53 units, beyond that
 * to 16 digits.
 */
export function columnTrades(record: RunRecord, fills: FillColumns): TradeFigures {
  const { currency } = record;
  const made = new Made();
  const { running, fees, turnover } = followFills(record, fills, (trade) => made.add(trade));
  const { count, wins, won, lost } = made;
  const money: CurrencyFigures = {
    currency,
    fees: amount(fees),
    turnover: amount(turnover),
    profit: amount(won - lost),
    averageProfit: count === 0 ? undefined : amount(won - lost).div(count),
    profitFactor: profitFactor(count, won, lost),
  };
  return {
    trades: new ColumnTrades(record, fills, running),
    closed: count,
    wins,
    averageReturn: made.averageReturn(),
    money: turnover === 0 ? [] : [money],
  };
}

/** Results of closed trades, in units. */
class Made {
  count = 0;
  wins = 0;
  won = 0;
  lost = 0;
  readonly #returns = new RunningMean();
  /** Returns that are not in the mean yet. */
  readonly #latest = new Float64Array(AT_ONCE);
  #waiting = 0;

  add(trade: Running): void {
    const { profit } = trade;
    this.count += 1;
    this.#latest[this.#waiting] = profit / trade.entryValue;
    this.#waiting += 1;
    if (this.#waiting === AT_ONCE) this.#average();
    if (profit > 0) {
      this.wins += 1;
      this.won += profit;
    } else this.lost -= profit;
  }

  averageReturn(): Estimate {
    if (this.count === 0) return noEstimate('no closed trades');
    this.#average();
    return estimate(this.#returns.mean());
  }

  #average(): void {
    this.#returns.add(this.#latest, this.#waiting);
    this.#waiting = 0;
  }
}

/** Number of returns that are averaged in one call. */
const AT_ONCE = 1_024;

interface Followed {
  /** Each security's last trade, open or not. */
  readonly running: readonly Running[];
  /** Sums over all fills, in units. */
  readonly fees: number;
  readonly turnover: number;
}

/**
 * Processes fills in order and reports each trade at the fill that closes it. A fill that reverses a position closes
 * one trade and opens another.
 */
function followFills(
  { securities }: Pick<RunRecord, 'securities'>,
  fills: FillColumns,
  closes: (trade: Running, place: number, at: number) => void,
): Followed {
  const running = securities.map(() => new Running());
  const { security, at, price, quantity, fee } = fills;
  const sums = { fees: 0, turnover: 0 };
  for (let row = 0; row < fills.length; row += 1) {
    const place = security[row] as number;
    const sign = (quantity[row] as number) > 0 ? 1 : -1;
    const shares = Math.abs(quantity[row] as number);
    const each = Math.round((price[row] as number) * UNITS);
    const charged = fee[row] as number;
    const trade = running[place] as Running;
    sums.fees += charged;
    sums.turnover += each * shares;
    const leaving = trade.held > 0 && trade.sign !== sign ? Math.min(shares, trade.held) : 0;
    const entering = shares - leaving;
    const leavingFee = entering > 0 ? (charged * leaving) / shares : charged;
    if (leaving > 0) {
      trade.leave(leaving, each * leaving, leavingFee);
      if (!(trade.held > 0)) closes(trade, place, at[row] as number);
    }
    if (entering > 0) {
      if (trade.held === 0) trade.begin(row, at[row] as number, sign);
      trade.enter(entering, each * entering, charged - leavingFee);
    }
  }
  return { running, ...sums };
}

function profitFactor(count: number, won: number, lost: number): Estimate {
  if (count === 0) return noEstimate('no closed trades');
  return lost === 0 ? noEstimate('no losing trades') : estimate(won / lost);
}

function amount(units: number): Decimal {
  return new Decimal(units).div(UNITS);
}

/** Trades that are created on first access, by a second pass over the fills. */
class ColumnTrades implements Trades {
  /** A run with columns starts flat, so every cost is known. */
  readonly uncounted = 0;
  readonly #record: Pick<RunRecord, 'securities' | 'currency'>;
  readonly #fills: FillColumns;
  readonly #running: readonly Running[];
  #read: readonly RoundTrip[] | undefined;

  constructor(
    { securities, currency }: Pick<RunRecord, 'securities' | 'currency'>,
    fills: FillColumns,
    running: readonly Running[],
  ) {
    this.#record = { securities, currency };
    this.#fills = fills;
    this.#running = running;
  }

  get closed(): readonly RoundTrip[] {
    this.#read ??= this.#roundTrips();
    return this.#read;
  }

  get open(): readonly OpenTrade[] {
    return [...this.#running.entries()]
      .filter(([, { held }]) => held > 0)
      .sort(([, one], [, other]) => one.row - other.row)
      .map(([place, trade]) => this.#openTrade(place, trade));
  }

  closedBySymbol(): ReadonlyMap<SecuritySymbol, ClosedSums> {
    const { securities, currency } = this.#record;
    const sums = securities.map(() => ({ count: 0, profit: 0, fees: 0 }));
    followFills(this.#record, this.#fills, ({ profit, fees }, place) => {
      const sum = sums[place];
      if (sum === undefined) return;
      sum.count += 1;
      sum.profit += profit;
      sum.fees += fees;
    });
    return new Map(
      sums.flatMap(({ count, profit, fees }, place) => {
        const symbol = securities[place]?.symbol;
        if (symbol === undefined || count === 0) return [];
        return [[symbol, { currency, count, realized: amount(profit + fees), fees: amount(fees) }] as const];
      }),
    );
  }

  #roundTrips(): readonly RoundTrip[] {
    const trips: RoundTrip[] = [];
    followFills(this.#record, this.#fills, (trade, place, at) =>
      trips.push(this.#roundTrip(trade, place, at)),
    );
    return trips;
  }

  #roundTrip(trade: Running, place: number, at: number): RoundTrip {
    const { entered, entryValue, exitValue, fees, profit } = trade;
    return {
      ...this.#common(place, trade),
      closedAt: wholeSeconds(millis(at)),
      quantity: new Decimal(entered),
      entryPrice: amount(entryValue).div(entered),
      exitPrice: amount(exitValue).div(entered),
      fees: amount(fees),
      profit: amount(profit),
      returnShare: profit / entryValue,
    };
  }

  #openTrade(place: number, trade: Running): OpenTrade {
    const { held, cost, fees, exitValue, entryValue, sign } = trade;
    return {
      ...this.#common(place, trade),
      quantity: new Decimal(held),
      averageCost: amount(cost).div(held),
      fees: amount(fees),
      realized: amount(sign * (exitValue - (entryValue - cost))),
    };
  }

  #common(place: number, { openedAt, sign }: Running) {
    const security = this.#record.securities[place];
    if (security === undefined) throw new Error(`No security ${place} in this run`);
    return {
      symbol: security.symbol,
      currency: this.#record.currency,
      direction: sign > 0 ? ('long' as const) : ('short' as const),
      openedAt: wholeSeconds(openedAt as Millis),
    };
  }
}
