import { z } from 'zod';
import type { Price } from '../../model/decimal.ts';
import type { OrderId, OrderType, Side, VenueStatus } from '../../model/order.ts';
import { removedOrderType } from '../../model/order.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import type { Millis } from '../../model/time.ts';
import { readOrderType, writeSide } from '../order-enums.ts';
import { statuses } from './order-requests.ts';
import * as field from './parameter-fields.ts';
import { decimalText, defined, secondsText, type WireParameters } from './parameter-fields.ts';

/** Filters of today's orders; an absent filter accepts everything. */
export interface TodayOrdersQuery {
  readonly symbol?: SecuritySymbol;
  readonly statuses?: readonly VenueStatus[];
  readonly side?: Side;
  readonly market?: string;
  readonly orderId?: OrderId;
  readonly isAttached?: boolean;
  /** From 1. */
  readonly page?: number;
  readonly size?: number;
}

/** Filters of older orders, by time of submission; an absent start or end means a range of 90 days. */
export interface HistoryOrdersQuery {
  readonly symbol?: SecuritySymbol;
  readonly statuses?: readonly VenueStatus[];
  readonly side?: Side;
  readonly market?: string;
  readonly from?: Millis;
  readonly to?: Millis;
  readonly page?: number;
  readonly size?: number;
}

/** Filters of executions. By the reference, history has no `orderId` and `page`, today's listing no times. */
export interface ExecutionsQuery {
  readonly symbol?: SecuritySymbol;
  readonly orderId?: OrderId;
  readonly from?: Millis;
  readonly to?: Millis;
  readonly page?: number;
}

export interface BuyLimitQuery {
  readonly symbol: SecuritySymbol;
  readonly type: OrderType;
  readonly side: Side;
  readonly price?: Price;
  readonly currency?: string;
  /** The order to be replaced. */
  readonly orderId?: OrderId;
  readonly fractionalShares?: boolean;
  readonly market?: string;
}

const page = field.optional(field.integer(1, 1_000_000));
const size = field.optional(field.integer(1, 1_000));
const market = field.optional(field.text(8));

const filters = {
  symbol: field.optional(field.symbol),
  status: statuses,
  side: field.optional(field.side),
  market,
  page,
  size,
};

type Filters = z.output<z.ZodObject<typeof filters>>;

function sharedFilters(query: Filters) {
  return {
    symbol: query.symbol,
    statuses: query.status.length === 0 ? undefined : query.status,
    side: query.side,
    market: query.market,
    page: query.page,
    size: query.size,
  };
}

/** Query of GET /v1/trade/order/today. @see docs/wire-protocol.md, "Calls" */
export const todayOrders = z
  .object({ ...filters, order_id: field.optional(field.id), is_attached: field.optional(field.flag) })
  .transform(
    (query): TodayOrdersQuery =>
      defined({ ...sharedFilters(query), orderId: query.order_id, isAttached: query.is_attached }),
  );

/** Query of GET /v1/trade/order/history. @see docs/wire-protocol.md, "Calls" */
export const historyOrders = z
  .object({ ...filters, start_at: field.optional(field.instant), end_at: field.optional(field.instant) })
  .transform(
    (query): HistoryOrdersQuery =>
      defined({ ...sharedFilters(query), from: query.start_at, to: query.end_at }),
  );

/** Query of the three executions listings. @see docs/wire-protocol.md, "Calls" */
export const executions = z
  .object({
    symbol: field.optional(field.symbol),
    order_id: field.optional(field.id),
    start_at: field.optional(field.instant),
    end_at: field.optional(field.instant),
    page,
  })
  .transform(
    (query): ExecutionsQuery =>
      defined({
        symbol: query.symbol,
        orderId: query.order_id,
        from: query.start_at,
        to: query.end_at,
        page: query.page,
      }),
  );

/** Query of GET /v1/trade/estimate/buy_limit. @see docs/wire-protocol.md, "Calls" */
export const buyLimit = z
  .object({
    symbol: field.required(field.symbol),
    order_type: field.required(field.parsedText('order type not support', readOrderType, removedOrderType)),
    side: field.required(field.side),
    price: field.optional(field.positive),
    currency: field.optional(field.currency),
    order_id: field.optional(field.id),
    fractional_shares: field.optional(field.flag),
    market,
  })
  .transform(
    (query): BuyLimitQuery =>
      defined({
        symbol: query.symbol,
        type: query.order_type,
        side: query.side,
        price: query.price,
        currency: query.currency,
        orderId: query.order_id,
        fractionalShares: query.fractional_shares,
        market: query.market,
      }),
  );

export function writeTodayOrders(query: TodayOrdersQuery): WireParameters {
  return defined({ ...writeFilters(query), order_id: query.orderId, is_attached: query.isAttached });
}

export function writeHistoryOrders(query: HistoryOrdersQuery): WireParameters {
  return defined({
    ...writeFilters(query),
    start_at: secondsText(query.from),
    end_at: secondsText(query.to),
  });
}

export function writeExecutions(query: ExecutionsQuery): WireParameters {
  return defined({
    symbol: query.symbol,
    order_id: query.orderId,
    start_at: secondsText(query.from),
    end_at: secondsText(query.to),
    page: query.page,
  });
}

export function writeBuyLimit(query: BuyLimitQuery): WireParameters {
  return defined({
    symbol: query.symbol,
    order_type: query.type,
    side: writeSide(query.side),
    price: decimalText(query.price),
    currency: query.currency,
    order_id: query.orderId,
    fractional_shares: query.fractionalShares,
    market: query.market,
  });
}

function writeFilters(query: TodayOrdersQuery | HistoryOrdersQuery): WireParameters {
  return {
    symbol: query.symbol,
    status: query.statuses,
    side: query.side === undefined ? undefined : writeSide(query.side),
    market: query.market,
    page: query.page,
    size: query.size,
  };
}
