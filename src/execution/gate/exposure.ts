import type { BotState, TrackedOrder } from '../../events/bot-state.ts';
import { foreignRest, isForeignLive } from '../../events/records/foreign-record.ts';
import type { OrdersOfSide } from '../../events/records/live-orders.ts';
import { withoutExcluded } from '../../events/records/open-orders.ts';
import { Decimal, type Quantity, ZERO } from '../../model/decimal.ts';
import { atRate } from '../../model/fx.ts';
import type { Currency } from '../../model/money.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import { contractSize } from '../../model/option-symbol.ts';
import type { OrderTerms } from '../../model/order.ts';
import { openRest } from '../../model/order-state.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import type { Exposure } from '../../risk/facts.ts';
import type { FactSources } from './fact-sources.ts';

/** Position of a symbol, and the quantity that its open orders may still execute. */
interface SymbolExposure {
  readonly held: Quantity;
  readonly buys: Quantity;
  readonly sells: Quantity;
  /** Highest limit price of an open buy; 0 if none has one. */
  readonly highestBuyLimit: Decimal;
  /** Highest limit or trigger price of an open order; 0 if none has one. */
  readonly highestPrice: Decimal;
  /** Currency of external orders; absent if there are none. */
  readonly currency?: Currency;
}

const NO_EXPOSURE: SymbolExposure = {
  held: ZERO,
  buys: ZERO,
  sells: ZERO,
  highestBuyLimit: ZERO,
  highestPrice: ZERO,
};

/**
 * Returns the exposure of all symbols except the given one, in the account's currency, with all open, unknown and
 * abandoned orders counted as filled (I-6). A position in a symbol that the bot neither trades nor has a quote of is
 * valued at its cost. An external order in a symbol that the bot neither trades nor holds is valued at the higher of
 * the quote and the price of the order; one with neither is left out, after the alarm `foreign-unpriced`. Undefined
 * if any other price or rate is missing.
 */
export function exposureExcept(
  symbol: SecuritySymbol | undefined,
  sources: FactSources,
): Exposure | undefined {
  let [gross, mostLong, mostShort] = [ZERO, ZERO, ZERO];
  for (const [other, exposure] of exposuresBySymbol(sources.state, symbol)) {
    const unit = unitValue(other, exposure, sources);
    if (unit === undefined) return undefined;
    const { held, buys, sells } = exposure;
    const isStill = buys === ZERO && sells === ZERO;
    const longest = (isStill ? held : held.plus(buys)).times(unit);
    const shortest = isStill ? longest : held.minus(sells).times(unit);
    gross = gross.plus(isStill ? longest.abs() : Decimal.max(longest.abs(), shortest.abs()));
    mostLong = mostLong.plus(longest);
    mostShort = mostShort.plus(shortest);
  }
  return { gross, mostLong, mostShort };
}

/** Symbols of positions and open orders whose value is unknown because a price, cost or exchange rate is missing. */
export function unpricedSymbols(sources: FactSources): readonly SecuritySymbol[] {
  return [...exposuresBySymbol(sources.state)].flatMap(([symbol, exposure]) =>
    unitValue(symbol, exposure, sources) === undefined ? [symbol] : [],
  );
}

