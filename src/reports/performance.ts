import { curveOf } from '../events/curve/curve-figures.ts';
import type { Drawdown } from '../events/curve/drawdown-tracker.ts';
import type { BooksAdopted, CorporateActionBooked } from '../events/event.ts';
import type { RunRecord } from '../events/run-record.ts';
import { type Decimal, ZERO } from '../model/decimal.ts';
import type { BookedFill } from '../model/fill.ts';
import { contractSize } from '../model/option-symbol.ts';
import { DAY_MS } from '../model/time.ts';
import { columnTrades } from './column-trades.ts';
import { type ReturnFigures, returnFigures } from './daily-returns.ts';
import { type Estimate, estimate, noEstimate } from './estimate.ts';
import { meanOf } from './mean.ts';
import type { CurrencyFigures, TradeFigures } from './trade-figures.ts';
import { type RoundTrip, type Trades, tradesOf } from './trades.ts';

/** Shortest run, in days, whose growth is annualised. */
const LEAST_DAYS_FOR_CAGR = 90;
const DAYS_IN_YEAR = 365.25;

export const CAGR_DEFINITION =
  'CAGR: the yearly growth that leads from the first equity to the last, 365.25 days a year';
export const DRAWDOWN_DEFINITION =
  'Max drawdown: the deepest fall of equity from its running peak, as a share of the peak, at closes';
export const CALMAR_DEFINITION = 'Calmar: CAGR over max drawdown';
export const EXPOSURE_DEFINITION =
  'Exposure: the mean over all closes of what is held, long and short, as a share of equity';
export const WON_DEFINITION =
  'Win rate: the share of closed trades whose profit is above zero; average trade: the mean of profit over what the entry cost';
export const TRADE_DEFINITION = 'A trade goes from flat to flat at average cost; its profit is after fees';

/** All figures of a report on one finished run. Shares are fractions (0.1 is 10 %). */
export interface Performance extends ReturnFigures {
  readonly initialEquity: number;
  readonly finalEquity: number;
  readonly totalReturn: Estimate;
  /** Compound annual growth rate. */
  readonly cagr: Estimate;
  readonly maxDrawdown: Drawdown;
  /** Compound annual growth rate over the deepest drawdown. */
  readonly calmar: Estimate;
  /** Mean share of equity in the market over all closes. */
  readonly exposure: Estimate;
  readonly trades: Trades;
  /** Number of closed trades, available without reading the trades. */
  readonly closedTrades: number;
  /** Closed trades with a profit after fees. */
  readonly wins: number;
  readonly winShare: Estimate;
  readonly averageReturn: Estimate;
  /** By currency, sorted; empty if nothing was filled. */
  readonly money: readonly CurrencyFigures[];
}

/** Computes the figures of a run. Statistics are float64; money of trades is Decimal. */
export function performanceOf(record: RunRecord): Performance {
  const { initialEquity } = record;
  const curve = curveOf(record);
  const finalEquity = curve.final;
  const { from, to } = record;
  const cagr = growthOf({ from, to, initial: initialEquity, final: finalEquity });
  const { trades, closed, wins, averageReturn, money } =
    record.fillColumns === undefined || (record.bookedActions?.length ?? 0) > 0
      ? tradeFigures(record)
      : columnTrades(record, record.fillColumns);
  return {
    initialEquity,
    finalEquity,
    totalReturn:
      initialEquity > 0 ? estimate(finalEquity / initialEquity - 1) : noEstimate('no equity at the start'),
    cagr,
    maxDrawdown: curve.drawdown,
    calmar: calmarOf(cagr, curve.drawdown.share),
    ...returnFigures(initialEquity, curve.daily),
    exposure: curve.closes === 0 ? noEstimate('no closes') : estimate(curve.exposure),
    trades,
    closedTrades: closed,
    wins,
    winShare: closed > 0 ? estimate(wins / closed) : noEstimate('no closed trades'),
    averageReturn,
    money,
  };
}

