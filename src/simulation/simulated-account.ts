import { dayOf, tradingDayOf } from '../markets/sessions.ts';
import { tradingDayIn } from '../markets/trading-sessions.ts';
import type { AccountBalance, BuyLimit, Position } from '../model/account.ts';
import { type Amount, add, compare, divide, formatAmount, toAmount, toDecimal } from '../model/amount.ts';
import type { CashPosting } from '../model/cash-posting.ts';
import type { Decimal } from '../model/decimal.ts';
import type { Currency } from '../model/money.ts';
import { unitAmount } from '../model/option-symbol.ts';
import type { Execution, OrderDetail, OrderId, OrderTerms, VenueStatus } from '../model/order.ts';
import { orderTypeRules } from '../model/order-type-rules.ts';
import type { Security } from '../model/security.ts';
import { marketOf, type SecuritySymbol } from '../model/symbol.ts';
import { type CalendarDay, type Millis, millis, NEVER } from '../model/time.ts';
import type { AccountState } from './account-state.ts';
import { type Affordable, buyLimitOf } from './buying-power/buy-limit.ts';
import { fundingProblem } from './buying-power/funds-check.ts';
import { reserveOf, reservePriceOf, sequentialCheckPriceOf } from './buying-power/reserving.ts';
import type { MarketReplay } from './market/market-replay.ts';
import { isOfToday, listsExecution, listsOrder } from './orders/listing.ts';
import { hasExtras, NO_EXTRAS, type OrderExtras } from './orders/order-extras.ts';
import { expiryOf, extraProblems, midnightAfter, problemsOf, replacedTerms } from './orders/order-rules.ts';
import { sessionsFor } from './orders/order-sessions.ts';
import { endedRefusal, notFound, type Refusal, refused } from './orders/refusals.ts';
import { tickChangeTimes } from './orders/tick-changes.ts';
import { detailOf, isConditional, newOrder, type Sending, type VenueOrder } from './orders/venue-order.ts';
import type { OrderProcessor } from './processes/order-processor.ts';
import type {
  Acceptance,
  BookBalance,
  EstimateRequest,
  ListingFilter,
  OrderHistoryEntry,
  Replacement,
  SimulatedAccount,
  Submission,
} from './simulation.ts';
import type { SimulationModels } from './simulation-options.ts';

const COST_PLACES = 10;

interface AccountSources {
  readonly state: AccountState;
  readonly currency: Currency;
  readonly replay: MarketReplay;
  readonly processor: OrderProcessor;
  readonly models: SimulationModels;
  readonly securities: ReadonlyMap<SecuritySymbol, Security>;
  nextOrderId(at: Millis): OrderId;
  /** How long transitional statuses are reported; not at all if undefined. */
  readonly inBetweenMs: number | undefined;
  /** True if orders expire at the exchange's midnight. */
  readonly roundTheClock: boolean;
  /** Returns when the next request sent at an instant arrives. */
  arrivalOf(sent: Millis): Millis;
}

interface Request {
  readonly security: Security;
  readonly terms: OrderTerms;
  readonly extras: OrderExtras;
  readonly last: Amount | undefined;
  readonly at: Millis;
}

/** One account as its owner sees it: validates and schedules requests, answers queries from the books. */
export class VenueAccount implements SimulatedAccount {
  readonly id: string;
  readonly #sources: AccountSources;

  constructor(sources: AccountSources) {
    this.id = sources.state.id;
    this.#sources = sources;
  }

  submit(terms: OrderTerms, remark: string, extras: OrderExtras = NO_EXTRAS): Submission {
    const { replay, models, securities, state, processor } = this.#sources;
    const security = securities.get(terms.symbol);
    if (security === undefined) return refused('parameters', `"${terms.symbol}" is not known here`);
    const submittedAt = replay.now();
    const { accepted } = sessionsFor(terms, models.fills.sessions);
    const day = tradingDayIn(marketOf(terms.symbol), submittedAt, accepted);
    const problems = [
      ...problemsOf(terms, security, day, models.fills),
      ...extraProblems(terms, extras, models.fills),
    ];
    if (problems.length > 0) return refused('parameters', problems.join('; '));
    if (replay.symbolMarket(terms.symbol)?.status === 'delisted')
      return refused('parameters', `"${terms.symbol}" is delisted`);
    const last = replay.lastAmount(terms.symbol);
    const rejection = this.#rejectionOf({ security, terms, extras, last, at: submittedAt });
    const reserves = models.margin.cover === 'reserved' && rejection === undefined && !hasExtras(extras);
    const order = newOrder({
      id: this.#sources.nextOrderId(submittedAt),
      accountId: this.id,
      security,
      submittedAt,
      terms,
      remark,
      extras,
      day,
      expiresAt: this.#expiryOf(terms, day),
      rejection,
      sent: this.#sending(terms.symbol),
      reservePrice: reserves
        ? reservedValue(security, reservePriceOf(terms, last, models.margin))
        : undefined,
    });
    order.reserve = reserveOf(order, models.charges, submittedAt);
    state.orders.set(order.id, order);
    state.recent.push(order);
    if (rejection === undefined) state.open.add(order);
    processor.queue.add(order.expiresAt, { kind: 'expire', order });
    for (const at of tickChangeTimes(order, models.fills))
      processor.queue.add(at, { kind: 'new-ticks', order });
    if (!isConditional(terms.type)) this.#scheduleStatuses(order, [undefined, 'WaitToNew']);
    processor.queue.add(this.#arrivalTime(), { kind: 'arrive', order });
    return { kind: 'accepted', orderId: order.id };
  }

  #expiryOf(terms: OrderTerms, day: CalendarDay): Millis {
    const { models, roundTheClock } = this.#sources;
    if (roundTheClock) return midnightAfter(terms, day);
    return models.fills.hours === 'bars' ? NEVER : expiryOf(terms, day, models.fills);
  }

