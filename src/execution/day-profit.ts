import { dayOf, midnightOf } from '../markets/sessions.ts';
import { type Decimal, type Price, ZERO } from '../model/decimal.ts';
import type { Fill } from '../model/fill.ts';
import type { Security } from '../model/security.ts';
import { marketOf, type SecuritySymbol } from '../model/symbol.ts';
import type { Millis } from '../model/time.ts';
import type { FactSources } from './gather-facts.ts';

/** When the exchange's day of a symbol began that an instant lies in. */
export function dayStart(symbol: SecuritySymbol, now: Millis): Millis {
  const market = marketOf(symbol);
  return midnightOf(market, dayOf(market, now));
}

/**
 * What the bot's symbols made since their exchanges' day began, in the account's currency, fees taken off: each position
 * from the close of the day before to its quote, each of today's fills from its price to the quote. Undefined when a price
 * or a rate is missing.
 */
export function dayProfit(sources: FactSources): Decimal | undefined {
  const { state } = sources;
  const today = todaysFills(sources);
  let profit = ZERO;
  for (const symbol of new Set([...state.portfolio.holdings.keys(), ...today.keys()])) {
    const security = sources.security(symbol);
    if (security === undefined) continue;
    const made = symbolProfit(security, today.get(symbol) ?? [], sources);
    if (made === undefined) return undefined;
    profit = profit.plus(made);
  }
  return profit;
}

function todaysFills(sources: FactSources): ReadonlyMap<SecuritySymbol, readonly Fill[]> {
  const now = sources.now();
  const today = new Map<SecuritySymbol, Fill[]>();
  for (const { fill } of sources.state.gate.fills) {
    if (fill.time < dayStart(fill.symbol, now)) continue;
    const known = today.get(fill.symbol);
    if (known === undefined) today.set(fill.symbol, [fill]);
    else known.push(fill);
  }
  return today;
}

function symbolProfit(security: Security, fills: readonly Fill[], sources: FactSources): Decimal | undefined {
  const { symbol } = security;
  const rate = sources.rate(security);
  const held = sources.state.portfolio.holdings.get(symbol)?.quantity ?? ZERO;
  const bought = sum(fills, (fill) => signed(fill));
  const paid = sum(fills, (fill) => signed(fill).times(fill.price).plus(fill.fee));
  const now = worth(held, () => sources.reference(symbol)?.value);
  const before = worth(held.minus(bought), () => priceBefore(symbol, sources));
  if (rate === undefined || now === undefined || before === undefined) return undefined;
  return now.minus(before).minus(paid).times(rate);
}

/** The close of the day before, or where our bars do not reach back that far, the day's first price. */
function priceBefore(symbol: SecuritySymbol, sources: FactSources): Price | undefined {
  const close = sources.closeBefore?.(symbol, dayStart(symbol, sources.now()));
  return close ?? sources.reference(symbol)?.dayOpen;
}

function worth(quantity: Decimal, price: () => Price | undefined): Decimal | undefined {
  return quantity.isZero() ? ZERO : price()?.times(quantity);
}

function signed({ side, quantity }: Fill): Decimal {
  return side === 'buy' ? quantity : quantity.neg();
}

function sum(fills: readonly Fill[], figure: (fill: Fill) => Decimal): Decimal {
  return fills.reduce((total, fill) => total.plus(figure(fill)), ZERO);
}
