import { dayOf, midnightOf } from '../../markets/sessions.ts';
import { roundToTick, tickOf } from '../../markets/ticks.ts';
import {
  type Amount,
  add,
  amountOfDouble,
  divide,
  multiply,
  round,
  toAmount,
  toDecimal,
} from '../../model/amount.ts';
import type { CorporateAction } from '../../model/corporate-action.ts';
import { Decimal, type Price } from '../../model/decimal.ts';
import { marketOf, type SecuritySymbol } from '../../model/symbol.ts';
import type { Millis } from '../../model/time.ts';
import type { AccountState } from '../account-state.ts';
import type { Floor } from '../market/floor.ts';
import { NO_PRINT } from '../market/tape.ts';
import type { LaneBook } from '../matching/lane-book.ts';
import type { OrderKeeper } from '../matching/order-keeper.ts';
import { nextFiring, splitWatch } from '../matching/watching.ts';
import type { FillModel } from '../models.ts';
import { remember, restOf, setTerms, type VenueOrder } from '../orders/venue-order.ts';
import type { WholeBarDesk } from '../whole-bars/whole-bar-desk.ts';
import type { Agenda } from './agenda.ts';

/**
 * Puts the actions that fall into the simulated time on the venue's agenda, a day's dividends before its splits. Those
 * after the last print never happen. Throws RangeError for a symbol without bars or a ratio that is not above 0.
 */
export function scheduleActions<Task>(
  actions: readonly CorporateAction[],
  floor: Floor,
  agenda: Agenda<Task>,
  taskOf: (action: CorporateAction) => Task,
): void {
  const start = floor.now();
  for (const action of actions.toSorted(byDay)) {
    const lane = floor.lane(action.symbol);
    if (lane === undefined)
      throw new RangeError(`Cannot apply a ${action.kind} of "${action.symbol}", no bars of it`);
    if (action.kind === 'split' && !action.ratio.gt(0)) {
      throw new RangeError(`Cannot split "${action.symbol}" by ${action.ratio}, want a ratio above 0`);
    }
    if (action.kind === 'delisting') {
      const at = midnightOf(marketOf(action.symbol), action.exDay);
      if (at < start) continue;
      lane.endsAt = at;
      agenda.add(at, taskOf(action));
      continue;
    }
    const index = lane.tape.firstFrom(midnightOf(marketOf(action.symbol), action.exDay));
    if (index !== NO_PRINT && lane.tape.time(index) >= start)
      agenda.add(lane.tape.time(index), taskOf(action));
  }
}

function byDay(one: CorporateAction, other: CorporateAction): number {
  if (one.exDay !== other.exDay) return one.exDay < other.exDay ? -1 : 1;
  return KINDS.indexOf(one.kind) - KINDS.indexOf(other.kind);
}

/** What comes first on one day. */
const KINDS: readonly CorporateAction['kind'][] = ['dividend', 'split', 'delisting'];

/** What corporate actions are carried out with. */
export interface CorporateActionSources {
  readonly accounts: ReadonlyMap<string, AccountState>;
  readonly fills: FillModel;
  readonly keeper: OrderKeeper;
  readonly book: LaneBook;
  readonly wholeBars: WholeBarDesk | undefined;
  /** Lets an order that works wait anew with its changed terms. */
  readonly rewait: (order: VenueOrder) => void;
}

/** Carries corporate actions out in every account: cash, positions, open orders. A delisted security prints no more. */
export class CorporateActionDesk {
  readonly #sources: CorporateActionSources;

  constructor(sources: CorporateActionSources) {
    this.#sources = sources;
  }

  apply(action: CorporateAction, floor: Floor): void {
    const at = floor.now();
    for (const account of this.#sources.accounts.values()) {
      switch (action.kind) {
        case 'dividend':
          account.books.payDividend(action, at);
          break;
        case 'split':
          this.#split(account, action, floor);
          break;
        case 'delisting':
          this.#delist(account, action, floor);
      }
    }
    const lane = action.kind === 'delisting' ? floor.lane(action.symbol) : undefined;
    if (lane !== undefined) floor.setStatus(lane, 'delisted');
  }

