import { ExitLog } from '../../events/curve/exit-columns.ts';
import { expiredExitAlarm } from '../../execution/algorithms/algorithm-runner.ts';
import { doubleOfDecimal } from '../../model/amount.ts';
import type { Alarm } from '../../model/notice.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import { type Millis, millis } from '../../model/time.ts';
import { PRINTS_PER_BAR } from '../../simulation/market/prints.ts';
import { NO_PRINT, type PrintIndex } from '../../simulation/market/tape.ts';
import { PlaceList } from '../place-list.ts';
import { bailOut } from './bail-out.ts';
import { Bracket, type Exit, planExits } from './brackets.ts';
import { MissingExits } from './missing-exits.ts';
import type { OpenOrder } from './open-order.ts';
import type { SymbolCursor } from './symbol-cursor.ts';

/** The access of brackets to gate, venue and account. */
interface BracketHost {
  /** Returns the cursor of a security, at the current time. */
  cursorNow(place: number): SymbolCursor;
  held(place: number): number;
  /** True while the strategy has an open or held-back order on that side of a symbol. */
  isTaken(place: number, side: OpenOrder['side']): boolean;
  /** Returns the quantity of market orders among them. */
  takenAtMarket(place: number, side: OpenOrder['side']): number;
  /** Whether an order of the strategy is open, by its number. */
  isOpen(number: number): boolean;
  /** Cancels the rest of an entry, by its number, after a print or at a timer. */
  cancelEntry(number: number, print: PrintIndex | undefined): void;
  /** True while expired orders end, which happens before the bars of that time close. */
  isBeforeCloses(): boolean;
  /** True while an order is cancelled by age. */
  isAtCancel(): boolean;
  /** Checks an exit with new terms at the gate. */
  judgeExit(exit: Exit, at: Millis): void;
  /** Checks a new exit at the gate and sends it. */
  sendExit(exit: Exit, at: Millis): void;
  /** Sends a market order after a print or at a close. */
  closeAtMarket(
    closing: Pick<OpenOrder, 'place' | 'side' | 'quantity'>,
    print: PrintIndex | undefined,
  ): OpenOrder;
}

/** When a bracket closes its position by time, or moves its stop. */
export interface BracketTimer {
  readonly bracket: Bracket;
  readonly at: Millis;
  readonly leaves: boolean;
}

/**
 * Runs the brackets of all positions by the rules of execution/algorithms/bracket.ts. Brackets own the shares of a
 * symbol in the order of their entries, so the newest lacks shares that other orders closed. While the strategy
 * itself closes, the symbol has no working exits.
 */
export class BracketRunner {
  readonly exits = new ExitLog();
  /** Number of exits that expired while the position was open, and were sent again. */
  renewedExits = 0;
  readonly #alarms: Alarm[] = [];
  readonly #until: Millis;
  readonly #missing: MissingExits;
  readonly #host: BracketHost;
  readonly #lists: readonly Bracket[][];
  /** Securities with brackets. */
  readonly #places: PlaceList;
  /** Number of brackets started in the run. */
  #started = 0;
  /** By security: time of the last exit fill that caused other exits of its bracket to be cancelled. */
  readonly #cancelledAt: Float64Array;
  /** By symbol: time of the latest order that the venue accepted, and the number of the first one at that time. */
  readonly #orderedAt: Float64Array;
  readonly #ordered: Float64Array;
  /** Time of the latest renewal of exits, and the highest previous order number at that time. */
  #renewedAt = Number.NEGATIVE_INFINITY;
  #renewed = -1;
  /** Slots whose expiry was reported, by bracket. */
  readonly #reported = new WeakMap<Bracket, Set<Exit['slot']>>();
  readonly #renewal: ConstructorParameters<typeof Bracket>[3];

