import type { FilledBy } from '../../events/curve/fill-columns.ts';
import {
  breakEvenGoal,
  evenStop,
  isBeyond,
  levelOf,
  stopTerms,
  targetTerms,
  trailTerms,
} from '../../execution/algorithms/levels.ts';
import { dayOf, regularClose, tradingDayOf } from '../../markets/sessions.ts';
import { onTick } from '../../markets/ticks.ts';
import type { Exits } from '../../model/algorithm.ts';
import { decimalOfDouble, doubleOfDecimal, ONE } from '../../model/amount.ts';
import type { Decimal } from '../../model/decimal.ts';
import type { OrderTerms, Side } from '../../model/order.ts';
import { type Market, marketOf } from '../../model/symbol.ts';
import { type CalendarDay, type Millis, millis, NEVER } from '../../model/time.ts';
import { PRINTS_PER_BAR } from '../../simulation/market/prints.ts';
import { barOf, NO_PRINT, type PrintIndex } from '../../simulation/market/tape.ts';
import {
  type Bound,
  boundOf,
  type Firing,
  firstFiring,
  firstMeeting,
  followed,
  type Watch,
} from '../../simulation/market/watch.ts';
import { closeTickOf, isExtreme } from '../../simulation/matching/inside-bars.ts';
import { takenPrice } from '../../simulation/matching/slippage.ts';
import { metPrice, releasedLimit, watchOf } from '../../simulation/orders/conditions.ts';
import { expiryOf } from '../../simulation/orders/order-rules.ts';
import { bailOut } from './bail-out.ts';
import { ENDS, OpenOrder } from './open-order.ts';
import { demandSameTicks } from './resolve-fill.ts';
import type { SymbolCursor } from './symbol-cursor.ts';

/** The slot of a working exit. */
type ExitSlot = Exclude<FilledBy, 'order' | 'close'>;

/** An exit order at the venue that waits for its condition. */
export interface Exit {
  readonly slot: ExitSlot;
  readonly order: OpenOrder;
  terms: OrderTerms;
  watch: Watch;
  /** Its level in float64; undefined for a trailing stop. */
  bound: Bound | undefined;
  /** Its row in the log of exits, while it works at a fixed price. */
  row: number | undefined;
}

/** A stop that moves to the entry price when a bar closes at a gain. */
interface BreakEven {
  readonly goal: number;
  readonly terms: OrderTerms;
}

/** The exits to send for a new position. */
interface ExitPlan {
  /** Terms of the exits, in the order of sending. */
  readonly slots: readonly (readonly [ExitSlot, OrderTerms])[];
  /** The later move of the stop, if any. */
  readonly even: BreakEven | undefined;
  /** When the position is closed regardless of price; NEVER if there is no such time. */
  readonly leavesAt: Millis;
  /** Whether the stop is already at the entry price. */
  readonly isEven: boolean;
  /** Whether the position is closed at once, because that time has passed or the price is beyond the stop. */
  readonly isOver: boolean;
}

interface KnownExpiry {
  readonly day: CalendarDay;
  readonly type: OrderTerms['type'] | undefined;
  readonly expires: Millis;
}

/** Renewal of exits that expire at the venue while the position is open. */
interface Renewal {
  /** Exits are not sent again at this time or later, and timers do not fire after it. */
  readonly until: Millis;
  /** By security: expiry of exits that are sent on a day, which is the same for all of them. */
  readonly expiries: (KnownExpiry | undefined)[];
  /** Called when all exits of a bracket were sent again. */
  readonly renewed: (bracket: Bracket, at: Millis) => void;
}

/**
 * The position of one entry, and its exits: the first that matches closes it, and the others are cancelled. A symbol
 * can have several brackets.
 */
export class Bracket {
  readonly place: number;
  /** Number among the brackets of the run, and number of its entry among the orders. */
  readonly number: number;
  readonly entryNumber: number;
  readonly side: Side;
  /** Shares that the entry opened and no other order has closed; a later entry does not restore them. */
  opened: number;
  /** Price and time of its fill. */
  readonly entryPrice: number;
  readonly enteredAt: number;
  readonly spec: Exits;
  /** Quantity of its exits; 0 while they are cancelled, and while the position is being closed. */
  quantity = 0;
  exits: Exit[] = [];
  /**
   * When the position is closed at the market regardless of price; NEVER if that is not before the end of the run.
   */
  leavesAt: Millis = NEVER;
  /** The market order that closes the position; undefined before that. */
  closing: OpenOrder | undefined;
  /** Whether its stop was ever at the entry price. */
  isEven = false;
  /** How often its exits were sent, without renewals. */
  begins = 0;
  readonly #cursor: SymbolCursor;
  readonly #renewal: Renewal;
  #expiresAt: Millis = NEVER;
  /**
   * Close tick at which exits match at the tick's price, if they were sent at an extreme of its bar; otherwise
   * NO_PRINT.
   */
  #insideFrom: PrintIndex = NO_PRINT;
  /** First print that was not searched yet, counted from the first bar of the run. */
  #from: PrintIndex = NO_PRINT;
  #met: OpenOrder | undefined;
  #isMetTwice = false;
  /** Future move of the stop. */
  #even: BreakEven | undefined;
  /** Whether a stop was sent after the other exits, and so expires after them. */
  #hasLateStop = false;
  /** First bar whose close was not compared with that goal, counted from the first bar of the run. */
  #nextClose = 0;

