import { type Decimal, ZERO } from '../../model/decimal.ts';
import type { Currency } from '../../model/money.ts';
import type { ExecutionId, OrderId, OrderTerms, ReadStatus } from '../../model/order.ts';
import { isTerminalStatus } from '../../model/order.ts';
import type { SluiceEvent } from '../event.ts';
import type { PendingFee } from './pending-fees.ts';

/** An order on the account that is not ours, as last reported by the venue. */
export interface ForeignOrder {
  readonly orderId: OrderId;
  readonly terms: OrderTerms;
  readonly status: ReadStatus;
  readonly executedQuantity: Decimal;
  readonly remark: string;
  /** Absent in journals of earlier versions. */
  readonly currency?: Currency;
}

/** What others do on the account. */
export interface ForeignRecord {
  /** Those that may still add exposure, and those that ended, the newest `FOREIGN_MAX`. */
  readonly orders: ReadonlyMap<OrderId, ForeignOrder>;
  /** Executions that are in the books without an order of ours: of foreign orders, and those from before the first start. */
  readonly executions: ReadonlySet<ExecutionId>;
  /** Charged so far by order, as booked with its fills. */
  readonly charged: ReadonlyMap<OrderId, Decimal>;
  /** Orders whose fills were booked before their charges were known. */
  readonly uncharged: ReadonlyMap<OrderId, PendingFee>;
}

/** Most foreign orders remembered; of those beyond, the oldest that ended go first. */
const FOREIGN_MAX = 10_000;

/** The fold's part for foreign orders; it starts without any. */
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
        if (orders.size > FOREIGN_MAX) forgetOne();
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

  function forgetOne(): void {
    for (const [id, { status }] of orders) {
      if (!isTerminalStatus(status) || uncharged.has(id)) continue;
      orders.delete(id);
      charged.delete(id);
      return;
    }
  }

  return { record: { orders, executions, charged, uncharged }, apply };
}

/** True while a foreign order may still add exposure. */
export function isForeignLive({ status }: ForeignOrder): boolean {
  return !isTerminalStatus(status);
}

/** Shares of a foreign order that may still be executed. */
export function foreignRest({ terms, executedQuantity }: ForeignOrder): Decimal {
  const rest = terms.quantity.minus(executedQuantity);
  return rest.isNegative() ? ZERO : rest;
}