  /** `renews` is called before expired exits are sent again; nothing is sent again at `until` or later. */
  constructor(
    host: BracketHost,
    symbols: readonly SecuritySymbol[],
    { until, renews }: { readonly until: Millis; readonly renews: (at: Millis) => void },
  ) {
    this.#host = host;
    this.#until = until;
    this.#lists = symbols.map(() => []);
    this.#places = new PlaceList(symbols.length);
    this.#orderedAt = new Float64Array(symbols.length).fill(Number.NaN);
    this.#ordered = new Float64Array(symbols.length);
    this.#cancelledAt = new Float64Array(symbols.length).fill(Number.NaN);
    this.#missing = new MissingExits(until, (place) => symbols[place] as SecuritySymbol);
    this.#renewal = {
      until,
      expiries: [],
      renewed: (bracket, at) => {
        renews(at);
        this.#sendAgain(bracket, at);
      },
    };
  }

  get any(): boolean {
    return this.#places.count > 0;
  }

  has(place: number): boolean {
    return this.#list(place).length > 0;
  }

  /**
   * Returns the quantity of a security's working exits on a side, without those of positions that an order closes. Exits
   * of one bracket count once, because only one executes.
   */
  working(place: number, side: OpenOrder['side']): number {
    let shares = 0;
    for (const { exits, quantity, sign, closing } of this.#list(place))
      if (exits.length > 0 && sign !== side && closing === undefined) shares += quantity;
    return shares;
  }

  orderCount(): number {
    let count = 0;
    for (let index = 0; index < this.#places.count; index += 1)
      for (const { exits } of this.#list(this.#places.places[index] as number)) count += exits.length;
    return count;
  }

  alarms(): readonly Alarm[] {
    return [...this.#alarms, ...this.#missing.alarms()].toSorted((one, other) => one.at - other.at);
  }

  /**
   * Returns the bracket with the first exit to match before a time; undefined if there is none. `isFirst` returns
   * whether an exit matches before another.
   */
  firstMet(
    time: Millis,
    isFirst: (order: OpenOrder, other: OpenOrder) => boolean,
  ): { readonly bracket: Bracket; readonly order: OpenOrder } | undefined {
    let first: OpenOrder | undefined;
    let found: Bracket | undefined;
    for (let index = 0; index < this.#places.count; index += 1)
      for (const bracket of this.#list(this.#places.places[index] as number)) {
        const met = bracket.metBefore(time);
        if (met === undefined || (first !== undefined && !isFirst(met, first))) continue;
        first = met;
        found = bracket;
      }
    return first === undefined || found === undefined ? undefined : { bracket: found, order: first };
  }

  /** Returns the first bracket timer before a time. */
  firstTimer(time: number): BracketTimer | undefined {
    let first: BracketTimer | undefined;
    for (let index = 0; index < this.#places.count; index += 1)
      for (const bracket of this.#list(this.#places.places[index] as number)) {
        const at = millis(Math.min(bracket.leavesAt, bracket.movesBefore(time)));
        if (at >= time || (first !== undefined && first.at < at)) continue;
        const leaves = at === bracket.leavesAt;
        if (first === undefined || first.at > at || this.#isEarlier({ bracket, at, leaves }, first))
          first = { bracket, at, leaves };
      }
    return first;
  }

  /**
   * Records an order that the venue accepted in an open market: it makes the brackets of its symbol check their times
   * before timers fire.
   */
  noteOrder(place: number, at: number, number: number): void {
    if (this.#orderedAt[place] === at) return;
    this.#orderedAt[place] = at;
    this.#ordered[place] = number;
  }

  /** Bails out if the denial of an order makes brackets act before other symbols. */
  denied(place: number, at: Millis): void {
    for (const bracket of this.#list(place))
      if (bracket.leavesAt <= at || bracket.movesBefore(at + 1) <= at)
        bailOut('a denied order as a timer is due');
  }

  /** Returns whether a timer fires before another one of the same time; bails out if that is unknown. */
  #isEarlier(timer: BracketTimer, other: BracketTimer): boolean {
    const [one, two] = [timer.bracket, other.bracket];
    const [orderedOne, orderedTwo] = [
      this.#orderedIn(one.place, timer.at),
      this.#orderedIn(two.place, timer.at),
    ];
    if (orderedOne !== orderedTwo) return orderedOne < orderedTwo;
    // The list is in the order of their checks.
    if (orderedOne !== Number.POSITIVE_INFINITY) return false;
    const isMove = !timer.leaves && !other.leaves && one.place === two.place;
    if (isMove) {
      const areNew = one.hasNoStop && two.hasNoStop;
      // Their timers may have been set at the fills of their entries, or later in list order.
      return areNew && one.number < two.number ? bailOut('two stops that are new at one instant') : false;
    }
    const isLeaving = timer.leaves && other.leaves && isTimerSetOnce(one) && isTimerSetOnce(two);
    return isLeaving ? one.number < two.number : bailOut('two timers at one instant');
  }

  /** Returns the number of a symbol's first order that the venue accepted at a time; Infinity if there is none. */
  #orderedIn(place: number, at: number): number {
    return this.#orderedAt[place] === at ? (this.#ordered[place] as number) : Number.POSITIVE_INFINITY;
  }

  fire({ bracket, at, leaves }: BracketTimer): void {
    if (bracket.closing !== undefined) bailOut('a timer while an exit is filled in parts');
    // Its result makes all brackets of the symbol check their times.
    this.#orderedAt[bracket.place] = at;
    this.#ordered[bracket.place] = Number.NEGATIVE_INFINITY;
    const moved = leaves ? undefined : bracket.moveStop();
    if (moved === undefined) this.#leave(bracket, bracket.quantity, at, undefined);
    else if (moved.isNew) this.#send(moved.stop, at);
    else this.#host.judgeExit(moved.stop, at);
  }

  /** Adds shares that an entry opened to its bracket, which its first fill starts; the next `step` protects them. */
  opened(entry: OpenOrder, shares: number): void {
    const { place, exits } = entry;
    if (exits === undefined) return;
    const list = this.#list(place);
    if (entry.fills > 1) {
      const bracket = list.find(({ entryNumber }) => entryNumber === entry.number);
      if (bracket === undefined) bailOut('a bracket that ends before its entry does');
      bracket.grow(entry, shares);
      return;
    }
    if (list.length === 0) this.#places.add(place);
    this.#started += 1;
    const bracket = new Bracket(entry, exits, this.#host.cursorNow(place), this.#renewal, this.#started);
    // Brackets own shares in the order in which their entries were sent.
    let at = list.length;
    while (at > 0 && (list[at - 1] as Bracket).entryNumber > bracket.entryNumber) at -= 1;
    if (at === list.length) list.push(bracket);
    else list.splice(at, 0, bracket);
  }

  /** Removes a bracket after a fill of one of its exits. */
  executed(bracket: Bracket, at: number): void {
    if (bracket.exits.length > 1) this.#cancelledAt[bracket.place] = at;
    this.#drop(bracket, at);
  }

  #drop(bracket: Bracket, at: number): void {
    const list = this.#list(bracket.place);
    this.#stop(bracket, at);
    list.splice(list.indexOf(bracket), 1);
    if (list.length === 0) this.#places.drop(bracket.place);
  }

  /** Returns the bracket that an order closes. */
  closedBy(order: OpenOrder): Bracket | undefined {
    return this.#list(order.place).find(({ closing }) => closing === order);
  }

  /** Handles a fill of a closing order; a complete one removes its bracket. */
  closed(order: OpenOrder, shares: number, isComplete: boolean): void {
    const bracket = this.closedBy(order);
    if (bracket === undefined) return;
    const { place, at } = order;
    const isTarget = order.exit === 'target';
    if (bracket.exits.length > 0 && (isComplete || !isTarget)) this.#cancelledAt[place] = at;
    if (isComplete) {
      this.#drop(bracket, at);
      return;
    }
    if (!isTarget) {
      for (const { row } of bracket.exits) if (row !== undefined) this.exits.end(row, at);
      bracket.exits = [];
    }
    bracket.shrink(shares);
    for (const exit of bracket.exits) this.#host.judgeExit(exit, millis(at));
  }

  /** Sends a target again at a close, whose rest was cancelled then. */
  waitAgain(rest: OpenOrder, at: Millis): void {
    const bracket = this.closedBy(rest);
    if (bracket === undefined) return;
    const cursor = this.#host.cursorNow(rest.place);
    const { base, closed, closes, price } = cursor;
    if (closes[closed] !== at) bailOut('a target that waits again within a bar');
    if (bracket.closingRow !== undefined) this.exits.end(bracket.closingRow, at);
    const print = (base + closed + 1) * PRINTS_PER_BAR - 1;
    const { slots } = planExits(bracket, bracket.opened, { at, print, close: price }, cursor);
    const [, terms] = slots.find(([slot]) => slot === 'target') ?? bailOut('a target that is gone');
    this.#send(bracket.waitAgain(terms, print), at);
  }

  /** Whether a security has other brackets than one. */
  hasOthers({ place }: Bracket): boolean {
    return this.#list(place).length > 1;
  }

  /** Cancels the exits of a symbol, because the strategy itself closes. */
  yield(place: number, at: number): void {
    for (const bracket of this.#list(place)) if (bracket.closing === undefined) this.#stop(bracket, at);
  }

  /**
   * Updates the exits of a symbol's brackets after a change of its position or orders, caused by `print` (counted
   * from the first bar of the run) or another event.
   */
  step(place: number, at: Millis, print?: PrintIndex): void {
    let rest = this.#host.held(place);
    // Most positions have one bracket.
    for (const bracket of [...this.#list(place)]) {
      const { sign } = bracket;
      const open = Math.min(bracket.opened, Math.max(0, sign * rest));
      bracket.opened = open;
      rest -= sign * open;
      if (bracket.closing === undefined) this.#stepOne(bracket, open, at, print);
    }
  }

  #stepOne(bracket: Bracket, open: number, at: Millis, print: PrintIndex | undefined): void {
    const { place } = bracket;
    const side = bracket.sign === 1 ? -1 : 1;
    const isTaken = this.#host.isTaken(place, side);
    if (open % this.#host.cursorNow(place).security.lotSize !== 0) bailOut('exits for a part of a lot');
    const missing = isTaken && this.#host.takenAtMarket(place, side) < open ? open : 0;
    const cause = print !== undefined ? 'print' : this.#host.isAtCancel() ? 'cancel' : 'other';
    this.#missing.note(bracket, missing, at, cause);
    if ((open === 0 || isTaken) && this.#host.isOpen(bracket.entryNumber))
      bailOut('an order that closes a position whose entry is filled on');
    if (open === 0) {
      this.#drop(bracket, at);
    } else if (isTaken) {
      if (bracket.exits.length > 0) bailOut('exits while an order of the strategy closes their position');
      this.#stop(bracket, at);
    } else if (bracket.quantity === 0) this.#begin(bracket, open, at, print);
    else if (bracket.quantity < open) this.#amend(bracket, open, at, print);
    else if (bracket.quantity !== open) bailOut('exits that shrink');
  }

  #begin(bracket: Bracket, quantity: number, at: Millis, print: PrintIndex | undefined): void {
    const cursor = this.#host.cursorNow(bracket.place);
    const standing = print ?? standingPrint(at, cursor);
    const upon = { at, print: standing, close: cursor.price };
    const plan = planExits(bracket, quantity, upon, cursor);
    if (bracket.spec.breakEven !== undefined && this.#host.isBeforeCloses())
      this.#demandSameBefore(plan, bracket, upon, cursor);
    if (plan.isOver) {
      this.#leave(bracket, quantity, at, print);
      return;
    }
    bracket.begin(plan, quantity, at, standing);
    for (const exit of bracket.exits) this.#send(exit, at);
  }

  #amend(bracket: Bracket, quantity: number, at: Millis, print: PrintIndex | undefined): void {
    if (print === undefined) bailOut('exits that grow without a fill');
    if (bracket.sign < 0) bailOut('a short position with exits that is opened in parts');
    const cursor = this.#host.cursorNow(bracket.place);
    const plan = planExits(bracket, quantity, { at, print, close: cursor.price }, cursor);
    bracket.amend(plan, quantity, { at, print, isComplete: !this.#host.isOpen(bracket.entryNumber) });
    for (const exit of bracket.exits) this.#host.judgeExit(exit, at);
  }

  /** Bails out if the close at this time, which a later event handles, would move a stop that is sent now. */
  #demandSameBefore(
    { isEven }: ReturnType<typeof planExits>,
    bracket: Bracket,
    upon: Parameters<typeof planExits>[2],
    cursor: SymbolCursor,
  ): void {
    const { closed, closes, columns } = cursor;
    if (closes[closed] !== upon.at) return;
    const close = columns.close[closed - 1];
    if (close === undefined || planExits(bracket, 1, { ...upon, close }, cursor).isEven !== isEven)
      bailOut('a stop that may move as it is sent');
  }

  /** Cancels the exits of a bracket and closes its position at the market. */
  #leave(bracket: Bracket, quantity: number, at: Millis, print: PrintIndex | undefined): void {
    this.#demandNoCancel(bracket.place, at);
    if (at > this.#until) bailOut('a position whose time is over after the last bar');
    this.#stop(bracket, at);
    const { place, sign } = bracket;
    bracket.closing = this.#host.closeAtMarket({ place, side: sign === 1 ? -1 : 1, quantity }, print);
    this.#host.cancelEntry(bracket.entryNumber, print);
  }

  /**
   * Bails out if the venue has not yet confirmed a cancel, because until then the gate counts its shares as closed.
   */
  #demandNoCancel(place: number, at: number): void {
    if (this.#cancelledAt[place] === at) bailOut('an exit that is sent as another is cancelled');
  }

  #stop(bracket: Bracket, at: number): void {
    this.#endRows(bracket, at);
    bracket.stop();
  }

  #endRows({ exits, closingRow }: Bracket, at: number): void {
    for (const { row } of exits) if (row !== undefined) this.exits.end(row, at);
    if (closingRow !== undefined) this.exits.end(closingRow, at);
  }

  #send(exit: Exit, at: Millis): void {
    const { slot, terms, order } = exit;
    this.#demandNoCancel(order.place, at);
    order.sentAt = at;
    this.#host.sendExit(exit, at);
    const price = slot === 'stop' ? terms.triggerPrice : terms.price;
    exit.row =
      slot === 'trail' || price === undefined
        ? undefined
        : this.exits.begin({ security: order.place, kind: slot, price: doubleOfDecimal(price), from: at });
  }

  /** Sends exits again that expired at the venue. */
  #sendAgain(bracket: Bracket, at: Millis): void {
    this.#demandInTurn(bracket, at);
    this.#endRows(bracket, at);
    for (const exit of bracket.exits) this.#send(exit, at);
    this.renewedExits += bracket.exits.length;
    const reported = this.#reported.get(bracket) ?? new Set();
    this.#reported.set(bracket, reported);
    for (const { slot, terms } of bracket.exits) {
      if (!reported.has(slot)) this.#alarms.push(expiredExitAlarm(slot, terms, at));
      reported.add(slot);
    }
  }

  /** Bails out if exits expire in another order than they were sent. */
  #demandInTurn({ exits }: Bracket, at: Millis): void {
    const numbers = exits.map(({ order }) => order.number);
    const isLate = at < this.#renewedAt || (at === this.#renewedAt && Math.min(...numbers) < this.#renewed);
    if (isLate) bailOut('exits that expire in another order than they were sent');
    this.#renewed = Math.max(...numbers);
    this.#renewedAt = at;
  }

  #list(place: number): Bracket[] {
    return this.#lists[place] as Bracket[];
  }
}

/** Returns whether the timer of a bracket was set when its entry filled. */
function isTimerSetOnce({ begins, spec }: Bracket): boolean {
  return begins === 1 && spec.breakEven === undefined;
}

/** Returns the last print before a time at which orders end, counted from the first bar of the run. */
function standingPrint(at: Millis, { tape, columns, base }: SymbolCursor): PrintIndex {
  const next = tape.firstFrom(at);
  const last = (next === NO_PRINT ? columns.length * PRINTS_PER_BAR : next) - 1;
  if (last < 0) bailOut('exits that are sent between two stretches of bars');
  return last + base * PRINTS_PER_BAR;
}
