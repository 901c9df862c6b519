import { dividendOn } from '../../model/corporate-action.ts';
import { Decimal, type Quantity, ZERO } from '../../model/decimal.ts';
import type { BookedFill, Fill } from '../../model/fill.ts';
import type { Currency } from '../../model/money.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import type { Millis } from '../../model/time.ts';
import type { CorporateActionBooked } from '../event.ts';
import { bookCharge, bookFill, EMPTY_PORTFOLIO, type Holding, type Portfolio } from '../portfolio.ts';

/**
 * The result of each strategy, from zero: positions of its fills, and costs and proceeds as cash. Their total value
 * is what it has earned.
 */
export type StrategyBooks = ReadonlyMap<string, Portfolio>;

/** The part of a fill from outside the strategies that closed shares of one strategy. */
type ClosedPart = Pick<Fill, 'side' | 'quantity' | 'fee'>;

/** By strategy, ordered by name. */
export type ClosedParts = ReadonlyMap<string, ClosedPart>;

/** A fill without an order of a strategy, and what it closed of the strategies' positions. */
interface OutsideFill {
  readonly fill: Omit<BookedFill, 'intentId'>;
  readonly closed?: ClosedParts;
}

/** A booked fill of the recent past; without a strategy, one from outside. */
export interface KnownFill {
  /** When it was booked. */
  readonly at: Millis;
  readonly fill: Omit<BookedFill, 'intentId'>;
  readonly strategy: string | undefined;
  readonly closed?: ClosedParts;
}

/** Signed shares by which positions changed, by strategy. */
export type Changes = ReadonlyMap<string, Quantity>;

const NOTHING: ClosedParts = new Map();

/** A strategy's position in a symbol, or a part of it. */
interface StrategyPosition {
  readonly strategy: string;
  readonly quantity: Quantity;
}

/**
 * Creates the fold of the books of several strategies; a bot with one has none.
 *
 * A fill without a strategy's order (a flatten, a manual trade, a forced sale) that reduces the account's position
 * first closes shares that no strategy holds, then positions of strategies on that side, ordered by name. If it
 * leaves the account flat or reversed, it closes every strategy's position in the symbol. So if the books added up to
 * the account before, they still do. What such a fill closes does not depend on the order in which fills become known:
 * if one was executed before others that are known, these close again what they would have closed after it. A flatten
 * also closes positions of strategies that cancel out in the account, all at
 * one price, so that their total result equals the account's.
 */
