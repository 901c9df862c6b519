import { type Decimal, ZERO } from '../../model/decimal.ts';
import type { Currency } from '../../model/money.ts';
import type { ExecutionId, OrderId, OrderTerms, ReadStatus } from '../../model/order.ts';
import { isTerminalStatus } from '../../model/order.ts';
import type { SluiceEvent } from '../event.ts';
import type { PendingFee } from './pending-fees.ts';

/** An external order on the account, as last reported by the venue. */
export interface ForeignOrder {
  readonly orderId: OrderId;
  readonly terms: OrderTerms;
  readonly status: ReadStatus;
  readonly executedQuantity: Decimal;
  readonly remark: string;
  /** Absent in journals of earlier versions. */
  readonly currency?: Currency;
}

/** External orders and executions on the account. */
export interface ForeignRecord {
  /** Orders that may still add exposure, and finished ones; at most `FOREIGN_MAX` unless all are needed. */
  readonly orders: ReadonlyMap<OrderId, ForeignOrder>;
  /** Booked executions without an order of ours: of external orders, and from before the first start. */
  readonly executions: ReadonlySet<ExecutionId>;
  /** Charges so far by order, as booked with its fills. */
  readonly charged: ReadonlyMap<OrderId, Decimal>;
  /** Orders with booked fills whose charges are unknown. */
  readonly uncharged: ReadonlyMap<OrderId, PendingFee>;
}

/** Most external orders to keep; the oldest finished ones are removed first. */
const FOREIGN_MAX = 10_000;

/** Creates the fold of external orders. */
export function createForeignFold() {
  const orders = new Map<OrderId, ForeignOrder>();
  const executions = new Set<ExecutionId>();
  const charged = new Map<OrderId, Decimal>();
  const uncharged = new Map<OrderId, PendingFee>();

  function charge(orderId: OrderId, fee: Decimal): void {
    charged.set(orderId, (charged.get(orderId) ?? ZERO).plus(fee));
  }

  function apply(event: SluiceEvent): void {
    switch (event.kind) {
      case 'run-started':
        for (const id of event.executions ?? []) executions.add(id);
        return;
      case 'foreign-moved': {
        const { orderId, terms, status, executedQuantity, remark, currency } = event;
        const order = { orderId, terms, status, executedQuantity, remark };
        orders.set(orderId, currency === undefined ? order : { ...order, currency });
        if (orders.size > FOREIGN_MAX) removeOldestFinished();
        return;
      }
      case 'foreign-filled': {
        const { executionId, orderId, fee, price, quantity, currency } = event.fill;
        executions.add(executionId);
        charge(orderId, fee);
        if (event.chargesOpen !== true) return;
        const notional = (uncharged.get(orderId)?.notional ?? ZERO).plus(price.times(quantity));
        uncharged.set(orderId, { currency, notional });
        return;
      }
      case 'foreign-charged':
        charge(event.orderId, event.fee);
        uncharged.delete(event.orderId);
        return;
      case 'books-adopted':
        uncharged.clear();
        return;
      default:
    }
  }

  function removeOldestFinished(): void {
    for (const [id, { status }] of orders) {
      if (!isTerminalStatus(status) || uncharged.has(id)) continue;
      orders.delete(id);
      charged.delete(id);
      return;
    }
  }

  return { record: { orders, executions, charged, uncharged }, apply };
}

/** Returns whether an external order may still add exposure. */
export function isForeignLive({ status }: ForeignOrder): boolean {
  return !isTerminalStatus(status);
}

/** Returns the shares of an external order that may still be executed. */
export function foreignRest({ terms, executedQuantity }: ForeignOrder): Decimal {
  const rest = terms.quantity.minus(executedQuantity);
  return rest.isNegative() ? ZERO : rest;
}
