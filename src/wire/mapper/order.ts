import type { Price, Quantity } from '../../model/decimal.ts';
import {
  type Charge,
  type OrderDetail,
  type OrderId,
  type OrderTerms,
  orderId,
  type ReadStatus,
  type VenueStatus,
} from '../../model/order.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import type { CalendarDay, Millis } from '../../model/time.ts';
import {
  orderTag,
  readOrderType,
  readOutsideRth,
  readSide,
  readTimeInForce,
  readVenueStatus,
  type TriggerStatus,
  writeOutsideRth,
  writeSide,
  writeTimeInForce,
} from '../order-words.ts';
import { readAnswer, readShape } from '../request.ts';
import { orderGlimpse, type WireOrder, wireOrder, wireOrderDetail } from '../schemas/order-answers.ts';
import { defined } from '../schemas/parameter-fields.ts';
import { WireError } from '../wire-error.ts';
import { readCharges, writeChargeDetail } from './charges.ts';
import { type ReadRows, readRows } from './rows.ts';
import * as value from './values.ts';

/** Facts of an order on the wire that the model's OrderDetail lacks; supplied by the venue. */
export interface OrderFacts {
  /** The security's name in the requested language. */
  readonly stockName: string;
  /** Price of the latest fill; undefined if there is none. */
  readonly lastDone: Price | undefined;
  readonly triggerStatus: TriggerStatus;
  /** The last day on which the order can fill, present on every order. */
  readonly lastValidDay: CalendarDay;
}

/** One entry of an order's history, newest first on the wire. */
export interface OrderHistoryRow {
  readonly price: Price | undefined;
  readonly quantity: Price;
  readonly status: VenueStatus;
  readonly message: string;
  readonly time: Millis;
}

/**
 * Parses `data` of order detail. Throws WireError if a required field is missing or invalid. An unknown status reads
 * as `unrecognised`, with its text in `rawStatus`.
 */
export function readOrderDetail(data: unknown): OrderDetail {
  const order = readShape(wireOrderDetail, data, 'order detail');
  return fromWireOrder(order, readCharges(order.charge_detail));
}

/** Parsed orders of a listing, by the JSON of their rows. */
export type SeenRows = Map<string, OrderDetail>;

/** A listed order that could not be parsed completely; it may execute unless its status is final. */
export interface UnreadRow {
  readonly orderId: OrderId;
  /** Undefined if the symbol is unreadable. */
  readonly symbol: SecuritySymbol | undefined;
  readonly status: ReadStatus;
  readonly rawStatus: string;
  readonly remark: string;
  readonly submittedAt: Millis | undefined;
  /** Undefined if unreadable. */
  readonly executedQuantity: Quantity | undefined;
  readonly problem: WireError;
}

/**
 * Parses `data` of an order listing; invalid rows are reported, not thrown. `hasMore`: the listing was truncated.
 * Rows equal to one in `before` are not parsed again, because a day's listing repeats every order each time; all
 * parsed rows are added to `seen`. `unread`: invalid rows that can be parsed in part.
 */
export function readOrderList(
  data: unknown,
  { before, seen }: { readonly before?: SeenRows; readonly seen?: SeenRows } = {},
): ReadRows<OrderDetail> & { readonly hasMore: boolean; readonly unread: readonly UnreadRow[] } {
  const list = readAnswer('todayOrders', data);
  const unread: UnreadRow[] = [];
  const readOne = (row: unknown): OrderDetail => {
    if (seen === undefined) return fromWireOrder(readShape(wireOrder, row, 'a listed order'), undefined);
    const words = JSON.stringify(row);
    const order = before?.get(words) ?? fromWireOrder(readShape(wireOrder, row, 'a listed order'), undefined);
    seen.set(words, order);
    return order;
  };
  const read = readRows(list.orders, readOne, (row, problem) => unread.push(...unreadRow(row, problem)));
  return { ...read, hasMore: list.has_more, unread };
}

/** Returns the readable part of an invalid row; empty if it has no id. */
function unreadRow(row: unknown, problem: WireError): readonly UnreadRow[] {
  const read = orderGlimpse.safeParse(row);
  if (!read.success) return [];
  const { order_id: id, symbol, status: rawStatus, remark, submitted_at: submitted } = read.data;
  const { executed_quantity: executed } = read.data;
  return [
    {
      orderId: orderId(id),
      symbol: orNothing(() => value.readSymbol(symbol, 'symbol')),
      status: readStatus(rawStatus),
      rawStatus,
      remark,
      submittedAt: orNothing(() => value.readSeconds(submitted, 'submitted_at')),
      executedQuantity: orNothing(() => value.readSoFar(executed, 'executed_quantity')),
      problem,
    },
  ];
}

function orNothing<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof WireError) return undefined;
    throw error;
  }
}

