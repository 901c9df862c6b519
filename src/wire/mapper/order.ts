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
} from '../order-enums.ts';
import { parseShape, readResponse } from '../request.ts';
import { orderIdentity, type WireOrder, wireOrder, wireOrderDetail } from '../schemas/order-responses.ts';
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
  const order = parseShape(wireOrderDetail, data, 'order detail');
  return fromWireOrder(order, readCharges(order.charge_detail));
}

/** Parsed orders of a listing, by the JSON of their rows. */
export type ParsedRows = Map<string, OrderDetail>;

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
  { before, seen }: { readonly before?: ParsedRows; readonly seen?: ParsedRows } = {},
): ReadRows<OrderDetail> & { readonly hasMore: boolean; readonly unread: readonly UnreadRow[] } {
  const list = readResponse('todayOrders', data);
  const unread: UnreadRow[] = [];
  const readOne = (row: unknown): OrderDetail => {
    if (seen === undefined) return fromWireOrder(parseShape(wireOrder, row, 'a listed order'), undefined);
    const words = JSON.stringify(row);
    const order =
      before?.get(words) ?? fromWireOrder(parseShape(wireOrder, row, 'a listed order'), undefined);
    seen.set(words, order);
    return order;
  };
  const read = readRows(list.orders, readOne, (row, problem) => unread.push(...unreadRow(row, problem)));
  return { ...read, hasMore: list.has_more, unread };
}

/** Returns the readable part of an invalid row; empty if it has no id. */
function unreadRow(row: unknown, problem: WireError): readonly UnreadRow[] {
  const read = orderIdentity.safeParse(row);
  if (!read.success) return [];
  const { order_id: id, symbol, status: rawStatus, remark, submitted_at: submitted } = read.data;
  const { executed_quantity: executed } = read.data;
  return [
    {
      orderId: orderId(id),
      symbol: orUndefined(() => value.readSymbol(symbol, 'symbol')),
      status: readStatus(rawStatus),
      rawStatus,
      remark,
      submittedAt: orUndefined(() => value.readSeconds(submitted, 'submitted_at')),
      executedQuantity: orUndefined(() => value.readCumulative(executed, 'executed_quantity')),
      problem,
    },
  ];
}

function orUndefined<T>(read: () => T): T | undefined {
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
    executedQuantity: value.readCumulative(order.executed_quantity, 'executed_quantity'),
    executedPrice: value.readNonZero(order.executed_price, 'executed_price'),
    currency: order.currency,
    submittedAt,
    updatedAt: value.readOptionalSeconds(order.updated_at, 'updated_at') ?? submittedAt,
    triggerAt: value.readOptionalSeconds(order.trigger_at, 'trigger_at'),
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
  const type = value.readEnum(order.order_type, 'order_type', readOrderType);
  const timeInForce = value.readEnum(order.time_in_force, 'time_in_force', readTimeInForce);
  const trails = type === 'TSLPAMT' || type === 'TSLPPCT';
  const readOffset = trails ? value.readOptionalDecimal : value.readNonZero;
  return defined({
    symbol: value.readSymbol(order.symbol, 'symbol'),
    side: value.readEnum(order.side, 'side', readSide),
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
    price: value.writeOptional(terms.price),
    executed_price: detail.executedPrice?.toFixed() ?? '0',
    submitted_at: value.writeSeconds(detail.submittedAt),
    side: writeSide(terms.side),
    symbol: terms.symbol,
    order_type: terms.type,
    last_done: value.writeOptional(facts.lastDone),
    trigger_price: value.writeOptional(terms.triggerPrice),
    msg: detail.message,
    tag: orderTag(terms),
    time_in_force: writeTimeInForce(terms.timeInForce),
    expire_date: terms.expireDate ?? facts.lastValidDay,
    updated_at: value.writeSeconds(detail.updatedAt),
    trigger_at: detail.triggerAt === undefined ? '0' : value.writeSeconds(detail.triggerAt),
    trailing_amount: value.writeOptional(terms.trailingAmount),
    trailing_percent: value.writeOptional(terms.trailingPercent),
    limit_offset: value.writeOptional(terms.limitOffset),
    trigger_status: facts.triggerStatus,
    currency: detail.currency,
    outside_rth: terms.outsideRth === undefined ? 'UnknownOutsideRth' : writeOutsideRth(terms.outsideRth),
    remark: detail.remark,
    limit_depth_level: terms.limitDepthLevel ?? 0,
    trigger_count: terms.triggerCount ?? 0,
    monitor_price: value.writeOptional(terms.monitorPrice),
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
      price: value.writeOptional(row.price),
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
