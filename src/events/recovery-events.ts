import type { Position } from '../model/account.ts';
import type { Decimal, Price, Quantity } from '../model/decimal.ts';
import type { BookedFill } from '../model/fill.ts';
import type { Currency } from '../model/money.ts';
import type { Charge, OrderId, OrderTerms, ReadStatus } from '../model/order.ts';
import type { Millis } from '../model/time.ts';
import type { EventOf, OrderEventOf } from './event-base.ts';

/** A process became the one writer of an account's journal (I-25): the first record of every start that holds a lease. */
export interface LeaseTaken extends EventOf<'lease-taken'> {
  /** Counts the holders of this journal, from 1; a writer of an earlier one is refused. */
  readonly epoch: number;
  /** Version of this program. */
  readonly version: string;
  /** SHA-256 of the config as it was read. */
  readonly configHash: string;
  /** Machine time of the start. */
  readonly machineAt: Millis;
}

/**
 * The first record of a journal whose earlier records were archived: the state after them, and the name of their file. A fold continues
 * from it as it would from them.
 */
export interface JournalSnapshot {
  readonly kind: 'journal-carried';
  /** Time of the last archived record. */
  readonly at: Millis;
  /** How many were archived, from the first record of the account on. */
  readonly records: number;
  /** The end of the chain over them, from which it continues. */
  readonly chain: string;
  /** Name of the archive file next to the journal. */
  readonly archive: string;
  /** How `state` is written, and what is in it; a program that writes another form reads the archive instead. */
  readonly form: number;
  readonly state: string;
}

/** An order was charged more, or less, than was booked with its fills. */
export interface OrderCharged extends OrderEventOf<'order-charged'> {
  readonly currency: Currency;
  /** Sum of `charges`; below zero where the venue gave something back. */
  readonly fee: Decimal;
  readonly charges: readonly Charge[];
}

/** An order on the account that is not ours: shown and counted, never touched (T-52). */
export interface ForeignMoved extends EventOf<'foreign-moved'> {
  readonly orderId: OrderId;
  readonly terms: OrderTerms;
  readonly status: ReadStatus;
  readonly rawStatus: string;
  readonly executedQuantity: Quantity;
  readonly remark: string;
  /** Absent in journals of earlier versions. */
  readonly currency?: Currency;
}

/** An execution against an order that is not ours. */
export type ForeignFill = BookedFill;

/** An execution of an external order was booked, since it changes the same account. */
export interface ForeignFilled extends EventOf<'foreign-filled'> {
  readonly fill: ForeignFill;
  /** The source of the fill has no fees; they follow as `foreign-charged`, 0 if there are none. Absent: the fill has them. */
  readonly chargesOpen?: true;
}

/** An external order was charged more, or less, than was booked with its fills. */
export interface ForeignCharged extends EventOf<'foreign-charged'> {
  readonly orderId: OrderId;
  readonly currency: Currency;
  /** Below zero where the venue gave something back. */
  readonly fee: Decimal;
}

/** An operator took the venue's cash and positions for ours, after a difference that no order explains. */
export interface BooksAdopted extends EventOf<'books-adopted'> {
  readonly cash: Readonly<Record<Currency, Decimal>>;
  readonly positions: readonly Position[];
  /** The person who did it, and why. */
  readonly by: string;
  readonly reason: string;
}

/** An operator settled an order whose outcome could not be read (T-55). */
export interface OrderSettled extends OrderEventOf<'order-settled'> {
  readonly outcome: 'dead' | 'filled';
  /** Executed beyond what is booked, where it was filled. */
  readonly quantity: Quantity;
  readonly price?: Price;
  readonly currency: Currency;
  readonly by: string;
  readonly reason: string;
}

export type RecoveryEvent =
  | LeaseTaken
  | JournalSnapshot
  | OrderCharged
  | ForeignMoved
  | ForeignFilled
  | ForeignCharged
  | BooksAdopted
  | OrderSettled;