function fromWireOrder(order: WireOrder, charges: readonly Charge[] | undefined): OrderDetail {
  const submittedAt = value.readSeconds(order.submitted_at, 'submitted_at');
  return {
    orderId: orderId(order.order_id),
    terms: readTerms(order),
    status: readStatus(order.status),
    rawStatus: order.status,
    executedQuantity: value.readSoFar(order.executed_quantity, 'executed_quantity'),
    executedPrice: value.readNonZero(order.executed_price, 'executed_price'),
    currency: order.currency,
    submittedAt,
    updatedAt: value.readUnsetSeconds(order.updated_at, 'updated_at') ?? submittedAt,
    triggerAt: value.readUnsetSeconds(order.trigger_at, 'trigger_at'),
    message: order.msg,
    remark: order.remark,
    charges,
  };
}

export function readStatus(word: string): ReadStatus {
  return readVenueStatus(word) ?? 'unrecognised';
}

/**
 * Parses the terms of an order. Inapplicable figures are '' or 0; an offset of 0 is valid for trailing orders only,
 * and a date is kept only with time in force GTD.
 */
function readTerms(order: WireOrder): OrderTerms {
  const type = value.readWord(order.order_type, 'order_type', readOrderType);
  const timeInForce = value.readWord(order.time_in_force, 'time_in_force', readTimeInForce);
  const trails = type === 'TSLPAMT' || type === 'TSLPPCT';
  const readOffset = trails ? value.readUnset : value.readNonZero;
  return defined({
    symbol: value.readSymbol(order.symbol, 'symbol'),
    side: value.readWord(order.side, 'side', readSide),
    type,
    quantity: value.readPositive(order.quantity, 'quantity'),
    timeInForce,
    price: value.readNonZero(order.price, 'price'),
    triggerPrice: value.readNonZero(order.trigger_price, 'trigger_price'),
    limitOffset: readOffset(order.limit_offset, 'limit_offset'),
    trailingAmount: value.readNonZero(order.trailing_amount, 'trailing_amount'),
    trailingPercent: value.readNonZero(order.trailing_percent, 'trailing_percent'),
    expireDate: timeInForce === 'gtd' ? value.readDay(order.expire_date, 'expire_date') : undefined,
    outsideRth: readOutsideRth(order.outside_rth),
    limitDepthLevel: order.limit_depth_level === 0 ? undefined : order.limit_depth_level,
    monitorPrice: value.readNonZero(order.monitor_price, 'monitor_price'),
    triggerCount: order.trigger_count === 0 ? undefined : order.trigger_count,
  });
}

/** Formats an order as in listings: all fields, unset ones as '' or "0" as the official client requires. */
export function writeOrder(detail: OrderDetail, facts: OrderFacts) {
  const { terms } = detail;
  return {
    order_id: detail.orderId,
    status: detail.rawStatus,
    stock_name: facts.stockName,
    quantity: terms.quantity.toFixed(),
    executed_quantity: detail.executedQuantity.toFixed(),
    price: value.writeUnset(terms.price),
    executed_price: detail.executedPrice?.toFixed() ?? '0',
    submitted_at: value.writeSeconds(detail.submittedAt),
    side: writeSide(terms.side),
    symbol: terms.symbol,
    order_type: terms.type,
    last_done: value.writeUnset(facts.lastDone),
    trigger_price: value.writeUnset(terms.triggerPrice),
    msg: detail.message,
    tag: orderTag(terms),
    time_in_force: writeTimeInForce(terms.timeInForce),
    expire_date: terms.expireDate ?? facts.lastValidDay,
    updated_at: value.writeSeconds(detail.updatedAt),
    trigger_at: detail.triggerAt === undefined ? '0' : value.writeSeconds(detail.triggerAt),
    trailing_amount: value.writeUnset(terms.trailingAmount),
    trailing_percent: value.writeUnset(terms.trailingPercent),
    limit_offset: value.writeUnset(terms.limitOffset),
    trigger_status: facts.triggerStatus,
    currency: detail.currency,
    outside_rth: terms.outsideRth === undefined ? 'UnknownOutsideRth' : writeOutsideRth(terms.outsideRth),
    remark: detail.remark,
    limit_depth_level: terms.limitDepthLevel ?? 0,
    trigger_count: terms.triggerCount ?? 0,
    monitor_price: value.writeUnset(terms.monitorPrice),
  };
}

/** Formats `data` of order detail. Our venue has no rebates and deductions, which are formatted as none. */
export function writeOrderDetail(
  detail: OrderDetail,
  facts: OrderFacts & { readonly history: readonly OrderHistoryRow[] },
) {
  return {
    ...writeOrder(detail, facts),
    ...NO_REBATES,
    history: facts.history.map((row) => ({
      price: value.writeUnset(row.price),
      quantity: row.quantity.toFixed(),
      status: row.status,
      msg: row.message,
      time: value.writeSeconds(row.time),
    })),
    charge_detail: writeChargeDetail(detail.charges, detail.currency),
    attached_orders: [],
  };
}

export function writeOrderList(orders: readonly ReturnType<typeof writeOrder>[], hasMore: boolean) {
  return { has_more: hasMore, orders };
}

const NO_REBATES = {
  free_status: 'None',
  free_amount: '',
  free_currency: '',
  deductions_status: 'NONE',
  deductions_amount: '',
  deductions_currency: '',
  platform_deducted_status: 'NONE',
  platform_deducted_amount: '',
  platform_deducted_currency: '',
} as const;
