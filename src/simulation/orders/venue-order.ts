import {
  type Amount,
  add,
  compare,
  divide,
  formatAmount,
  isPositive,
  multiply,
  subtract,
  toAmount,
  toDecimal,
} from '../../model/amount.ts';
import type { Price, Quantity } from '../../model/decimal.ts';
import {
  type Execution,
  type ExecutionId,
  executionId,
  type OrderDetail,
  type OrderId,
  type OrderTerms,
  type VenueStatus,
} from '../../model/order.ts';
import type { Security } from '../../model/security.ts';
import type { CalendarDay, Millis } from '../../model/time.ts';
import { wholeSeconds } from '../../model/whole-seconds.ts';
import { NO_PRINT, type PrintIndex } from '../market/tape.ts';
import type { Watch } from '../market/watch.ts';
import type { OrderHistoryEntry } from '../simulation.ts';
import { type Bill, chargesOn, NO_BILL } from './bill.ts';
import type { OrderExtras } from './order-extras.ts';

/** Cash or margin reserved by an open order, in the security's currency. */
export interface Reserve {
  /** Unexecuted quantity at the reserve price. */
  readonly notional: Amount;
  /** Charges still to come; buys only, because a sell pays them from its proceeds. */
  readonly fees: Amount;
}

export const NO_RESERVE: Reserve = { notional: 0, fees: 0 };

/**
 * Stage of an order: on its way to the exchange, queued for the next open, armed (waiting for its trigger), working, or
 * done.
 */
type OrderStage = 'travelling' | 'queued' | 'armed' | 'working' | 'done';

/** How an order matches: at any price, at its limit or better, or immediately or not at all. */
type OrderBehaviour = 'market' | 'limit' | 'limit-or-cancel' | 'auction-market' | 'auction-limit';

export interface Sending {
  readonly at: Millis;
  /** The latest print of the symbol at that time; undefined before the first. */
  readonly on: PrintIndex | undefined;
  /** True if an order of the account had filled at that instant. */
  readonly followsFill: boolean;
}

/** An order in the venue's books; only the order processor changes it. */
export interface VenueOrder {
  /** Changes only if a fault renames the order. */
  id: OrderId;
  readonly accountId: string;
  readonly security: Security;
  readonly submittedAt: Millis;
  /** Set only by `setTerms`. */
  terms: OrderTerms;
  quantity: Amount;
  remark: string;
  extras: OrderExtras;
  stage: OrderStage;
  behaviour: OrderBehaviour;
  status: VenueStatus;
  message: string;
  updatedAt: Millis;
  triggerAt: Millis | undefined;
  readonly day: CalendarDay;
  readonly expiresAt: Millis;
  /** Reason why the venue will reject the order at arrival; undefined if it will not. */
  readonly rejection: string | undefined;
  /** Limit of a trailing order, set when it triggered. */
  releasedPrice: Price | undefined;
  /** Amount reserved per unit; undefined if nothing is reserved. */
  reservePrice: Amount | undefined;
  reserve: Reserve;
  isCancelPending: boolean;
  isReplacePending: boolean;
  executed: Amount;
  notional: Amount;
  bill: Bill;
  readonly executions: Execution[];
  /** Oldest first. */
  readonly history: OrderHistoryEntry[];
  sent: Sending;
  /**
   * Close tick of the bar inside which the order arrived, if it may not match an earlier one; it trades there at the
   * tick's own price.
   */
  insideFrom: PrintIndex | undefined;
  /** The next print that can touch the order. */
  touch: PrintIndex;
  /** Price at which the condition is met at `touch`; only while armed. */
  conditionPrice: Price | undefined;
  /**
   * The condition of an armed order and the first print that it has not seen; undefined before it starts to watch.
   * `side` is open (the trigger direction is unknown) until the first print.
   */
  watched: { readonly from: PrintIndex; readonly watch: Watch; readonly side: 'known' | 'open' } | undefined;
  /** Level of a trailing stop that follows the closes of whole bars. */
  trailingStop: Price | undefined;
}

type NewOrder = Pick<
  VenueOrder,
  | 'id'
  | 'accountId'
  | 'security'
  | 'submittedAt'
  | 'terms'
  | 'remark'
  | 'extras'
  | 'day'
  | 'expiresAt'
  | 'rejection'
> & { readonly reservePrice: Amount | undefined; readonly sent?: Sending };

export function newOrder(facts: NewOrder): VenueOrder {
  return {
    id: facts.id,
    accountId: facts.accountId,
    security: facts.security,
    submittedAt: facts.submittedAt,
    terms: facts.terms,
    remark: facts.remark,
    extras: facts.extras,
    day: facts.day,
    expiresAt: facts.expiresAt,
    rejection: facts.rejection,
    reservePrice: facts.reservePrice,
    sent: facts.sent ?? { at: facts.submittedAt, on: undefined, followsFill: false },
    insideFrom: undefined,
    quantity: toAmount(facts.terms.quantity),
    stage: 'travelling',
    behaviour: behaviourOf(facts.terms.type),
    status: 'NotReported',
    message: '',
    updatedAt: facts.submittedAt,
    triggerAt: undefined,
    isCancelPending: false,
    isReplacePending: false,
    executed: 0,
    notional: 0,
    releasedPrice: undefined,
    reserve: NO_RESERVE,
    bill: NO_BILL,
    executions: [],
    history: [],
    touch: NO_PRINT,
    conditionPrice: undefined,
    watched: undefined,
    trailingStop: undefined,
  };
}

