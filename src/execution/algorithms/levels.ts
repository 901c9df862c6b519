import { type ExitDistance, type ExitLevel, otherSide } from '../../model/algorithm.ts';
import { multiply, ONE, toAmount, toDecimal } from '../../model/amount.ts';
import { type Decimal, type Price, type Quantity, ZERO } from '../../model/decimal.ts';
import type { OrderTerms, Side } from '../../model/order.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import { unreachable } from '../../model/unreachable.ts';
import type { AlgorithmFacts } from './plan.ts';

/** One per cent. */
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
 * The price of a level for a position that was opened on `side` at `paid`, on a tick: a loss below a price that was bought at,
 * a gain above it. A stop goes to the tick that is met first, a target to the one that gains no less than was asked.
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
    level.kind === 'price' ? level.price : awayFrom(entryPrice, distanceFrom(level, entryPrice), above);
  return toTick(exact, side === 'buy' ? 'up' : 'down');
}

function awayFrom(price: Price, distance: Decimal, above: boolean): Price {
  return above ? price.plus(distance) : price.minus(distance);
}

/** The close from which on a stop is at the entry price, on no tick. */
export function breakEvenGoal(breakEven: ExitDistance, entryPrice: Price, side: Side): Price {
  return awayFrom(entryPrice, distanceFrom(breakEven, entryPrice), side === 'buy');
}

/** The stop at the entry price, on a tick. */
export function evenStop(entryPrice: Price, side: Side, toTick: AlgorithmFacts['toTick']): Price {
  return toTick(entryPrice, side === 'buy' ? 'up' : 'down');
}

/** True when a price is at a level or beyond it, seen from a position that was opened on `side`. */
export function isBeyond(price: Price, level: Price, kind: 'loss' | 'gain', side: Side): boolean {
  const upwards = (side === 'buy') === (kind === 'gain');
  return upwards ? price.gte(level) : price.lte(level);
}

/** What is needed to close a position that was opened on `side`. */
export interface ExitBasis {
  readonly symbol: SecuritySymbol;
  readonly side: Side;
  readonly quantity: Quantity;
}

/** Market if touched: waits at the venue, so it protects also while this program does not run. */
export function stopTerms({ symbol, side, quantity }: ExitBasis, triggerPrice: Price): OrderTerms {
  return { symbol, side: otherSide(side), type: 'MIT', quantity, triggerPrice, timeInForce: 'gtc' };
}

/**
 * Limit if touched, as what only waits for its price keeps no shares from the stop; a plain limit where the price
 * is there already, and where orders are judged only when they fill.
 */
export function targetTerms(
  basis: ExitBasis,
  price: Price,
  { last, judgesAtFill }: Pick<AlgorithmFacts, 'last' | 'judgesAtFill'>,
): OrderTerms {
  const { symbol, side, quantity } = basis;
  const common = { symbol, side: otherSide(side), quantity, price, timeInForce: 'gtc' } as const;
  const isThere = last === undefined || isBeyond(last, price, 'gain', side);
  return isThere || judgesAtFill
    ? { ...common, type: 'LO' }
    : { ...common, type: 'LIT', triggerPrice: price };
}

/** The venue's own trailing stop: a limit that is released at the market once the price came back so far. */
export function trailTerms({ symbol, side, quantity }: ExitBasis, distance: ExitDistance): OrderTerms {
  const common = { symbol, side: otherSide(side), quantity, timeInForce: 'gtc', limitOffset: ZERO } as const;
  return distance.kind === 'amount'
    ? { ...common, type: 'TSLPAMT', trailingAmount: distance.amount }
    : { ...common, type: 'TSLPPCT', trailingPercent: distance.percent };
}

/** Takes what the market gives, now. */
export function closeTerms({ symbol, side, quantity }: ExitBasis): OrderTerms {
  return { symbol, side: otherSide(side), type: 'MO', quantity, timeInForce: 'day' };
}
