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

/** What an open order keeps from being spent twice, in the security's currency. */
export interface Reserve {
  /** Rest of the order at the price it is reserved at. */
  readonly notional: Amount;
  /** Charges still to come; buys only, a sale pays them out of its proceeds. */
  readonly fees: Amount;
}

/** Nothing kept. */
export const NO_RESERVE: Reserve = { notional: 0, fees: 0 };

/**
 * Where an order is: on its way to the exchange, queued for the next open, armed (conditional, waiting for its trigger),
 * working, or done.
 */
export type OrderStage = 'travelling' | 'queued' | 'armed' | 'working' | 'done';

/** What an order meets the market with: whatever price comes, at its limit or better, or now or never. */
export type OrderBehaviour = 'market' | 'limit' | 'limit-or-cancel' | 'auction-market' | 'auction-limit';

/** When an order, or the newest change of its terms, was sent. */
export interface Sending {
  readonly at: Millis;
  /** The latest print of its symbol then; undefined before the first. */
  readonly on: PrintIndex | undefined;
  /** Whether an order of the account had filled at that instant. */
  readonly followsFill: boolean;
}

/** An order in the venue's own books; only the order processor changes it. */
export interface VenueOrder {
  /** Changes only where a fault renames it. */
  id: OrderId;
  readonly accountId: string;
  readonly security: Security;
  readonly submittedAt: Millis;
  /** Changed by `setTerms` alone. */
  terms: OrderTerms;
  /** That of the terms. */
  quantity: Amount;
  remark: string;
  extras: OrderExtras;
  stage: OrderStage;
  behaviour: OrderBehaviour;
  status: VenueStatus;
  message: string;
  updatedAt: Millis;
  triggerAt: Millis | undefined;
  /** Trading day that it belongs to. */
  readonly day: CalendarDay;
  /** End of its life, if it is still open then. */
  readonly expiresAt: Millis;
  /** Why the venue will reject it when it arrives; undefined when it won't. */
  readonly rejection: string | undefined;
  /** Limit that a trailing order got when it was released. */
  releasedPrice: Price | undefined;
  /** What one unit is reserved at, in money; undefined when nothing is reserved. */
  reservePrice: Amount | undefined;
  reserve: Reserve;
  cancelAsked: boolean;
  replaceAsked: boolean;
  executed: Amount;
  notional: Amount;
  bill: Bill;
  readonly executions: Execution[];
  /** Oldest first. */
  readonly past: OrderHistoryEntry[];
  sent: Sending;
  /** Close tick of the bar inside which it began to wait, where it may meet no earlier one: it trades there at the tick's own price. */
  insideFrom: PrintIndex | undefined;
  /** The next print that can touch it. */
  touch: PrintIndex;
  /** Price at which its condition is met at `touch`; only while armed. */
  firePrice: Price | undefined;
  /**
   * Since which print a conditional order has watched, and for what; undefined before it does. The side that it waits on is open while
   * nothing has printed.
   */
  watched: { readonly from: PrintIndex; readonly watch: Watch; readonly side: 'known' | 'open' } | undefined;
  /** The level of a trailing stop that follows the closes of whole bars. */
  trailingStop: Price | undefined;
}

export type NewOrder = Pick<
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
    cancelAsked: false,
    replaceAsked: false,
    executed: 0,
    notional: 0,
    releasedPrice: undefined,
    reserve: NO_RESERVE,
    bill: NO_BILL,
    executions: [],
    past: [],
    touch: NO_PRINT,
    firePrice: undefined,
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

/** True for orders that wait for a condition before they reach the exchange. */
export function isConditional(type: OrderTerms['type']): boolean {
  return type === 'LIT' || type === 'MIT' || type === 'TSLPAMT' || type === 'TSLPPCT';
}

/** True while the order waits for its condition. */
export function isUntriggered({ terms, triggerAt }: Pick<VenueOrder, 'terms' | 'triggerAt'>): boolean {
  return triggerAt === undefined && isConditional(terms.type);
}

export function isOpenOrder(order: VenueOrder): boolean {
  return order.stage !== 'done';
}

/** The limit that an order works at: the one it was released with, else its own. */
export function limitOf({
  releasedPrice,
  terms,
}: Pick<VenueOrder, 'releasedPrice' | 'terms'>): Price | undefined {
  return releasedPrice ?? terms.price;
}

/** Quantity not executed yet. */
export function restOf(order: Pick<VenueOrder, 'quantity' | 'executed'>): Amount {
  return subtract(order.quantity, order.executed);
}

/** Gives an order other terms. */
export function setTerms(order: VenueOrder, terms: OrderTerms): void {
  order.terms = terms;
  order.quantity = toAmount(terms.quantity);
}

/** Status of an order at the exchange: new, or partly filled once something was. */
export function workingStatus(order: VenueOrder): VenueStatus {
  return order.executed === 0 ? 'NewStatus' : 'PartialFilledStatus';
}

/** Adds a line to the order's history; without figures of a fill it states the submitted price and what is left. */
export function remember(
  order: VenueOrder,
  at: Millis,
  line: {
    readonly status: VenueStatus;
    readonly price?: Price;
    readonly quantity?: Quantity;
    readonly message?: string;
  },
): void {
  order.past.push({
    price: line.price ?? order.terms.price,
    quantity: line.quantity ?? toDecimal(restOf(order)),
    status: line.status,
    message: line.message ?? '',
    time: wholeSeconds(at),
  });
}

/** Enters one execution into the order: quantity, average, history, status. Throws where it exceeds what is left. */
export function enterExecution(
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

/** Id of an order's execution, built from its instant and the number of earlier ones. */
export function nthExecutionId(order: OrderId, at: Millis, before: number): ExecutionId {
  return executionId(`${order}-${Math.floor(at)}${String(before).padStart(6, '0')}`);
}

/** Enters an execution whatever is left of the order, as a faulty venue would. */
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
  remember(order, at, { status: order.status, price, quantity, message: `Execution of ${quantity}` });
  return execution;
}

const AVERAGE_PLACES = 10;

/** The order as the venue tells it, with everything charged so far. */
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
