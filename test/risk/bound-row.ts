import { decimal } from '#src/model/decimal.ts';
import type { GateState } from '#src/model/gate.ts';
import type { OrderTerms } from '#src/model/order.ts';
import { millis } from '#src/model/time.ts';
import { TENCENT } from '../fixtures/market.ts';
import { type BoundedRig, HK_MORNING } from './bounded.ts';

/** Sets up the rig's state before the order is judged. */
export type World = (rig: BoundedRig) => void;

/**
 * One rule at its limit. The account has 10,000 USD, 700.HK is quoted at 80 HKD = 10 USD per share, a lot is 100
 * shares, a tick 0.05 HKD: one tick adds 0.625 USD to an order of one lot.
 */
export interface Row {
  readonly rule: string;
  /** The YAML text under `risk`. */
  readonly limit?: string;
  /** Another limit that must be raised. */
  readonly also?: string;
  readonly world?: World;
  readonly at: readonly [order: Partial<OrderTerms>, world?: World];
  readonly beyond: readonly [order: Partial<OrderTerms>, world?: World];
  /** The restriction that the denial sets; none if absent. */
  readonly moves?: GateState;
  /** Expected text of the denial. */
  readonly says: string;
}

export const lots = (count: number): Partial<OrderTerms> => ({ quantity: decimal(String(count * 100)) });
export const market: Partial<OrderTerms> = { type: 'MO' };
export const limited = (price: string, count = 1): Partial<OrderTerms> => ({
  ...lots(count),
  type: 'LO',
  price: decimal(price),
});
export const selling = (count: number): Partial<OrderTerms> => ({ ...lots(count), side: 'sell' });
export const holding =
  (count: number): World =>
  (rig) =>
    rig.hold(TENCENT, count * 100);
export const passedBefore =
  (...agesMs: readonly number[]): World =>
  (rig) => {
    for (const age of agesMs) rig.passed(millis(HK_MORNING - age));
  };
export const fills =
  (count: number, ageMs = 1_000): World =>
  (rig) => {
    for (let each = 0; each < count; each += 1) rig.fill(millis(HK_MORNING - ageMs));
  };
export const quoted =
  (change: Partial<NonNullable<BoundedRig['world']['quote']>>): World =>
  ({ world }) => {
    if (world.quote !== undefined) world.quote = { ...world.quote, ...change };
  };
export const lostSince =
  (close: string, equity: string): World =>
  (rig) => {
    rig.hold(TENCENT, 100);
    rig.world.closes.before = close;
    rig.venue.answers.equity = equity;
  };
export const peak =
  (equity: string): World =>
  (rig) =>
    rig.tell({ kind: 'equity-peaked', at: HK_MORNING, equity: decimal(equity) });
export const soldBefore =
  (...agesMs: readonly number[]): World =>
  (rig) => {
    for (const age of agesMs) rig.passed(millis(HK_MORNING - age), selling(1));
  };