export function createStrategyBooks() {
  const books = new Map<string, Portfolio>();

  function updatePortfolio(strategy: string, by: (portfolio: Portfolio) => Portfolio): void {
    books.set(strategy, by(books.get(strategy) ?? EMPTY_PORTFOLIO));
  }

  function positionsIn(symbol: SecuritySymbol): readonly StrategyPosition[] {
    return positionsOf(
      [...books].map(([strategy, { holdings }]) => [strategy, holdings.get(symbol)?.quantity ?? ZERO]),
    );
  }

  /**
   * Returns what a fill without a strategy's order closes; `held` is the account's position before it. Undefined if
   * nothing.
   */
  const closedBy = (fill: OutsideFill['fill'], held: Quantity): ClosedParts | undefined =>
    closedOf(fill, held, positionsIn(fill.symbol));

  /**
   * Returns the fills without a strategy's order that would have closed other shares if all of these fills of a symbol
   * were booked in the order of their execution, with what they would have closed. `held` is the account's position
   * after all.
   */
  function closedInOrder<T extends KnownFill>(
    symbol: SecuritySymbol,
    fills: readonly T[],
    held: Quantity,
  ): readonly { readonly of: T; readonly closed: ClosedParts }[] {
    const shares = new Map(positionsIn(symbol).map(({ strategy, quantity }) => [strategy, quantity]));
    const add = (strategy: string, quantity: Quantity): void =>
      void shares.set(strategy, (shares.get(strategy) ?? ZERO).plus(quantity));
    let account = held;
    for (const { fill, strategy, closed = NOTHING } of fills) {
      account = account.minus(signedOf(fill));
      if (strategy !== undefined) add(strategy, signedOf(fill).neg());
      else for (const [name, part] of closed) add(name, signedOf(part).neg());
    }
    const done: { readonly of: T; readonly strategy: string | undefined; closed: ClosedParts }[] = [];
    for (const of of fills.toSorted(byExecution)) {
      const { fill, strategy } = of;
      const booked = { of, strategy, closed: NOTHING };
      if (strategy !== undefined) add(strategy, signedOf(fill));
      else booked.closed = closedOf(fill, account, positionsOf(shares)) ?? NOTHING;
      for (const [name, part] of booked.closed) add(name, signedOf(part));
      account = account.plus(signedOf(fill));
      if (strategy !== undefined)
        for (const before of done) {
          if (before.strategy !== undefined || before.of.fill.time < fill.time) continue;
          const late = closedLate(fill, account, positionsOf(shares), {
            ...before.of,
            closed: before.closed,
          });
          for (const [name, part] of late) add(name, signedOf(part));
          before.closed = mergeParts(before.closed, late);
        }
      done.push(booked);
    }
    return done.filter(
      ({ of, strategy, closed }) => strategy === undefined && !areEqual(of.closed ?? NOTHING, closed),
    );
  }

  /**
   * Books the difference between what a fill closed and what it closes now, at its price. Returns the shares by which
   * positions changed.
   */
  function updateClosed({ fill, closed: before = NOTHING }: OutsideFill, closed: ClosedParts): Changes {
    const changes = new Map<string, Quantity>();
    for (const name of new Set([...before.keys(), ...closed.keys()])) {
      const [old, now] = [before.get(name), closed.get(name)];
      const shares = signedOf(now).minus(signedOf(old));
      const fee = (now?.fee ?? ZERO).minus(old?.fee ?? ZERO);
      if (shares.isZero()) updatePortfolio(name, (portfolio) => bookCharge(portfolio, fill.currency, fee));
      else updatePortfolio(name, (portfolio) => bookFill(portfolio, { ...fill, ...partOf(shares), fee }));
      changes.set(name, shares);
    }
    return changes;
  }

  return {
    books: books as StrategyBooks,
    closedBy,
    closedInOrder,
    updateClosed,
    bookFillOf: (strategy: string, fill: Omit<BookedFill, 'intentId'>): void =>
      updatePortfolio(strategy, (portfolio) => bookFill(portfolio, fill)),
    bookOutsideFill({ fill, closed = new Map() }: OutsideFill): void {
      for (const [strategy, part] of closed)
        updatePortfolio(strategy, (portfolio) => bookFill(portfolio, { ...fill, ...part }));
    },
    bookChargeOf: (strategy: string, currency: Currency, fee: Decimal): void =>
      updatePortfolio(strategy, (portfolio) => bookCharge(portfolio, currency, fee)),
    /** Returns the strategies' positions in a symbol, all of which an offset closes; undefined if there are none. */
    offsetIn(symbol: SecuritySymbol): ClosedParts | undefined {
      const positions = positionsIn(symbol);
      return positions.length === 0
        ? undefined
        : new Map(positions.map((position) => [position.strategy, closingPart(position)]));
    },
    /** Books a fee that became known after its fills. */
    bookOutsideCharge(fills: readonly OutsideFill[], currency: Currency, fee: Decimal): void {
      for (const [strategy, share] of sharedFee(fee, fills))
        updatePortfolio(strategy, (portfolio) => bookCharge(portfolio, currency, share));
    },
    /**
     * Adjusts the books when the account adopts the venue's position. Excess positions are closed at cost, for lack
     * of a fill price.
     */
    adoptVenuePositions(before: Portfolio, after: Portfolio): void {
      const symbols = new Set([...books.values()].flatMap(({ holdings }) => [...holdings.keys()]));
      for (const symbol of symbols) {
        const positions = positionsIn(symbol);
        const [held, left] = [before, after].map(({ holdings }) => holdings.get(symbol)?.quantity ?? ZERO);
        const side = [held, left, sumOf(positions)].find((each) => each?.isZero() === false);
        if (left === undefined || side === undefined) continue;
        const limit = left.gt(0) === side.gt(0) ? left : ZERO;
        for (const { strategy, quantity } of takeFirst(positions, side, excessOf(positions, limit, side)))
          updatePortfolio(strategy, (portfolio) => closedAtCost(portfolio, symbol, quantity));
      }
    },
    /** Returns what each strategy receives of a dividend; undefined in a bot with one, and for other actions. */
    sharesOf({ symbol, terms }: CorporateActionBooked): ReadonlyMap<string, Decimal> | undefined {
      if (books.size === 0 || terms?.perShare === undefined) return undefined;
      return new Map(
        positionsIn(symbol).map(({ strategy, quantity }) => [strategy, dividendOn(terms, quantity)]),
      );
    },
    bookActionOf(event: CorporateActionBooked): void {
      const { symbol, terms } = event;
      const ratio = terms?.perShare === undefined ? terms?.ratio : undefined;
      const whole = ratio === undefined ? undefined : wholeShares(positionsIn(symbol), ratio);
      for (const [strategy, portfolio] of books)
        books.set(strategy, portfolioAfter(portfolio, event, whole?.get(strategy)));
    },
  };
}

