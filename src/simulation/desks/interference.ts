import { dayOf } from '../../markets/sessions.ts';
import { isPositive, toAmount } from '../../model/amount.ts';
import type { Decimal, Price, Quantity } from '../../model/decimal.ts';
import type { OrderId } from '../../model/order.ts';
import type { TradeStatus } from '../../model/quote.ts';
import type { Security } from '../../model/security.ts';
import { marketOf, type SecuritySymbol } from '../../model/symbol.ts';
import type { AccountState } from '../account-state.ts';
import type { Floor, Lane } from '../market/floor.ts';
import type { LaneBook } from '../matching/lane-book.ts';
import type { OrderKeeper } from '../matching/order-keeper.ts';
import { lookAway, nextFiring, takeIn } from '../matching/watching.ts';
import type { FillModel } from '../models.ts';
import { limitOf, restOf, type VenueOrder } from '../orders/venue-order.ts';
import type { CorporateActionDesk } from './corporate-actions.ts';

/** An order of an account; the simulation does nothing where there is none. */
interface OrderPlace {
  readonly account: string;
  readonly orderId: OrderId;
}

/**
 * What no request asked for: faults of a venue, and people at other screens. `fill` executes an order whatever its state
 * and quantity (its rest when no quantity is named, at its limit or the last price when no price is); `rename` gives it
 * another id, under which the old one still finds it; `adjust` puts shares into an account or takes them out; `status`
 * halts a security (it neither prints nor matches) or lets it go on; `split` happens at once, to prices too.
 */
export type Interference =
  | ({ readonly kind: 'fill'; readonly quantity?: Quantity; readonly price?: Price } & OrderPlace)
  | ({ readonly kind: 'reject'; readonly message: string } & OrderPlace)
  | ({ readonly kind: 'rename'; readonly id: boolean; readonly remark: boolean } & OrderPlace)
  | {
      readonly kind: 'adjust';
      readonly account: string;
      readonly symbol: SecuritySymbol;
      readonly quantity: Quantity;
    }
  | { readonly kind: 'status'; readonly symbol: SecuritySymbol; readonly status: TradeStatus }
  | { readonly kind: 'split'; readonly symbol: SecuritySymbol; readonly ratio: Decimal };

/** What interferences are carried out with. */
export interface InterferenceSources {
  readonly floor: Floor;
  readonly keeper: OrderKeeper;
  readonly accounts: ReadonlyMap<string, AccountState>;
  readonly securities: ReadonlyMap<SecuritySymbol, Security>;
  readonly corporateActions: CorporateActionDesk;
  readonly nextOrderId: (at: ReturnType<Floor['now']>) => OrderId;
  readonly book: LaneBook;
  readonly fills: FillModel;
  /** Lets an order that works wait anew. */
  readonly rewait: (order: VenueOrder) => void;
}

/** Carries out what nobody asked for. */
export class InterferenceDesk {
  readonly #sources: InterferenceSources;

  constructor(sources: InterferenceSources) {
    this.#sources = sources;
  }

  apply(what: Interference): void {
    switch (what.kind) {
      case 'fill':
        this.#onOrder(what, (order) => this.#fill(order, what));
        return;
      case 'reject':
        this.#onOrder(what, (order) => this.#sources.keeper.finish(order, 'RejectedStatus', what.message));
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

  #onOrder({ account, orderId }: OrderPlace, work: (order: VenueOrder) => void): void {
    const order = this.#sources.accounts.get(account)?.orders.get(orderId);
    if (order !== undefined) work(order);
  }

  #fill(order: VenueOrder, { quantity, price }: Extract<Interference, { kind: 'fill' }>): void {
    const { floor, keeper } = this.#sources;
    const wanted = quantity === undefined ? restOf(order) : toAmount(quantity);
    const at = price ?? limitOf(order) ?? floor.lastPrice(order.terms.symbol);
    if (at === undefined || !isPositive(wanted)) return;
    keeper.execute(order, wanted, at);
  }

  #rename(order: VenueOrder, { id, remark }: Extract<Interference, { kind: 'rename' }>): void {
    const { floor, keeper, nextOrderId } = this.#sources;
    if (remark) order.remark = '';
    if (id) {
      order.id = nextOrderId(floor.now());
      keeper.accountOf(order).orders.set(order.id, order);
    }
    keeper.tell(order);
  }

  #adjust({ account, symbol, quantity }: Extract<Interference, { kind: 'adjust' }>): void {
    const { accounts, securities, floor } = this.#sources;
    const [state, security] = [accounts.get(account), securities.get(symbol)];
    if (state === undefined || security === undefined || quantity.isZero()) return;
    const price = floor.lastAmount(symbol) ?? 0;
    const day = dayOf(marketOf(symbol), floor.now());
    state.books.adjust(security, { quantity: toAmount(quantity), price, day, at: floor.now() });
  }

  #setStatus(symbol: SecuritySymbol, status: TradeStatus): void {
    const { floor } = this.#sources;
    const lane = floor.lane(symbol);
    if (lane === undefined || lane.status === status) return;
    const [before, after] = [lane.status === 'normal', status === 'normal'];
    floor.setStatus(lane, status);
    if (before === after) return;
    for (const { open } of this.#sources.accounts.values()) {
      for (const order of [...open]) {
        if (order.terms.symbol !== symbol) continue;
        if (order.stage === 'armed') this.#watchOn(order, lane, after);
        else if (after && order.stage === 'working') this.#sources.rewait(order);
      }
    }
  }

  /** What prints in a halt is seen by nobody: an order's condition goes on from where it stood before. */
  #watchOn(order: VenueOrder, lane: Lane, resumes: boolean): void {
    const { floor, book, fills } = this.#sources;
    if (!resumes) {
      takeIn(order, lane, floor, fills);
      return;
    }
    lookAway(order, lane, floor);
    if (fills.matching.kind === 'prints') book.rest(order, lane, nextFiring(order, lane, fills));
  }

  #split(symbol: SecuritySymbol, ratio: Decimal): void {
    const { floor, corporateActions } = this.#sources;
    if (!floor.rescale(symbol, 1 / ratio.toNumber())) return;
    corporateActions.apply(
      { kind: 'split', symbol, ratio, exDay: dayOf(marketOf(symbol), floor.now()) },
      floor,
    );
  }
}