  /** Creates the bracket of a filled entry; nothing is sent yet. */
  constructor(entry: OpenOrder, spec: Exits, cursor: SymbolCursor, renewal: Renewal, number: number) {
    this.number = number;
    this.entryNumber = entry.number;
    this.place = entry.place;
    this.side = entry.side === 1 ? 'buy' : 'sell';
    this.opened = entry.quantity;
    this.entryPrice = entry.price;
    this.enteredAt = entry.at;
    this.spec = spec;
    this.#cursor = cursor;
    this.#renewal = renewal;
  }

  /** Creates its exits as they are sent at a time, after a print that is counted from the first bar of the run. */
  begin({ slots, even, isEven, leavesAt }: ExitPlan, quantity: number, at: Millis, print: PrintIndex): void {
    this.begins += 1;
    this.quantity = quantity;
    this.leavesAt = leavesAt > this.#renewal.until ? NEVER : leavesAt;
    const cursor = this.#cursor;
    const isAtExtreme = isExtreme(print);
    this.#insideFrom = isAtExtreme ? closeTickOf(print) : NO_PRINT;
    this.#from = isAtExtreme ? this.#insideFrom : print + 1;
    const last = cursor.tape.price(print - cursor.base * PRINTS_PER_BAR);
    this.exits = slots.map(([slot, terms]) => this.#exit(slot, terms, last));
    this.#even = even;
    this.isEven ||= isEven;
    this.#hasLateStop = false;
    this.#nextClose = cursor.base + cursor.closed + 1;
    this.#expiresAt = this.#expiry(at);
  }

  /** Removes its exits, which were cancelled. */
  stop(): void {
    this.quantity = 0;
    this.exits = [];
    this.leavesAt = NEVER;
    this.#met = undefined;
    this.#isMetTwice = false;
    this.#even = undefined;
  }

  get sign(): 1 | -1 {
    return this.side === 'buy' ? 1 : -1;
  }

  get hasNoStop(): boolean {
    return !this.exits.some(({ slot }) => slot === 'stop');
  }

  #exit(slot: ExitSlot, terms: OrderTerms, last: number): Exit {
    const order = new OpenOrder();
    order.place = this.place;
    order.side = this.side === 'buy' ? -1 : 1;
    order.quantity = this.quantity;
    // Like an MIT order it waits for its condition, which determines its priority at a print.
    order.type = 'MIT';
    order.wasArmed = true;
    order.reserve = 0;
    order.exit = slot;
    return { slot, order, terms, row: undefined, ...watchFrom(terms, last) };
  }

