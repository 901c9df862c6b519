import { type Amount, isPositive, multiply, subtract, toAmount } from '../../model/amount.ts';
import type { Price } from '../../model/decimal.ts';
import { unitAmount } from '../../model/option-symbol.ts';
import type { Execution, VenueStatus } from '../../model/order.ts';
import type { Millis } from '../../model/time.ts';
import type { AccountState } from '../account-state.ts';
import { reserveOf } from '../buying-power/reserving.ts';
import type { SymbolMarket } from '../market/market-replay.ts';
import type { PrintIndex } from '../market/tape.ts';
import { addToBill, billed, startChargeGroup } from '../orders/bill.ts';
import {
  addExecution,
  addHistory,
  detailOf,
  forceExecution,
  isConditional,
  isOpenOrder,
  NO_RESERVE,
  restOf,
  type VenueOrder,
  workingStatus,
} from '../orders/venue-order.ts';
import type { OrderChange, SimulationEvent } from '../simulation.ts';
import { PrintVolume } from './print-volume.ts';
import type { VenueSources } from './venue-context.ts';
import type { WaitingOrders } from './waiting-orders.ts';

interface LifecycleSources extends VenueSources {
  readonly book: WaitingOrders;
}

/**
 * Applies state changes of orders (status, history, executions, books, reservations) and collects the resulting events.
 */
export class OrderLifecycle {
  readonly #sources: LifecycleSources;
  readonly #volume: PrintVolume;
  #events: SimulationEvent[] = [];

  constructor(sources: LifecycleSources) {
    this.#sources = sources;
    this.#volume = new PrintVolume(sources.models.fills);
  }

  becomeWorking(order: VenueOrder): void {
    order.stage = 'working';
    order.status = workingStatus(order);
    order.updatedAt = this.#sources.replay.now();
    addHistory(order, order.updatedAt, { status: order.status });
    this.emitStatus(order);
  }

  /** Reports a transitional status; nothing else changes. */
  reportStatus(order: VenueOrder, status: VenueStatus): void {
    order.status = status;
    order.updatedAt = this.#sources.replay.now();
    this.emitStatus(order);
  }

  trigger(order: VenueOrder): void {
    order.triggerAt = this.#sources.replay.now();
    order.conditionPrice = undefined;
    if (this.#sources.inBetweenMs !== undefined) this.reportStatus(order, 'WaitToNew');
    this.becomeWorking(order);
  }

  /** Adds an order created by the venue: a conditional one is armed, any other works at once. */
  addVenueOrder(order: VenueOrder): void {
    const account = this.accountOf(order);
    account.orders.set(order.id, order);
    account.recent.push(order);
    account.open.add(order);
    order.stage = isConditional(order.terms.type) ? 'armed' : 'working';
    order.status = order.stage === 'armed' ? 'VarietiesNotReported' : 'NewStatus';
    this.emitStatus(order);
  }

  /** Charges later executions separately from earlier ones. */
  startNewCharge(order: VenueOrder): void {
    order.bill = startChargeGroup(order.bill);
  }

  /**
   * Executes as much as the print's volume and the given maximum allow, and books it. Returns the executed quantity.
   */
  fill(
    order: VenueOrder,
    price: Price,
    symbolMarket: SymbolMarket,
    index: PrintIndex,
    maxAffordableQuantity: Amount = restOf(order),
  ): Amount {
    const quantity = this.#volume.take(order, maxAffordableQuantity, price, symbolMarket, index);
    if (!isPositive(quantity)) return 0;
    const at = this.#sources.replay.now();
    const execution = addExecution(order, { price, quantity, at });
    this.#bookExecution(order, execution, { price: toAmount(price), quantity, at });
    if (restOf(order) === 0) this.#close(order);
    else this.reserve(order);
    this.emitStatus(order, execution);
    return quantity;
  }

  /** Executes and books a quantity regardless of print volume, even if the order is done or smaller. */
  execute(order: VenueOrder, quantity: Amount, price: Price): void {
    const at = this.#sources.replay.now();
    const wasDone = order.stage === 'done';
    const execution = forceExecution(order, { price, quantity, at });
    this.#bookExecution(order, execution, { price: toAmount(price), quantity, at });
    if (wasDone && order.status === 'PartialFilledStatus') order.status = 'PartialWithdrawal';
    if (!isPositive(restOf(order))) this.#close(order);
    else if (!wasDone) this.reserve(order);
    this.emitStatus(order, execution);
  }

  /** Ends an open order without executing the rest. */
  finish(order: VenueOrder, status: VenueStatus, message = ''): void {
    if (!isOpenOrder(order)) return;
    order.status = status;
    order.updatedAt = this.#sources.replay.now();
    if (message !== '') order.message = message;
    addHistory(order, order.updatedAt, { status, message });
    this.#close(order);
    this.emitStatus(order);
  }

  reserve(order: VenueOrder): void {
    order.reserve = reserveOf(order, this.#sources.models.charges, this.#sources.replay.now());
  }

  accountOf(order: VenueOrder): AccountState {
    return this.accountNamed(order.accountId);
  }

  accountNamed(id: string): AccountState {
    const account = this.#sources.accounts.get(id);
    if (account === undefined) throw new Error(`There is no account "${id}"`);
    return account;
  }

  emitStatus(order: VenueOrder, execution?: Execution): void {
    const change: OrderChange = { detail: detailOf(order), execution };
    this.#events.push({ kind: 'order', account: order.accountId, change });
  }

  /** Returns the events since the previous call, in order. */
  takeEvents(): readonly SimulationEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  #bookExecution(
    order: VenueOrder,
    execution: Execution,
    { price, quantity, at }: { readonly price: Amount; readonly quantity: Amount; readonly at: Millis },
  ): void {
    const { security } = order;
    const { side } = execution;
    const notional = multiply(unitAmount(security, price), quantity, 'exact');
    const before = billed(order.bill);
    order.bill = addToBill(
      order.bill,
      { security, side, quantity, notional, at },
      this.#sources.models.charges,
    );
    const fee = subtract(billed(order.bill), before);
    const account = this.accountOf(order);
    account.books.book(execution, security, { price, quantity, fee, at });
    account.lastFills.set(security.symbol, { side, at });
    account.filledAt = at;
  }

  #close(order: VenueOrder): void {
    order.stage = 'done';
    order.reserve = NO_RESERVE;
    this.accountOf(order).open.delete(order);
    this.#sources.book.remove(order);
  }
}
