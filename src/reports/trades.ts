import type { BooksAdopted, CorporateActionBooked } from '../events/event.ts';
import { type Holding, portfolioOf } from '../events/portfolio.ts';
import type { OpeningHoldings } from '../events/run-record.ts';
import { Decimal, type Price, type Quantity, ZERO } from '../model/decimal.ts';
import type { BookedFill } from '../model/fill.ts';
import type { Currency } from '../model/money.ts';
import { contractSize } from '../model/option-symbol.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import { type Millis, millis } from '../model/time.ts';

/** A round trip in one symbol, from flat to flat, with any number of fills; money in the security's currency. */
export interface RoundTrip {
  readonly symbol: SecuritySymbol;
  readonly currency: Currency;
  readonly direction: 'long' | 'short';
  readonly openedAt: Millis;
  readonly closedAt: Millis;
  /** Total quantity of the entries. */
  readonly quantity: Quantity;
  /** Average price of entries and of exits. */
  readonly entryPrice: Price;
  readonly exitPrice: Price;
  readonly fees: Decimal;
  /** Proceeds less cost and fees. */
  readonly profit: Decimal;
  /** Profit as a share of the entry cost. */
  readonly returnShare: number;
}

/** A position at the end of a run; money in the security's currency. */
export interface OpenTrade {
  readonly symbol: SecuritySymbol;
  readonly currency: Currency;
  readonly direction: 'long' | 'short';
  readonly openedAt: Millis;
  /** Shares held, positive. */
  readonly quantity: Quantity;
  /** Average cost of the shares held; undefined if the cost of some is not known. */
  readonly averageCost: Price | undefined;
  readonly fees: Decimal;
  /** Profit of closed parts, at average cost, before fees; 0 if the cost is not known. */
  readonly realized: Decimal;
}

/** All fills of a run as trades: closed ones in the order in which they closed, then open ones. */
export interface Trades {
  readonly closed: readonly RoundTrip[];
  readonly open: readonly OpenTrade[];
  /** Closed positions without a known profit: their cost, or what closed them, is not known. */
  readonly uncounted: number;
  /** Sums of the closed trades of each symbol. */
  closedBySymbol(): ReadonlyMap<SecuritySymbol, ClosedSums>;
}

/** Closed trades of one symbol; money in its security's currency. */
export interface ClosedSums {
  readonly currency: Currency;
  readonly count: number;
  /** Profit before fees. */
  readonly realized: Decimal;
  readonly fees: Decimal;
}

interface Running {
  readonly first: Pick<BookedFill, 'symbol' | 'currency' | 'side' | 'time'>;
  /** False if some of the shares were adopted at an unknown cost. */
  readonly isCostKnown: boolean;
  readonly held: Decimal;
  readonly cost: Decimal;
  readonly entered: Decimal;
  readonly entryValue: Decimal;
  readonly left: Decimal;
  readonly exitValue: Decimal;
  readonly fees: Decimal;
  readonly realized: Decimal;
}

/**
 * Groups fills into round trips by average cost. A fill that reverses a position is split: the first part closes, the
 * rest opens, and its fee is divided by quantity. Dividends and splits change the open trade. A position held before
 * the first fill is an open trade, entered at its average cost.
 */
export function tradesOf(
  fills: readonly (BookedFill | CorporateActionBooked | BooksAdopted)[],
  opening?: OpeningHoldings,
): Trades {
  const running = new Map<SecuritySymbol, Running>(
    [...(opening?.holdings ?? [])].map(([symbol, holding]) => [
      symbol,
      adoptedPosition(symbol, holding, opening?.at ?? millis(0)),
    ]),
  );
  const closed: RoundTrip[] = [];
  let uncounted = 0;
  const close = (trade: Running, at: Millis): void => {
    if (trade.isCostKnown) closed.push(roundTrip(trade, at));
    else uncounted += 1;
  };
  for (const fill of fills) {
    if ('positions' in fill) {
      uncounted += adopt(running, fill);
      continue;
    }
    if ('action' in fill) {
      const held = running.get(fill.symbol);
      if (held === undefined) continue;
      const change = held.first.side === 'buy' ? fill.quantity : fill.quantity.neg();
      if (held.held.plus(change).isZero()) {
        // Nothing is left: delisted, or fewer shares than a reverse split requires for one.
        const price = fill.amount.abs().div(held.held);
        close(reducePosition(held, held.held, price, ZERO), fill.at);
        running.delete(fill.symbol);
      } else running.set(fill.symbol, inNewShares(held, fill));
      continue;
    }
    const before = running.get(fill.symbol);
    const closes = before !== undefined && before.first.side !== fill.side;
    const leaving = closes ? Decimal.min(fill.quantity, before.held) : ZERO;
    const entering = fill.quantity.minus(leaving);
    const leavingFee = entering.isZero() ? fill.fee : fill.fee.times(leaving).div(fill.quantity);
    let now = before;
    if (closes) {
      now = reducePosition(before, leaving, fill.price, leavingFee);
      if (now.held.isZero()) {
        close(now, fill.time);
        running.delete(fill.symbol);
        now = undefined;
      }
    }
    if (entering.gt(0)) now = enter(now, entering, fill, fill.fee.minus(leavingFee));
    if (now !== undefined) running.set(fill.symbol, now);
  }
  const open = [...running.values()].map(openTrade);
  return { closed, open, uncounted, closedBySymbol: () => closedSums(closed) };
}

