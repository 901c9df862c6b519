import { type ExitDistance, type ExitLevel, otherSide } from '../../model/algorithm.ts';
import { multiply, ONE, toAmount, toDecimal } from '../../model/amount.ts';
import { type Decimal, type Price, type Quantity, ZERO } from '../../model/decimal.ts';
import type { OrderTerms, Side } from '../../model/order.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import { unreachable } from '../../model/unreachable.ts';
import type { AlgorithmFacts } from './plan.ts';

const PERCENT = ONE / 100;

/** Distance of a level from a price, in the security's currency. */
function distanceFrom(level: ExitDistance, price: Price): Decimal {
  switch (level.kind) {
    case 'amount':
      return level.amount;
    case 'percent':
      return toDecimal(
        multiply(toAmount(price), multiply(toAmount(level.percent), PERCENT, 'exact'), 'exact'),
      );
    default:
      return unreachable(level);
  }
}

/**
 * Returns the price of a level for a position opened on `side` at `entryPrice`, on a tick: for a long position a loss
 * is below the entry price, and a gain above. A stop is rounded to the tick that is reached first, a target to one
 * that gains at least the requested amount.
 */
export function levelOf(
  level: ExitLevel,
  kind: 'loss' | 'gain',
  {
    side,
    entryPrice,
    toTick,
  }: { readonly side: Side; readonly entryPrice: Price } & Pick<AlgorithmFacts, 'toTick'>,
): Price {
  const above = (side === 'buy') === (kind === 'gain');
  const exact =
    level.kind === 'price' ? level.price : offsetBy(entryPrice, distanceFrom(level, entryPrice), above);
  return toTick(exact, side === 'buy' ? 'up' : 'down');
}

function offsetBy(price: Price, distance: Decimal, above: boolean): Price {
  return above ? price.plus(distance) : price.minus(distance);
}

/** Returns the close from which a stop moves to the entry price, not rounded to a tick. */
export function breakEvenTrigger(breakEven: ExitDistance, entryPrice: Price, side: Side): Price {
  return offsetBy(entryPrice, distanceFrom(breakEven, entryPrice), side === 'buy');
}

/** Returns the stop at the entry price, on a tick. */
export function breakEvenStop(entryPrice: Price, side: Side, toTick: AlgorithmFacts['toTick']): Price {
  return toTick(entryPrice, side === 'buy' ? 'up' : 'down');
}

/** True if a price is at a level or beyond it, for a position opened on `side`. */
export function isBeyond(price: Price, level: Price, kind: 'loss' | 'gain', side: Side): boolean {
  const upwards = (side === 'buy') === (kind === 'gain');
  return upwards ? price.gte(level) : price.lte(level);
}

/** Position opened on `side` that an exit closes. */
export interface ExitBasis {
  readonly symbol: SecuritySymbol;
  readonly side: Side;
  readonly quantity: Quantity;
}

/** Returns a market-if-touched order: it waits at the venue, so it protects while this program does not run. */
export function stopTerms({ symbol, side, quantity }: ExitBasis, triggerPrice: Price): OrderTerms {
  return { symbol, side: otherSide(side), type: 'MIT', quantity, triggerPrice, timeInForce: 'gtc' };
}

/**
 * Returns a limit-if-touched order, because a waiting order reserves no shares that the stop needs; a plain limit if
 * the price is already reached, or if the venue checks orders only when they fill.
 */
export function targetTerms(
  basis: ExitBasis,
  price: Price,
  { last, checksAtFill }: Pick<AlgorithmFacts, 'last' | 'checksAtFill'>,
): OrderTerms {
  const { symbol, side, quantity } = basis;
  const common = { symbol, side: otherSide(side), quantity, price, timeInForce: 'gtc' } as const;
  const isThere = last === undefined || isBeyond(last, price, 'gain', side);
  return isThere || checksAtFill
    ? { ...common, type: 'LO' }
    : { ...common, type: 'LIT', triggerPrice: price };
}

/**
 * Returns the venue's trailing stop: a limit order released at the market once the price has retreated by the
 * distance.
 */
export function trailTerms({ symbol, side, quantity }: ExitBasis, distance: ExitDistance): OrderTerms {
  const common = { symbol, side: otherSide(side), quantity, timeInForce: 'gtc', limitOffset: ZERO } as const;
  return distance.kind === 'amount'
    ? { ...common, type: 'TSLPAMT', trailingAmount: distance.amount }
    : { ...common, type: 'TSLPPCT', trailingPercent: distance.percent };
}

/** Returns a market order that closes the position. */
export function closeTerms({ symbol, side, quantity }: ExitBasis): OrderTerms {
  return { symbol, side: otherSide(side), type: 'MO', quantity, timeInForce: 'day' };
}
