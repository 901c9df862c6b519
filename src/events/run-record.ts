import type { Decimal } from '../model/decimal.ts';
import type { BookedFill } from '../model/fill.ts';
import type { GateStanding } from '../model/gate.ts';
import type { Currency } from '../model/money.ts';
import type { IntentId } from '../model/order.ts';
import type { Period } from '../model/period.ts';
import type { Security } from '../model/security.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import type { Millis } from '../model/time.ts';
import type { Signal } from '../signals/signal.ts';
import type { TrackedOrder } from './bot-state.ts';
import type { CurveFigures } from './curve/curve-figures.ts';
import type { EquityCurve } from './curve/curve-input.ts';
import type { ExitColumns } from './curve/exit-columns.ts';
import type { FillColumns } from './curve/fill-columns.ts';
import type {
  BooksAdopted,
  CorporateActionBooked,
  ForeignFilled,
  GateMoved,
  IntentArmed,
  IntentDenied,
  IntentDrafted,
  InterestBooked,
  OrderFilled,
  OrderMoved,
  StrategyStateSaved,
  SubmitRefused,
} from './event.ts';
import type { Portfolio } from './portfolio.ts';
import type { ChargeSum, RunBounds } from './run-bounds.ts';
import type { UnreturnedDrafts } from './unreturned-drafts.ts';

/** First words of the assumption that a symbol has too few bars before the first day. */
export const SHORT_WARMUP = 'SHORT WARM-UP';

/** Number of events in each stage of the pipeline. */
export interface FlowCounts {
  readonly quotes: number;
  readonly bars: number;
  readonly signals: number;
  readonly intents: number;
  readonly denied: number;
  readonly orders: number;
  readonly fills: number;
}

/** A step of the pipeline that two runs of the same config must share. */
export type Decision =
  | Signal
  | IntentDrafted
  | IntentDenied
  | IntentArmed
  | SubmitRefused
  | OrderMoved
  | OrderFilled
  | ForeignFilled
  | BooksAdopted
  | StrategyStateSaved
  | CorporateActionBooked
  | InterestBooked;

/** Orders of a strategy that could not be created, such as one with a negative quantity, by reason. */
export interface LeftOutOrders {
  /** Name of the strategy; absent in a bot with one. */
  readonly strategy?: string;
  readonly reason: string;
  readonly count: number;
  readonly firstAt: Millis;
}

/** The denials of a run by one rule: their number, and the time and reason of the first. */
export interface DenialsByRule {
  readonly rule: string;
  readonly count: number;
  readonly firstAt: Millis;
  readonly reason: string;
}

/** State of one of several strategies at the end of a run. */
export interface StrategyShare {
  readonly name: string;
  /**
   * Result of its fills, and of others' fills that closed its position, after fees, in the account's currency; NaN
   * without a price.
   */
  readonly earned: number;
  /** Whether it failed and is no longer called. */
  readonly quarantined: boolean;
}

/** Positions of an account when a run began. */
export interface OpeningHoldings {
  readonly at: Millis;
  readonly holdings: Portfolio['holdings'];
}

/** Orders of earlier runs that fills and events of this run refer to. */
export type EarlierOrders = ReadonlyMap<IntentId, Pick<TrackedOrder, 'link' | 'strategy' | 'terms'>>;

/** The record of a run with decisions. */
export type DetailedRecord = RunRecord & Required<Pick<RunRecord, 'decisions'>>;

/** Returns the fills among the decisions of a run, including those of external orders. */
export function fillsAmong(decisions: readonly Decision[]): readonly BookedFill[] {
  return decisions.flatMap((decision) =>
    decision.kind === 'order-filled' || decision.kind === 'foreign-filled' ? [decision.fill] : [],
  );
}

/** A bar for charts: open time (epoch ms), open, high, low, close, and volume in shares if known. */
export type DrawnBar = readonly [
  time: number,
  open: number,
  high: number,
  low: number,
  close: number,
  volume?: number,
];

