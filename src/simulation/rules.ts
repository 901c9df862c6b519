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

/**
 * Settings of a simulation in addition to the account's kind and the charge schedule: the same for the
 * simulated Broker of a backtest and for the embedded venue.
 */
export interface SimulationRules {
  readonly fills: FillModel;
  readonly latency: LatencyModel;
  /** How orders are covered; the rest of the model follows from whether the account borrows. */
  readonly cover: Pick<MarginModel, 'cover' | 'shortfall' | 'settledOnly' | 'closeOut'>;
  /** Whether the account may sell what it does not hold; undefined: if the gate's `allowShort` lets it. */
  readonly shorting: boolean | undefined;
  /** Whether dividends and splits happen. */
  readonly corporateActions: boolean;
  /** Share of a dividend that is withheld at its source, by market; nothing when absent. */
  readonly dividendTax?: Readonly<Record<string, Decimal>>;
  /** Whether market orders pay the ask, or get the bid, of files of quotes, where there is one of this session and as new as the last print. */
  readonly bidAsk: boolean;
  /** The broker's own commission, on top of the charge schedule: one for all markets, or one for each. */
  readonly commission: Commission | readonly Commission[] | undefined;
  /** What borrowed money and borrowed shares cost, and what cash earns. */
  readonly interest: InterestModel;
  /** Backtests only: the gate is not resumed after a rule stopped it. When absent, an operator resumes it before the next trading day. */
  readonly operator?: 'absent';
}

/** The defaults: four ticks per bar, calendar hours, ticks and lots checked, cover reserved, nothing on top. */
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

/** Defaults of an embedded venue: a bot that does not know its rules is not charged interest. */
export const VENUE_RULES: SimulationRules = { ...DEFAULT_RULES, interest: NO_INTEREST };

/** What a security is under rules that heed no tick ladder or no lots: prices of 8 decimals, single shares. */
export function securityUnder({ fills }: Pick<SimulationRules, 'fills'>, security: Security): Security {
  if (fills.checkTicks && fills.checkLots) return security;
  return {
    ...security,
    ...(fills.checkTicks ? {} : { tick: FINEST }),
    ...(fills.checkLots ? {} : { lotSize: 1 }),
  };
}

const FINEST = new Decimal('0.00000001');

/** What a bot must know of a venue: how it pays for orders where it sets nothing aside, and whether orders meet whole bars. */
export function venueFacts(
  { cover, shortfall }: Pick<MarginModel, 'cover' | 'shortfall'>,
  { matching }: Pick<FillModel, 'matching'>,
): { readonly cover?: 'at-fill' | 'cut'; readonly wholeBars?: true } {
  return {
    ...(cover === 'reserved' ? {} : { cover: shortfall === 'cut' ? 'cut' : 'at-fill' }),
    ...(matching.kind === 'whole-bars' ? { wholeBars: true } : {}),
  };
}

/** The margin model of an account that borrows, or does not, under rules. */
export function marginUnder(rules: SimulationRules, borrows: boolean): MarginModel {
  return { ...(borrows ? MARGIN_ACCOUNT : CASH_ACCOUNT), ...rules.cover };
}
