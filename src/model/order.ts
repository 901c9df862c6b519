import type { OrderLink } from './algorithm.ts';
import type { Decimal, Price, Quantity } from './decimal.ts';
import type { Currency } from './money.ts';
import type { SecuritySymbol } from './symbol.ts';
import type { CalendarDay, Millis } from './time.ts';

declare const orderIdBrand: unique symbol;
declare const intentIdBrand: unique symbol;
declare const executionIdBrand: unique symbol;

/** The venue's id of an order: 18 or 19 digits, text from wire to disk, never a double. */
export type OrderId = string & { readonly [orderIdBrand]: true };

/** Our id of an intent (client order id): 16 characters of `A-Z`, `2-7`; travels inside the tag in `remark`. */
export type IntentId = string & { readonly [intentIdBrand]: true };

/** The venue's id of one execution. */
export type ExecutionId = string & { readonly [executionIdBrand]: true };

export const orderId = (text: string): OrderId => text as OrderId;
export const intentId = (text: string): IntentId => text as IntentId;
export const executionId = (text: string): ExecutionId => text as ExecutionId;

export type Side = 'buy' | 'sell';

/** The broker's order types by their wire names. @see https://open.longbridge.com/docs, "Trade definition" */
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

/** Why an order type was removed, and its replacement; undefined for a name that never was an order type. */
export function removedOrderType(word: string): string | undefined {
  const like = REMOVED.get(word);
  return like && `${word} was removed on 2024-04-29, ${like} trails with a limit`;
}

const REMOVED: ReadonlyMap<string, OrderType> = new Map([
  ['TSMPCT', 'TSLPPCT'],
  ['TSMAMT', 'TSLPAMT'],
]);

export type TimeInForce = 'day' | 'gtc' | 'gtd';

/** US sessions an order may trade in; absent means regular hours only. */
export type OutsideRth = 'rth-only' | 'any-time' | 'overnight';

/** Everything about an order that a venue needs to know; absent fields do not apply to the type. */
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

/** An order that the strategy wants; risk has not seen it. */
export interface OrderIntent {
  readonly id: IntentId;
  readonly terms: OrderTerms;
  /** The strategy's own word on why, shown by reports and `why`. */
  readonly reason: string;
  /** When it was decided, market time. */
  readonly decidedAt: Millis;
  /** Cancel what is still open this long after the venue took it, in milliseconds of market time. */
  readonly cancelAfterMs?: number;
  /** `flatten`: an operator wants the position gone; absent: a strategy asks. */
  readonly purpose?: 'flatten';
  /** The algorithm that wants it; absent when the strategy asked for this very order. */
  readonly link?: OrderLink;
  /** The strategy that it belongs to; absent in a bot with one. */
  readonly strategy?: string;
  /** True where it leads to a target position: while it waits for exits to be gone, its quantity follows what is held. */
  readonly isTarget?: true;
  /** True of such an order that waited, with the quantity that leads to its target now. */
  readonly isResized?: true;
  /** True when the order of this id lives already and these are the terms that it is to have (T-40). */
  readonly replaces?: true;
  /** True of such terms that ask for fewer shares and are else what the order has: they take away, and pass a halted gate. */
  readonly reducesQuantity?: true;
}

/**
 * The 17 statuses of the wire, and the one for a text we do not know.
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

/** True when the venue will do nothing more with the order. An unrecognised status is never terminal. */
export function isTerminalStatus(status: ReadStatus): boolean {
  return TERMINAL.has(status);
}

/** One line of what an order was charged. */
export interface Charge {
  readonly code: string;
  readonly name: string;
  readonly category: 'broker' | 'third-party';
  readonly amount: Decimal;
  readonly currency: Currency;
}

/** An order as the venue tells it (detail, today's orders, push). */
export interface OrderDetail {
  readonly orderId: OrderId;
  readonly terms: OrderTerms;
  readonly status: ReadStatus;
  /** The status text as it came, for alarms on unrecognised ones. */
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
  /** Charged so far; undefined when the answer carries no charge detail (listings, pushes). */
  readonly charges: readonly Charge[] | undefined;
}

/** One row of the executions listing: what enters the ledger. */
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
   * Present where the venue shows only an order's average price: the most by which price times quantity can differ from the money
   * that the venue moved, in the order's currency.
   */
  readonly rounding?: Decimal;
}

/** A request as it leaves, for the journal. */
export interface WrittenRequest {
  /** The bytes of the body. */
  readonly body: string;
  /** SHA-256 of the body, in hexadecimal digits. */
  readonly digest: string;
  /** The `X-Timestamp` that it is signed with. */
  readonly timestamp: string;
}
