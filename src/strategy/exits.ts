import type { ExitDistance, ExitLevel, Exits } from '../model/algorithm.ts';
import type { Side } from '../model/order.ts';
import { type Numeric, toDecimal } from './numeric.ts';

/** A distance from a price: in the security's currency, or in percent (1 is 1 %). */
export type DistanceTerms = { readonly amount: Numeric } | { readonly percent: Numeric };

/** A price to leave at: itself, or a distance from the average price that was paid. */
export type LevelTerms = Numeric | DistanceTerms;

/** When and where a position is left, whichever comes first; any of them, in any combination. */
export interface ExitTerms {
  /** Loss at which it is closed at the market (a stop-loss). */
  readonly stop?: LevelTerms;
  /** Gain at which it is closed at a limit (a take-profit). */
  readonly target?: LevelTerms;
  /** A stop that follows the price at this distance; the venue watches it. */
  readonly trail?: DistanceTerms;
  /** Gain at a bar's close from which on the stop is at the entry price. */
  readonly breakEven?: DistanceTerms;
  /** Closed at the market this many minutes after its first fill, by the market's clock. */
  readonly afterMinutes?: number;
  /** Closed at the market this many minutes before its regular session ends, half days included. */
  readonly beforeCloseMinutes?: number;
}

/** Exits with exact figures, or what is wrong with them. */
export type ReadExits =
  | { readonly kind: 'exits'; readonly exits: Exits }
  | { readonly kind: 'problem'; readonly problem: string };

const MINUTE_MS = 60_000;

/** Reads what an author wrote for a position opened on `side`; every figure, and every price it leads to, has to be above zero. */
export function readExits(terms: ExitTerms, side: Side): ReadExits {
  const { stop, target, trail, breakEven, afterMinutes, beforeCloseMinutes } = terms;
  const levels = { stop: levelOf(stop), target: levelOf(target) };
  const distances = { trail: distanceOf(trail), breakEven: distanceOf(breakEven) };
  const minutes = { afterMinutes, beforeCloseMinutes };
  for (const [name, read] of Object.entries({ ...levels, ...distances }))
    if (read === 'wrong') return { kind: 'problem', problem: `exit "${name}" is not a figure above zero` };
  const downwards =
    side === 'buy'
      ? { stop: levels.stop, trail: distances.trail }
      : { target: levels.target, breakEven: distances.breakEven };
  for (const [name, read] of Object.entries(downwards))
    if (typeof read === 'object' && read.kind === 'percent' && read.percent.gte(100))
      return { kind: 'problem', problem: `exit "${name}" is ${read.percent} % down, want less than 100` };
  for (const [name, value] of Object.entries(minutes))
    if (value !== undefined && !(Number.isFinite(value) && value > 0))
      return { kind: 'problem', problem: `exit "${name}" is ${value}, want minutes above zero` };
  const exits = {
    ...definedField('stop', levels.stop),
    ...definedField('target', levels.target),
    ...definedField('trail', distances.trail),
    ...definedField('breakEven', distances.breakEven),
    ...definedField('afterMs', times(afterMinutes)),
    ...definedField('beforeCloseMs', times(beforeCloseMinutes)),
  };
  return { kind: 'exits', exits };
}

function times(minutes: number | undefined): number | undefined {
  return minutes === undefined ? undefined : Math.round(minutes * MINUTE_MS);
}

function definedField<K extends string, T>(
  name: K,
  value: T | 'wrong' | undefined,
): { readonly [key in K]?: T } {
  const fields: { [key in K]?: T } = {};
  if (value !== undefined && value !== 'wrong') fields[name] = value;
  return fields;
}

function levelOf(terms: LevelTerms | undefined): ExitLevel | 'wrong' | undefined {
  if (typeof terms === 'object' && ('amount' in terms || 'percent' in terms)) return distanceOf(terms);
  const price = terms === undefined ? undefined : toDecimal(terms);
  if (terms === undefined) return undefined;
  return price?.gt(0) === true ? { kind: 'price', price } : 'wrong';
}

function distanceOf(terms: DistanceTerms | undefined): ExitDistance | 'wrong' | undefined {
  if (terms === undefined) return undefined;
  if ('amount' in terms) {
    const amount = toDecimal(terms.amount);
    return amount?.gt(0) === true ? { kind: 'amount', amount } : 'wrong';
  }
  const percent = toDecimal(terms.percent);
  return percent?.gt(0) === true ? { kind: 'percent', percent } : 'wrong';
}
