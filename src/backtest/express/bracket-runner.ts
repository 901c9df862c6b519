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

/** What brackets need of the gate, the venue and the account. */
interface BracketHost {
  /** The cursor of a place, at the current time. */
  cursorNow(place: number): SymbolCursor;
  held(place: number): number;
  /** True while an order of the strategy on that side of a symbol waits, or is held back. */
  isTaken(place: number, side: OpenOrder['side']): boolean;
  /** Shares that market orders among them buy or sell. */
  takenAtMarket(place: number, side: OpenOrder['side']): number;
  /** True while orders end that expire: before the bars of their instant close. */
  isBeforeCloses(): boolean;
  /** True while an order ends that is cancelled for its age. */
  isAtCancel(): boolean;
  /** Has the gate judge an exit as it is to be from now on. */
  judgeExit(exit: Exit, at: Millis): void;
  /** The same for one that is sent now. */
  sendExit(exit: Exit, at: Millis): void;
  /** Buys or sells shares at the market, upon a print or at a close. */
  closeAtMarket(
    closing: Pick<OpenOrder, 'place' | 'side' | 'quantity'>,
    print: PrintIndex | undefined,
  ): OpenOrder;
}

/** When the position of a bracket is left, or its stop moves. */
export interface BracketTimer {
  readonly bracket: Bracket;
  readonly at: Millis;
  readonly leaves: boolean;
}

/**
 * Runs the brackets of all positions by the rules of execution/algorithms/bracket.ts. The shares of a symbol belong to its brackets in the
 * order of their entries: what is closed otherwise is missing at the newest. While the strategy itself closes, no exit of the symbol works.
 */
export class BracketRunner {
  readonly exits = new ExitLog();
  /** Exits that expired while their position was held, and were sent again. */
  renewedExits = 0;
  readonly #alarms: Alarm[] = [];
  readonly #until: Millis;
  readonly #missing: MissingExits;
  readonly #host: BracketHost;
  readonly #lists: readonly Bracket[][];
  /** Places that have brackets. */
  readonly #places: PlaceList;
  /** Number of brackets of the run. */
  #started = 0;
  /** When an exit of a place was executed last, and others of its bracket had to be cancelled. */
  readonly #cancelledAt: Float64Array;
  /** When the venue took an order of each symbol last, and the number of the first one of that instant. */
  readonly #orderedAt: Float64Array;
  readonly #ordered: Float64Array;
  /** When exits were sent again last, and the highest number that one of that instant had before. */
  #renewedAt = Number.NEGATIVE_INFINITY;
  #renewed = -1;
  /** Slots whose expiry was reported, by bracket. */
  readonly #reported = new WeakMap<Bracket, Set<Exit['slot']>>();
  readonly #renewal: ConstructorParameters<typeof Bracket>[3];

  /** `renews` is called before exits that expired are sent again; nothing is sent again at `until` or later. */
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

  /** Whether a position has a bracket. */
  get any(): boolean {
    return this.#places.count > 0;
  }

  /** Whether the position of a place has one. */
  has(place: number): boolean {
    return this.#list(place).length > 0;
  }

