import { type Amount, isNegative, isPositive, min, toDecimal } from '../../model/amount.ts';
import type { Decimal, Price } from '../../model/decimal.ts';
import type { Side } from '../../model/order.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import type { Millis } from '../../model/time.ts';
import type { SymbolMarket } from '../market/market-replay.ts';
import { PRINTS_PER_BAR } from '../market/prints.ts';
import { barOf, NO_PRINT, type PrintIndex, stepOf } from '../market/tape.ts';
import { stopBehind } from '../market/watch.ts';
import { slippedPrice } from '../matching/slippage.ts';
import type { VenueContext } from '../matching/venue-context.ts';
import type { WholeBars } from '../models.ts';
import { watchOf } from '../orders/conditions.ts';
import { isConditional, isOpenOrder, setTerms, type VenueOrder } from '../orders/venue-order.ts';
import { BarTrades } from './bar-trades.ts';
import { matchAgainstBar } from './match-against-bar.ts';
import type { Tranches } from './tranches.ts';

interface BarMatcherSources extends VenueContext {
  readonly rule: WholeBars;
}

/**
 * Matches orders against whole bars, in one queue across all symbols. A bar settles at its last print. An order never
 * matches a bar that opened before the order arrived, except for exits under the `entry-bar` rule.
 */
export class BarMatcher {
  readonly #sources: BarMatcherSources;
  readonly #trades: BarTrades;
  readonly #brackets = new Brackets();
  readonly #entryBars: EntryBars;
  #queue: VenueOrder[] = [];
  /** Orders already matched at this instant, and new exits that wait until all other orders are matched. */
  readonly #matched = new Set<VenueOrder>();
  #needsSecondPass = false;
  #hasUnmatchedOrders = false;

  constructor(sources: BarMatcherSources) {
    this.#sources = sources;
    this.#entryBars = new EntryBars(sources.rule);
    const enqueue = (exit: VenueOrder, place: 'front' | 'back'): void => {
      this.#matched.add(exit);
      this.#enqueue(exit, place, this.#settlingPrint(exit));
    };
    this.#trades = new BarTrades({ ...sources, enqueue });
  }

