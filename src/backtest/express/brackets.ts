import type { FilledBy } from '../../events/curve/fill-columns.ts';
import { TARGET_GROWTH_INTERVAL_MS } from '../../execution/algorithms/bracket-exits.ts';
import {
  breakEvenStop,
  breakEvenTrigger,
  isBeyond,
  levelOf,
  stopTerms,
  targetTerms,
  trailTerms,
} from '../../execution/algorithms/levels.ts';
import { dayOf, regularClose, tradingDayOf } from '../../markets/sessions.ts';
import { onTick } from '../../markets/ticks.ts';
import type { Exits } from '../../model/algorithm.ts';
import { decimalOfDouble, doubleOfDecimal, ONE, toDecimal } from '../../model/amount.ts';
import type { Decimal } from '../../model/decimal.ts';
import type { OrderTerms, Side } from '../../model/order.ts';
import { type Market, marketOf } from '../../model/symbol.ts';
import { type CalendarDay, type Millis, millis, NEVER } from '../../model/time.ts';
import { PRINTS_PER_BAR } from '../../simulation/market/prints.ts';
import { barOf, NO_PRINT, type PrintIndex, stepOf } from '../../simulation/market/tape.ts';
import {
  type Bound,
  boundOf,
  firstLevelTrigger,
  firstTrigger,
  followTrail,
  type TriggerPrint,
  type Watch,
} from '../../simulation/market/watch.ts';
import { closeTickOf, isExtreme } from '../../simulation/matching/inside-bars.ts';
import { takerPrice } from '../../simulation/matching/slippage.ts';
import { metPrice, releasedLimit, watchOf } from '../../simulation/orders/conditions.ts';
import { expiryOf } from '../../simulation/orders/order-rules.ts';
import { bailOut } from './bail-out.ts';
import { ENDS, OpenOrder } from './open-order.ts';
import { bailOutIfTicksChange } from './resolve-fill.ts';
import type { SymbolCursor } from './symbol-cursor.ts';
import { EXACT } from './units.ts';

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
  /** First print that was not searched yet, counted from the first bar of the run. */
  from: PrintIndex;
  /** Close tick that it matches at the tick's price, because it was sent at an extreme of that bar; otherwise NO_PRINT. */
  insideFrom: PrintIndex;
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
  readonly breakEven: BreakEven | undefined;
  /** When the position is closed regardless of price; NEVER if there is no such time. */
  readonly timeExitAt: Millis;
  /** Whether the stop is already at the entry price. */
  readonly isAtBreakEven: boolean;
  /** Whether the position is closed at once, because that time has passed or the price is beyond the stop. */
  readonly closesAtOnce: boolean;
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
  /** Average price of its fills, and time of the first one. */
  entryPrice: Decimal;
  readonly enteredAt: number;
  readonly spec: Exits;
  /** Quantity of its exits; 0 while they are cancelled, and while the position is being closed. */
  quantity = 0;
  exits: Exit[] = [];
  /**
   * When the position is closed at the market regardless of price; NEVER if that is not before the end of the run.
   */
  timeExitAt: Millis = NEVER;
  /** The market order, or the rest of a triggered exit, that closes the position; undefined before that. */
  closing: OpenOrder | undefined;
  /** The row of that exit in the log. */
  closingRow: number | undefined;
  /** Whether its stop was ever at the entry price. */
  isAtBreakEven = false;
  /** How often its exits were sent, without renewals. */
  sendCount = 0;
  readonly #cursor: SymbolCursor;
  readonly #renewal: Renewal;
  #expiresAt: Millis = NEVER;
  /** The first of the prints from which its exits are searched next. */
  #from: PrintIndex = NO_PRINT;
  #triggered: OpenOrder | undefined;
  #isTriggeredTwice = false;
  /** Future move of the stop. */
  #breakEven: BreakEven | undefined;
  /** Whether a stop was sent after the other exits, and so expires after them. */
  #hasLateStop = false;
  /** First bar whose close was not compared with that goal, counted from the first bar of the run. */
  #nextClose = 0;

  /** When its exits were sent or last amended. */
  #changedAt = Number.NaN;

  /** Creates the bracket of an entry after its first fill; nothing is sent yet. */
  constructor(entry: OpenOrder, spec: Exits, cursor: SymbolCursor, renewal: Renewal, number: number) {
    this.number = number;
    this.entryNumber = entry.number;
    this.place = entry.place;
    this.side = entry.side === 1 ? 'buy' : 'sell';
    this.opened = entry.executed;
    this.entryPrice = averagePrice(entry);
    this.enteredAt = entry.at;
    this.spec = spec;
    this.#cursor = cursor;
    this.#renewal = renewal;
  }

  /** Creates its exits as they are sent at a time, after a print that is counted from the first bar of the run. */
  startExits(
    { slots, breakEven, isAtBreakEven, timeExitAt }: ExitPlan,
    quantity: number,
    at: Millis,
    print: PrintIndex,
  ): void {
    this.sendCount += 1;
    this.quantity = quantity;
    this.timeExitAt = timeExitAt > this.#renewal.until ? NEVER : timeExitAt;
    const cursor = this.#cursor;
    const last = cursor.tape.price(print - cursor.base * PRINTS_PER_BAR);
    const start = searchStartAfter(print);
    this.#from = start.from;
    this.exits = slots.map(([slot, terms]) => this.#exit(slot, terms, last, start));
    this.#changedAt = at;
    this.#breakEven = breakEven;
    this.isAtBreakEven ||= isAtBreakEven;
    this.#hasLateStop = false;
    this.#nextClose = cursor.base + cursor.closed + 1;
    this.#expiresAt = this.#expiry(at);
  }

  /** Adds shares that its entry opened with a further fill; the next `amend` protects them. */
  grow(entry: OpenOrder, shares: number): void {
    this.opened += shares;
    this.entryPrice = averagePrice(entry);
  }

  /**
   * Amends its exits to a quantity and to new levels, at a print that is counted from the first bar of the run. An exit
   * whose level changes watches from that print on, like a new one. Bails out if the full engine would cancel an exit,
   * amend it later, or if an exit matches before it is amended.
   */
  amend(
    { slots, closesAtOnce }: ExitPlan,
    quantity: number,
    {
      at,
      print,
      isComplete,
    }: { readonly at: Millis; readonly print: PrintIndex; readonly isComplete: boolean },
  ): void {
    if (closesAtOnce || slots.length !== this.exits.length)
      bailOut('a further fill of the entry ends its exits');
    if (this.spec.breakEven !== undefined) bailOut('a break-even stop of a partially filled entry');
    const met = this.#triggered?.position;
    if (met === print || (stepOf(print) === 1 && met === print + 1))
      bailOut('the fill of an entry triggers one of its exits');
    const hasTarget = this.spec.target !== undefined;
    if (hasTarget && !isComplete && at - this.#changedAt < TARGET_GROWTH_INTERVAL_MS)
      bailOut('a target is amended later than its stop');
    const { tape, base } = this.#cursor;
    const index = print - base * PRINTS_PER_BAR;
    const last = tape.price(index);
    const changed = new Set<Exit>();
    for (const exit of this.exits) {
      const [, terms] =
        slots.find(([slot]) => slot === exit.slot) ?? bailOut('a further fill of the entry ends its exits');
      const isSame =
        terms.triggerPrice === undefined || exit.terms.triggerPrice?.eq(terms.triggerPrice) === true;
      exit.terms = terms;
      exit.order.quantity = quantity;
      if (isSame) continue;
      Object.assign(exit, watchFrom(terms, last), searchStartAfter(print));
      exit.order.sentAt = at;
      changed.add(exit);
    }
    // An exit with a new level loses its place among those that one print meets.
    this.exits = [...this.exits.filter((exit) => !changed.has(exit)), ...changed];
    this.quantity = quantity;
    this.#changedAt = at;
    this.#searchAgain();
  }

  /** Lets the next search begin where each exit has not been searched. */
  #searchAgain(): void {
    this.#triggered = undefined;
    this.#isTriggeredTwice = false;
    if (this.exits.length > 0) this.#from = Math.min(...this.exits.map(({ from }) => from));
  }

  /** Continues after a print that triggered an exit, whose rest is `closing`; the others still wait. */
  closeWith(closing: OpenOrder): void {
    const { exits } = this;
    this.closing = closing;
    this.closingRow = exits.find(({ slot }) => slot === closing.exit)?.row;
    this.exits = exits.filter(({ slot }) => slot !== closing.exit);
    this.#searchAgain();
  }

  /** Removes shares that `closing` has closed; exits that still wait shrink. */
  shrink(shares: number): void {
    this.opened -= shares;
    this.quantity = this.exits.length > 0 ? this.opened : 0;
    for (const { order } of this.exits) order.quantity = this.quantity;
  }

  /** When exits that were sent or renewed last expire. */
  get expiresAt(): Millis {
    return this.#expiresAt;
  }

  /**
   * Lets the rest of a target end at the first bar that closes nearer to the entry price than to the target, after a
   * time and before it is filled.
   */
  cancelRestIfPriceLeaves(rest: OpenOrder, after: number): void {
    const { columns, closes, closed } = this.#cursor;
    const middle = decimalOfDouble(rest.level).plus(this.entryPrice).div(2);
    for (
      let bar = Math.max(0, closed);
      bar < columns.length && (closes[bar] as number) <= rest.at;
      bar += 1
    ) {
      const at = closes[bar] as number;
      if (at < after || !isBeyond(decimalOfDouble(columns.close[bar] as number), middle, 'loss', this.side))
        continue;
      rest.searchedTo = Number.NaN;
      rest.setOutcome(at, ENDS.cancelled, Number.NaN);
      return;
    }
    if (rest.ends !== ENDS.fills) bailOut('the rest of a target does not fill');
  }

  /** Lets a target wait again for its price, after a print; its rest was cancelled. */
  resendTarget(terms: OrderTerms, print: PrintIndex): Exit {
    const { tape, base } = this.#cursor;
    this.closing = undefined;
    this.closingRow = undefined;
    this.quantity = this.opened;
    const exit = this.#exit(
      'target',
      terms,
      tape.price(print - base * PRINTS_PER_BAR),
      searchStartAfter(print),
    );
    this.exits.push(exit);
    this.#searchAgain();
    return exit;
  }

  /** Removes its exits, which were cancelled. */
  removeExits(): void {
    this.quantity = 0;
    this.exits = [];
    this.timeExitAt = NEVER;
    this.#triggered = undefined;
    this.#isTriggeredTwice = false;
    this.#breakEven = undefined;
  }

  get sign(): 1 | -1 {
    return this.side === 'buy' ? 1 : -1;
  }

  get hasNoStop(): boolean {
    return !this.exits.some(({ slot }) => slot === 'stop');
  }

  #exit(slot: ExitSlot, terms: OrderTerms, last: number, start: Pick<Exit, 'from' | 'insideFrom'>): Exit {
    const order = new OpenOrder();
    order.place = this.place;
    order.side = this.side === 'buy' ? -1 : 1;
    order.quantity = this.quantity;
    // Like an MIT order it waits for its condition, which determines its priority at a print.
    order.type = 'MIT';
    order.hadTrigger = true;
    order.reserve = 0;
    order.exit = slot;
    return { slot, order, terms, row: undefined, ...watchFrom(terms, last), ...start };
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
    bailOutIfTicksChange(security, market, { from: day, until: millis(Math.min(expires, until)) });
    expiries[this.place] = { day, type: first?.terms.type, expires };
    return expires;
  }

  /**
   * Whether the matching print matches another exit as well. The venue executes both if shares are left, or if it
   * sells short.
   */
  get isTriggeredTwice(): boolean {
    return this.#isTriggeredTwice;
  }

  /** Returns the exit that matches a print before a time, as a filled order; undefined if there is none. */
  triggeredBefore(time: number): OpenOrder | undefined {
    if (this.quantity === 0) return undefined;
    if (this.#triggered === undefined) this.#search(time);
    return this.#triggered !== undefined && this.#triggered.at < time ? this.#triggered : undefined;
  }

  /** Returns the close before a time at which the stop moves to the entry price; NEVER if there is none. */
  stopMoveBefore(time: number): Millis {
    if (this.#breakEven === undefined) return NEVER;
    const { columns, closes, base } = this.#cursor;
    let bar = this.#nextClose - base;
    if (bar < 0) bailOut('a stop moves across two windows of bars');
    const { sign } = this;
    const goal = sign * this.#breakEven.goal;
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
    if (this.#breakEven === undefined || next <= 0) return bailOut('a stop moves across two windows of bars');
    const { terms } = this.#breakEven;
    const last = tape.price(next - 1);
    const { triggerPrice } = terms;
    if (triggerPrice !== undefined && isBeyond(decimalOfDouble(last), triggerPrice, 'loss', this.side))
      return undefined;
    this.#breakEven = undefined;
    this.isAtBreakEven = true;
    const known = this.exits.find(({ slot }) => slot === 'stop');
    const start = { from: this.#from, insideFrom: NO_PRINT };
    const stop = known ?? this.#exit('stop', terms, last, start);
    if (known === undefined) {
      this.exits.push(stop);
      this.#hasLateStop = true;
    } else Object.assign(stop, { terms }, watchFrom(terms, last));
    return { stop, isNew: known === undefined };
  }

  #search(time: number): void {
    while (!this.#searchUntil(Math.min(time, this.#expiresAt))) {
      // Exits that expire at a close were renewed before that close is reported.
      if (time < this.#expiresAt || this.#expiresAt >= this.#renewal.until) return;
      this.#renew();
    }
  }

  /** Searches the prints of bars that open before a time for the first exit that matches. */
  #searchUntil(until: number): boolean {
    const { tape, base, fills } = this.#cursor;
    const from = this.#from - base * PRINTS_PER_BAR;
    const end = firstBarFrom(this.#cursor, barOf(from), until) * PRINTS_PER_BAR;
    if (end <= from) return false;
    let first: TriggerPrint | undefined;
    let met: Exit | undefined;
    let isTwice = false;
    for (const exit of this.exits) {
      const { watch, bound } = exit;
      const since = exit.from - base * PRINTS_PER_BAR;
      const firing =
        watch.kind === 'level' && bound !== undefined
          ? firstLevelTrigger(tape, { from: since, until, kinds: REGULAR_SESSION }, watch.level, bound)
          : firstTrigger(tape, since, until, watch, REGULAR_SESSION, fills.insideBars ?? 'close');
      if (firing === undefined) continue;
      if (first?.index === firing.index) isTwice = true;
      if (first !== undefined && first.index <= firing.index) continue;
      isTwice = false;
      first = firing;
      met = exit;
    }
    if (first === undefined || met === undefined) this.#recordSearched(end);
    else this.#setFill(met, first);
    this.#isTriggeredTwice = isTwice;
    return first !== undefined;
  }

  /** Renews the exits, which the venue has expired. */
  #renew(): void {
    if (this.#hasLateStop) bailOut('the exits of a bracket expire at different times');
    const { tape, base } = this.#cursor;
    const at = this.#expiresAt;
    const next = this.#from - base * PRINTS_PER_BAR;
    if (next <= 0) bailOut('exits expire across two windows of bars');
    const last = tape.price(next - 1);
    for (const exit of this.exits) Object.assign(exit, watchFrom(exit.terms, last));
    this.#expiresAt = this.#expiry(at);
    this.#renewal.renewed(this, at);
  }

  /** Records that prints were searched up to `end`, and the best price that trailing stops have followed. */
  #recordSearched(end: PrintIndex): void {
    const { tape, base } = this.#cursor;
    const until = this.#expiresAt;
    for (const exit of this.exits) {
      const from = exit.from - base * PRINTS_PER_BAR;
      if (from >= end) continue;
      if (exit.watch.kind === 'trail')
        exit.watch = followTrail(tape, { from, end, until, kinds: REGULAR_SESSION }, exit.watch);
      exit.from = end + base * PRINTS_PER_BAR;
    }
    this.#from = end + base * PRINTS_PER_BAR;
  }

  #setFill({ order, terms, insideFrom }: Exit, { index, price }: TriggerPrint): void {
    const { tape, security, fills, base } = this.#cursor;
    const at = tape.time(index);
    const day = dayOf(marketOf(security.symbol), at);
    const printed = decimalOfDouble(tape.price(index));
    const level = index + base * PRINTS_PER_BAR === insideFrom ? printed : price;
    const met = fills.checkTicks ? metPrice(level, printed, security, day) : level;
    const isTrail = terms.type === 'TSLPAMT' || terms.type === 'TSLPPCT';
    const limit = isTrail ? releasedLimit(terms, met, security, day) : terms.price;
    const taking = { security, terms, rest: order.quantity * ONE, limit };
    const taken = takerPrice(taking, { price: met, bar: tape.figures(barOf(index)), at }, fills);
    order.setOutcome(at, ENDS.fills, doubleOfDecimal(taken));
    order.level = limit === undefined ? Number.NaN : doubleOfDecimal(limit);
    order.position = index + base * PRINTS_PER_BAR;
    this.#triggered = order;
  }
}

/**
 * Returns the print that a market order takes if it is sent at a print: that print, or after an extreme the close
 * tick.
 */
export function printTakenAt(print: PrintIndex): PrintIndex {
  return isExtreme(print) ? closeTickOf(print) : print;
}

/** Returns when a position is closed by time: the earlier of its two limits. */
function timeExitOf(
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

const REGULAR_SESSION = ['regular'] as const;

/** Returns the average price of an order's fills, by the division of execution/algorithms/children.ts. */
function averagePrice({ executed, notional, fills, price }: OpenOrder): Decimal {
  if (fills === 1) return decimalOfDouble(price);
  if (notional > EXACT) bailOut('the notional of an entry is above the exact range');
  return toDecimal(notional).div(executed);
}

/** Returns which prints an exit may match that is sent after a print: of an extreme's bar only the close tick. */
function searchStartAfter(print: PrintIndex): Pick<Exit, 'from' | 'insideFrom'> {
  if (!isExtreme(print)) return { from: print + 1, insideFrom: NO_PRINT };
  return { from: closeTickOf(print), insideFrom: closeTickOf(print) };
}

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
  { side, entryPrice, enteredAt, isAtBreakEven: wasEven, spec: exits }: Bracket,
  quantity: number,
  { at, print, close }: { readonly at: Millis; readonly print: PrintIndex; readonly close: number },
  { security, tape, base }: SymbolCursor,
): ExitPlan {
  const { symbol } = security;
  const market = marketOf(symbol);
  const day = dayOf(market, at);
  const last = decimalOfDouble(tape.price(print - base * PRINTS_PER_BAR));
  const toTick = (level: Decimal, direction: 'up' | 'down') => onTick(security, level, { day, direction });
  const basisOfLevels = { side, entryPrice, toTick };
  const basis = { symbol, side, quantity: decimalOfDouble(quantity) };
  const initialStop = exits.stop && levelOf(exits.stop, 'loss', basisOfLevels);
  const even = exits.breakEven && breakEvenStop(entryPrice, side, toTick);
  const isTighter =
    even !== undefined && (initialStop === undefined || !isBeyond(even, initialStop, 'loss', side));
  const moves = isTighter ? exits.breakEven : undefined;
  const goal = moves && breakEvenTrigger(moves, entryPrice, side);
  const hasMoved = goal !== undefined && (wasEven || isBeyond(decimalOfDouble(close), goal, 'gain', side));
  const stop = hasMoved ? even : initialStop;
  const targetLevel = exits.target && levelOf(exits.target, 'gain', basisOfLevels);
  const target = targetLevel && targetTerms(basis, targetLevel, { last, checksAtFill: false });
  const timeExitAt = timeExitOf(exits, { enteredAt, at }, market);
  const closesAtOnce = timeExitAt <= at || (stop !== undefined && isBeyond(last, stop, 'loss', side));
  if (!closesAtOnce && target?.type === 'LO') bailOut('the price has already reached the target');
  const slots: (readonly [ExitSlot, OrderTerms])[] = [];
  if (stop !== undefined) slots.push(['stop', stopTerms(basis, stop)]);
  if (exits.trail !== undefined) slots.push(['trail', trailTerms(basis, exits.trail)]);
  if (target !== undefined) slots.push(['target', target]);
  return {
    slots,
    breakEven:
      goal === undefined || even === undefined || hasMoved
        ? undefined
        : { goal: doubleOfDecimal(goal), terms: stopTerms(basis, even) },
    isAtBreakEven: hasMoved,
    timeExitAt,
    closesAtOnce,
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