function exposuresBySymbol(
  state: BotState,
  except?: SecuritySymbol,
): ReadonlyMap<SecuritySymbol, SymbolExposure> {
  const exposures = new Map<SecuritySymbol, SymbolExposure>();
  for (const [symbol, { quantity }] of state.portfolio.holdings) {
    if (symbol !== except) exposures.set(symbol, { ...NO_EXPOSURE, held: quantity });
  }
  const count = (terms: OrderTerms, open: Quantity, currency?: Currency): void => {
    const before = exposures.get(terms.symbol) ?? NO_EXPOSURE;
    const highestPrice = Decimal.max(before.highestPrice, terms.price ?? ZERO, terms.triggerPrice ?? ZERO);
    const exposure: SymbolExposure = { ...before, highestPrice, ...omitUndefined({ currency }) };
    if (terms.side === 'sell') exposures.set(terms.symbol, { ...exposure, sells: exposure.sells.plus(open) });
    else {
      const highestBuyLimit = Decimal.max(exposure.highestBuyLimit, terms.price ?? ZERO);
      exposures.set(terms.symbol, { ...exposure, buys: exposure.buys.plus(open), highestBuyLimit });
    }
  };
  for (const side of state.live.sides()) {
    const own = side.symbol === except ? undefined : exposureOf(side);
    if (own === undefined) continue;
    const before = exposures.get(side.symbol) ?? NO_EXPOSURE;
    const { open, highestBuyLimit, highestPrice } = own;
    exposures.set(side.symbol, {
      ...before,
      ...(side.side === 'sell' ? { sells: open } : { buys: open, highestBuyLimit }),
      highestPrice: Decimal.max(before.highestPrice, highestPrice),
    });
  }
  for (const order of state.foreign.orders.values())
    if (isForeignLive(order) && order.terms.symbol !== except)
      count(order.terms, foreignRest(order), order.currency);
  return exposures;
}

type SideExposure = Pick<SymbolExposure, 'highestBuyLimit' | 'highestPrice'> & { readonly open: Quantity };

const EXPOSURES = new WeakMap<OrdersOfSide, SideExposure | undefined>();

/**
 * Returns the quantity that our open orders of a symbol and side may still execute, and their highest prices;
 * undefined if there are none.
 */
function exposureOf(ofSide: OrdersOfSide): SideExposure | undefined {
  if (EXPOSURES.has(ofSide)) return EXPOSURES.get(ofSide);
  let exposure: SideExposure | undefined;
  for (const order of withoutExcluded(ofSide.orders.values())) {
    const { open, highestBuyLimit, highestPrice } = exposure ?? {
      open: ZERO,
      highestBuyLimit: ZERO,
      highestPrice: ZERO,
    };
    const { side, price = ZERO, triggerPrice = ZERO } = higherTerms(order);
    exposure = {
      open: open.plus(openRest(order.facets)),
      highestBuyLimit: side === 'buy' ? Decimal.max(highestBuyLimit, price) : ZERO,
      highestPrice: Decimal.max(highestPrice, price, triggerPrice),
    };
  }
  EXPOSURES.set(ofSide, exposure);
  return exposure;
}

/** Returns the terms with the higher limit while the outcome of a replace is unknown (I-6). */
function higherTerms({ terms, replacing }: TrackedOrder): OrderTerms {
  return replacing?.price !== undefined && terms.price?.lt(replacing.price) === true ? replacing : terms;
}

/** Value of one share or contract, in the account's currency. */
function unitValue(
  symbol: SecuritySymbol,
  exposure: SymbolExposure,
  sources: FactSources,
): Decimal | undefined {
  const security = sources.security(symbol);
  const holding = sources.state.portfolio.holdings.get(symbol);
  if (security === undefined && holding === undefined) return externalUnitValue(symbol, exposure, sources);
  const quote = sources.reference(symbol)?.value;
  const price = security === undefined ? (quote ?? holding?.averageCost) : quote;
  const currency = security?.currency ?? holding?.currency;
  const rate = currency === undefined ? undefined : sources.rateOf(currency);
  if (price === undefined || rate === undefined || !price.gt(0)) return undefined;
  const highest = exposure.highestBuyLimit === ZERO ? price : Decimal.max(price, exposure.highestBuyLimit);
  const size = contractSize(symbol);
  return atRate(size === 1 ? highest : highest.times(size), rate);
}

/** Value of one share or contract of a symbol with external orders only; 0 without a price or rate. */
function externalUnitValue(
  symbol: SecuritySymbol,
  { highestPrice, currency }: SymbolExposure,
  { reference, rateOf }: FactSources,
): Decimal {
  const price = Decimal.max(reference(symbol)?.value ?? ZERO, highestPrice);
  const rate = currency === undefined ? undefined : rateOf(currency);
  return rate === undefined ? ZERO : price.times(contractSize(symbol)).times(rate);
}