  /** Queues an order that has reached the exchange for the next bar. */
  addOrder(order: VenueOrder): void {
    const { lifecycle, rule } = this.#sources;
    if (this.#sources.replay.symbolMarket(order.terms.symbol) === undefined) return;
    const refusal = this.joinBracket(order) ?? this.#joinTranche(order);
    if (refusal !== undefined) {
      lifecycle.finish(order, 'CanceledStatus', refusal);
      return;
    }
    const trails = order.terms.trailingAmount !== undefined || order.terms.trailingPercent !== undefined;
    if (trails && order.extras.firstStop !== undefined) order.trailingStop = order.extras.firstStop;
    else if (trails) this.#trail(order);
    const isExit = order.extras.closes !== undefined && order.terms.type !== 'LO';
    const place = rule.queue === 'closing-first' && isExit ? 'front' : 'back';
    const settled = this.#settlingPrint(order);
    const touch = this.#entryBars.mayMatchSameBar(order, settled)
      ? settled
      : this.#nextBarPrint(this.#marketOf(order));
    this.#enqueue(order, place, touch);
    if (this.#isDue(order)) this.#hasUnmatchedOrders = true;
  }

  /** True while orders still have to be matched at this instant because an order before them traded. */
  get hasUnmatchedOrders(): boolean {
    return this.#hasUnmatchedOrders;
  }

  /**
   * Matches orders against the bars that settle at this instant, up to and including the first that trades: the owner
   * of that fill may cancel orders not yet matched.
   */
  matchDueOrders(): void {
    this.#hasUnmatchedOrders = this.#matchUntilTrade();
    if (this.#hasUnmatchedOrders) return;
    this.#matched.clear();
    const due = this.#queue.filter((order) => this.#isDue(order));
    for (const symbolMarket of new Set(due.map((order) => this.#marketOf(order))))
      this.#sources.book.moveTo(symbolMarket, due, this.#nextBarPrint(symbolMarket));
    this.#queue = this.#queue.filter(isOpenOrder);
  }

  /** Cancels the bracket orders that end with this order. */
  handleEnd(order: VenueOrder): void {
    for (const other of this.#brackets.endedBy(order))
      this.#sources.lifecycle.finish(other, 'CanceledStatus');
    this.#brackets.removeIfEnded(order);
  }

  /** Returns the tranches that an account's orders opened in a symbol; empty if positions are net. */
  tranchesOf(account: string, symbol: SecuritySymbol): Tranches {
    return this.#trades.tranches(account, symbol);
  }

  split(account: string, symbol: SecuritySymbol, ratio: Decimal, held: Amount): void {
    for (const tranche of this.#trades.tranches(account, symbol).split(ratio, held)) {
      this.#trades.resizeExits(tranche);
    }
  }

  /** Attaches a child to its entry, even a child about to be rejected. Returns the reason if it cannot be attached. */
  joinBracket(order: VenueOrder): string | undefined {
    const { parent: id } = order.extras;
    if (id === undefined) return undefined;
    const parent = this.#sources.lifecycle.accountOf(order).orders.get(id);
    if (parent === undefined) return `There is no order ${id} to wait for`;
    if (!isOpenOrder(parent) && parent.status !== 'FilledStatus') return `Order ${id} has ended unfilled`;
    this.#brackets.join(order, parent);
    return undefined;
  }

  #joinTranche(order: VenueOrder): string | undefined {
    const { extras, terms } = order;
    if (extras.closes === undefined) return undefined;
    const tranche = this.#trades.trancheClosedBy(order);
    if (tranche === undefined) return `Nothing is left of what order ${extras.closes} opened`;
    if (tranche.side === terms.side)
      return `Order ${extras.closes} is on the same side and cannot be closed by this`;
    if (terms.type === 'MO') return undefined;
    const place = isConditional(terms.type) ? 'stopLoss' : 'takeProfit';
    const before = tranche[place];
    tranche[place] = order;
    if (before !== undefined) this.#sources.lifecycle.finish(before, 'CanceledStatus');
    setTerms(order, { ...terms, quantity: toDecimal(min(order.quantity, tranche.left)) });
    return undefined;
  }

  #enqueue(order: VenueOrder, place: 'front' | 'back', touch: PrintIndex): void {
    if (place === 'front' && this.#sources.rule.queue === 'closing-first') this.#queue.unshift(order);
    else this.#queue.push(order);
    this.#sources.book.waitFor(order, this.#marketOf(order), touch);
  }

  /**
   * Continues through the queue and returns true after a trade. New exits that may match the same bar get a second
   * pass.
   */
  #matchUntilTrade(): boolean {
    for (;;) {
      for (const order of [...this.#queue]) {
        if (!this.#isDue(order) || this.#matched.has(order) || this.#marketOf(order).status !== 'normal')
          continue;
        this.#matched.add(order);
        const executed = order.executed;
        if (this.#matchOrder(order)) this.#needsSecondPass = true;
        if (!isOpenOrder(order)) this.handleEnd(order);
        if (order.executed === executed) continue;
        this.#entryBars.recordFill(order, this.#settlingPrint(order), this.#held(order));
        return true;
      }
      if (!this.#needsSecondPass) return false;
      this.#needsSecondPass = false;
      this.#matched.clear();
    }
  }

  #held({ accountId, terms }: VenueOrder): Amount {
    return this.#sources.lifecycle.accountNamed(accountId).books.held(terms.symbol);
  }

  #matchOrder(order: VenueOrder): boolean {
    const { lifecycle, rule } = this.#sources;
    const symbolMarket = this.#marketOf(order);
    const index = order.touch;
    const bar = symbolMarket.tape.figures(barOf(index));
    const stamp = symbolMarket.tape.columns.time[barOf(index)] as Millis;
    const { lastBar } = order.extras;
    if (lastBar !== undefined && order.terms.type !== 'MO' && stamp > lastBar) {
      lifecycle.finish(order, 'ExpiredStatus');
      return false;
    }
    if (this.#brackets.isWaiting(order, stamp)) return false;
    const stop = stopOf(order);
    const marketPrice = this.#lastClose(order, symbolMarket);
    const { side, price: limit } = order.terms;
    const match = matchAgainstBar({ side, stop, limit, marketPrice }, bar, rule.stopLimit);
    if (match.kind === 'missed') {
      if (order.trailingStop !== undefined && stop !== undefined) this.#trail(order);
      return false;
    }
    if (stop !== undefined) lifecycle.trigger(order);
    if (match.kind === 'triggered') return false;
    const takes = stop !== undefined || order.behaviour === 'market';
    const at = this.#sources.replay.now();
    const met = { price: match.price, bar, at };
    const price = takes ? slippedPrice(order, met, this.#sources.fills) : match.price;
    return this.#trades.trade(order, {
      price,
      at,
      symbolMarket,
      index,
      hadStop: stop !== undefined,
    });
  }

  /** Returns the close before the bar being matched, if the rule fills this order at that price. */
  #lastClose({ terms, extras, touch }: VenueOrder, symbolMarket: SymbolMarket): number | undefined {
    const { atLastClose } = this.#sources.rule;
    const market = terms.type === 'MO';
    if (atLastClose === undefined || (!market && atLastClose === 'market')) return undefined;
    const isExit = extras.closes !== undefined && !market;
    return isExit ? undefined : symbolMarket.tape.columns.close[barOf(touch) - 1];
  }

  /** Moves a trailing stop closer to the latest price, never away from it. */
  #trail(order: VenueOrder): void {
    const last = this.#closeFor(order);
    const watch = watchOf(order.terms, last);
    if (last === undefined || watch.kind !== 'trail') return;
    const { price } = stopBehind(last, watch);
    const before = order.trailingStop;
    const closer = before === undefined || (watch.side === 'sell' ? price.gt(before) : price.lt(before));
    if (closer) order.trailingStop = price;
  }

  /** Returns the close of the bar being matched, otherwise the last price. */
  #closeFor(order: VenueOrder): number | undefined {
    const symbolMarket = this.#marketOf(order);
    if (this.#isDue(order)) return symbolMarket.tape.price(order.touch);
    const last = this.#sources.replay.last(symbolMarket);
    return last === undefined ? undefined : symbolMarket.tape.price(last);
  }

  #isDue(order: VenueOrder): boolean {
    if (!isOpenOrder(order) || order.touch === NO_PRINT) return false;
    return this.#marketOf(order).tape.time(order.touch) === this.#sources.replay.now();
  }

  /** Returns the last print of the bar that settles now; otherwise that of the next bar. */
  #settlingPrint(order: VenueOrder): PrintIndex {
    const symbolMarket = this.#marketOf(order);
    const last = this.#sources.replay.last(symbolMarket) ?? NO_PRINT;
    const settled = barOf(last) * PRINTS_PER_BAR + PRINTS_PER_BAR - 1;
    return symbolMarket.tape.time(settled) === this.#sources.replay.now()
      ? settled
      : this.#nextBarPrint(symbolMarket);
  }

  /** Returns the last print of the next bar with trades that has not opened yet; NO_PRINT if there is none. */
  #nextBarPrint(symbolMarket: SymbolMarket): PrintIndex {
    const upcoming = this.#sources.replay.upcoming(symbolMarket);
    if (upcoming === NO_PRINT) return NO_PRINT;
    let bar = stepOf(upcoming) === 0 ? barOf(upcoming) : barOf(upcoming) + 1;
    while (bar < symbolMarket.tape.columns.length && !symbolMarket.tape.trades(bar)) bar += 1;
    return bar < symbolMarket.tape.columns.length ? bar * PRINTS_PER_BAR + PRINTS_PER_BAR - 1 : NO_PRINT;
  }

  #marketOf(order: VenueOrder): SymbolMarket {
    const symbolMarket = this.#sources.replay.symbolMarket(order.terms.symbol);
    if (symbolMarket === undefined) throw new Error(`No bars of "${order.terms.symbol}" to meet`);
    return symbolMarket;
  }
}

/** Returns the stop that an order still waits for; undefined if it has triggered or has none. */
function stopOf(order: VenueOrder): Price | undefined {
  return order.triggerAt === undefined ? (order.trailingStop ?? order.terms.triggerPrice) : undefined;
}

interface OpenedPosition {
  readonly side: Side;
  readonly settled: PrintIndex;
}

/**
 * Remembers positions that market orders opened in the bar that settles now. The whole bar follows such an entry. A
 * stop or limit that closes it and is sent right after the fill may therefore match the same bar, if the rule allows.
 */
class EntryBars {
  readonly #rule: Pick<WholeBars, 'exits'>;
  readonly #opened = new Map<string, OpenedPosition>();

