import { tradingDayOf } from '../../markets/sessions.ts';
import { Decimal, type Price, ZERO } from '../../model/decimal.ts';
import { unitValue } from '../../model/option-symbol.ts';
import { type OrderTerms, orderId } from '../../model/order.ts';
import { marketOf } from '../../model/symbol.ts';
import type { Millis } from '../../model/time.ts';
import type { AccountState } from '../account-state.ts';
import type { HeldSecurity } from '../books/account-books.ts';
import { factorsUnder } from '../cover/margin.ts';
import type { Floor, Lane } from '../market/floor.ts';
import { PRINTS_PER_BAR } from '../market/prints.ts';
import { barOf, type PrintIndex, stepOf } from '../market/tape.ts';
import type { LaneBook } from '../matching/lane-book.ts';
import type { OrderKeeper } from '../matching/order-keeper.ts';
import { slippedPrice } from '../matching/slippage.ts';
import type { FillModel, MarginModel } from '../models.ts';
import { estimateCharges } from '../orders/bill.ts';
import { NO_EXTRAS } from '../orders/order-extras.ts';
import { newOrder, type VenueOrder } from '../orders/venue-order.ts';
import type { Tranche } from '../whole-bars/tranches.ts';
import type { WholeBarDesk } from '../whole-bars/whole-bar-desk.ts';

/** What accounts are closed out with. */
export interface CloseOutSources {
  readonly rule: MarginModel['closeOut'];
  readonly accounts: ReadonlyMap<string, AccountState>;
  readonly floor: Floor;
  readonly keeper: OrderKeeper;
  readonly book: LaneBook;
  readonly fills: FillModel;
  readonly wholeBars: WholeBarDesk | undefined;
  readonly nextOrderId: (at: Millis) => VenueOrder['id'];
}

/** What the venue says about an order that it made to close an account out, or cancelled because it did. */
export const CLOSED_OUT = 'Closed out';

/** The desk that a rule asks for; undefined where nobody is closed out. */
export function closeOutDesk(
  rule: MarginModel['closeOut'],
  sources: Omit<CloseOutSources, 'rule'>,
): CloseOutDesk | undefined {
  return rule === 'none' ? undefined : new CloseOutDesk({ ...sources, rule });
}

/** How often a quantity is reckoned anew with what closing it costs: costs grow far slower than what it frees. */
const ROUNDS = 5;

/** The id of an order that is only asked what it would pay. */
const NEVER_SENT = orderId('0');

/** Where a holding is closed: at the print of its lane that stands, or stood last. */
interface Place {
  readonly lane: Lane;
  readonly index: PrintIndex;
  readonly last: Price;
}

/**
 * Watches accounts that can owe more than they have, and closes them out when they do: by the forced-liquidation factors of what they hold,
 * which lie below those of a margin call, and from then on for as long as the call stands.
 * @see docs/venue.md, "The market"
 */
export class CloseOutDesk {
  readonly #sources: CloseOutSources;
  /** Accounts whose closing has begun and whose margin call still stands. */
  readonly #begun = new Set<AccountState>();

  constructor(sources: CloseOutSources) {
    this.#sources = sources;
    sources.book.watch((lane) => this.#watches(lane));
  }

  /** What an account owes decides which prints somebody must look at. */
  watchPrints(): void {
    const { floor, book } = this.#sources;
    for (const lane of floor.lanes) book.reschedule(lane);
  }

  /** True while a print of the lane can ruin somebody: who neither owes cash nor shares cannot be ruined. */
  #watches(lane: Lane): boolean {
    for (const account of this.#sources.accounts.values()) {
      if ((account.closed || owes(account)) && !account.books.held(lane.symbol).isZero()) return true;
    }
    return false;
  }

