import { z } from 'zod';
import * as field from './response-fields.ts';

/** `data` of a submit. Without an id the outcome is unknown. @see docs/wire-protocol.md, "Calls" */
export const submitResponse = z.looseObject({ order_id: field.text });

/** An order in a listing. @see docs/wire-protocol.md, "Calls" */
export const wireOrder = z.looseObject({
  order_id: field.required,
  status: field.required,
  stock_name: field.text,
  quantity: field.required,
  executed_quantity: field.text,
  price: field.text,
  executed_price: field.text,
  submitted_at: field.required,
  side: field.required,
  symbol: field.required,
  order_type: field.required,
  last_done: field.text,
  trigger_price: field.text,
  msg: field.text,
  tag: field.text,
  time_in_force: field.required,
  expire_date: field.text,
  updated_at: field.text,
  trigger_at: field.text,
  trailing_amount: field.text,
  trailing_percent: field.text,
  limit_offset: field.text,
  trigger_status: field.text,
  currency: field.text,
  outside_rth: field.text,
  remark: field.text,
  limit_depth_level: field.smallInteger,
  trigger_count: field.smallInteger,
  monitor_price: field.text,
});
export type WireOrder = z.output<typeof wireOrder>;

/** Identity and status of an order, from a row whose other fields are invalid. */
export const orderIdentity = z.looseObject({
  order_id: field.required,
  status: field.text,
  symbol: field.text.catch(''),
  remark: field.text.catch(''),
  submitted_at: field.text.catch(''),
  executed_quantity: field.required.catch('unreadable'),
});

const fee = z.looseObject({
  code: field.text,
  name: field.text,
  amount: field.required,
  currency: field.required,
});
const feeGroup = z.looseObject({ code: field.text, name: field.text, fees: field.list(fee) });
const chargeDetail = z.looseObject({
  total_amount: field.text,
  currency: field.text,
  items: field.list(feeGroup),
});
export type WireChargeDetail = z.output<typeof chargeDetail>;

const historyRow = z.looseObject({
  price: field.text,
  quantity: field.text,
  status: field.text,
  msg: field.text,
  time: field.text,
});

/**
 * `data` of order detail: the order, its history and its charges.
 * @see docs/wire-protocol.md, "Calls"
 */
export const wireOrderDetail = wireOrder.extend({
  history: field.list(historyRow),
  charge_detail: chargeDetail.nullish(),
});

export const orderList = z.looseObject({ has_more: field.flag, orders: field.rows });

/** One row of an executions listing. @see docs/wire-protocol.md, "Calls" */
export const wireExecution = z.looseObject({
  order_id: field.required,
  trade_id: field.required,
  symbol: field.required,
  trade_done_at: field.required,
  quantity: field.required,
  price: field.required,
  side: field.text,
});

export const executionList = z.looseObject({ has_more: field.flag, trades: field.rows });

/** `data` of the buy-limit estimate. @see docs/wire-protocol.md, "Calls" */
export const buyLimitResponse = z
  .unknown()
  .refine((data): boolean => typeof data === 'object' && data !== null && 'cash_max_qty' in data, {
    error: 'cash_max_qty: is missing',
    abort: true,
  })
  .pipe(z.looseObject({ cash_max_qty: field.text, margin_max_qty: field.text }));

/** `data` of replace, cancel and other calls without a result. */
export const emptyResponse = z.looseObject({}).nullish();

/**
 * `data` of an `order_changed_lb` event; all 25 fields are texts.
 * @see https://open.longbridge.com/docs, "Trade definition"
 */
export const wireOrderEvent = z.looseObject({
  side: field.required,
  stock_name: field.text,
  submitted_quantity: field.required,
  symbol: field.required,
  order_type: field.required,
  submitted_price: field.text,
  executed_quantity: field.text,
  executed_price: field.text,
  order_id: field.required,
  currency: field.text,
  status: field.required,
  submitted_at: field.required,
  updated_at: field.text,
  trigger_price: field.text,
  msg: field.text,
  tag: field.text,
  trigger_status: field.text,
  trigger_at: field.text,
  trailing_amount: field.text,
  trailing_percent: field.text,
  limit_offset: field.text,
  account_no: field.text,
  last_share: field.text,
  last_price: field.text,
  remark: field.text,
});
export type WireOrderEvent = z.output<typeof wireOrderEvent>;