  #delist(
    account: AccountState,
    { symbol, price }: Extract<CorporateAction, { kind: 'delisting' }>,
    floor: Floor,
  ): void {
    const { keeper, wholeBars } = this.#sources;
    for (const order of [...account.open]) {
      if (order.terms.symbol !== symbol) continue;
      keeper.finish(order, 'CanceledStatus', `${symbol} is delisted`);
      wholeBars?.ended(order);
    }
    const paid = price ?? floor.lastPrice(symbol);
    if (paid === undefined) return;
    account.books.delist(symbol, paid, floor.now());
    const tranches = wholeBars?.tranchesOf(account.id, symbol);
    for (const tranche of [...(tranches?.all() ?? [])]) tranches?.close({ tranche, quantity: tranche.left });
  }

  #split(
    account: AccountState,
    { symbol, ratio }: Extract<CorporateAction, { kind: 'split' }>,
    floor: Floor,
  ): void {
    const at = floor.now();
    account.books.split(symbol, { ratio, price: openingPrice(floor, symbol), at });
    for (const order of [...account.open]) {
      if (order.terms.symbol !== symbol) continue;
      this.#splitOrder(order, ratio, at);
      this.#waitOn(order, ratio, floor);
    }
    this.#sources.wholeBars?.split(account.id, symbol, ratio, account.books.held(symbol));
  }

  #splitOrder(order: VenueOrder, ratio: Decimal, at: Millis): void {
    const { keeper, fills } = this.#sources;
    const rest = round(multiply(restOf(order), toAmount(ratio), 'exact'), 'floor', 0);
    order.updatedAt = at;
    if (fills.splitOrders === 'cancel') {
      keeper.finish(order, 'CanceledStatus', `Split of ${ratio} for 1: orders of before are void`);
      return;
    }
    if (rest === 0) {
      keeper.finish(order, 'CanceledStatus', `Nothing is left after a split of ${ratio} for 1`);
      return;
    }
    const exact = (amount: Decimal): Decimal => amount.div(ratio).toDecimalPlaces(PRICE_PLACES);
    const scale = (price: Decimal): Decimal =>
      fills.checkTicks ? onTick(exact(price), order, at) : exact(price);
    setTerms(order, {
      ...order.terms,
      quantity: toDecimal(add(order.executed, rest)),
      ...mapped(order.terms, ['price', 'triggerPrice', 'monitorPrice'], scale),
      ...mapped(order.terms, ['trailingAmount', 'limitOffset'], exact),
    });
    order.extras = {
      ...order.extras,
      ...mapped(order.extras, ['stopLoss', 'takeProfit', 'firstStop'], scale),
    };
    if (order.trailingStop !== undefined) order.trailingStop = scale(order.trailingStop);
    if (order.releasedPrice !== undefined) order.releasedPrice = scale(order.releasedPrice);
    if (order.reservePrice !== undefined) {
      order.reservePrice = divide(order.reservePrice, toAmount(ratio), 'half-up');
    }
    keeper.reserve(order);
    remember(order, at, { status: 'ReplacedStatus', message: `Split of ${ratio} for 1` });
    keeper.tell(order);
  }

  /** Lets an order wait on with its changed terms, if it is still open; what it has watched until now is not forgotten. */
  #waitOn(order: VenueOrder, ratio: Decimal, floor: Floor): void {
    const { book, fills, wholeBars, rewait } = this.#sources;
    if (order.stage === 'working') rewait(order);
    const lane = floor.lane(order.terms.symbol);
    if (order.stage !== 'armed' || lane === undefined || wholeBars !== undefined) return;
    splitWatch(order, ratio, lane, floor, fills);
    book.rest(order, lane, nextFiring(order, lane, fills));
  }
}

/** The price of the print that is about to come, the last one where that is not known yet; 0 where nothing has ever printed. */
function openingPrice(floor: Floor, symbol: SecuritySymbol): Amount {
  const lane = floor.lane(symbol);
  if (lane === undefined) throw new Error(`No bars of "${symbol}" to split`);
  const upcoming = floor.upcoming(lane);
  if (upcoming !== NO_PRINT) return amountOfDouble(lane.tape.price(upcoming));
  return floor.lastAmount(symbol) ?? 0;
}

const PRICE_PLACES = 8;

/** A price on the tick of now: a buy's rounded down, a sale's up. */
function onTick(price: Price, { security, terms }: VenueOrder, at: Millis): Price {
  const tick = tickOf(security, price, dayOf(marketOf(security.symbol), at));
  return Decimal.max(tick, roundToTick(price, tick, terms.side === 'buy' ? 'down' : 'up'));
}

/** The named figures that are there, each changed. */
function mapped<Field extends string>(
  from: { readonly [field in Field]?: Decimal | undefined },
  fields: readonly Field[],
  change: (value: Decimal) => Decimal,
): { readonly [field in Field]?: Decimal } {
  const changed: { [field in Field]?: Decimal } = {};
  for (const field of fields) {
    const value = from[field];
    if (value?.gt(0)) changed[field] = change(value);
  }
  return changed;
}
