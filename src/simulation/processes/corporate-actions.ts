import { dayOf, midnightOf } from '../../markets/sessions.ts';
import { onTick } from '../../markets/ticks.ts';
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
import type { Decimal, Price } from '../../model/decimal.ts';
import { marketOf, type SecuritySymbol } from '../../model/symbol.ts';
import type { Millis } from '../../model/time.ts';
import type { AccountState } from '../account-state.ts';
import type { BarMatcher } from '../bar-matching/bar-matcher.ts';
import type { MarketReplay } from '../market/market-replay.ts';
import { NO_PRINT } from '../market/tape.ts';
import { nextTrigger, splitWatch } from '../matching/condition-watch.ts';
import type { VenueContext } from '../matching/venue-context.ts';
import { addHistory, restOf, setTerms, type VenueOrder } from '../orders/venue-order.ts';
import type { EventQueue } from './event-queue.ts';

/**
 * Schedules the actions within the simulated time; on one day dividends come first, then splits, then delistings.
 * Dividends and splits after the last print never happen. Throws RangeError for a symbol without bars or a split ratio
 * not above 0.
 */
export function scheduleActions<Task>(
  actions: readonly CorporateAction[],
  replay: MarketReplay,
  queue: EventQueue<Task>,
  taskOf: (action: CorporateAction) => Task,
): void {
  const start = replay.now();
  for (const action of actions.toSorted(byDay)) {
    const symbolMarket = replay.symbolMarket(action.symbol);
    if (symbolMarket === undefined)
      throw new RangeError(`Cannot apply a ${action.kind} of "${action.symbol}", no bars of it`);
    if (action.kind === 'split' && !action.ratio.gt(0)) {
      throw new RangeError(`Cannot split "${action.symbol}" by ${action.ratio}, want a ratio above 0`);
    }
    if (action.kind === 'delisting') {
      const at = midnightOf(marketOf(action.symbol), action.exDay);
      if (at < start) continue;
      symbolMarket.endsAt = at;
      queue.add(at, taskOf(action));
      continue;
    }
    const index = symbolMarket.tape.firstFrom(midnightOf(marketOf(action.symbol), action.exDay));
    if (index !== NO_PRINT && symbolMarket.tape.time(index) >= start)
      queue.add(symbolMarket.tape.time(index), taskOf(action));
  }
}

function byDay(one: CorporateAction, other: CorporateAction): number {
  if (one.exDay !== other.exDay) return one.exDay < other.exDay ? -1 : 1;
  return KINDS.indexOf(one.kind) - KINDS.indexOf(other.kind);
}

const KINDS: readonly CorporateAction['kind'][] = ['dividend', 'split', 'delisting'];

interface CorporateActionSources extends VenueContext {
  readonly barMatcher: BarMatcher | undefined;
}

/** Applies corporate actions to every account: cash, positions, open orders. A delisted security no longer prints. */
export class CorporateActionProcess {
  readonly #sources: CorporateActionSources;

  constructor(sources: CorporateActionSources) {
    this.#sources = sources;
  }

  apply(action: CorporateAction): void {
    const { replay } = this.#sources;
    const at = replay.now();
    for (const account of this.#sources.accounts.values()) {
      switch (action.kind) {
        case 'dividend':
          account.books.payDividend(action, at);
          break;
        case 'split':
          this.#split(account, action);
          break;
        case 'delisting':
          this.#delist(account, action);
      }
    }
    const symbolMarket = action.kind === 'delisting' ? replay.symbolMarket(action.symbol) : undefined;
    if (symbolMarket !== undefined) replay.setStatus(symbolMarket, 'delisted');
  }

