import type { Price, Quantity } from '../../model/decimal.ts';
import { type OrderDetail, type OrderTerms, orderId } from '../../model/order.ts';
import { ContentType, DispatchType, type Notification } from '../gen/trade_pb.ts';
import { parseLosslessJson } from '../lossless-json.ts';
import { isLongTermTag, orderTag, readOrderType, readSide, writeSide } from '../order-enums.ts';
import { parseShape } from '../request.ts';
import { type WireOrderEvent, wireOrderEvent } from '../schemas/order-responses.ts';
import { defined } from '../schemas/parameter-fields.ts';
import { PRIVATE_TOPIC } from '../socket-status.ts';
import { WireError } from '../wire-error.ts';
import { type OrderFacts, readStatus } from './order.ts';
import * as value from './values.ts';

/** Latest fill of an order in a push; it has no execution id, so it books nothing. */
export interface LastFill {
  readonly quantity: Quantity;
  readonly price: Price;
}

export interface OrderEventFacts extends Omit<OrderFacts, 'lastDone' | 'lastValidDay'> {
  readonly accountNo: string;
  readonly lastFill: LastFill | undefined;
}

/**
 * An event of the trade socket. `detail` is a hint: a push contains no time in force (a long-term order reads as
 * `gtc`), sessions, expiry day, depth level or charges, and may arrive late or out of order.
 */
export type OrderEvent =
  | {
      readonly kind: 'order-changed';
      readonly detail: OrderDetail;
      readonly accountNo: string;
      readonly lastFill: LastFill | undefined;
    }
  | { readonly kind: 'other'; readonly event: string };

const ORDER_CHANGED = 'order_changed_lb';

/**
 * Formats an order event as JSON. All 25 fields are texts and always present, because the official client drops an
 * event that lacks one or has an empty price.
 * @see docs/wire-protocol.md, "The sockets"
 */
export function writeOrderEvent(detail: OrderDetail, facts: OrderEventFacts): string {
  const { terms } = detail;
  const data = {
    side: writeSide(terms.side),
    stock_name: facts.stockName,
    submitted_quantity: terms.quantity.toFixed(),
    symbol: terms.symbol,
    order_type: terms.type,
    submitted_price: terms.price?.toFixed() ?? '0',
    executed_quantity: detail.executedQuantity.toFixed(),
    executed_price: detail.executedPrice?.toFixed() ?? '0',
    order_id: detail.orderId,
    currency: detail.currency,
    status: detail.rawStatus,
    submitted_at: value.writeSeconds(detail.submittedAt),
    updated_at: value.writeSeconds(detail.updatedAt),
    trigger_price: value.writeOptional(terms.triggerPrice),
    msg: detail.message,
    tag: orderTag(terms),
    trigger_status: facts.triggerStatus,
    trigger_at: detail.triggerAt === undefined ? '0' : value.writeSeconds(detail.triggerAt),
    trailing_amount: value.writeOptional(terms.trailingAmount),
    trailing_percent: value.writeOptional(terms.trailingPercent),
    limit_offset: value.writeOptional(terms.limitOffset),
    account_no: facts.accountNo,
    last_share: value.writeOptional(facts.lastFill?.quantity),
    last_price: value.writeOptional(facts.lastFill?.price),
    remark: detail.remark,
  };
  return JSON.stringify({ event: ORDER_CHANGED, data });
}

export function notificationOf(eventText: string) {
  return {
    topic: PRIVATE_TOPIC,
    contentType: ContentType.CONTENT_JSON,
    dispatchType: DispatchType.DISPATCH_DIRECT,
    data: new TextEncoder().encode(eventText),
  };
}

/** Parses a Notification; another topic or event is `other`. Throws WireError for an unreadable order event. */
export function readNotification(notification: Notification): OrderEvent {
  if (notification.topic !== PRIVATE_TOPIC) return { kind: 'other', event: `topic ${notification.topic}` };
  return readOrderEvent(decodeUtf8(notification.data));
}

/** Parses the JSON text of an event. Throws WireError if it is not an event, or is an unreadable order event. */
export function readOrderEvent(text: string): OrderEvent {
  const json = parseLosslessJson(text);
  if (json === null || typeof json !== 'object' || Array.isArray(json) || !('event' in json)) {
    throw new WireError('bad-answer', 'Cannot read a notification: it is not an object with "event"');
  }
  if (json['event'] !== ORDER_CHANGED) return { kind: 'other', event: String(json['event']).slice(0, 60) };
  const data = parseShape(wireOrderEvent, json['data'], 'an order event');
  const lastShare = value.readNonZero(data.last_share, 'last_share');
  const lastPrice = value.readNonZero(data.last_price, 'last_price');
  return {
    kind: 'order-changed',
    detail: detailOf(data),
    accountNo: data.account_no,
    lastFill:
      lastShare === undefined || lastPrice === undefined
        ? undefined
        : { quantity: lastShare, price: lastPrice },
  };
}

function detailOf(data: WireOrderEvent): OrderDetail {
  const submittedAt = value.readSeconds(data.submitted_at, 'submitted_at');
  return {
    orderId: orderId(data.order_id),
    terms: termsOf(data),
    status: readStatus(data.status),
    rawStatus: data.status,
    executedQuantity: value.readCumulative(data.executed_quantity, 'executed_quantity'),
    executedPrice: value.readNonZero(data.executed_price, 'executed_price'),
    currency: data.currency,
    submittedAt,
    updatedAt: value.readOptionalSeconds(data.updated_at, 'updated_at') ?? submittedAt,
    triggerAt: value.readOptionalSeconds(data.trigger_at, 'trigger_at'),
    message: data.msg,
    remark: data.remark,
    charges: undefined,
  };
}

function termsOf(data: WireOrderEvent): OrderTerms {
  const type = value.readEnum(data.order_type, 'order_type', readOrderType);
  const trails = type === 'TSLPAMT' || type === 'TSLPPCT';
  const readOffset = trails ? value.readOptionalDecimal : value.readNonZero;
  return defined({
    symbol: value.readSymbol(data.symbol, 'symbol'),
    side: value.readEnum(data.side, 'side', readSide),
    type,
    quantity: value.readPositive(data.submitted_quantity, 'submitted_quantity'),
    timeInForce: isLongTermTag(data.tag) ? ('gtc' as const) : ('day' as const),
    price: value.readNonZero(data.submitted_price, 'submitted_price'),
    triggerPrice: value.readNonZero(data.trigger_price, 'trigger_price'),
    limitOffset: readOffset(data.limit_offset, 'limit_offset'),
    trailingAmount: value.readNonZero(data.trailing_amount, 'trailing_amount'),
    trailingPercent: value.readNonZero(data.trailing_percent, 'trailing_percent'),
  });
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new WireError('bad-answer', `Cannot read ${bytes.length} bytes of a notification as UTF-8`, {
      cause,
    });
  }
}