function tradeFigures(record: RunRecord): TradeFigures {
  const trades = tradesIn(record);
  const { closed } = trades;
  return {
    trades,
    closed: closed.length,
    wins: closed.filter((trade) => trade.profit.gt(0)).length,
    averageReturn: meanOf(
      closed.map((trade) => trade.returnShare),
      'no closed trades',
    ),
    money: moneyFigures(record.fills, closed),
  };
}

/** Returns the trades of a run, including those in positions held at its start. */
export function tradesIn(record: RunRecord): Trades {
  if (record.decisions === undefined) return tradesOf(bookedIn(record), record.opening);
  const booked = record.decisions.flatMap(
    (each): readonly (BookedFill | CorporateActionBooked | BooksAdopted)[] => {
      switch (each.kind) {
        case 'corporate-action':
        case 'books-adopted':
          return [each];
        case 'order-filled':
        case 'foreign-filled':
          return [each.fill];
        default:
          return [];
      }
    },
  );
  return tradesOf(booked, record.opening);
}

/** Returns the fills, dividends and splits of a run in the order of booking. */
export function bookedIn(record: RunRecord): readonly (BookedFill | CorporateActionBooked)[] {
  if (record.decisions === undefined) return withActions(record);
  return record.decisions.flatMap((decision): readonly (BookedFill | CorporateActionBooked)[] => {
    if (decision.kind === 'corporate-action') return [decision];
    return decision.kind === 'order-filled' || decision.kind === 'foreign-filled' ? [decision.fill] : [];
  });
}

function withActions({
  fills,
  bookedActions = [],
}: RunRecord): readonly (BookedFill | CorporateActionBooked)[] {
  let next = 0;
  const before = bookedActions.flatMap(({ fills: end, booked }) => {
    const from = next;
    next = end;
    return [...fills.slice(from, end), booked];
  });
  return bookedActions.length === 0 ? fills : [...before, ...fills.slice(next)];
}

/** Compound annual growth between two times; undefined for short periods, and if nothing is left. */
export function growthOf({
  from,
  to,
  initial,
  final,
}: {
  readonly from: number;
  readonly to: number;
  readonly initial: number;
  readonly final: number;
}): Estimate {
  const days = (to - from) / DAY_MS;
  if (days < LEAST_DAYS_FOR_CAGR) return noEstimate(`too short a run (under ${LEAST_DAYS_FOR_CAGR} days)`);
  if (initial <= 0 || final <= 0) return noEstimate('no equity left to compare');
  return estimate((final / initial) ** (DAYS_IN_YEAR / days) - 1);
}

/** CAGR divided by the deepest drawdown. */
export function calmarOf(cagr: Estimate, drawdown: number): Estimate {
  if (cagr.kind === 'undefined') return cagr;
  return drawdown > 0 ? estimate(cagr.value / drawdown) : noEstimate('equity never fell');
}

function moneyFigures(
  fills: readonly BookedFill[],
  closed: readonly RoundTrip[],
): readonly CurrencyFigures[] {
  const currencies = [...new Set(fills.map((fill) => fill.currency))].sort();
  return currencies.map((currency) => {
    const own = fills.filter((fill) => fill.currency === currency);
    const profits = closed.filter((trade) => trade.currency === currency).map((trade) => trade.profit);
    const profit = total(profits);
    return {
      currency,
      fees: total(own.map((fill) => fill.fee)),
      turnover: total(
        own.map(({ price, quantity, symbol }) => price.times(quantity).times(contractSize(symbol))),
      ),
      profit,
      averageProfit: profits.length === 0 ? undefined : profit.div(profits.length),
      profitFactor: profitFactor(profits),
    };
  });
}

function profitFactor(profits: readonly Decimal[]): Estimate {
  if (profits.length === 0) return noEstimate('no closed trades');
  const lost = total(profits.filter((profit) => profit.lt(0)));
  if (lost.isZero()) return noEstimate('no losing trades');
  return estimate(
    total(profits.filter((profit) => profit.gt(0)))
      .div(lost.neg())
      .toNumber(),
  );
}

function total(amounts: readonly Decimal[]): Decimal {
  return amounts.reduce((sum, amount) => sum.plus(amount), ZERO);
}
