import { dayOf } from '../../markets/sessions.ts';
import { isPositive, toAmount } from '../../model/amount.ts';
import type { Decimal, Price, Quantity } from '../../model/decimal.ts';
import type { OrderId } from '../../model/order.ts';
import type { TradeStatus } from '../../model/quote.ts';
import { marketOf, type SecuritySymbol } from '../../model/symbol.ts';
import type { SymbolMarket } from '../market/market-replay.ts';
import { catchUp, nextTrigger, skipToNow } from '../matching/condition-watch.ts';
import type { VenueContext } from '../matching/venue-context.ts';
import { limitOf, restOf, type VenueOrder } from '../orders/venue-order.ts';
import type { CorporateActionProcess } from './corporate-actions.ts';

interface OrderRef {
  readonly account: string;
  readonly orderId: OrderId;
}

/**
 * Events without a request: venue faults, and actions of people at other terminals.
 * - `fill`: executes an order whatever its state; quantity defaults to the unexecuted rest, price to its limit or the
 *   last price.
 * - `rename`: gives an order a new id and may clear its remark; the old id still finds it.
 * - `adjust`: adds shares to an account or removes them.
 * - `status`: halts a security (no prints, no matching) or resumes it.
 * - `split`: applies at once, to prices too.
 */
export type ExogenousEvent =
  | ({ readonly kind: 'fill'; readonly quantity?: Quantity; readonly price?: Price } & OrderRef)
  | ({ readonly kind: 'reject'; readonly message: string } & OrderRef)
  | ({ readonly kind: 'rename'; readonly id: boolean; readonly remark: boolean } & OrderRef)
  | {
      readonly kind: 'adjust';
      readonly account: string;
      readonly symbol: SecuritySymbol;
      readonly quantity: Quantity;
    }
  | { readonly kind: 'status'; readonly symbol: SecuritySymbol; readonly status: TradeStatus }
  | { readonly kind: 'split'; readonly symbol: SecuritySymbol; readonly ratio: Decimal };

interface ExogenousEventSources extends VenueContext {
  readonly corporateActions: CorporateActionProcess;
}

export class ExogenousEventProcess {
  readonly #sources: ExogenousEventSources;

  constructor(sources: ExogenousEventSources) {
    this.#sources = sources;
  }

  apply(what: ExogenousEvent): void {
    switch (what.kind) {
      case 'fill':
        this.#onOrder(what, (order) => this.#fill(order, what));
        return;
      case 'reject':
        this.#onOrder(what, (order) => this.#sources.lifecycle.finish(order, 'RejectedStatus', what.message));
        return;
      case 'rename':
        this.#onOrder(what, (order) => this.#rename(order, what));
        return;
      case 'adjust':
        this.#adjust(what);
        return;
      case 'status':
        this.#setStatus(what.symbol, what.status);
        return;
      case 'split':
        this.#split(what.symbol, what.ratio);
        return;
    }
  }

  #onOrder({ account, orderId }: OrderRef, work: (order: VenueOrder) => void): void {
    const order = this.#sources.accounts.get(account)?.orders.get(orderId);
    if (order !== undefined) work(order);
  }

  #fill(order: VenueOrder, { quantity, price }: Extract<ExogenousEvent, { kind: 'fill' }>): void {
    const { replay, lifecycle } = this.#sources;
    const wanted = quantity === undefined ? restOf(order) : toAmount(quantity);
    const at = price ?? limitOf(order) ?? replay.lastPrice(order.terms.symbol);
    if (at === undefined || !isPositive(wanted)) return;
    lifecycle.execute(order, wanted, at);
  }

  #rename(order: VenueOrder, { id, remark }: Extract<ExogenousEvent, { kind: 'rename' }>): void {
    const { replay, lifecycle, nextOrderId } = this.#sources;
    if (remark) order.remark = '';
    if (id) {
      order.id = nextOrderId(replay.now());
      lifecycle.accountOf(order).orders.set(order.id, order);
    }
    lifecycle.emitStatus(order);
  }

  #adjust({ account, symbol, quantity }: Extract<ExogenousEvent, { kind: 'adjust' }>): void {
    const { accounts, securities, replay } = this.#sources;
    const [state, security] = [accounts.get(account), securities.get(symbol)];
    if (state === undefined || security === undefined || quantity.isZero()) return;
    const price = replay.lastAmount(symbol) ?? 0;
    const day = dayOf(marketOf(symbol), replay.now());
    state.books.adjust(security, { quantity: toAmount(quantity), price, day, at: replay.now() });
  }

  #setStatus(symbol: SecuritySymbol, status: TradeStatus): void {
    const { replay } = this.#sources;
    const symbolMarket = replay.symbolMarket(symbol);
    if (symbolMarket === undefined || symbolMarket.status === status) return;
    const [before, after] = [symbolMarket.status === 'normal', status === 'normal'];
    replay.setStatus(symbolMarket, status);
    if (before === after) return;
    for (const { open } of this.#sources.accounts.values()) {
      for (const order of [...open]) {
        if (order.terms.symbol !== symbol) continue;
        if (order.stage === 'armed') this.#updateWatch(order, symbolMarket, after);
        else if (after && order.stage === 'working') this.#sources.requeue(order);
      }
    }
  }

  /** Continues a condition across a halt from its state before the halt: prints during the halt are not visible. */
  #updateWatch(order: VenueOrder, symbolMarket: SymbolMarket, resumes: boolean): void {
    const { replay, book, fills } = this.#sources;
    if (!resumes) {
      catchUp(order, symbolMarket, replay, fills);
      return;
    }
    skipToNow(order, symbolMarket, replay);
    if (fills.matching.kind === 'prints')
      book.waitFor(order, symbolMarket, nextTrigger(order, symbolMarket, fills));
  }

  #split(symbol: SecuritySymbol, ratio: Decimal): void {
    const { replay, corporateActions } = this.#sources;
    if (!replay.rescale(symbol, 1 / ratio.toNumber())) return;
    const exDay = dayOf(marketOf(symbol), replay.now());
    corporateActions.apply({ kind: 'split', symbol, ratio, exDay });
  }
}