  /** Returns when exits sent at a time expire. Bails out if the tick ladder changes before. */
  #expiry(at: Millis): Millis {
    const { security, fills, hours } = this.#cursor;
    const [first] = this.exits;
    const { day } = hours.orderDay(at);
    const { expiries, until } = this.#renewal;
    const known = expiries[this.place];
    if (known?.day === day && known.type === first?.terms.type) return known.expires;
    const expires = first === undefined ? NEVER : expiryOf(first.terms, day, fills);
    const { market } = hours;
    demandSameTicks(security, market, { from: day, until: millis(Math.min(expires, until)) });
    expiries[this.place] = { day, type: first?.terms.type, expires };
    return expires;
  }

  /**
   * Whether the matching print matches another exit as well. The venue executes both if shares are left, or if it
   * sells short.
   */
  get isMetTwice(): boolean {
    return this.#isMetTwice;
  }

  /** Returns the exit that matches a print before a time, as a filled order; undefined if there is none. */
  metBefore(time: number): OpenOrder | undefined {
    if (this.quantity === 0) return undefined;
    if (this.#met === undefined) this.#look(time);
    return this.#met !== undefined && this.#met.at < time ? this.#met : undefined;
  }

  /** Returns the close before a time at which the stop moves to the entry price; NEVER if there is none. */
  movesBefore(time: number): Millis {
    if (this.#even === undefined) return NEVER;
    const { columns, closes, base } = this.#cursor;
    let bar = this.#nextClose - base;
    if (bar < 0) bailOut('a stop that moves between two stretches of bars');
    const { sign } = this;
    const goal = sign * this.#even.goal;
    while (bar < columns.length && (closes[bar] as number) < time) {
      if (sign * (columns.close[bar] as number) >= goal) return closes[bar] as Millis;
      bar += 1;
      this.#nextClose = base + bar;
    }
    return NEVER;
  }

  /**
   * Moves the stop to the entry price, or creates one there as a new order. Undefined if the price is already beyond
   * it.
   */
  moveStop(): { readonly stop: Exit; readonly isNew: boolean } | undefined {
    const { tape, base } = this.#cursor;
    const next = this.#from - base * PRINTS_PER_BAR;
    if (this.#even === undefined || next <= 0)
      return bailOut('a stop that moves between two stretches of bars');
    const { terms } = this.#even;
    const last = tape.price(next - 1);
    const { triggerPrice } = terms;
    if (triggerPrice !== undefined && isBeyond(decimalOfDouble(last), triggerPrice, 'loss', this.side))
      return undefined;
    this.#even = undefined;
    this.isEven = true;
    const known = this.exits.find(({ slot }) => slot === 'stop');
    const stop = known ?? this.#exit('stop', terms, last);
    if (known === undefined) {
      this.exits.push(stop);
      this.#hasLateStop = true;
    } else Object.assign(stop, { terms }, watchFrom(terms, last));
    return { stop, isNew: known === undefined };
  }

  #look(time: number): void {
    while (!this.#isMetUntil(Math.min(time, this.#expiresAt))) {
      // Exits that expire at a close were renewed before that close is reported.
      if (time < this.#expiresAt || this.#expiresAt >= this.#renewal.until) return;
      this.#renew();
    }
  }

  /** Searches the prints of bars that open before a time for the first exit that matches. */
  #isMetUntil(until: number): boolean {
    const { tape, base, fills } = this.#cursor;
    const from = this.#from - base * PRINTS_PER_BAR;
    const end = firstBarFrom(this.#cursor, barOf(from), until) * PRINTS_PER_BAR;
    if (end <= from) return false;
    let first: Firing | undefined;
    let met: Exit | undefined;
    let isTwice = false;
    for (const exit of this.exits) {
      const { watch, bound } = exit;
      const firing =
        watch.kind === 'level' && bound !== undefined
          ? firstMeeting(tape, { from, until, kinds: REGULAR }, watch.level, bound)
          : firstFiring(tape, from, until, watch, REGULAR, fills.insideBars ?? 'close');
      if (firing === undefined) continue;
      if (first?.index === firing.index) isTwice = true;
      if (first !== undefined && first.index <= firing.index) continue;
      isTwice = false;
      first = firing;
      met = exit;
    }
    if (first === undefined || met === undefined) this.#follow(from, end);
    else this.#meet(met, first);
    this.#isMetTwice = isTwice;
    return first !== undefined;
  }

  /** Renews the exits, which the venue has expired. */
  #renew(): void {
    if (this.#hasLateStop) bailOut('exits that expire one after the other');
    const { tape, base } = this.#cursor;
    const at = this.#expiresAt;
    const next = this.#from - base * PRINTS_PER_BAR;
    if (next <= 0) bailOut('exits that expire between two stretches of bars');
    const last = tape.price(next - 1);
    for (const exit of this.exits) Object.assign(exit, watchFrom(exit.terms, last));
    this.#expiresAt = this.#expiry(at);
    this.#renewal.renewed(this, at);
  }

  /** Records the best price that trailing stops have followed so far. */
  #follow(from: PrintIndex, end: PrintIndex): void {
    const { tape, base } = this.#cursor;
    const until = this.#expiresAt;
    for (const exit of this.exits)
      if (exit.watch.kind === 'trail')
        exit.watch = followed(tape, { from, end, until, kinds: REGULAR }, exit.watch);
    this.#from = end + base * PRINTS_PER_BAR;
  }

  #meet({ order, terms }: Exit, { index, price }: Firing): void {
    const { tape, security, fills, base } = this.#cursor;
    const at = tape.time(index);
    const day = dayOf(marketOf(security.symbol), at);
    const printed = decimalOfDouble(tape.price(index));
    const level = index + base * PRINTS_PER_BAR === this.#insideFrom ? printed : price;
    const met = fills.checkTicks ? metPrice(level, printed, security, day) : level;
    const isTrail = terms.type === 'TSLPAMT' || terms.type === 'TSLPPCT';
    const limit = isTrail ? releasedLimit(terms, met, security, day) : terms.price;
    const taking = { security, terms, rest: order.quantity * ONE, limit };
    const taken = takenPrice(taking, { price: met, bar: tape.figures(barOf(index)), at }, fills);
    order.willEnd(at, ENDS.fills, doubleOfDecimal(taken));
    order.position = index + base * PRINTS_PER_BAR;
    this.#met = order;
  }
}