  constructor(rule: Pick<WholeBars, 'exits'>) {
    this.#rule = rule;
  }

  /** Records a fill in the bar whose last print is `settled`; `held` is the signed position after it. */
  recordFill(order: VenueOrder, settled: PrintIndex, held: Amount): void {
    if (this.#rule.exits !== 'entry-bar' || order.terms.type !== 'MO') return;
    const { side } = order.terms;
    const opens = side === 'buy' ? isPositive(held) : isNegative(held);
    if (opens) this.#opened.set(keyOf(order), { side, settled });
  }

  /** True if a newly arrived order closes a position opened in the bar whose last print is `settled`. */
  mayMatchSameBar(order: VenueOrder, settled: PrintIndex): boolean {
    const { terms, extras } = order;
    const opened = this.#opened.get(keyOf(order));
    if (opened === undefined || extras.closes !== undefined || terms.type === 'MO') return false;
    const trails = terms.trailingAmount !== undefined || terms.trailingPercent !== undefined;
    return !trails && opened.settled === settled && opened.side !== terms.side;
  }
}

function keyOf({ accountId, terms }: VenueOrder): string {
  return `${accountId}/${terms.symbol}`;
}

export class Brackets {
  readonly #childrenOf = new Map<VenueOrder, VenueOrder[]>();
  readonly #parentOf = new Map<VenueOrder, VenueOrder>();

