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

/** What orders meet whole bars with. */
export interface BarMatcherSources extends VenueContext {
  readonly rule: WholeBars;
}

/**
 * One queue of orders that meet whole bars, across symbols: bars of one instant are met in one go. Everything is settled
 * by the last print of a bar, and an order never meets a bar that began before it came.
 */
export class BarMatcher {
  readonly #sources: BarMatcherSources;
  readonly #trades: BarTrades;
  readonly #brackets = new Brackets();
  readonly #entryBars: EntryBars;
  #queue: VenueOrder[] = [];
  /** Orders that have met the bars of this instant, or are not to before all others have. */
  readonly #met = new Set<VenueOrder>();
  #again = false;
  #midway = false;

  constructor(sources: BarMatcherSources) {
    this.#sources = sources;
    this.#entryBars = new EntryBars(sources.rule);
    const enqueue = (exit: VenueOrder, place: 'front' | 'back'): void => {
      this.#met.add(exit);
      this.#enqueue(exit, place, this.#standingIndex(exit));
    };
    this.#trades = new BarTrades({ ...sources, enqueue });
  }

  /** Lets an order that has reached the exchange wait for the next bar. */
  take(order: VenueOrder): void {
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
    const settled = this.#standingIndex(order);
    const touch = this.#entryBars.takes(order, settled) ? settled : this.#nextBar(this.#marketOf(order));
    this.#enqueue(order, place, touch);
    if (this.#isDue(order)) this.#midway = true;
  }

  /** True while orders are left that have not met the bars of this instant, because one before them traded. */
  get isMidway(): boolean {
    return this.#midway;
  }

  /**
   * Matches orders against the bar that is settled at this instant, up to and including the first that trades: the owner of
   * that fill may cancel orders that have not met the bar yet.
   */
  meet(): void {
    this.#midway = this.#goThrough();
    if (this.#midway) return;
    this.#met.clear();
    const due = this.#queue.filter((order) => this.#isDue(order));
    for (const symbolMarket of new Set(due.map((order) => this.#marketOf(order))))
      this.#sources.book.restOn(symbolMarket, due, this.#nextBar(symbolMarket));
    this.#queue = this.#queue.filter(isOpenOrder);
  }

  /** Lets others that hang on an order end with it. */
  ended(order: VenueOrder): void {
    for (const other of this.#brackets.endedBy(order))
      this.#sources.lifecycle.finish(other, 'CanceledStatus');
    this.#brackets.forget(order);
  }

  /** What an account's orders opened of a symbol, kept apart; nothing where positions are net. */
  tranchesOf(account: string, symbol: SecuritySymbol): Tranches {
    return this.#trades.tranches(account, symbol);
  }

  /** Lets tranches and their exits follow a split. */
  split(account: string, symbol: SecuritySymbol, ratio: Decimal, held: Amount): void {
    for (const tranche of this.#trades.tranches(account, symbol).split(ratio, held)) {
      this.#trades.resizeExits(tranche);
    }
  }

  /** Attaches a child to its entry, even one that is about to be rejected; returns the reason when it cannot. */
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
    this.#sources.book.rest(order, this.#marketOf(order), touch);
  }

  /** Continues through the queue; true when an order has traded. Exits that may meet the same bar follow after its end. */
  #goThrough(): boolean {
    for (;;) {
      for (const order of [...this.#queue]) {
        if (!this.#isDue(order) || this.#met.has(order) || this.#marketOf(order).status !== 'normal')
          continue;
        this.#met.add(order);
        const executed = order.executed;
        if (this.#meet(order)) this.#again = true;
        if (!isOpenOrder(order)) this.ended(order);
        if (order.executed === executed) continue;
        this.#entryBars.note(order, this.#standingIndex(order), this.#held(order));
        return true;
      }
      if (!this.#again) return false;
      this.#again = false;
      this.#met.clear();
    }
  }

  #held({ accountId, terms }: VenueOrder): Amount {
    return this.#sources.lifecycle.accountNamed(accountId).books.held(terms.symbol);
  }

  #meet(order: VenueOrder): boolean {
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
    const otherwise = this.#lastClose(order, symbolMarket);
    const { side, price: limit } = order.terms;
    const meeting = matchAgainstBar({ side, stop, limit, otherwise }, bar, rule.stopLimit);
    if (meeting.kind === 'missed') {
      if (order.trailingStop !== undefined && stop !== undefined) this.#trail(order);
      return false;
    }
    if (stop !== undefined) lifecycle.trigger(order);
    if (meeting.kind === 'triggered') return false;
    const takes = stop !== undefined || order.behaviour === 'market';
    const at = this.#sources.replay.now();
    const met = { price: meeting.price, bar, at };
    const price = takes ? slippedPrice(order, met, this.#sources.fills) : meeting.price;
    return this.#trades.trade(order, {
      price,
      at,
      symbolMarket,
      index,
      stopped: stop !== undefined,
    });
  }

  /** The close before the bar that an order meets, if the rule lets it deal at that. */
  #lastClose({ terms, extras, touch }: VenueOrder, symbolMarket: SymbolMarket): number | undefined {
    const { atLastClose } = this.#sources.rule;
    const market = terms.type === 'MO';
    if (atLastClose === undefined || (!market && atLastClose === 'market')) return undefined;
    const isExit = extras.closes !== undefined && !market;
    return isExit ? undefined : symbolMarket.tape.columns.close[barOf(touch) - 1];
  }

  /** Moves a trailing stop after the latest price, never away from it. */
  #trail(order: VenueOrder): void {
    const last = this.#closeFor(order);
    const watch = watchOf(order.terms, last);
    if (last === undefined || watch.kind !== 'trail') return;
    const { price } = stopBehind(last, watch);
    const before = order.trailingStop;
    const closer = before === undefined || (watch.side === 'sell' ? price.gt(before) : price.lt(before));
    if (closer) order.trailingStop = price;
  }

  /** The close of the bar that the order is meeting, else the last price. */
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

  /** The last print of the bar that is being met. */
  #standingIndex(order: VenueOrder): PrintIndex {
    const symbolMarket = this.#marketOf(order);
    const last = this.#sources.replay.last(symbolMarket) ?? NO_PRINT;
    const settled = barOf(last) * PRINTS_PER_BAR + PRINTS_PER_BAR - 1;
    return symbolMarket.tape.time(settled) === this.#sources.replay.now()
      ? settled
      : this.#nextBar(symbolMarket);
  }

  /** The last print of the first bar that has not begun yet. */
  #nextBar(symbolMarket: SymbolMarket): PrintIndex {
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

/** The stop that an order still waits for; undefined once it was reached, or when it has none. */
function stopOf(order: VenueOrder): Price | undefined {
  return order.triggerAt === undefined ? (order.trailingStop ?? order.terms.triggerPrice) : undefined;
}

interface Opened {
  readonly side: Side;
  readonly settled: PrintIndex;
}

/**
 * Positions opened at the market in the bar that is settled now: the whole bar came after such an entry, so a stop
 * or a limit that closes it, sent immediately after the fill, may meet that bar too where the rule allows it.
 */
export class EntryBars {
  readonly #rule: Pick<WholeBars, 'exits'>;
  readonly #opened = new Map<string, Opened>();

  constructor(rule: Pick<WholeBars, 'exits'>) {
    this.#rule = rule;
  }

  /** Notes what an order did that traded in the bar whose last print is `settled`; `held` is what is held now. */
  note(order: VenueOrder, settled: PrintIndex, held: Amount): void {
    if (this.#rule.exits !== 'entry-bar' || order.terms.type !== 'MO') return;
    const { side } = order.terms;
    const opens = side === 'buy' ? isPositive(held) : isNegative(held);
    if (opens) this.#opened.set(keyOf(order), { side, settled });
  }

  /** True when an order that has just come closes what was opened in the bar whose last print is `settled`. */
  takes(order: VenueOrder, settled: PrintIndex): boolean {
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

/** Which orders hang together as brackets: an entry and its children. */
export class Brackets {
  readonly #childrenOf = new Map<VenueOrder, VenueOrder[]>();
  readonly #parentOf = new Map<VenueOrder, VenueOrder>();

  join(child: VenueOrder, parent: VenueOrder): void {
    this.#parentOf.set(child, parent);
    const children = this.#childrenOf.get(parent);
    if (children === undefined) this.#childrenOf.set(parent, [child]);
    else children.push(child);
  }

  /** True while a child must not meet the bar of that stamp: its entry has not filled, or only within the bar. */
  isWaiting(order: VenueOrder, stamp: Millis): boolean {
    const parent = this.#parentOf.get(order);
    return parent !== undefined && (parent.status !== 'FilledStatus' || stamp <= parent.updatedAt);
  }

  /** Open orders that end because this one has ended. */
  endedBy(order: VenueOrder): readonly VenueOrder[] {
    const parent = this.#parentOf.get(order);
    if (parent === undefined && order.status === 'FilledStatus') return [];
    const group = [parent ?? order, ...(this.#childrenOf.get(parent ?? order) ?? [])];
    return group.filter((other) => other !== order && isOpenOrder(other));
  }

  /** Forgets a bracket of which nothing is open any more. */
  forget(order: VenueOrder): void {
    const parent = this.#parentOf.get(order) ?? order;
    const children = this.#childrenOf.get(parent) ?? [];
    if (isOpenOrder(parent) || children.some(isOpenOrder)) return;
    for (const child of children) this.#parentOf.delete(child);
    this.#childrenOf.delete(parent);
  }
}