  /** Looks after a print at every account that it can have ruined; with whole bars only after a bar's last. */
  check(lane: Lane, index: PrintIndex): void {
    const { wholeBars, accounts, rule } = this.#sources;
    if (wholeBars !== undefined && stepOf(index) !== PRINTS_PER_BAR - 1) return;
    for (const account of accounts.values()) {
      if (rule !== 'equity' && account.books.held(lane.symbol).isZero()) continue;
      if (this.#isDue(account)) this.#closeOut(account);
      else this.#begun.delete(account);
    }
  }

  #isDue(account: AccountState): boolean {
    const { view, currency } = account.means;
    if (account.closed) return account.books.holdings().length > 0;
    if (!owes(account)) return false;
    const { equity, maintenanceMargin } = view.balance(currency);
    if (this.#sources.rule === 'equity') return equity.lte(0);
    if (maintenanceMargin.lte(equity)) return false;
    return this.#begun.has(account) || equity.lt(view.forcedMargin(currency));
  }

  #closeOut(account: AccountState): void {
    const { keeper, wholeBars, floor, rule } = this.#sources;
    if (!this.#begun.has(account)) {
      for (const order of [...account.open]) {
        keeper.finish(order, 'CanceledStatus', CLOSED_OUT);
        wholeBars?.ended(order);
      }
    }
    this.#begun.add(account);
    if (rule === 'as-needed') {
      this.#reduce(account);
      const { view, currency } = account.means;
      if (view.balance(currency).marginCall.isZero()) this.#begun.delete(account);
    } else
      for (const held of account.books.holdings()) if (this.#trades(held)) this.#closeHolding(account, held);
    if (rule !== 'equity') return;
    account.closed = true;
    if (account.books.holdings().length === 0) account.books.writeOff(floor.now());
  }

  /**
   * Closes what lost most first, of each no more whole lots than bring maintenance margin back within equity.
   * @see QuantConnect LEAN, "Margin calls" (orders by unrealized profit, ascending, until the portfolio is within its requirements)
   */
  #reduce(account: AccountState): void {
    const worstFirst = account.books
      .holdings()
      .filter((held) => this.#trades(held))
      .toSorted((one, other) => this.#profit(account, one).comparedTo(this.#profit(account, other)));
    for (const held of worstFirst) {
      const wanted = this.#wanted(account, held);
      if (!wanted.isZero()) this.#closeHolding(account, held, wanted);
    }
  }

  /** Shares of a holding to be closed for maintenance margin to fit into equity again, costs paid, in whole lots; none where it fits. */
  #wanted(account: AccountState, held: HeldSecurity): Decimal {
    const { means } = account;
    const { security, quantity } = held;
    const place = this.#placeOf(held);
    const call = means.view.balance(means.currency).marginCall;
    if (place === undefined || call.isZero()) return ZERO;
    const rate = means.rates.rate(security.currency, means.currency);
    const unit = unitValue(security, place.last);
    const freed = unit.times(factorsUnder(means.model, security).maintenance).times(rate);
    if (freed.isZero()) return ZERO;
    let wanted = ZERO;
    for (let round = 0; round < ROUNDS; round += 1) {
      const costs = this.#costs(account, held, wanted, place).times(rate);
      const lots = call.plus(costs).div(freed).div(security.lotSize).ceil().times(security.lotSize);
      if (lots.lte(wanted)) break;
      wanted = Decimal.min(quantity.abs(), lots);
    }
    return wanted;
  }

  /** What closing so many shares costs, in the security's currency: charges, and what is paid beyond the last price. */
  #costs(account: AccountState, held: HeldSecurity, shares: Decimal, place: Place): Decimal {
    const { floor } = this.#sources;
    const { security } = held;
    if (shares.isZero()) return ZERO;
    const signed = held.quantity.isNegative() ? shares.neg() : shares;
    const order = this.#order(account, held, signed, NEVER_SENT);
    const price = this.#priceFor(order, place);
    const filled = {
      security,
      side: order.terms.side,
      quantity: shares,
      notional: unitValue(security, price).times(shares),
      at: floor.now(),
    } as const;
    const beyond = unitValue(security, price.minus(place.last).abs()).times(shares);
    return estimateCharges(filled, account.means.schedule).plus(beyond);
  }