function behaviourOf(type: OrderTerms['type']): OrderBehaviour {
  switch (type) {
    case 'MO':
    case 'MIT':
      return 'market';
    case 'SLO':
      return 'limit-or-cancel';
    case 'AO':
      return 'auction-market';
    case 'ALO':
      return 'auction-limit';
    case 'LO':
    case 'ELO':
    case 'ODD':
    case 'LIT':
    case 'TSLPAMT':
    case 'TSLPPCT':
      return 'limit';
  }
}

export function isConditional(type: OrderTerms['type']): boolean {
  return type === 'LIT' || type === 'MIT' || type === 'TSLPAMT' || type === 'TSLPPCT';
}

export function isUntriggered({ terms, triggerAt }: Pick<VenueOrder, 'terms' | 'triggerAt'>): boolean {
  return triggerAt === undefined && isConditional(terms.type);
}

export function isOpenOrder(order: VenueOrder): boolean {
  return order.stage !== 'done';
}

/** Returns the order's current limit: the one set when it triggered, otherwise that of its terms. */
export function limitOf({
  releasedPrice,
  terms,
}: Pick<VenueOrder, 'releasedPrice' | 'terms'>): Price | undefined {
  return releasedPrice ?? terms.price;
}

export function restOf(order: Pick<VenueOrder, 'quantity' | 'executed'>): Amount {
  return subtract(order.quantity, order.executed);
}

export function setTerms(order: VenueOrder, terms: OrderTerms): void {
  order.terms = terms;
  order.quantity = toAmount(terms.quantity);
}

/** Returns the status of a working order: new or partly filled. */
export function workingStatus(order: VenueOrder): VenueStatus {
  return order.executed === 0 ? 'NewStatus' : 'PartialFilledStatus';
}

/** Adds a history entry; price and quantity default to the submitted price and the unexecuted quantity. */
export function addHistory(
  order: VenueOrder,
  at: Millis,
  line: {
    readonly status: VenueStatus;
    readonly price?: Price;
    readonly quantity?: Quantity;
    readonly message?: string;
  },
): void {
  order.history.push({
    price: line.price ?? order.terms.price,
    quantity: line.quantity ?? toDecimal(restOf(order)),
    status: line.status,
    message: line.message ?? '',
    time: wholeSeconds(at),
  });
}

/**
 * Applies an execution to the order: quantity, average, history, status. Throws if it exceeds the unexecuted quantity.
 */
export function addExecution(
  order: VenueOrder,
  fill: { price: Price; quantity: Amount; at: Millis },
): Execution {
  const rest = restOf(order);
  if (!isPositive(fill.quantity) || compare(fill.quantity, rest) > 0) {
    throw new Error(
      `Cannot fill ${formatAmount(fill.quantity)} of order ${order.id}, ${formatAmount(rest)} are left`,
    );
  }
  return forceExecution(order, fill);
}

/** Builds an execution id from its time and the number of earlier executions of the order. */
export function nthExecutionId(order: OrderId, at: Millis, before: number): ExecutionId {
  return executionId(`${order}-${Math.floor(at)}${String(before).padStart(6, '0')}`);
}

/** Applies an execution without checking the unexecuted quantity, as a faulty venue would. */
export function forceExecution(
  order: VenueOrder,
  fill: { price: Price; quantity: Amount; at: Millis },
): Execution {
  const { price, at } = fill;
  const quantity = toDecimal(fill.quantity);
  order.executed = add(order.executed, fill.quantity);
  order.notional = add(order.notional, multiply(toAmount(price), fill.quantity, 'exact'));
  order.status = !isPositive(restOf(order)) ? 'FilledStatus' : 'PartialFilledStatus';
  order.updatedAt = at;
  const execution: Execution = {
    executionId: nthExecutionId(order.id, at, order.executions.length),
    orderId: order.id,
    symbol: order.terms.symbol,
    side: order.terms.side,
    quantity,
    price,
    time: wholeSeconds(at),
  };
  order.executions.push(execution);
  addHistory(order, at, { status: order.status, price, quantity, message: `Execution of ${quantity}` });
  return execution;
}

const AVERAGE_PLACES = 10;

/** Returns the order as the venue reports it, with all charges so far. */
export function detailOf(order: VenueOrder): OrderDetail {
  return {
    orderId: order.id,
    terms: order.releasedPrice === undefined ? order.terms : { ...order.terms, price: order.releasedPrice },
    status: order.status,
    rawStatus: order.status,
    executedQuantity: toDecimal(order.executed),
    executedPrice: averagePrice(order),
    currency: order.security.currency,
    submittedAt: wholeSeconds(order.submittedAt),
    updatedAt: wholeSeconds(order.updatedAt),
    triggerAt: order.triggerAt === undefined ? undefined : wholeSeconds(order.triggerAt),
    message: order.message,
    remark: order.remark,
    charges: chargesOn(order.bill, order.security.currency),
  };
}

function averagePrice(order: VenueOrder): Price | undefined {
  const [first, second] = order.executions;
  if (second === undefined) return first?.price;
  return toDecimal(divide(order.notional, order.executed, 'half-up', AVERAGE_PLACES));
}