  join(child: VenueOrder, parent: VenueOrder): void {
    this.#parentOf.set(child, parent);
    const children = this.#childrenOf.get(parent);
    if (children === undefined) this.#childrenOf.set(parent, [child]);
    else children.push(child);
  }

  /**
   * True while a child cannot match the bar stamped `stamp`: its entry has not filled, or filled after that bar opened.
   */
  isWaiting(order: VenueOrder, stamp: Millis): boolean {
    const parent = this.#parentOf.get(order);
    return parent !== undefined && (parent.status !== 'FilledStatus' || stamp <= parent.updatedAt);
  }

  /** Returns the open orders of the bracket that end because this order has ended. */
  endedBy(order: VenueOrder): readonly VenueOrder[] {
    const parent = this.#parentOf.get(order);
    if (parent === undefined && order.status === 'FilledStatus') return [];
    const group = [parent ?? order, ...(this.#childrenOf.get(parent ?? order) ?? [])];
    return group.filter((other) => other !== order && isOpenOrder(other));
  }

  removeIfEnded(order: VenueOrder): void {
    const parent = this.#parentOf.get(order) ?? order;
    const children = this.#childrenOf.get(parent) ?? [];
    if (isOpenOrder(parent) || children.some(isOpenOrder)) return;
    for (const child of children) this.#parentOf.delete(child);
    this.#childrenOf.delete(parent);
  }
}
