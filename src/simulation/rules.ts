import type { Commission } from '../markets/charge-schedules.ts';
import { Decimal } from '../model/decimal.ts';
import type { Security } from '../model/security.ts';
import { DEFAULT_INTEREST, type InterestModel, NO_INTEREST } from './books/interest.ts';
import {
  CASH_ACCOUNT,
  type FillModel,
  type LatencyModel,
  MARGIN_ACCOUNT,
  type MarginModel,
  NO_LATENCY,
  PRINT_FILLS,
} from './models.ts';

/** Settings of a simulation apart from account kind and charge schedule, shared by backtests and the embedded venue. */
export interface SimulationRules {
  readonly fills: FillModel;
  readonly latency: LatencyModel;
  /** How orders are covered; the rest of the margin model depends on whether the account borrows. */
  readonly cover: Pick<MarginModel, 'cover' | 'shortfall' | 'settledOnly' | 'closeOut'>;
  /** True if the account may sell short; undefined: as the gate's `allowShort`. */
  readonly shorting: boolean | undefined;
  readonly corporateActions: boolean;
  /** Ratio of a dividend withheld at its source, by market; none if absent. */
  readonly dividendTax?: Readonly<Record<string, Decimal>>;
  /**
   * True if market orders trade at the ask or bid of quote files, if there is a quote of this session at least as new
   * as the last print.
   */
  readonly bidAsk: boolean;
  /** The broker's commission on top of the charge schedule: one for all markets, or one per market. */
  readonly commission: Commission | readonly Commission[] | undefined;
  /** Interest on debt and cash, and fees for borrowed shares. */
  readonly interest: InterestModel;
  /**
   * Backtests only. `absent`: the gate is never resumed after a rule stopped it. Otherwise a simulated operator resumes
   * it before the next trading day.
   */
  readonly operator?: 'absent';
}

/**
 * Defaults: four ticks per bar, calendar hours, ticks and lots checked, orders covered by reservations, no extra costs.
 */
export const DEFAULT_RULES: SimulationRules = {
  fills: PRINT_FILLS,
  latency: NO_LATENCY,
  cover: { cover: 'reserved', shortfall: 'reject', settledOnly: false, closeOut: 'none' },
  shorting: undefined,
  corporateActions: false,
  bidAsk: false,
  commission: undefined,
  interest: DEFAULT_INTEREST,
};

/** Defaults of an embedded venue. No interest, because a bot that does not know these rules would not expect it. */
export const VENUE_RULES: SimulationRules = { ...DEFAULT_RULES, interest: NO_INTEREST };

/** Adapts a security to rules that check no ticks (prices of 8 decimals) or no lots (single shares). */
export function securityUnder({ fills }: Pick<SimulationRules, 'fills'>, security: Security): Security {
  if (fills.checkTicks && fills.checkLots) return security;
  return {
    ...security,
    ...(fills.checkTicks ? {} : { tick: FINEST }),
    ...(fills.checkLots ? {} : { lotSize: 1 }),
  };
}

const FINEST = new Decimal('0.00000001');

/**
 * Returns what a bot must know of a venue: how orders are covered if nothing is reserved, and whether it matches whole
 * bars.
 */
export function venueFacts(
  { cover, shortfall }: Pick<MarginModel, 'cover' | 'shortfall'>,
  { matching }: Pick<FillModel, 'matching'>,
): { readonly cover?: 'at-fill' | 'cut'; readonly wholeBars?: true } {
  return {
    ...(cover === 'reserved' ? {} : { cover: shortfall === 'cut' ? 'cut' : 'at-fill' }),
    ...(matching.kind === 'whole-bars' ? { wholeBars: true } : {}),
  };
}

export function marginUnder(rules: SimulationRules, borrows: boolean): MarginModel {
  return { ...(borrows ? MARGIN_ACCOUNT : CASH_ACCOUNT), ...rules.cover };
}
