import type { Observable } from 'rxjs';
import type { SluiceEvent } from '../events/event.ts';
import type { UnreturnedDrafts } from '../events/unreturned-drafts.ts';
import type { KillMarkReader } from '../execution/gate/restrictions.ts';
import type { ExecutionPolicy } from '../execution/orders/order-style.ts';
import type { AnnouncedSplit } from '../execution/reconciliation/announced-splits.ts';
import type { LeaseFacts } from '../execution/reconciliation/recovery.ts';
import type { FxSeries } from '../model/dated-rates.ts';
import type { FxRates } from '../model/fx.ts';
import type { Currency } from '../model/money.ts';
import type { Alarm } from '../model/notice.ts';
import type { IntentId } from '../model/order.ts';
import type { Period } from '../model/period.ts';
import type { Security } from '../model/security.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import type { Millis } from '../model/time.ts';
import type { TradingSessions } from '../model/trading-sessions.ts';
import type { Broker } from '../ports/broker.ts';
import type { CallBudget } from '../ports/call-budget.ts';
import type { Clock } from '../ports/clock.ts';
import type { Journal } from '../ports/journal.ts';
import type { OperatorRequest } from '../ports/operator.ts';
import type { MissingQuotes } from '../ports/quote-feed.ts';
import type { RuleHost } from '../ports/rule-host.ts';
import type { SignalSource } from '../ports/signal-source.ts';
import type { StrategyHost } from '../ports/strategy-host.ts';
import type { Request } from '../ports/task.ts';
import type { QuoteFact } from '../risk/facts.ts';
import type { RiskLimits } from '../risk/limits.ts';
import type { InterestAccrual } from './cash-postings.ts';
import type { DueAction } from './corporate-actions.ts';
import type { Member } from './member.ts';

/** Everything an engine is created from: ports with their adapters, and settings. */
export interface EngineParts {
  /** Market time. */
  readonly clock: Clock;
  readonly source: SignalSource;
  readonly host: StrategyHost;
  readonly broker: Broker;
  readonly journal: Journal;
  /** Several strategies that share the account; absent or empty: `host` alone, with `policy` and `strategy`. */
  readonly members?: readonly Member[];
  /** Securities of the bot, in the config's order. */
  readonly securities: ReadonlyMap<SecuritySymbol, Security>;
  /** Latest quote of a symbol with its time; undefined before the first. */
  readonly quote: (symbol: SecuritySymbol) => QuoteFact | undefined;
  /** Pulls a symbol's quote, which `quote` then returns; absent if `quote` itself always pulls. */
  readonly pullQuote?: (symbol: SecuritySymbol) => Request<unknown>;
  /** The account's currency, in which equity and limits are summed. */
  readonly currency: Currency;
  /** Period of the bot's bars, for exits that depend on their closes; default a minute. */
  readonly period?: Period;
  /** The sessions of the bars; only regular trading if absent. */
  readonly sessions?: TradingSessions;
  /** End of the market's data: no algorithm waits beyond it; absent: never. */
  readonly until?: Millis;
  readonly fx: FxRates;
  /** Changing rates, in place of the figures of their pairs; none if absent. */
  readonly fxSeries?: readonly FxSeries[];
  readonly limits: RiskLimits;
  readonly policy: ExecutionPolicy;
  /** Call budget of the account; absent if the venue does not limit calls. */
  readonly budget?: CallBudget;
  /** Custom risk rules, which can only deny more; absent if there are none. */
  readonly rules?: RuleHost;
  /** Commands of an operator or a schedule; absent if there are none. */
  readonly commands$?: Observable<OperatorRequest>;
  /**
   * False for a bot that may run for months: its decisions are in the journal, and memory stays flat; default true.
   */
  readonly keepsDecisions?: boolean;
  /** Quotes that do not arrive now; absent if no quote can be lost. */
  readonly missingQuotes?: () => readonly MissingQuotes[];
  /** Read before an order is sent: the kill file of the bot's folder; absent if there is none. */
  readonly killMark?: KillMarkReader;
  /** Creates an intent id that was never used on this account. */
  readonly mintIntentId: () => IntentId;
  /** Dividends and splits known in advance, in order of time, if the venue does not announce them. */
  readonly corporateActions?: readonly DueAction[];
  /** Announced splits, read at each call; the venue's positions show when they happen. Absent: none. */
  readonly announcedSplits?: () => readonly AnnouncedSplit[];
  /** The period for which interest postings are read; absent if they are not read. */
  readonly interestAccrual?: InterestAccrual;
  readonly strategy: string;
  readonly config: string;
  /** The account's lease; absent if no other process can trade the account. */
  readonly lease?: LeaseFacts;
  /**
   * Awaited before each order of a strategy is processed, so that many orders at once leave room for other work;
   * absent: no wait.
   */
  readonly yieldToEventLoop?: () => Request<unknown>;
  /** Called the first time that a hook of a strategy makes drafts and returns nothing. */
  readonly onUnreturned?: (drafts: UnreturnedDrafts) => void;
  /** Called for every alarm of the bot. */
  readonly onAlarm?: (alarm: Alarm) => void;
  /** Called for every event right after it was journaled and folded. */
  readonly onEvent?: (event: SluiceEvent) => void;
}