  cancel(orderId: OrderId): Acceptance {
    const order = this.#find(orderId);
    if (order === undefined) return notFound(orderId);
    const ended = endedRefusal(order);
    if (ended !== undefined) return ended;
    if (!order.isCancelPending) {
      order.isCancelPending = true;
      if (order.stage === 'working') this.#scheduleStatuses(order, ['WaitToCancel', 'PendingCancelStatus']);
      this.#sources.processor.queue.add(this.#arrivalTime(), { kind: 'cancel', order });
    }
    return { kind: 'accepted' };
  }

  replace(orderId: OrderId, replacement: Replacement): Acceptance {
    const order = this.#find(orderId);
    if (order === undefined) return notFound(orderId);
    const refusal = endedRefusal(order) ?? this.#replaceRefusal(order, replacement);
    if (refusal !== undefined) return refusal;
    order.isReplacePending = true;
    if (order.stage === 'working') this.#scheduleStatuses(order, ['WaitToReplace', 'PendingReplaceStatus']);
    const sent = this.#sending(order.terms.symbol);
    const task = { kind: 'replace', order, replacement, termsAtRequest: order.terms, sent } as const;
    this.#sources.processor.queue.add(this.#arrivalTime(), task);
    return { kind: 'accepted' };
  }

  deposit(currency: Currency, amount: Decimal): void {
    const { replay, state } = this.#sources;
    state.funding.rates.rate(currency, this.#sources.currency);
    state.books.deposit(currency, toAmount(amount), replay.now());
  }

  order(orderId: OrderId): OrderDetail | undefined {
    const order = this.#find(orderId);
    return order === undefined ? undefined : detailOf(order);
  }

  history(orderId: OrderId): readonly OrderHistoryEntry[] {
    return this.#find(orderId)?.history.toReversed() ?? [];
  }

  ordersToday(filter: ListingFilter = {}): readonly OrderDetail[] {
    return filteredDetails(this.#today(), filter);
  }

  ordersBefore(filter: ListingFilter = {}): readonly OrderDetail[] {
    const now = this.#sources.replay.now();
    return filteredDetails(
      [...new Set(this.#sources.state.orders.values())].filter((order) => !isOfToday(order, now)),
      filter,
    );
  }

  executionsToday(filter: ListingFilter = {}): readonly Execution[] {
    const one = filter.orderId === undefined ? undefined : this.#find(filter.orderId);
    return this.#executions(one === undefined ? this.#today() : [one], filter, true);
  }

  executionsBefore(filter: ListingFilter = {}): readonly Execution[] {
    return this.#executions([...new Set(this.#sources.state.orders.values())], filter, false);
  }

  buyLimit(request: EstimateRequest): BuyLimit | undefined {
    const { securities, replay, state } = this.#sources;
    const security = securities.get(request.symbol);
    if (security === undefined) return undefined;
    const { side, price, replaces } = request;
    const last = replay.lastAmount(request.symbol);
    const limit = price === undefined ? undefined : toAmount(price);
    const question = { security, side, price: limit, last, at: replay.now() };
    const replaced = replaces === undefined ? undefined : this.#find(replaces);
    if (replaced === undefined) return toBuyLimit(buyLimitOf(question, state.funding));
    const { cash, margin } = buyLimitOf({ ...question, except: replaced }, state.funding);
    const { executed } = replaced;
    return toBuyLimit({ cash: add(cash, executed), margin: add(margin, executed) });
  }

  balance(currency: Currency = this.#sources.currency): AccountBalance {
    return this.#sources.state.funding.view.balance(currency);
  }

  positions(symbols?: readonly SecuritySymbol[]): readonly Position[] {
    const { books, funding } = this.#sources.state;
    const now = this.#sources.replay.now();
    return books
      .holdings()
      .filter(({ security }) => symbols === undefined || symbols.includes(security.symbol))
      .map(({ security, quantity, cost }) => ({
        symbol: security.symbol,
        currency: security.currency,
        quantity: toDecimal(quantity),
        available: toDecimal(funding.view.freeToSell(security.symbol)),
        averageCost: toDecimal(divide(cost, unitAmount(security, quantity), 'half-up', COST_PLACES)),
        initial: toDecimal(books.initial(security.symbol, now)),
      }));
  }

  cashPostings(from: Millis): readonly CashPosting[] {
    return this.#sources.state.books.cashPostingsSince(from);
  }

  books(): readonly BookBalance[] {
    return this.#sources.state.books
      .balances()
      .map(({ account, currency, amount }) => ({ account, currency, amount: toDecimal(amount) }));
  }

  /** Reasons are reported at arrival; undefined if there is none. */
  #rejectionOf(request: Request): string | undefined {
    const { security, terms, extras, last, at } = request;
    const { state, models } = this.#sources;
    if (state.closed) return 'The account was closed out: its equity was gone';
    if (extras.closes !== undefined || extras.fraction !== undefined) return undefined;
    const parent = extras.parent === undefined ? undefined : state.orders.get(extras.parent);
    if (parent?.rejection !== undefined) return `Its entry ${parent.id} was rejected`;
    const firstStop = extras.firstStop === undefined ? undefined : toAmount(extras.firstStop);
    const price =
      models.margin.cover === 'rehearsed'
        ? (firstStop ?? sequentialCheckPriceOf(terms, last))
        : reservePriceOf(terms, last, models.margin);
    return fundingProblem({ security, terms, quantity: toAmount(terms.quantity), price, at }, state.funding);
  }

  #replaceRefusal(order: VenueOrder, replacement: Replacement): Refusal | undefined {
    const { type } = order.terms;
    if (!orderTypeRules[type].replaceable) {
      return refused('typeNotReplaceable', `Order amendment is not supported for this order type: "${type}"`);
    }
    const canBeReplaced = order.stage === 'working' || order.stage === 'armed';
    if (!canBeReplaced || order.isCancelPending || order.isReplacePending) {
      const pending = order.isCancelPending
        ? ', a cancel is pending'
        : order.isReplacePending
          ? ', a replace is pending'
          : '';
      return refused(
        'statusNotReplaceable',
        `order status does not allow amendment: "${order.status}"${pending}`,
      );
    }
    if (compare(toAmount(replacement.quantity), order.executed) <= 0) {
      const problem = `"quantity" is ${replacement.quantity}, want more than the executed ${formatAmount(order.executed)}`;
      return refused('parameters', problem);
    }
    const day = tradingDayOf(marketOf(order.terms.symbol), this.#sources.replay.now());
    const problems = problemsOf(
      replacedTerms(order, replacement),
      order.security,
      day,
      this.#sources.models.fills,
    );
    return problems.length === 0 ? undefined : refused('parameters', problems.join('; '));
  }

  #sending(symbol: SecuritySymbol): Sending {
    const { replay, state } = this.#sources;
    const at = replay.now();
    const symbolMarket = replay.symbolMarket(symbol);
    const on = symbolMarket === undefined ? undefined : replay.last(symbolMarket);
    return { at, on, followsFill: state.filledAt === at };
  }

  #arrivalTime(): Millis {
    const { replay, inBetweenMs = 0 } = this.#sources;
    return millis(this.#sources.arrivalOf(replay.now()) + 2 * inBetweenMs);
  }

  #scheduleStatuses(order: VenueOrder, statuses: readonly (VenueStatus | undefined)[]): void {
    const { replay, processor, inBetweenMs } = this.#sources;
    if (inBetweenMs === undefined) return;
    for (const [place, status] of statuses.entries()) {
      if (status === undefined) continue;
      processor.queue.add(millis(replay.now() + place * inBetweenMs), { kind: 'show', order, status });
    }
  }

  #find(orderId: OrderId): VenueOrder | undefined {
    return this.#sources.state.orders.get(orderId);
  }

  #today(): readonly VenueOrder[] {
    const now = this.#sources.replay.now();
    const { state } = this.#sources;
    state.recent = state.recent.filter((order) => isOfToday(order, now));
    return state.recent;
  }

  #executions(orders: readonly VenueOrder[], filter: ListingFilter, ofToday: boolean): readonly Execution[] {
    const now = this.#sources.replay.now();
    return orders
      .flatMap((order) => order.executions)
      .filter((execution) => {
        const market = marketOf(execution.symbol);
        const today = dayOf(market, execution.time) === dayOf(market, now);
        return today === ofToday && listsExecution(execution, filter);
      })
      .toSorted((one, other) => one.time - other.time);
  }
}

function filteredDetails(orders: readonly VenueOrder[], filter: ListingFilter): readonly OrderDetail[] {
  return orders
    .filter((order) => listsOrder(order, filter))
    .toReversed()
    .map(detailOf);
}

function toBuyLimit({ cash, margin }: Affordable): BuyLimit {
  return { cash: toDecimal(cash), margin: toDecimal(margin) };
}

function reservedValue(security: Security, price: Amount | undefined): Amount | undefined {
  return price === undefined ? undefined : unitAmount(security, price);
}