  #delist(account: AccountState, { symbol, price }: Extract<CorporateAction, { kind: 'delisting' }>): void {
    const { replay, lifecycle, barMatcher } = this.#sources;
    for (const order of [...account.open]) {
      if (order.terms.symbol !== symbol) continue;
      lifecycle.finish(order, 'CanceledStatus', `${symbol} is delisted`);
      barMatcher?.handleEnd(order);
    }
    const paid = price ?? replay.lastPrice(symbol);
    if (paid === undefined) return;
    account.books.delist(symbol, paid, replay.now());
    const tranches = barMatcher?.tranchesOf(account.id, symbol);
    for (const tranche of [...(tranches?.all() ?? [])]) tranches?.close({ tranche, quantity: tranche.left });
  }

  #split(account: AccountState, { symbol, ratio }: Extract<CorporateAction, { kind: 'split' }>): void {
    const { replay } = this.#sources;
    const at = replay.now();
    account.books.split(symbol, { ratio, price: openingPrice(replay, symbol), at });
    for (const order of [...account.open]) {
      if (order.terms.symbol !== symbol) continue;
      this.#splitOrder(order, ratio, at);
      this.#requeueSplitOrder(order, ratio);
    }
    this.#sources.barMatcher?.split(account.id, symbol, ratio, account.books.held(symbol));
  }

  #splitOrder(order: VenueOrder, ratio: Decimal, at: Millis): void {
    const { lifecycle, fills } = this.#sources;
    const rest = round(multiply(restOf(order), toAmount(ratio), 'exact'), 'floor', 0);
    order.updatedAt = at;
    if (fills.splitOrders === 'cancel') {
      lifecycle.finish(order, 'CanceledStatus', `Split of ${ratio} for 1: orders of before are void`);
      return;
    }
    if (rest === 0) {
      lifecycle.finish(order, 'CanceledStatus', `Nothing is left after a split of ${ratio} for 1`);
      return;
    }
    const exact = (amount: Decimal): Decimal => amount.div(ratio).toDecimalPlaces(PRICE_PLACES);
    const scale = (price: Decimal): Decimal =>
      fills.checkTicks ? toCurrentTick(exact(price), order, at) : exact(price);
    setTerms(order, {
      ...order.terms,
      quantity: toDecimal(add(order.executed, rest)),
      ...mapFields(order.terms, ['price', 'triggerPrice', 'monitorPrice'], scale),
      ...mapFields(order.terms, ['trailingAmount', 'limitOffset'], exact),
    });
    order.extras = {
      ...order.extras,
      ...mapFields(order.extras, ['stopLoss', 'takeProfit', 'firstStop'], scale),
    };
    if (order.trailingStop !== undefined) order.trailingStop = scale(order.trailingStop);
    if (order.releasedPrice !== undefined) order.releasedPrice = scale(order.releasedPrice);
    if (order.reservePrice !== undefined) {
      order.reservePrice = divide(order.reservePrice, toAmount(ratio), 'half-up');
    }
    lifecycle.reserve(order);
    addHistory(order, at, { status: 'ReplacedStatus', message: `Split of ${ratio} for 1` });
    lifecycle.emitStatus(order);
  }

  /** Queues a split order again with its changed terms, if still open; an armed order keeps its watch state. */
  #requeueSplitOrder(order: VenueOrder, ratio: Decimal): void {
    const { book, fills, replay, barMatcher, requeue } = this.#sources;
    if (order.stage === 'working') requeue(order);
    const symbolMarket = replay.symbolMarket(order.terms.symbol);
    if (order.stage !== 'armed' || symbolMarket === undefined || barMatcher !== undefined) return;
    splitWatch(order, ratio, symbolMarket, replay, fills);
    book.waitFor(order, symbolMarket, nextTrigger(order, symbolMarket, fills));
  }
}

/** Returns the price of the next print, or the last price if the next is unknown; 0 if nothing has printed. */
function openingPrice(replay: MarketReplay, symbol: SecuritySymbol): Amount {
  const symbolMarket = replay.symbolMarket(symbol);
  if (symbolMarket === undefined) throw new Error(`No bars of "${symbol}" to split`);
  const upcoming = replay.upcoming(symbolMarket);
  if (upcoming !== NO_PRINT) return amountOfDouble(symbolMarket.tape.price(upcoming));
  return replay.lastAmount(symbol) ?? 0;
}

const PRICE_PLACES = 8;

/** Rounds a price to the current tick: down for a buy, up for a sell. */
function toCurrentTick(price: Price, { security, terms }: VenueOrder, at: Millis): Price {
  const day = dayOf(marketOf(security.symbol), at);
  return onTick(security, price, { day, direction: terms.side === 'buy' ? 'down' : 'up' });
}

function mapFields<Field extends string>(
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
