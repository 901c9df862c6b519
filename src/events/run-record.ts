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

/** How many of each thing flowed through the stages. */
export interface FlowCounts {
  readonly quotes: number;
  readonly bars: number;
  readonly signals: number;
  readonly intents: number;
  readonly denied: number;
  readonly orders: number;
  readonly fills: number;
}

/** One step of the pipeline that two runs of the same config must share. */
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

/** Orders that a strategy asked for and that could not be made, such as one of a negative quantity, by the reason. */
export interface LeftOutOrders {
  /** Which of several strategies; absent in a bot with one. */
  readonly strategy?: string;
  readonly reason: string;
  readonly count: number;
  readonly firstAt: Millis;
}

/** All denials of a run by one rule: how many, when first, and the reason given then. */
export interface DenialsByRule {
  readonly rule: string;
  readonly count: number;
  readonly firstAt: Millis;
  readonly reason: string;
}

/** State of one of several strategies at the end of a run. */
export interface StrategyShare {
  readonly name: string;
  /** What its fills, and what others closed of its position, came to at mark, after fees, in the account's currency, since its books were opened; NaN without a price. */
  readonly earned: number;
  /** Whether it failed and was asked no more. */
  readonly quarantined: boolean;
}

/** Positions of an account when a run began. */
export interface OpeningHoldings {
  readonly at: Millis;
  readonly holdings: Portfolio['holdings'];
}

/** Orders that earlier runs sent and that fills and news of a run are about. */
export type EarlierOrders = ReadonlyMap<IntentId, Pick<TrackedOrder, 'link' | 'strategy' | 'terms'>>;

/** The record of a run whose decisions were kept. */
export type DetailedRecord = RunRecord & Required<Pick<RunRecord, 'decisions'>>;

/** The fills among the decisions of a run, those of orders from outside the bot included. */
export function fillsAmong(decisions: readonly Decision[]): readonly BookedFill[] {
  return decisions.flatMap((decision) =>
    decision.kind === 'order-filled' || decision.kind === 'foreign-filled' ? [decision.fill] : [],
  );
}

/** A bar to draw: when it opens (epoch ms), open, high, low, close, and its shares where they are known. */
export type DrawnBar = readonly [
  time: number,
  open: number,
  high: number,
  low: number,
  close: number,
  volume?: number,
];

/** The newest closed bars of a symbol that a bot kept, and what its strategies computed of them. */
export interface KeptPrices {
  readonly symbol: SecuritySymbol;
  readonly period: Period;
  /** Oldest first; without shares in bots of earlier versions. */
  readonly bars: readonly DrawnBar[];
  /** One value for each of the bars, null while undefined; null where a strategy could not be asked. */
  readonly indicators:
    | readonly {
        readonly name: string;
        /** Over the prices; otherwise below them. */
        readonly isPrice: boolean;
        readonly values: readonly (number | null)[];
      }[]
    | null;
}

/** A dividend or split that was booked in a run without decisions, and the number of fills before it. */
export interface BookedAction {
  readonly fills: number;
  readonly booked: CorporateActionBooked;
}

/** Everything a report needs of one finished run, backtest or paper. */
export interface RunRecord {
  readonly mode: 'backtest' | 'paper' | 'live';
  readonly strategy: string;
  /** Each of several strategies, in the config's order; absent where there is one. */
  readonly strategies?: readonly StrategyShare[];
  /** Path of the YAML as the user gave it. */
  readonly config: string;
  readonly securities: readonly Security[];
  readonly currency: Currency;
  /** Midnight of the first day on which a symbol has a bar, and the last close. */
  readonly from: Millis;
  readonly to: Millis;
  readonly initialEquity: number;
  /** Where plain numbers carried the run it is made when it is read: `curve` has what figures need. */
  readonly equity: EquityCurve;
  /** What figures need of the curve, where the run gathered it. */
  readonly curve?: CurveFigures;
  readonly flow: FlowCounts;
  /** Every signal, order and fill in sequence. Absent where plain numbers carried the run: a backtest keeps them if asked to. */
  readonly decisions?: readonly Decision[];
  /** What was held when the run began, and since when; absent where nothing was. */
  readonly opening?: OpeningHoldings;
  /** Orders of earlier runs that decisions of this one are about; absent where there are none. */
  readonly earlierOrders?: EarlierOrders;
  /** By currency: charges that the venue stated during this run for orders that earlier runs filled. Equity has them, fees do not. */
  readonly earlierCharges?: ReadonlyMap<Currency, Decimal>;
  /** All fills in the order in which they entered the books. */
  readonly fills: readonly BookedFill[];
  /** The same as columns, where plain numbers carried the run. */
  readonly fillColumns?: FillColumns;
  /** Dividends and splits among those fills, in order; absent where there were none, no interest, and nothing was sold short. */
  readonly bookedActions?: readonly BookedAction[];
  /** Interest and borrow fees of a run that plain numbers carried, made when it is read. */
  readonly bookedInterest?: readonly InterestBooked[];
  /** Stops and targets of brackets; present with those columns. */
  readonly exitColumns?: ExitColumns;
  /** What the gate denied, by rule in the order of their first denials; present with those columns. */
  readonly denials?: readonly DenialsByRule[];
  /** What the fills of those columns were charged, by kind; reckoned when it is read. */
  readonly chargeSums?: readonly ChargeSum[];
  /** Equity at the start and at the end; absent for a run that began with positions of unknown cost. */
  readonly bounds?: RunBounds;
  /** Hooks that created orders and returned nothing; absent where there was none. */
  readonly unreturned?: readonly UnreturnedDrafts[];
  /** Orders that could not be made, by reason in the order of their first; absent where there was none. */
  readonly leftOut?: readonly LeftOutOrders[];
  /** What the models assume and leave out, one sentence each, printed with every result. */
  readonly assumptions: readonly string[];
  /** Path of the journal; undefined when it was kept in memory. */
  readonly journal: string | undefined;
  /** State of the gate at the end; absent where it is not known. */
  readonly gate?: GateStanding;
  /** Each time a rule stopped the gate and an assumed operator resumed it, oldest first; absent if no operator is simulated. */
  readonly stops?: readonly GateMoved[];
  /** Bars of a bot that has no file of them; absent where there is one. */
  readonly keptPrices?: readonly KeptPrices[];
  /** Orders still working at the venue after the run, and how many of them are unknown. */
  readonly left?: { readonly live: number; readonly inDoubt: number };
}