/** Returns positions of strategies, ordered by name. */
function positionsOf(shares: Iterable<readonly [string, Quantity]>): readonly StrategyPosition[] {
  return [...shares]
    .flatMap(([strategy, quantity]) => (quantity.isZero() ? [] : [{ strategy, quantity }]))
    .sort((a, b) => (a.strategy < b.strategy ? -1 : 1));
}

/** Returns what a fill without a strategy's order closes of these positions; undefined if nothing. */
function closedOf(
  fill: OutsideFill['fill'],
  held: Quantity,
  positions: readonly StrategyPosition[],
): ClosedParts | undefined {
  const traded = signedOf(fill);
  if (positions.length === 0 || held.isZero() || held.gt(0) === traded.gt(0)) return undefined;
  const left = held.plus(traded);
  const excess = excessOf(positions, left, held);
  // Shares that no strategy holds account for all of the fill.
  if (!excess.gt(0)) return undefined;
  const closed =
    left.isZero() || left.gt(0) !== held.gt(0)
      ? positions
      : takeFirst(positions, held, Decimal.min(excess, fill.quantity));
  if (closed.length === 0) return undefined;
  const parts = closed.map((position) => [position.strategy, closingPart(position)] as const);
  const fees = sharedFee(fill.fee, [{ fill, closed: new Map(parts) }]);
  return new Map(parts.map(([name, part]) => [name, { ...part, fee: fees.get(name) ?? ZERO }]));
}

/**
 * Returns what an external fill closes of a strategy's fill of the same instant that became known after it: shares that
 * it has not closed yet, as far as the strategies have more than the account.
 */
function closedLate(
  { side, quantity }: KnownFill['fill'],
  held: Quantity,
  positions: readonly StrategyPosition[],
  outside: OutsideFill,
): ClosedParts {
  const { fill } = outside;
  if (fill.side === side) return NOTHING;
  const sign = side === 'buy' ? quantity : quantity.neg();
  const excess = Decimal.min(excessOf(positions, held, sign), quantity, unattributedShares(outside));
  const fee = (each: StrategyPosition): Decimal => fill.fee.times(each.quantity.abs()).div(fill.quantity);
  const taken = takeFirst(positions, sign, excess);
  return new Map(taken.map((each) => [each.strategy, { ...closingPart(each), fee: fee(each) }]));
}

