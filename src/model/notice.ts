import type { Decimal, Price, Quantity } from './decimal.ts';
import type { GateActor, GateState } from './gate.ts';
import type { Currency } from './money.ts';
import type { IntentId, OrderId, Side } from './order.ts';
import type { SecuritySymbol } from './symbol.ts';
import type { CalendarDay, Millis } from './time.ts';

/** A condition that an operator must know now. `code` is stable; `facts` name both sides of a disagreement. */
export interface Alarm {
  readonly code: string;
  readonly message: string;
  readonly at: Millis;
  readonly facts: Readonly<Record<string, string>>;
}

/** Summary of a finished trading day. */
export interface DayNotice {
  readonly day: CalendarDay;
  /** First of several days that the counts are of, as in a fast replay; `day` is the last. Absent for one day. */
  readonly from?: CalendarDay;
  readonly at: Millis;
  readonly strategy: string;
  readonly currency: Currency;
  /** Cash plus positions at market value, in the account's currency, to the cent. */
  readonly equity: Decimal;
  /** Counts since the previous notice or the start of the run. */
  readonly fills: number;
  readonly orders: number;
  readonly denied: number;
  /** Gate state: `active`, `reduce-only`, `halted` or `killed`. */
  readonly gate: string;
}

/** The bot that sends a notice. */
export interface NotifyingBot {
  /** Name of the config's file without its extension. */
  readonly name: string;
  /** Path of the config, as given. */
  readonly config: string;
  /** Name of the strategy; of several: their names. */
  readonly strategy: string;
  readonly mode: 'paper' | 'live';
  /** Currency of the account. */
  readonly currency: Currency;
}

/** A fill of an order of the bot. */
export interface FillNotice {
  /** The venue's time of the execution. */
  readonly at: Millis;
  readonly symbol: SecuritySymbol;
  readonly side: Side;
  readonly quantity: Quantity;
  readonly price: Price;
  readonly currency: Currency;
  readonly orderId: OrderId;
  readonly intentId: IntentId;
  /** Name of the strategy; absent in a bot with one. */
  readonly strategy?: string;
  /** Reason of the order; empty for an order of an earlier process. */
  readonly reason: string;
  /** Signed position after the fill: of the strategy, where a bot has several. */
  readonly position: Quantity;
  /** Quantity of the fill that closed a position; 0 if it only opened. */
  readonly closed: Quantity;
  /** Profit of the closed quantity at average cost, before fees, in `currency`; absent if the cost is not known. */
  readonly profit?: Decimal;
  /** `profit` as a share of the cost: 0.021 is 2.1 %. */
  readonly profitShare?: number;
}

/** The fills of the last seconds, in one notice so that a chat is not flooded. */
export interface FillsNotice {
  /** Oldest first, at most 100. */
  readonly fills: readonly FillNotice[];
  /** Number of further fills, which are not listed. */
  readonly more: number;
}

/** Denials of the risk gate by one rule in one symbol. */
export interface DenialNotice {
  /** Market time of the newest. */
  readonly at: Millis;
  readonly rule: string;
  readonly symbol: SecuritySymbol;
  /** Reason of the newest. */
  readonly reason: string;
  readonly count: number;
}

/** The denials of the last minute, grouped by rule and symbol. */
export interface DenialsNotice {
  /** In the order of their first denial, at most 20. */
  readonly denials: readonly DenialNotice[];
  /** Number of further denials, by other rules or in other symbols. */
  readonly more: number;
}

/** A change of the gate of the account. */
export interface GateNotice {
  readonly at: Millis;
  readonly before: GateState;
  readonly state: GateState;
  readonly by: GateActor;
  /** The rule that decides now, or the operator's command: `daily-loss`, `kill`, `resume`. */
  readonly rule: string;
  readonly reason: string;
}

/** The bot started, and has recovered: it receives market data and may trade. */
export interface StartNotice {
  readonly at: Millis;
  readonly symbols: readonly SecuritySymbol[];
  /** In the account's currency, to the cent; absent if the venue does not state it. */
  readonly equity?: Decimal;
  readonly gate: GateState;
}

/**
 * The bot stopped, or its recovery failed. A process that was killed, or that failed before it read its account, sends
 * no notice.
 */
export interface StopNotice {
  readonly at: Millis;
  /** `finished` with its data, `interrupted` by the operator, or `failed`. */
  readonly reason: 'finished' | 'interrupted' | 'failed';
  /** The error, if it failed; otherwise empty. */
  readonly message: string;
  /** Orders that remain working at the venue. */
  readonly openOrders: number;
  readonly gate: GateState;
}

/** Everything that a notifier may receive, by kind. */
export interface NoticeKinds {
  readonly alarm: Alarm;
  readonly fills: FillsNotice;
  readonly denials: DenialsNotice;
  readonly gate: GateNotice;
  readonly day: DayNotice;
  readonly start: StartNotice;
  readonly stop: StopNotice;
}

/** A notice for the user. */
export type Notice = {
  readonly [K in keyof NoticeKinds]: { readonly kind: K; readonly notice: NoticeKinds[K] };
}[keyof NoticeKinds];