function closedSums(closed: readonly RoundTrip[]): ReadonlyMap<SecuritySymbol, ClosedSums> {
  const sums = new Map<SecuritySymbol, ClosedSums>();
  for (const { symbol, currency, fees, profit } of closed) {
    const before = sums.get(symbol) ?? { currency, count: 0, realized: ZERO, fees: ZERO };
    sums.set(symbol, {
      currency,
      count: before.count + 1,
      realized: before.realized.plus(profit).plus(fees),
      fees: before.fees.plus(fees),
    });
  }
  return sums;
}

/** A position that none of these fills entered. */
function adoptedPosition(symbol: SecuritySymbol, holding: Holding, time: Millis): Running {
  const { currency, quantity, averageCost } = holding;
  const held = quantity.abs();
  const value = held.times(averageCost ?? ZERO).times(contractSize(symbol));
  return {
    ...NOTHING,
    first: { symbol, currency, side: quantity.isNegative() ? 'sell' : 'buy', time },
    isCostKnown: averageCost !== undefined,
    held,
    cost: value,
    entered: held,
    entryValue: value,
  };
}

/**
 * Positions that an operator adopted replace trades of other quantities; returns how many of those end without a
 * known exit.
 */
function adopt(running: Map<SecuritySymbol, Running>, { cash, positions, at }: BooksAdopted): number {
  const { holdings } = portfolioOf({ cash, positions });
  let ended = 0;
  for (const [symbol, { held, first }] of running) {
    const signed = first.side === 'buy' ? held : held.neg();
    if (holdings.get(symbol)?.quantity.eq(signed) === true) continue;
    ended += 1;
    running.delete(symbol);
  }
  for (const [symbol, holding] of holdings)
    if (!running.has(symbol)) running.set(symbol, adoptedPosition(symbol, holding, at));
  return ended;
}

/** Converts an open trade to new shares; cash paid is part of the trade's profit. */
function inNewShares(trade: Running, { quantity, amount }: CorporateActionBooked): Running {
  const change = trade.first.side === 'buy' ? quantity : quantity.neg();
  const scaled = (shares: Decimal): Decimal => shares.plus(shares.times(change).div(trade.held));
  return {
    ...trade,
    held: trade.held.plus(change),
    entered: scaled(trade.entered),
    left: scaled(trade.left),
    realized: trade.realized.plus(amount),
  };
}

function enter(before: Running | undefined, quantity: Decimal, fill: BookedFill, fee: Decimal): Running {
  const value = quantity.times(fill.price).times(contractSize(fill.symbol));
  const start = before ?? { ...NOTHING, first: fill };
  return {
    ...start,
    held: start.held.plus(quantity),
    cost: start.cost.plus(value),
    entered: start.entered.plus(quantity),
    entryValue: start.entryValue.plus(value),
    fees: start.fees.plus(fee),
  };
}

function reducePosition(before: Running, quantity: Decimal, price: Price, fee: Decimal): Running {
  const value = quantity.times(price).times(contractSize(before.first.symbol));
  const held = before.held.minus(quantity);
  const cost = held.isZero() ? before.cost : before.cost.times(quantity).div(before.held);
  const gained = value.minus(cost).times(before.first.side === 'buy' ? 1 : -1);
  return {
    ...before,
    held,
    cost: before.cost.minus(cost),
    left: before.left.plus(quantity),
    exitValue: before.exitValue.plus(value),
    fees: before.fees.plus(fee),
    realized: before.realized.plus(gained),
  };
}

const NOTHING = {
  isCostKnown: true,
  held: ZERO,
  cost: ZERO,
  entered: ZERO,
  entryValue: ZERO,
  left: ZERO,
  exitValue: ZERO,
  fees: ZERO,
  realized: ZERO,
};

function roundTrip(trade: Running, closedAt: Millis): RoundTrip {
  const profit = trade.realized.minus(trade.fees);
  return {
    symbol: trade.first.symbol,
    currency: trade.first.currency,
    direction: trade.first.side === 'buy' ? 'long' : 'short',
    openedAt: trade.first.time,
    closedAt,
    quantity: trade.entered,
    entryPrice: trade.entryValue.div(trade.entered),
    exitPrice: trade.exitValue.div(trade.left),
    fees: trade.fees,
    profit,
    returnShare: profit.div(trade.entryValue).toNumber(),
  };
}

function openTrade(trade: Running): OpenTrade {
  return {
    symbol: trade.first.symbol,
    currency: trade.first.currency,
    direction: trade.first.side === 'buy' ? 'long' : 'short',
    openedAt: trade.first.time,
    quantity: trade.held,
    averageCost: trade.isCostKnown ? trade.cost.div(trade.held) : undefined,
    fees: trade.fees,
    realized: trade.isCostKnown ? trade.realized : ZERO,
  };
}