/** Returns the shares of an external fill that closed no strategy's position. */
function unattributedShares({ fill, closed = NOTHING }: OutsideFill): Quantity {
  let net = fill.quantity;
  for (const { side, quantity } of closed.values())
    net = side === fill.side ? net.minus(quantity) : net.plus(quantity);
  return net;
}

/** Merges the closed parts of two closings of one fill, by strategy. */
function mergeParts(one: ClosedParts, other: ClosedParts): ClosedParts {
  const parts = new Map(one);
  for (const [strategy, part] of other) {
    const before = parts.get(strategy);
    const signed = signedOf(before).plus(signedOf(part));
    parts.set(strategy, { ...partOf(signed), fee: (before?.fee ?? ZERO).plus(part.fee) });
  }
  return parts;
}

/** Orders fills by their execution; those of one instant as they were booked, and at one time those of strategies first. */
function byExecution(one: KnownFill, other: KnownFill): number {
  const difference = one.fill.time - other.fill.time || one.at - other.at;
  if (difference !== 0) return difference;
  const [isOwn, isOtherOwn] = [one.strategy !== undefined, other.strategy !== undefined];
  if (isOwn !== isOtherOwn) return isOwn ? -1 : 1;
  const [id, otherId] = [one.fill.executionId, other.fill.executionId];
  return id === otherId ? 0 : id < otherId ? -1 : 1;
}

function areEqual(one: ClosedParts, other: ClosedParts): boolean {
  return (
    one.size === other.size && [...one].every(([name, part]) => signedOf(part).eq(signedOf(other.get(name))))
  );
}

function signedOf(part: Pick<Fill, 'side' | 'quantity'> | undefined): Quantity {
  if (part === undefined) return ZERO;
  return part.side === 'buy' ? part.quantity : part.quantity.neg();
}

function closingPart({ quantity }: StrategyPosition): ClosedPart {
  return { ...partOf(quantity.neg()), fee: ZERO };
}

function partOf(signed: Quantity): Omit<ClosedPart, 'fee'> {
  return { side: signed.gt(0) ? 'buy' : 'sell', quantity: signed.abs() };
}

function sumOf(positions: readonly StrategyPosition[]): Quantity {
  return positions.reduce((sum, { quantity }) => sum.plus(quantity), ZERO);
}

/**
 * Returns the shares on the side of `side` that the strategies together hold beyond a limit; not positive if none.
 */
function excessOf(positions: readonly StrategyPosition[], limit: Quantity, side: Quantity): Quantity {
  const excess = sumOf(positions).minus(limit);
  return side.gt(0) ? excess : excess.neg();
}

/** Returns positions on the side of `side` for the given number of shares, in order. */
function takeFirst(
  positions: readonly StrategyPosition[],
  side: Quantity,
  shares: Quantity,
): readonly StrategyPosition[] {
  let rest = shares;
  return positions.flatMap(({ strategy, quantity }) => {
    if (!rest.gt(0) || quantity.gt(0) !== side.gt(0)) return [];
    const taken = Decimal.min(rest, quantity.abs());
    rest = rest.minus(taken);
    return [{ strategy, quantity: quantity.gt(0) ? taken : taken.neg() }];
  });
}

/**
 * Allocates a fee to strategies in proportion to the shares closed; the rest belongs to shares that no strategy held.
 */
export function sharedFee(fee: Decimal, fills: readonly OutsideFill[]): ReadonlyMap<string, Decimal> {
  const weights = new Map<string, Decimal>();
  let total = ZERO;
  for (const { fill, closed = new Map<string, ClosedPart>() } of fills) {
    let net = ZERO;
    for (const [strategy, { side, quantity }] of closed) {
      weights.set(strategy, (weights.get(strategy) ?? ZERO).plus(quantity));
      total = total.plus(quantity);
      net = side === fill.side ? net.plus(quantity) : net.minus(quantity);
    }
    total = total.plus(Decimal.max(ZERO, fill.quantity.minus(net)));
  }
  let [rest, left] = [fee, total];
  return new Map(
    [...weights].map(([strategy, weight]) => {
      const share = weight.eq(left) ? rest : rest.times(weight).div(left);
      [rest, left] = [rest.minus(share), left.minus(weight)];
      return [strategy, share];
    }),
  );
}

