import { doubleOfDecimal } from '../model/amount.ts';
import { type Decimal, type Quantity, ZERO } from '../model/decimal.ts';
import type { Fill } from '../model/fill.ts';
import type { Currency } from '../model/money.ts';
import { contractSize } from '../model/option-symbol.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import type { RunStarted } from './event.ts';

/** A position: signed quantity and average cost per share, in the security's currency. */
export interface Holding {
  readonly currency: Currency;
  readonly quantity: Quantity;
  /** Undefined while it includes shares whose cost the venue did not state. */
  readonly averageCost: Decimal | undefined;
}

/** Our cash and positions, computed from fills. The venue's figures have priority in reconciliation. */
export interface Portfolio {
  readonly cash: ReadonlyMap<Currency, Decimal>;
  readonly holdings: ReadonlyMap<SecuritySymbol, Holding>;
}

export const EMPTY_PORTFOLIO: Portfolio = { cash: new Map(), holdings: new Map() };

/** Returns the venue's portfolio, at a first start or when an operator adopts its books. */
export function portfolioOf(event: Pick<RunStarted, 'cash' | 'positions'>): Portfolio {
  const holdings = event.positions
    .filter((position) => !position.quantity.isZero())
    .map((position) => {
      const { symbol, currency, quantity, averageCost } = position;
      return [symbol, { currency, quantity, averageCost: knownCost(averageCost) }] as const;
    });
  return { cash: new Map(Object.entries(event.cash)), holdings: new Map(holdings) };
}

const flatHolding = (currency: Currency): Holding => ({ currency, quantity: ZERO, averageCost: undefined });

/** Returns an average cost, or undefined for 0, which venues and earlier journals write if it is unknown. */
function knownCost(cost: Decimal | undefined): Decimal | undefined {
  return cost?.gt(0) === true ? cost : undefined;
}

/**
 * Books a fill: cash changes by price x quantity (x 100 for a US option) and fee. Average cost is averaged while a
 * position grows and unchanged while it shrinks; a reversal starts at the fill's price. An unknown cost remains
 * unknown until the position is flat or reversed.
 */
export function bookFill(
  portfolio: Portfolio,
  fill: Pick<Fill, 'symbol' | 'side' | 'quantity' | 'price' | 'currency' | 'fee'>,
): Portfolio {
  const signed = fill.side === 'buy' ? fill.quantity : fill.quantity.neg();
  const spent = signed.times(fill.price).times(contractSize(fill.symbol)).plus(fill.fee);
  const cash = new Map(portfolio.cash);
  cash.set(fill.currency, (cash.get(fill.currency) ?? ZERO).minus(spent));
  const holdings = new Map(portfolio.holdings);
  const held = holdings.get(fill.symbol) ?? flatHolding(fill.currency);
  const quantity = held.quantity.plus(signed);
  if (quantity.isZero()) holdings.delete(fill.symbol);
  else
    holdings.set(fill.symbol, {
      currency: fill.currency,
      quantity,
      averageCost: costAfter(held, signed, fill.price),
    });
  return { cash, holdings };
}

/** Books a charge without a fill. */
export function bookCharge(portfolio: Portfolio, currency: Currency, fee: Decimal): Portfolio {
  const cash = new Map(portfolio.cash);
  cash.set(currency, (cash.get(currency) ?? ZERO).minus(fee));
  return { cash, holdings: portfolio.holdings };
}

/** Effect of a corporate action on cash and position. */
interface ActionEffect {
  readonly symbol: SecuritySymbol;
  readonly currency: Currency;
  readonly quantity: Quantity;
  readonly averageCost?: Decimal;
  readonly amount: Decimal;
}

/** Books a corporate action. An unknown cost remains unknown; journals of earlier versions averaged it as 0. */
export function bookCorporateAction(portfolio: Portfolio, action: ActionEffect): Portfolio {
  const { symbol, currency, amount } = action;
  const held = portfolio.holdings.get(symbol);
  const isCostKnown = held === undefined || knownCost(held.averageCost) !== undefined;
  const averageCost = isCostKnown ? knownCost(action.averageCost) : undefined;
  const cash = new Map(portfolio.cash);
  cash.set(currency, (cash.get(currency) ?? ZERO).plus(amount));
  const holdings = new Map(portfolio.holdings);
  const quantity = (held?.quantity ?? ZERO).plus(action.quantity);
  if (quantity.isZero()) holdings.delete(symbol);
  else holdings.set(symbol, { currency, quantity, averageCost });
  return { cash, holdings };
}

function costAfter(held: Holding, signed: Decimal, price: Decimal): Decimal | undefined {
  const quantity = held.quantity.plus(signed);
  if (held.quantity.isZero() || held.quantity.isNegative() !== quantity.isNegative()) return price;
  const grows = held.quantity.isNegative() === signed.isNegative();
  const cost = knownCost(held.averageCost);
  if (!grows || cost === undefined) return cost;
  return held.quantity.times(cost).plus(signed.times(price)).div(quantity);
}

/** Exchange rates into the account's currency, whose own rate is 1. */
export type Rates = ReadonlyMap<Currency, Decimal>;

/** Inputs of a valuation: newest price by symbol and exchange rate by currency, as float64 estimates. */
export interface Marks {
  price(symbol: SecuritySymbol): number;
  rate(currency: Currency): number;
}

/** Equity, and the share of it that is in the market. */
export interface Valuation {
  readonly equity: number;
  readonly exposure: number;
}

/** A portfolio in float64, converted once for repeated valuations. */
export interface EstimatedPortfolio {
  /** All cash, in the account's currency. */
  readonly cash: number;
  readonly holdings: readonly {
    readonly symbol: SecuritySymbol;
    readonly quantity: number;
    readonly rate: number;
  }[];
}

/** Converts a portfolio to float64 estimates in its own order, so that sums repeat exactly. */
export function estimated(portfolio: Portfolio, rate: Marks['rate']): EstimatedPortfolio {
  let cash = 0;
  for (const [currency, amount] of portfolio.cash) cash += doubleOfDecimal(amount) * rate(currency);
  const holdings: EstimatedPortfolio['holdings'][number][] = [];
  for (const [symbol, holding] of portfolio.holdings) {
    // One option contract counts as its number of shares.
    const quantity = doubleOfDecimal(holding.quantity) * contractSize(symbol);
    holdings.push({ symbol, quantity, rate: rate(holding.currency) });
  }
  return { cash, holdings };
}

/** Returns the value of cash and positions in the account's currency. */
export function valueAt({ cash, holdings }: EstimatedPortfolio, price: Marks['price']): Valuation {
  let equity = cash;
  let gross = 0;
  for (const { symbol, quantity, rate } of holdings) {
    const value = quantity * price(symbol) * rate;
    equity += value;
    gross += Math.abs(value);
  }
  return { equity, exposure: equity > 0 ? gross / equity : 0 };
}
