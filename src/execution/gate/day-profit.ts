import type { GateRecord, RecentFill } from '../../events/records/gate-record.ts';
import { dayBegan } from '../../markets/sessions.ts';
import { type Decimal, type Price, ZERO } from '../../model/decimal.ts';
import { atRate } from '../../model/fx.ts';
import type { Security } from '../../model/security.ts';
import { marketOf, type SecuritySymbol } from '../../model/symbol.ts';
import type { Millis } from '../../model/time.ts';
import { believedPrice } from '../../risk/fact-rules.ts';
import type { FactSources } from './fact-sources.ts';

/** Returns the start of the exchange day of a symbol that contains an instant. */
export function dayStart(symbol: SecuritySymbol, now: Millis): Millis {
  return dayBegan(marketOf(symbol), now);
}

/**
 * Returns the profit of the bot's symbols since their exchange day began, in the account's currency, less fees: each
 * position from the previous close to its current price, each of today's fills from its price to the current one, and
 * today's dividends. Undefined if a price or rate is missing. `priceNow` defaults to the quote.
 */
export function dayProfit(
  sources: FactSources,
  priceNow = (symbol: SecuritySymbol): Price | undefined => quotedPrice(symbol, sources),
): Decimal | undefined {
  let profit = ZERO;
  for (const [security, traded] of symbolsOfDay(sources)) {
    const made = symbolProfit(security, traded, { sources, priceNow });
    if (made === undefined) return undefined;
    profit = profit.plus(made);
  }
  return profit;
}

/** Returns the bot's symbols that are held or were traded today, with today's trades. */
function symbolsOfDay(sources: FactSources): readonly (readonly [Security, Traded])[] {
  const { holdings } = sources.state.portfolio;
  const traded = tradedToday(sources);
  const found: [Security, Traded][] = [];
  const add = (symbol: SecuritySymbol): void => {
    const security = sources.security(symbol);
    if (security !== undefined) found.push([security, traded.get(symbol) ?? NOTHING]);
  };
  for (const symbol of holdings.keys()) add(symbol);
  for (const symbol of traded.keys()) if (!holdings.has(symbol)) add(symbol);
  return found;
}

/**
 * Returns the equity at an operator's resume, if it was on the current day of every exchange with a position or a
 * trade today; undefined otherwise, or if there is no such exchange: without a position the day has no loss.
 */
export function equityAtResume({ state, now }: Pick<FactSources, 'state' | 'now'>): Decimal | undefined {
  const { resumed, fills, otherFills } = state.gate;
  if (resumed === undefined) return undefined;
  const held = [...state.portfolio.holdings.keys()].map((symbol) => dayStart(symbol, now()));
  const traded = [...fills, ...otherFills].flatMap(({ fill: { symbol, time } }) => {
    const start = dayStart(symbol, now());
    return time < start ? [] : [start];
  });
  const began = [...held, ...traded];
  return began.length > 0 && began.every((at) => resumed.at >= at) ? resumed.equity : undefined;
}

interface Traded {
  readonly since: Millis;
  /** Quantity bought less quantity sold, in current shares. */
  readonly bought: Decimal;
  /** Price x quantity bought, less price x quantity sold, plus all fees. */
  readonly paid: Decimal;
}

const NOTHING: Traded = { since: 0 as Millis, bought: ZERO, paid: ZERO };

/** Sums over the day's fills. Updates continue after the newest fill of each list while that fill is unchanged. */
interface DaySums {
  newest: RecentFill | undefined;
  newestOther: RecentFill | undefined;
  readonly bySymbol: Map<SecuritySymbol, Traded>;
}

const SUMS = new WeakMap<GateRecord, DaySums>();

function tradedToday({ state, now: clock }: FactSources): ReadonlyMap<SecuritySymbol, Traded> {
  const { fills, otherFills } = state.gate;
  const now = clock();
  const sums = SUMS.get(state.gate) ?? {
    newest: undefined,
    newestOther: undefined,
    bySymbol: new Map<SecuritySymbol, Traded>(),
  };
  SUMS.set(state.gate, sums);
  const { bySymbol } = sums;
  for (const [symbol, { since }] of bySymbol) if (since !== dayStart(symbol, now)) bySymbol.delete(symbol);
  const own = after(fills, sums.newest);
  const others = after(otherFills, sums.newestOther);
  const isContinued = own !== undefined && others !== undefined;
  // A summed fill has changed or was dropped from the list: sum all of today's fills again.
  if (!isContinued) bySymbol.clear();
  for (const { fill, split } of isContinued ? [...own, ...others] : [...fills, ...otherFills]) {
    const since = dayStart(fill.symbol, now);
    if (fill.time < since) continue;
    const { bought, paid } = bySymbol.get(fill.symbol) ?? NOTHING;
    const quantity = signed(fill);
    bySymbol.set(fill.symbol, {
      since,
      bought: bought.plus(split === undefined ? quantity : quantity.times(split)),
      paid: paid.plus(quantity.times(fill.price)).plus(fill.fee),
    });
  }
  sums.newest = fills.at(-1);
  sums.newestOther = otherFills.at(-1);
  return bySymbol;
}

/** Returns the fills after the newest summed one; undefined if that was dropped. */
function after(
  fills: readonly RecentFill[],
  newest: RecentFill | undefined,
): readonly RecentFill[] | undefined {
  if (newest === undefined) return fills;
  const place = fills.lastIndexOf(newest);
  return place < 0 ? undefined : fills.slice(place + 1);
}

function symbolProfit(
  security: Security,
  { bought, paid }: Traded,
  {
    sources,
    priceNow,
  }: { readonly sources: FactSources; readonly priceNow: (symbol: SecuritySymbol) => Price | undefined },
): Decimal | undefined {
  const { symbol } = security;
  const rate = sources.rateOf(security.currency);
  const held = sources.state.portfolio.holdings.get(symbol)?.quantity ?? ZERO;
  const now = marketValue(held, () => priceNow(symbol));
  const heldBefore = bought.isZero() ? held : held.minus(bought);
  const before = marketValue(heldBefore, () => priceBefore(symbol, sources));
  if (rate === undefined || now === undefined || before === undefined) return undefined;
  const received = dividendsToday(symbol, sources);
  const made = received === ZERO ? now.minus(before) : now.minus(before).plus(received);
  return atRate(paid === ZERO ? made : made.minus(paid), rate);
}

/** Dividends of a symbol since its day began: its price has fallen by them. */
function dividendsToday(symbol: SecuritySymbol, { state, now }: FactSources): Decimal {
  const { dividends } = state.gate;
  if (dividends.length === 0) return ZERO;
  const since = dayStart(symbol, now());
  return dividends.reduce(
    (sum, each) => (each.symbol === symbol && each.at >= since ? sum.plus(each.amount) : sum),
    ZERO,
  );
}

function quotedPrice(symbol: SecuritySymbol, sources: FactSources): Price | undefined {
  const quote = sources.reference(symbol);
  return quote && believedPrice(quote);
}

/** Returns the previous close or, if our bars do not reach back that far, the day's first price. */
function priceBefore(symbol: SecuritySymbol, sources: FactSources): Price | undefined {
  const close = sources.closeBefore(symbol, dayStart(symbol, sources.now()));
  return close ?? sources.reference(symbol)?.dayOpen;
}

function marketValue(quantity: Decimal, price: () => Price | undefined): Decimal | undefined {
  return quantity.isZero() ? ZERO : price()?.times(quantity);
}

function signed({ side, quantity }: RecentFill['fill']): Decimal {
  return side === 'buy' ? quantity : quantity.neg();
}
