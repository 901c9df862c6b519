import { tradingDayOf } from '../markets/sessions.ts';
import { Decimal, type Price, ZERO } from '../model/decimal.ts';
import { unitValue } from '../model/option-symbol.ts';
import type { OrderTerms } from '../model/order.ts';
import { marketOf } from '../model/symbol.ts';
import type { Millis } from '../model/time.ts';
import type { HeldSecurity } from './account-books.ts';
import type { AccountState } from './account-state.ts';
import { estimateCharges } from './bill.ts';
import type { Floor, Lane } from './floor.ts';
import type { LaneBook } from './lane-book.ts';
import { factorsUnder } from './margin.ts';
import type { MarginModel } from './models.ts';
import { NO_EXTRAS } from './order-extras.ts';
import type { OrderKeeper } from './order-keeper.ts';
import { PRINTS_PER_BAR } from './prints.ts';
import { barOf, type PrintIndex, stepOf } from './tape.ts';
import { newOrder, type VenueOrder } from './venue-order.ts';
import type { WholeBarDesk } from './whole-bar-desk.ts';

/** What accounts are closed out with. */
export interface CloseOutSources {
  readonly rule: MarginModel['closeOut'];
  readonly accounts: ReadonlyMap<string, AccountState>;
  readonly floor: Floor;
  readonly keeper: OrderKeeper;
  readonly book: LaneBook;
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

/** How often a quantity is reckoned anew with what closing it costs: charges grow far slower than what it frees. */
const ROUNDS = 5;

/** Watches accounts that can owe more than they have, and closes them out when they do. */
export class CloseOutDesk {
  readonly #sources: CloseOutSources;

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
      if (owes(account) && !account.books.held(lane.symbol).isZero()) return true;
    }
    return false;
  }

  /** Looks after a print at every account that it can have ruined; with whole bars only after a bar's last. */
  check(lane: Lane, index: PrintIndex): void {
    const { wholeBars, accounts, rule } = this.#sources;
    if (wholeBars !== undefined && stepOf(index) !== PRINTS_PER_BAR - 1) return;
    for (const account of accounts.values()) {
      const concerned = rule === 'equity' || !account.books.held(lane.symbol).isZero();
      if (concerned && !account.closed && owes(account) && this.#isDue(account)) this.#closeOut(account);
    }
  }

  #isDue({ means }: AccountState): boolean {
    const { equity, maintenanceMargin } = means.view.balance(means.currency);
    return this.#sources.rule === 'equity' ? equity.lte(0) : maintenanceMargin.gt(equity);
  }

  #closeOut(account: AccountState): void {
    const { keeper, wholeBars, floor, rule } = this.#sources;
    for (const order of [...account.open]) {
      keeper.finish(order, 'CanceledStatus', CLOSED_OUT);
      wholeBars?.ended(order);
    }
    if (rule === 'as-needed') {
      this.#reduce(account);
      return;
    }
    for (const held of account.books.holdings()) {
      if (rule === 'equity' || this.#trades(held)) this.#closeHolding(account, held);
    }
    if (rule !== 'equity') return;
    account.closed = true;
    account.books.writeOff(floor.now());
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

  /** Shares of a holding to be closed for maintenance margin to fit into equity again, charges paid, in whole lots; none where it fits. */
  #wanted({ means }: AccountState, { security, quantity }: HeldSecurity): Decimal {
    const { floor } = this.#sources;
    const last = floor.lastPrice(security.symbol);
    const call = means.view.balance(means.currency).marginCall;
    if (last === undefined || call.isZero()) return ZERO;
    const rate = means.rates.rate(security.currency, means.currency);
    const unit = unitValue(security, last);
    const freed = unit.times(factorsUnder(means.model, security).maintenance).times(rate);
    if (freed.isZero()) return ZERO;
    const side = quantity.isNegative() ? 'buy' : 'sell';
    let wanted = ZERO;
    for (let round = 0; round < ROUNDS; round += 1) {
      const filled = {
        security,
        side,
        quantity: wanted,
        notional: unit.times(wanted),
        at: floor.now(),
      } as const;
      const charges = estimateCharges(filled, means.schedule).times(rate);
      const lots = call.plus(charges).div(freed).div(security.lotSize).ceil().times(security.lotSize);
      if (lots.lte(wanted)) break;
      wanted = Decimal.min(quantity.abs(), lots);
    }
    return wanted;
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

  /** Closes a holding, all of it unless so many shares are named. */
  #closeHolding(account: AccountState, held: HeldSecurity, shares = held.quantity.abs()): void {
    const { floor, keeper, wholeBars } = this.#sources;
    const { symbol } = held.security;
    const lane = floor.lane(symbol);
    const index = lane === undefined ? undefined : floor.last(lane);
    if (lane === undefined || index === undefined) return;
    const price = floor.lastPrice(symbol) ?? new Decimal(lane.tape.price(index));
    const parts = wholeBars?.tranchesOf(account.id, symbol).all() ?? [];
    const quantities =
      parts.length === 0
        ? [held.quantity.isNegative() ? shares.neg() : shares]
        : parts.map(({ side, left }) => (side === 'buy' ? left : left.neg()));
    for (const quantity of quantities) {
      const order = this.#order(account, held, quantity, price);
      keeper.admit(order);
      keeper.fill(order, price, lane, index);
      keeper.finish(order, 'CanceledStatus', CLOSED_OUT);
    }
    for (const tranche of [...parts])
      wholeBars?.tranchesOf(account.id, symbol).close({ tranche, quantity: tranche.left });
  }

  #order(account: AccountState, { security }: HeldSecurity, quantity: Decimal, price: Price): VenueOrder {
    const at = this.#sources.floor.now();
    const terms: OrderTerms = {
      symbol: security.symbol,
      side: quantity.isNegative() ? 'buy' : 'sell',
      type: 'MO',
      quantity: quantity.abs(),
      timeInForce: 'day',
    };
    const day = tradingDayOf(marketOf(security.symbol), at);
    const order = newOrder({
      id: this.#sources.nextOrderId(at),
      accountId: account.id,
      ...{ security, submittedAt: at, terms, remark: '', extras: NO_EXTRAS, day, expiresAt: at },
      rejection: undefined,
      reservePrice: undefined,
    });
    order.message = `${CLOSED_OUT} at ${price}`;
    return order;
  }
}

function owes({ books }: AccountState): boolean {
  return (
    books.currencies().some((currency) => books.cash(currency).isNegative()) ||
    books.holdings().some(({ quantity }) => quantity.isNegative())
  );
}