  /** Shares that working exits of a place buy or sell. Those of a bracket count once, since only one of them executes. */
  working(place: number, side: OpenOrder['side']): number {
    let shares = 0;
    for (const { exits, quantity, sign } of this.#list(place))
      if (exits.length > 0 && sign !== side) shares += quantity;
    return shares;
  }

  /** Number of working exits of all symbols. */
  orderCount(): number {
    let count = 0;
    for (let index = 0; index < this.#places.count; index += 1)
      for (const { exits } of this.#list(this.#places.places[index] as number)) count += exits.length;
    return count;
  }

  /** The alarms of the run, oldest first. */
  alarms(): readonly Alarm[] {
    return [...this.#alarms, ...this.#missing.alarms()].toSorted((one, other) => one.at - other.at);
  }

  /** The bracket whose exit is met first before an instant; undefined where none is. `isFirst`: whether an exit meets a print before another. */
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

  /** The first bracket whose position is to be left, or whose stop moves, before an instant. */
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

  /** Notes that the venue took an order of a symbol while the market is open: its brackets look at their times before timers fire. */
  noteOrder(place: number, at: number, number: number): void {
    if (this.#orderedAt[place] === at) return;
    this.#orderedAt[place] = at;
    this.#ordered[place] = number;
  }

  /** Leaves where the denial of an order has brackets act before other symbols do. */
  denied(place: number, at: Millis): void {
    for (const bracket of this.#list(place))
      if (bracket.leavesAt <= at || bracket.movesBefore(at + 1) <= at)
        bailOut('a denied order as a timer is due');
  }

  /** Whether one timer fires before another one of its instant; leaves where that is not known. */
  #isEarlier(timer: BracketTimer, other: BracketTimer): boolean {
    const [one, two] = [timer.bracket, other.bracket];
    const [orderedOne, orderedTwo] = [
      this.#orderedIn(one.place, timer.at),
      this.#orderedIn(two.place, timer.at),
    ];
    if (orderedOne !== orderedTwo) return orderedOne < orderedTwo;
    // The list is in the order in which they look at their times.
    if (orderedOne !== Number.POSITIVE_INFINITY) return false;
    const isMove = !timer.leaves && !other.leaves && one.place === two.place;
    if (isMove) {
      const areNew = one.hasNoStop && two.hasNoStop;
      // Their timers may have been set as their entries were filled, or later, in the order of the list.
      return areNew && one.number < two.number ? bailOut('two stops that are new at one instant') : false;
    }
    const isLeaving = timer.leaves && other.leaves && isTimerSetOnce(one) && isTimerSetOnce(two);
    return isLeaving ? one.number < two.number : bailOut('two timers at one instant');
  }

  /** Number of the first order of a symbol that the venue took at an instant; infinity without one. */
  #orderedIn(place: number, at: number): number {
    return this.#orderedAt[place] === at ? (this.#ordered[place] as number) : Number.POSITIVE_INFINITY;
  }

  /** Does what a timer is for; the current time is that of the timer. */
  fire({ bracket, at, leaves }: BracketTimer): void {
    // What comes of it has all brackets of the symbol look at their times.
    this.#orderedAt[bracket.place] = at;
    this.#ordered[bracket.place] = Number.NEGATIVE_INFINITY;
    const moved = leaves ? undefined : bracket.moveStop();
    if (moved === undefined) this.#leave(bracket, bracket.quantity, at, undefined);
    else if (moved.isNew) this.#send(moved.stop, at);
    else this.#host.judgeExit(moved.stop, at);
  }

  /** Adds the bracket of an entry that was filled; its exits are sent by the next `step`. */
  start(entry: OpenOrder): void {
    const { place, exits } = entry;
    if (exits === undefined) return;
    const list = this.#list(place);
    if (list.length === 0) this.#places.add(place);
    this.#started += 1;
    const bracket = new Bracket(entry, exits, this.#host.cursorNow(place), this.#renewal, this.#started);
    // Shares belong to brackets in the order in which their entries were sent.
    let at = list.length;
    while (at > 0 && (list[at - 1] as Bracket).entryNumber > bracket.entryNumber) at -= 1;
    if (at === list.length) list.push(bracket);
    else list.splice(at, 0, bracket);
  }

  /** Drops a bracket one of whose exits is executed. */
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

  /** Drops the bracket whose closing order was filled. */
  closed(order: OpenOrder): void {
    const bracket = this.#list(order.place).find(({ closing }) => closing === order);
    if (bracket !== undefined) this.#drop(bracket, order.at);
  }

  /** Cancels the exits of a symbol, as the strategy itself closes. */
  yield(place: number, at: number): void {
    for (const bracket of this.#list(place)) if (bracket.closing === undefined) this.#stop(bracket, at);
  }

  /**
   * Has the brackets of a symbol send or cancel exits after something happened to its position or orders: upon a print, which is
   * counted from the first bar of the run, or without one.
   */
  step(place: number, at: Millis, print?: PrintIndex): void {
    let rest = this.#host.held(place);
    // A list of one is what most positions have.
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
    if (open === 0) {
      this.#drop(bracket, at);
    } else if (isTaken) {
      if (bracket.exits.length > 0) bailOut('exits while an order of the strategy closes their position');
      this.#stop(bracket, at);
    } else if (bracket.quantity === 0) this.#begin(bracket, open, at, print);
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

  /** Leaves where the close of an instant moves a stop that is sent right before it: that close is looked at by a later event. */
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

  /** Cancels the exits of a bracket, and closes its position at the market. */
  #leave(bracket: Bracket, quantity: number, at: Millis, print: PrintIndex | undefined): void {
    this.#demandNoCancel(bracket.place, at);
    if (at > this.#until) bailOut('a position whose time is over after the last bar');
    this.#stop(bracket, at);
    const { place, sign } = bracket;
    bracket.closing = this.#host.closeAtMarket({ place, side: sign === 1 ? -1 : 1, quantity }, print);
  }

  /** Leaves where the venue has not confirmed a cancel yet: until then the gate counts its shares as closed. */
  #demandNoCancel(place: number, at: number): void {
    if (this.#cancelledAt[place] === at) bailOut('an exit that is sent as another is cancelled');
  }

  #stop(bracket: Bracket, at: number): void {
    this.#endRows(bracket, at);
    bracket.stop();
  }

  #endRows({ exits }: Bracket, at: number): void {
    for (const { row } of exits) if (row !== undefined) this.exits.end(row, at);
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

  /** Sends exits again that the venue expired. */
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

  /** Leaves where exits that expired earlier, or that were sent earlier and expired at the same instant, come after others. */
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

/** Whether the timer of a bracket that leaves was set as its entry was filled. */
function isTimerSetOnce({ begins, spec }: Bracket): boolean {
  return begins === 1 && spec.breakEven === undefined;
}

/** The last print before an instant at which orders end, counted from the first bar of the run. */
function standingPrint(at: Millis, { tape, columns, base }: SymbolCursor): PrintIndex {
  const next = tape.firstFrom(at);
  const last = (next === NO_PRINT ? columns.length * PRINTS_PER_BAR : next) - 1;
  if (last < 0) bailOut('exits that are sent between two stretches of bars');
  return last + base * PRINTS_PER_BAR;
}
