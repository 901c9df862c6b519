import { z } from 'zod';
import type { Price, Quantity } from '../../model/decimal.ts';
import { type OrderId, type OrderTerms, removedOrderType, VENUE_STATUSES } from '../../model/order.ts';
import {
  readOrderType,
  readOutsideRth,
  readTimeInForce,
  writeOutsideRth,
  writeSide,
  writeTimeInForce,
} from '../order-enums.ts';
import { orderTermsError } from '../order-terms-error.ts';
import * as field from './parameter-fields.ts';
import { decimalText, defined, type WireParameters } from './parameter-fields.ts';

/** A submit: terms, remark with the intent's tag, and the request key by which a repeat is recognised. */
export interface SubmitOrder {
  readonly terms: OrderTerms;
  /** At most 255 characters; '' for none. */
  readonly remark: string;
  readonly clientRequestId?: string;
}

/** A replace of a working order. `quantity` is the new total, not the remainder. */
export interface ReplaceOrder {
  readonly orderId: OrderId;
  readonly quantity: Quantity;
  readonly price?: Price;
  readonly triggerPrice?: Price;
  readonly limitOffset?: Price;
  readonly trailingAmount?: Price;
  readonly trailingPercent?: Price;
  readonly limitDepthLevel?: number;
  readonly monitorPrice?: Price;
  readonly triggerCount?: number;
  /** Sent with each replace: omitting it may blank the order's remark. */
  readonly remark?: string;
}

export interface OrderReference {
  readonly orderId: OrderId;
  /** The id is that of a child order. */
  readonly isAttached?: boolean;
}

/** Maximum length of a remark at our venue. */
const MAX_SUBMIT_REMARK = 255;

const orderType = field.required(field.parsedText('order type not support', readOrderType, removedOrderType));
const timeInForce = field.required(field.parsedText('time in force not support', readTimeInForce));
const outsideRth = field.optional(
  field.parsedText('want "RTH_ONLY", "ANY_TIME" or "OVERNIGHT"', readOutsideRth),
);

const figures = {
  trigger_price: field.optional(field.positive),
  limit_offset: field.optional(field.amount),
  trailing_amount: field.optional(field.positive),
  trailing_percent: field.optional(field.positive),
  limit_depth_level: field.optional(field.integer(-5, 5)),
  monitor_price: field.optional(field.positive),
  trigger_count: field.optional(field.integer(0, 3)),
  remark: field.optional(field.text(MAX_SUBMIT_REMARK)),
  attached_params: z
    .unknown()
    .optional()
    .refine((value) => value === undefined || value === null, {
      error: 'attached order not support',
    }),
};

/** Body of POST /v1/trade/order. @see docs/wire-protocol.md, "Calls" */
export const submitOrder = z
  .object({
    symbol: field.required(field.symbol),
    order_type: orderType,
    side: field.required(field.side),
    submitted_quantity: field.required(field.positive),
    time_in_force: timeInForce,
    submitted_price: field.optional(field.positive),
    expire_date: field.optional(field.day),
    outside_rth: outsideRth,
    client_request_id: field.optional(field.text(255)),
    ...figures,
  })
  .transform((body, context): SubmitOrder => {
    const terms: OrderTerms = defined({
      symbol: body.symbol,
      side: body.side,
      type: body.order_type,
      quantity: body.submitted_quantity,
      timeInForce: body.time_in_force,
      price: body.submitted_price,
      expireDate: body.expire_date,
      outsideRth: body.outside_rth,
      ...sharedFigures(body),
    });
    const refusal = orderTermsError(terms);
    if (refusal !== undefined) context.addIssue({ code: 'custom', message: refusal });
    return defined({ terms, remark: body.remark ?? '', clientRequestId: body.client_request_id });
  });

/**
 * Body of PUT /v1/trade/order. The venue checks whether the fields apply to the order type.
 * @see docs/wire-protocol.md, "Calls"
 */
export const replaceOrder = z
  .object({
    order_id: field.required(field.id),
    quantity: field.required(field.positive),
    price: field.optional(field.positive),
    ...figures,
  })
  .transform(
    (body): ReplaceOrder =>
      defined({
        orderId: body.order_id,
        quantity: body.quantity,
        price: body.price,
        remark: body.remark,
        ...sharedFigures(body),
      }),
  );

type Figures = z.output<z.ZodObject<typeof figures>>;

function sharedFigures(body: Figures) {
  return {
    triggerPrice: body.trigger_price,
    limitOffset: body.limit_offset,
    trailingAmount: body.trailing_amount,
    trailingPercent: body.trailing_percent,
    limitDepthLevel: body.limit_depth_level,
    monitorPrice: body.monitor_price,
    triggerCount: body.trigger_count,
  };
}

/** Parameters of order detail and cancel. @see docs/wire-protocol.md, "Calls" */
export const orderReference = z
  .object({ order_id: field.required(field.id), is_attached: field.optional(field.flag) })
  .transform((query): OrderReference => defined({ orderId: query.order_id, isAttached: query.is_attached }));

export function writeSubmitOrder(order: SubmitOrder): WireParameters {
  const { terms } = order;
  return defined({
    symbol: terms.symbol,
    order_type: terms.type,
    side: writeSide(terms.side),
    submitted_quantity: terms.quantity.toFixed(),
    submitted_price: decimalText(terms.price),
    time_in_force: writeTimeInForce(terms.timeInForce),
    expire_date: terms.expireDate,
    outside_rth: terms.outsideRth === undefined ? undefined : writeOutsideRth(terms.outsideRth),
    ...writeFigures(terms),
    remark: order.remark === '' ? undefined : order.remark,
    client_request_id: order.clientRequestId,
  });
}

export function writeReplaceOrder(order: ReplaceOrder): WireParameters {
  return defined({
    order_id: order.orderId,
    quantity: order.quantity.toFixed(),
    price: decimalText(order.price),
    ...writeFigures(order),
    remark: order.remark,
  });
}

export function writeOrderReference(reference: OrderReference): WireParameters {
  return defined({ order_id: reference.orderId, is_attached: reference.isAttached });
}

function writeFigures(order: OrderTerms | ReplaceOrder): WireParameters {
  return {
    trigger_price: decimalText(order.triggerPrice),
    limit_offset: decimalText(order.limitOffset),
    trailing_amount: decimalText(order.trailingAmount),
    trailing_percent: decimalText(order.trailingPercent),
    limit_depth_level: order.limitDepthLevel,
    monitor_price: decimalText(order.monitorPrice),
    trigger_count: order.triggerCount,
  };
}

export const statuses = field.repeated(field.oneOf(VENUE_STATUSES), VENUE_STATUSES.length);