/** The newest closed bars of a symbol in a bot, and the indicators of its strategies. */
export interface KeptPrices {
  readonly symbol: SecuritySymbol;
  readonly period: Period;
  /** Oldest first; without volume in bots of earlier versions. */
  readonly bars: readonly DrawnBar[];
  /** One value per bar, null while undefined; null if a strategy could not be called. */
  readonly indicators:
    | readonly {
        readonly name: string;
        /** Drawn over the prices; otherwise below them. */
        readonly isPrice: boolean;
        readonly values: readonly (number | null)[];
      }[]
    | null;
}

/** A booked corporate action of a run without decisions, and the number of fills before it. */
export interface BookedAction {
  readonly fills: number;
  readonly booked: CorporateActionBooked;
}

/** Everything that a report needs of one run. */
export interface RunRecord {
  readonly mode: 'backtest' | 'paper' | 'live';
  readonly strategy: string;
  /** Each strategy, in the config's order; absent in a bot with one. */
  readonly strategies?: readonly StrategyShare[];
  /** Path of the config as given by the user. */
  readonly config: string;
  readonly securities: readonly Security[];
  readonly currency: Currency;
  /** Midnight of the first day with a bar, and the last close. */
  readonly from: Millis;
  readonly to: Millis;
  readonly initialEquity: number;
  /** Computed when it is read in a run of the express engine; `curve` has what figures need. */
  readonly equity: EquityCurve;
  /** Curve figures that the run computed, if it did. */
  readonly curve?: CurveFigures;
  readonly flow: FlowCounts;
  /** Every signal, order and fill in sequence; in a run of the express engine only if configured. */
  readonly decisions?: readonly Decision[];
  /** Positions at the start of the run, and their time; absent if there were none. */
  readonly opening?: OpeningHoldings;
  /** Orders of earlier runs that decisions of this one refer to; absent if there are none. */
  readonly earlierOrders?: EarlierOrders;
  /** By currency: charges in this run for fills of earlier runs, which are part of equity, but not of fees. */
  readonly earlierCharges?: ReadonlyMap<Currency, Decimal>;
  /** All fills in booking order. */
  readonly fills: readonly BookedFill[];
  /** The fills as columns, in a run of the express engine. */
  readonly fillColumns?: FillColumns;
  /** Corporate actions among those fills, in order; absent if there were none, no interest, and no short sales. */
  readonly bookedActions?: readonly BookedAction[];
  /** Interest and borrow fees of a run of the express engine, computed when read. */
  readonly bookedInterest?: readonly InterestBooked[];
  /** Stops and targets of brackets; present with `fillColumns`. */
  readonly exitColumns?: ExitColumns;
  /** Denials by rule, in the order of their first; present with `fillColumns`. */
  readonly denials?: readonly DenialsByRule[];
  /** Charges of `fillColumns` by kind; computed when read. */
  readonly chargeSums?: readonly ChargeSum[];
  /** Equity at the start and at the end; absent for a run that began with positions of unknown cost. */
  readonly bounds?: RunBounds;
  /** Hooks that created orders and returned nothing; absent if there were none. */
  readonly unreturned?: readonly UnreturnedDrafts[];
  /** Orders that could not be created, by reason in the order of their first; absent if there were none. */
  readonly leftOut?: readonly LeftOutOrders[];
  /** Assumptions and limitations of the models, one sentence each, printed with every result. */
  readonly assumptions: readonly string[];
  /** Path of the journal; undefined if it was in memory. */
  readonly journal: string | undefined;
  /** State of the gate at the end; absent if unknown. */
  readonly gate?: GateStanding;
  /** Each gate stop by a rule that a simulated operator resumed, oldest first; absent if no operator is simulated. */
  readonly stops?: readonly GateMoved[];
  /** Bars of a bot without a bar file; absent otherwise. */
  readonly keptPrices?: readonly KeptPrices[];
  /** Orders still working at the venue after the run, and how many of them are unknown. */
  readonly left?: { readonly live: number; readonly inDoubt: number };
}