  /** What closing a holding at its last price would make, in the account's currency. */
  #profit({ means }: AccountState, { security, quantity, cost }: HeldSecurity): Decimal {
    const last = this.#sources.floor.lastPrice(security.symbol);
    if (last === undefined) return ZERO;
    const profit = unitValue(security, last).times(quantity).minus(cost);
    return profit.times(means.rates.rate(security.currency, means.currency));
  }

  /** Whether somebody would take it now: what is held in a market that is closed waits for that market's next print. */
  #trades({ security }: HeldSecurity): boolean {
    const { floor } = this.#sources;
    const lane = floor.lane(security.symbol);
    const standing = lane === undefined ? undefined : floor.standing(lane);
    return lane?.status === 'normal' && standing !== undefined && lane.tape.trades(barOf(standing));
  }

  #placeOf({ security }: HeldSecurity): Place | undefined {
    const { floor } = this.#sources;
    const lane = floor.lane(security.symbol);
    const index = lane === undefined ? undefined : floor.last(lane);
    const last = floor.lastPrice(security.symbol);
    return lane === undefined || index === undefined || last === undefined
      ? undefined
      : { lane, index, last };
  }

  /** What an order at the market pays there, as any other that takes would. */
  #priceFor(order: VenueOrder, { lane, index, last }: Place): Price {
    const { floor, fills } = this.#sources;
    return slippedPrice(order, { price: last, bar: lane.tape.figures(barOf(index)), at: floor.now() }, fills);
  }

  /** Closes a holding as far as the print has room, all of it unless so many shares are named. */
  #closeHolding(account: AccountState, held: HeldSecurity, shares = held.quantity.abs()): void {
    const { wholeBars } = this.#sources;
    const place = this.#placeOf(held);
    if (place === undefined) return;
    const tranches = wholeBars?.tranchesOf(account.id, held.security.symbol);
    const parts: readonly Tranche[] = [...(tranches?.all() ?? [])];
    if (parts.length === 0) {
      this.#close(account, held, held.quantity.isNegative() ? shares.neg() : shares, place);
      return;
    }
    for (const tranche of parts) {
      const { side, left } = tranche;
      const quantity = this.#close(account, held, side === 'buy' ? left : left.neg(), place);
      tranches?.close({ tranche, quantity });
    }
  }

  /** Sends an order against so many shares, signed as they are held; returns how many it closed. */
  #close(account: AccountState, held: HeldSecurity, quantity: Decimal, place: Place): Decimal {
    const { floor, keeper, nextOrderId } = this.#sources;
    const order = this.#order(account, held, quantity, nextOrderId(floor.now()));
    const price = this.#priceFor(order, place);
    order.message = `${CLOSED_OUT} at ${price}`;
    keeper.admit(order);
    const filled = keeper.fill(order, price, place.lane, place.index);
    keeper.finish(order, 'CanceledStatus', CLOSED_OUT);
    return filled;
  }

  #order(
    account: AccountState,
    { security }: HeldSecurity,
    quantity: Decimal,
    id: VenueOrder['id'],
  ): VenueOrder {
    const at = this.#sources.floor.now();
    const terms: OrderTerms = {
      symbol: security.symbol,
      side: quantity.isNegative() ? 'buy' : 'sell',
      type: 'MO',
      quantity: quantity.abs(),
      timeInForce: 'day',
    };
    return newOrder({
      id,
      accountId: account.id,
      ...{ security, submittedAt: at, terms, remark: '', extras: NO_EXTRAS, expiresAt: at },
      day: tradingDayOf(marketOf(security.symbol), at),
      rejection: undefined,
      reservePrice: undefined,
    });
  }
}

function owes({ books }: AccountState): boolean {
  return (
    books.currencies().some((currency) => books.cash(currency).isNegative()) ||
    books.holdings().some(({ quantity }) => quantity.isNegative())
  );
}