/**
 * Returns the print that a market order takes if it is sent at a print: that print, or after an extreme the close
 * tick.
 */
export function printTakenUpon(print: PrintIndex): PrintIndex {
  return isExtreme(print) ? closeTickOf(print) : print;
}

/** Returns when a position is closed by time: the earlier of its two limits. */
function leavingTime(
  { afterMs, beforeCloseMs }: Exits,
  { enteredAt, at }: { readonly enteredAt: number; readonly at: Millis },
  market: Market,
): Millis {
  const closes = beforeCloseMs === undefined ? undefined : regularClose(market, tradingDayOf(market, at));
  return millis(
    Math.min(
      afterMs === undefined ? NEVER : enteredAt + afterMs,
      closes === undefined || beforeCloseMs === undefined ? NEVER : closes - beforeCloseMs,
    ),
  );
}

const REGULAR = ['regular'] as const;

/** Returns the condition of an exit, given the last price. */
function watchFrom(terms: OrderTerms, last: number): Pick<Exit, 'watch' | 'bound'> {
  const watch = watchOf(terms, last);
  return { watch, bound: watch.kind === 'level' ? boundOf(watch.level) : undefined };
}

/**
 * Plans the exits of a bracket for a quantity, sent at a time after a print that is counted from the first bar of the
 * run.
 */
export function planExits(
  { side, entryPrice: price, enteredAt, isEven: wasEven, spec: exits }: Bracket,
  quantity: number,
  { at, print, close }: { readonly at: Millis; readonly print: PrintIndex; readonly close: number },
  { security, tape, base }: SymbolCursor,
): ExitPlan {
  const { symbol } = security;
  const market = marketOf(symbol);
  const day = dayOf(market, at);
  const last = decimalOfDouble(tape.price(print - base * PRINTS_PER_BAR));
  const toTick = (level: Decimal, direction: 'up' | 'down') => onTick(security, level, { day, direction });
  const entryPrice = decimalOfDouble(price);
  const paid = { side, entryPrice, toTick };
  const basis = { symbol, side, quantity: decimalOfDouble(quantity) };
  const asked = exits.stop && levelOf(exits.stop, 'loss', paid);
  const even = exits.breakEven && evenStop(entryPrice, side, toTick);
  const isTighter = even !== undefined && (asked === undefined || !isBeyond(even, asked, 'loss', side));
  const moves = isTighter ? exits.breakEven : undefined;
  const goal = moves && breakEvenGoal(moves, entryPrice, side);
  const hasMoved = goal !== undefined && (wasEven || isBeyond(decimalOfDouble(close), goal, 'gain', side));
  const stop = hasMoved ? even : asked;
  const gain = exits.target && levelOf(exits.target, 'gain', paid);
  const target = gain && targetTerms(basis, gain, { last, judgesAtFill: false });
  const leavesAt = leavingTime(exits, { enteredAt, at }, market);
  const isOver = leavesAt <= at || (stop !== undefined && isBeyond(last, stop, 'loss', side));
  if (!isOver && target?.type === 'LO') bailOut('a target that the price has reached already');
  const slots: (readonly [ExitSlot, OrderTerms])[] = [];
  if (stop !== undefined) slots.push(['stop', stopTerms(basis, stop)]);
  if (exits.trail !== undefined) slots.push(['trail', trailTerms(basis, exits.trail)]);
  if (target !== undefined) slots.push(['target', target]);
  return {
    slots,
    even:
      goal === undefined || even === undefined || hasMoved
        ? undefined
        : { goal: doubleOfDecimal(goal), terms: stopTerms(basis, even) },
    isEven: hasMoved,
    leavesAt,
    isOver,
  };
}

/**
 * Returns the first bar in the window, from `from` on, that opens at `time` or later; the number of bars if there is
 * none.
 */
function firstBarFrom({ columns }: SymbolCursor, from: number, time: number): number {
  if (time === NEVER) return columns.length;
  let bar = Math.max(0, from);
  while (bar < columns.length && (columns.time[bar] as number) < time) bar += 1;
  return bar;
}
