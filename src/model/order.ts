import type { OrderLink } from './algorithm.ts';
import type { Decimal, Price, Quantity } from './decimal.ts';
import type { Currency } from './money.ts';
import type { SecuritySymbol } from './symbol.ts';
import type { CalendarDay, Millis } from './time.ts';

declare const orderIdBrand: unique symbol;
declare const intentIdBrand: unique symbol;
declare const executionIdBrand: unique symbol;

/** The venue's order id: 18 or 19 digits, always text, because a double would lose digits. */
export type OrderId = string & { readonly [orderIdBrand]: true };

/** Our id of an intent (client order id): 16 characters of `A-Z`, `2-7`, sent in the tag in `remark`. */
export type IntentId = string & { readonly [intentIdBrand]: true };

export type ExecutionId = string & { readonly [executionIdBrand]: true };

export const orderId = (text: string): OrderId => text as OrderId;
export const intentId = (text: string): IntentId => text as IntentId;
export const executionId = (text: string): ExecutionId => text as ExecutionId;

export type Side = 'buy' | 'sell';

/**
 * The broker's order types by their wire names.
 * @see https://open.longbridge.com/docs, "Trade definition"
 */
export const ORDER_TYPES = [
  'LO',
  'ELO',
  'MO',
  'AO',
  'ALO',
  'ODD',
  'LIT',
  'MIT',
  'TSLPAMT',
  'TSLPPCT',
  'SLO',
] as const;
export type OrderType = (typeof ORDER_TYPES)[number];

/** Returns why an order type was removed, and its replacement; undefined for other names. */
export function removedOrderType(word: string): string | undefined {
  const like = REMOVED.get(word);
  return like && `${word} was removed on 2024-04-29, ${like} trails with a limit`;
}

const REMOVED: ReadonlyMap<string, OrderType> = new Map([
  ['TSMPCT', 'TSLPPCT'],
  ['TSMAMT', 'TSLPAMT'],
]);

export type TimeInForce = 'day' | 'gtc' | 'gtd';

/** US sessions in which an order may trade; regular hours only if absent. */
export type OutsideRth = 'rth-only' | 'any-time' | 'overnight';

/** The terms of an order as a venue needs them; absent fields do not apply to the type. */
export interface OrderTerms {
  readonly symbol: SecuritySymbol;
  readonly side: Side;
  readonly type: OrderType;
  readonly quantity: Quantity;
  readonly timeInForce: TimeInForce;
  readonly price?: Price;
  readonly triggerPrice?: Price;
  readonly limitOffset?: Decimal;
  readonly trailingAmount?: Decimal;
  /** In percent: 1 is 1 %. */
  readonly trailingPercent?: Decimal;
  readonly expireDate?: CalendarDay;
  readonly outsideRth?: OutsideRth;
  readonly limitDepthLevel?: number;
  readonly monitorPrice?: Price;
  readonly triggerCount?: number;
}

/** An order that a strategy or operator requests, before the risk check. */
export interface OrderIntent {
  readonly id: IntentId;
  readonly terms: OrderTerms;
  /** The strategy's reason, shown by reports and `why`. */
  readonly reason: string;
  /** Market time of the decision. */
  readonly decidedAt: Millis;
  /** Time after acceptance at which the rest is cancelled, in milliseconds of market time. */
  readonly cancelAfterMs?: number;
  /** `flatten`: an operator closes the position. Absent: a request of a strategy. */
  readonly purpose?: 'flatten';
  /** The algorithm that sends the order; absent if the strategy requested this order itself. */
  readonly link?: OrderLink;
  /** The strategy that owns the order; absent in a bot with one strategy. */
  readonly strategy?: string;
  /**
   * True if the order leads to a target position. While it waits for exits to be cancelled, its quantity follows the
   * position.
   */
  readonly isTarget?: true;
  /** True if such an order waited and its quantity was recomputed. */
  readonly isResized?: true;
  /** True if the order of this id is live and these are its new terms (T-40). */
  readonly replaces?: true;
  /** True if the new terms only reduce the quantity; such a replace passes a halted gate. */
  readonly reducesQuantity?: true;
}

/**
 * The 17 statuses of the wire; `ReadStatus` adds one for an unknown text.
 * @see https://open.longbridge.com/docs, "Trade definition"
 */
export const VENUE_STATUSES = [
  'NotReported',
  'ReplacedNotReported',
  'ProtectedNotReported',
  'VarietiesNotReported',
  'WaitToNew',
  'NewStatus',
  'PartialFilledStatus',
  'WaitToReplace',
  'PendingReplaceStatus',
  'ReplacedStatus',
  'WaitToCancel',
  'PendingCancelStatus',
  'FilledStatus',
  'RejectedStatus',
  'CanceledStatus',
  'ExpiredStatus',
  'PartialWithdrawal',
] as const;
export type VenueStatus = (typeof VENUE_STATUSES)[number];
export type ReadStatus = VenueStatus | 'unrecognised';

const TERMINAL: ReadonlySet<ReadStatus> = new Set<ReadStatus>([
  'FilledStatus',
  'RejectedStatus',
  'CanceledStatus',
  'ExpiredStatus',
  'PartialWithdrawal',
]);

/** True if the venue has finished the order. An unrecognised status is never terminal. */
export function isTerminalStatus(status: ReadStatus): boolean {
  return TERMINAL.has(status);
}

export interface Charge {
  readonly code: string;
  readonly name: string;
  readonly category: 'broker' | 'third-party';
  readonly amount: Decimal;
  readonly currency: Currency;
}

/** An order as the venue reports it (detail, today's orders, push). */
export interface OrderDetail {
  readonly orderId: OrderId;
  readonly terms: OrderTerms;
  readonly status: ReadStatus;
  /** The status text as received, for alarms on unrecognised ones. */
  readonly rawStatus: string;
  readonly executedQuantity: Quantity;
  /** Average fill price; undefined while nothing is executed. */
  readonly executedPrice: Price | undefined;
  readonly currency: Currency;
  readonly submittedAt: Millis;
  readonly updatedAt: Millis;
  readonly triggerAt: Millis | undefined;
  readonly message: string;
  readonly remark: string;
  /** Charges so far; undefined in responses without charge details (listings, pushes). */
  readonly charges: readonly Charge[] | undefined;
}

/** One row of the executions listing, as entered into the ledger. */
export interface Execution {
  readonly executionId: ExecutionId;
  readonly orderId: OrderId;
  readonly symbol: SecuritySymbol;
  readonly side: Side;
  readonly quantity: Quantity;
  readonly price: Price;
  /** Whole seconds on the wire. */
  readonly time: Millis;
  /**
   * Present if the venue reports only an order's average price: the maximum difference between price times quantity and
   * the money moved, in the order's currency.
   */
  readonly rounding?: Decimal;
}

/** A request as sent, for the journal. */
export interface WrittenRequest {
  /** The bytes of the body. */
  readonly body: string;
  /** SHA-256 of the body, in hexadecimal. */
  readonly digest: string;
  /** The `X-Timestamp` that was signed. */
  readonly timestamp: string;
}