/**
 * Closes shares at their average cost, without gain or loss. A strategy's cost is known, because its shares come from
 * fills.
 */
function closedAtCost(portfolio: Portfolio, symbol: SecuritySymbol, quantity: Quantity): Portfolio {
  const held = portfolio.holdings.get(symbol);
  if (held?.averageCost === undefined) return portfolio;
  const { currency, averageCost: price } = held;
  const side = quantity.gt(0) ? 'sell' : 'buy';
  return bookFill(portfolio, { symbol, side, quantity: quantity.abs(), price, currency, fee: ZERO });
}

/**
 * Allocates whole shares to each strategy after a split, with the total of the account. Positions are rounded towards
 * zero, and missing shares go to the largest fractions.
 */
function wholeShares(positions: readonly StrategyPosition[], ratio: Decimal): ReadonlyMap<string, Quantity> {
  const exact = positions.map(({ strategy, quantity }) => ({ strategy, shares: quantity.times(ratio) }));
  const whole = new Map(exact.map(({ strategy, shares }) => [strategy, shares.trunc()]));
  const rounded = [...whole.values()].reduce((sum, shares) => sum.plus(shares), ZERO);
  const missing = sumOf(positions).times(ratio).trunc().minus(rounded);
  const step = new Decimal(missing.gt(0) ? 1 : -1);
  const fraction = ({ shares }: { readonly shares: Decimal }): Decimal =>
    shares.minus(shares.trunc()).times(step);
  const largestFirst = exact.toSorted((a, b) => fraction(b).cmp(fraction(a)));
  for (const { strategy, shares } of largestFirst.slice(0, missing.abs().toNumber()))
    whole.set(strategy, shares.trunc().plus(step));
  return whole;
}

/** Applies a dividend, split or delisting to one strategy's position; a fractional share is paid out. */
function portfolioAfter(
  portfolio: Portfolio,
  { symbol, currency, terms }: CorporateActionBooked,
  whole: Quantity | undefined,
): Portfolio {
  const held = portfolio.holdings.get(symbol);
  if (held === undefined || terms === undefined) return portfolio;
  const { holding, paid } = holdingAfter(held, terms, whole);
  const cash = new Map(portfolio.cash).set(currency, (portfolio.cash.get(currency) ?? ZERO).plus(paid));
  const holdings = new Map(portfolio.holdings);
  if (holding.quantity.isZero()) holdings.delete(symbol);
  else holdings.set(symbol, holding);
  return { cash, holdings };
}

interface ActionResult {
  readonly holding: Holding;
  readonly paid: Decimal;
}

function holdingAfter(
  held: Holding,
  terms: NonNullable<CorporateActionBooked['terms']>,
  whole: Quantity | undefined,
): ActionResult {
  if (terms.perShare !== undefined) return { holding: held, paid: dividendOn(terms, held.quantity) };
  if (terms.ratio !== undefined) return split(held, terms, whole);
  return { holding: { ...held, quantity: ZERO }, paid: terms.paidOut.times(held.quantity) };
}

function split(
  held: Holding,
  { ratio, price }: Extract<NonNullable<CorporateActionBooked['terms']>, { readonly ratio: Decimal }>,
  whole: Quantity | undefined,
): ActionResult {
  const exact = held.quantity.times(ratio);
  const quantity = whole ?? exact.trunc();
  const holding = { ...held, quantity, averageCost: held.averageCost?.div(ratio) };
  return { holding, paid: exact.minus(quantity).times(price) };
}
