import { ExitLog } from '../../events/curve/exit-columns.ts';
import { expiredExitAlarm } from '../../execution/algorithms/algorithm-runner.ts';
import { doubleOfDecimal } from '../../model/amount.ts';
import type { Alarm } from '../../model/notice.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import { type Millis, millis } from '../../model/time.ts';
import { PRINTS_PER_BAR } from '../../simulation/market/prints.ts';
import { NO_PRINT, type PrintIndex } from '../../simulation/market/tape.ts';
import { SecurityIndexList } from '../security-index-list.ts';
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
  hasClosingOrder(place: number, side: OpenOrder['side']): boolean;
  /** Returns the quantity of market orders among them. */
  closingMarketShares(place: number, side: OpenOrder['side']): number;
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
  readonly isTimeExit: boolean;
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
  readonly #places: SecurityIndexList;
  /** Number of brackets started in the run. */
  #started = 0;
  /** By security: time of the last exit fill that caused other exits of its bracket to be cancelled. */
  readonly #cancelledAt: Float64Array;
  /** By symbol: time of the latest order that the venue accepted, and the number of the first one at that time. */
  readonly #acceptedAt: Float64Array;
  readonly #firstAccepted: Float64Array;
  /** Time of the latest renewal of exits, and the highest previous order number at that time. */
  #renewedAt = Number.NEGATIVE_INFINITY;
  #renewed = -1;
  /** Slots whose expiry was reported, by bracket. */
  readonly #reported = new WeakMap<Bracket, Set<Exit['slot']>>();
  readonly #renewal: ConstructorParameters<typeof Bracket>[3];

  /** `beforeRenewal` is called before expired exits are sent again; nothing is sent again at `until` or later. */
  constructor(
    host: BracketHost,
    symbols: readonly SecuritySymbol[],
    { until, beforeRenewal }: { readonly until: Millis; readonly beforeRenewal: (at: Millis) => void },
  ) {
    this.#host = host;
    this.#until = until;
    this.#lists = symbols.map(() => []);
    this.#places = new SecurityIndexList(symbols.length);
    this.#acceptedAt = new Float64Array(symbols.length).fill(Number.NaN);
    this.#firstAccepted = new Float64Array(symbols.length);
    this.#cancelledAt = new Float64Array(symbols.length).fill(Number.NaN);
    this.#missing = new MissingExits(until, (place) => symbols[place] as SecuritySymbol);
    this.#renewal = {
      until,
      expiries: [],
      renewed: (bracket, at) => {
        beforeRenewal(at);
        this.#sendRenewed(bracket, at);
      },
    };
  }

  get hasBrackets(): boolean {
    return this.#places.count > 0;
  }

  has(place: number): boolean {
    return this.#bracketsOf(place).length > 0;
  }

  /**
   * Returns the quantity of a security's working exits on a side, without those of positions that an order closes. Exits
   * of one bracket count once, because only one executes.
   */
  workingShares(place: number, side: OpenOrder['side']): number {
    let shares = 0;
    for (const { exits, quantity, sign, closing } of this.#bracketsOf(place))
      if (exits.length > 0 && sign !== side && closing === undefined) shares += quantity;
    return shares;
  }

  orderCount(): number {
    let count = 0;
    for (let index = 0; index < this.#places.count; index += 1)
      for (const { exits } of this.#bracketsOf(this.#places.places[index] as number)) count += exits.length;
    return count;
  }

  alarms(): readonly Alarm[] {
    return [...this.#alarms, ...this.#missing.alarms()].toSorted((one, other) => one.at - other.at);
  }

  /**
   * Returns the bracket with the first exit to match before a time; undefined if there is none. `isFirst` returns
   * whether an exit matches before another.
   */
  firstTriggered(
    time: Millis,
    isFirst: (order: OpenOrder, other: OpenOrder) => boolean,
  ): { readonly bracket: Bracket; readonly order: OpenOrder } | undefined {
    let first: OpenOrder | undefined;
    let found: Bracket | undefined;
    for (let index = 0; index < this.#places.count; index += 1)
      for (const bracket of this.#bracketsOf(this.#places.places[index] as number)) {
        const met = bracket.triggeredBefore(time);
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
      for (const bracket of this.#bracketsOf(this.#places.places[index] as number)) {
        const at = millis(Math.min(bracket.timeExitAt, bracket.stopMoveBefore(time)));
        if (at >= time || (first !== undefined && first.at < at)) continue;
        const isTimeExit = at === bracket.timeExitAt;
        if (first === undefined || first.at > at || this.#firesBefore({ bracket, at, isTimeExit }, first))
          first = { bracket, at, isTimeExit };
      }
    return first;
  }

  /**
   * Records an order that the venue accepted in an open market: it makes the brackets of its symbol check their times
   * before timers fire.
   */
  recordAccepted(place: number, at: number, number: number): void {
    if (this.#acceptedAt[place] === at) return;
    this.#acceptedAt[place] = at;
    this.#firstAccepted[place] = number;
  }

  /** Bails out if the denial of an order makes brackets act before other symbols. */
  bailOutIfTimerDue(place: number, at: Millis): void {
    for (const bracket of this.#bracketsOf(place))
      if (bracket.timeExitAt <= at || bracket.stopMoveBefore(at + 1) <= at)
        bailOut('the gate denies an order while a bracket timer is due');
  }

  /** Returns whether a timer fires before another one of the same time; bails out if that is unknown. */
  #firesBefore(timer: BracketTimer, other: BracketTimer): boolean {
    const [one, two] = [timer.bracket, other.bracket];
    const [orderedOne, orderedTwo] = [
      this.#firstAcceptedAt(one.place, timer.at),
      this.#firstAcceptedAt(two.place, timer.at),
    ];
    if (orderedOne !== orderedTwo) return orderedOne < orderedTwo;
    // The list is in the order of their checks.
    if (orderedOne !== Number.POSITIVE_INFINITY) return false;
    const isMove = !timer.isTimeExit && !other.isTimeExit && one.place === two.place;
    if (isMove) {
      const areNew = one.hasNoStop && two.hasNoStop;
      // Their timers may have been set at the fills of their entries, or later in list order.
      return areNew && one.number < two.number ? bailOut('two new stops at the same time') : false;
    }
    const areTimeExits = timer.isTimeExit && other.isTimeExit && isTimerSetOnce(one) && isTimerSetOnce(two);
    return areTimeExits ? one.number < two.number : bailOut('two timers are due at the same time');
  }

  /** Returns the number of a symbol's first order that the venue accepted at a time; Infinity if there is none. */
  #firstAcceptedAt(place: number, at: number): number {
    return this.#acceptedAt[place] === at ? (this.#firstAccepted[place] as number) : Number.POSITIVE_INFINITY;
  }

  fire({ bracket, at, isTimeExit }: BracketTimer): void {
    if (bracket.closing !== undefined) bailOut('a timer while an exit is partially filled');
    // Its result makes all brackets of the symbol check their times.
    this.#acceptedAt[bracket.place] = at;
    this.#firstAccepted[bracket.place] = Number.NEGATIVE_INFINITY;
    const moved = isTimeExit ? undefined : bracket.moveStop();
    if (moved === undefined) this.#closePosition(bracket, bracket.quantity, at, undefined);
    else if (moved.isNew) this.#send(moved.stop, at);
    else this.#host.judgeExit(moved.stop, at);
  }

  /** Adds shares that an entry opened to its bracket, which its first fill starts; the next `updateExits` protects them. */
  addEntryShares(entry: OpenOrder, shares: number): void {
    const { place, exits } = entry;
    if (exits === undefined) return;
    const list = this.#bracketsOf(place);
    if (entry.fills > 1) {
      const bracket = list.find(({ entryNumber }) => entryNumber === entry.number);
      if (bracket === undefined) bailOut('a bracket ended before its entry');
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
  removeExecuted(bracket: Bracket, at: number): void {
    if (bracket.exits.length > 1) this.#cancelledAt[bracket.place] = at;
    this.#removeBracket(bracket, at);
  }

  #removeBracket(bracket: Bracket, at: number): void {
    const list = this.#bracketsOf(bracket.place);
    this.#cancelExitsOf(bracket, at);
    list.splice(list.indexOf(bracket), 1);
    if (list.length === 0) this.#places.drop(bracket.place);
  }

  /** Cancels the exits of a symbol and ends its brackets, whose position the operator closes. */
  cancelAll(place: number, at: number): void {
    this.#cancelledAt[place] = at;
    for (const bracket of [...this.#bracketsOf(place)]) {
      if (bracket.closing !== undefined || this.#host.isOpen(bracket.entryNumber))
        bailOut('the operator closes a position that is being opened or closed');
      this.#missing.record(bracket, 0, at, 'other');
      this.#removeBracket(bracket, at);
    }
  }

  /** Returns the bracket that an order closes. */
  closedBy(order: OpenOrder): Bracket | undefined {
    return this.#bracketsOf(order.place).find(({ closing }) => closing === order);
  }

  /** Handles a fill of a closing order; a complete one removes its bracket. */
  applyClosingFill(order: OpenOrder, shares: number, isComplete: boolean): void {
    const bracket = this.closedBy(order);
    if (bracket === undefined) return;
    const { place, at } = order;
    const isTarget = order.exit === 'target';
    if (bracket.exits.length > 0 && (isComplete || !isTarget)) this.#cancelledAt[place] = at;
    if (isComplete) {
      this.#removeBracket(bracket, at);
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
  resendTarget(rest: OpenOrder, at: Millis): void {
    const bracket = this.closedBy(rest);
    if (bracket === undefined) return;
    const cursor = this.#host.cursorNow(rest.place);
    const { base, closed, closes, price } = cursor;
    if (closes[closed] !== at) bailOut('a target is sent again inside a bar');
    if (bracket.closingRow !== undefined) this.exits.end(bracket.closingRow, at);
    const print = (base + closed + 1) * PRINTS_PER_BAR - 1;
    const { slots } = planExits(bracket, bracket.opened, { at, print, close: price }, cursor);
    const [, terms] = slots.find(([slot]) => slot === 'target') ?? bailOut('no terms for a target');
    this.#send(bracket.resendTarget(terms, print), at);
  }

  /** Whether a security has other brackets than one. */
  hasOthers({ place }: Bracket): boolean {
    return this.#bracketsOf(place).length > 1;
  }

  /** Cancels the exits of a symbol, because the strategy itself closes. */
  cancelExits(place: number, at: number): void {
    for (const bracket of this.#bracketsOf(place))
      if (bracket.closing === undefined) this.#cancelExitsOf(bracket, at);
  }

  /**
   * Updates the exits of a symbol's brackets after a change of its position or orders, caused by `print` (counted
   * from the first bar of the run) or another event.
   */
  updateExits(place: number, at: Millis, print?: PrintIndex): void {
    let rest = this.#host.held(place);
    // Most positions have one bracket.
    for (const bracket of [...this.#bracketsOf(place)]) {
      const { sign } = bracket;
      const open = Math.min(bracket.opened, Math.max(0, sign * rest));
      bracket.opened = open;
      rest -= sign * open;
      if (bracket.closing === undefined) this.#updateBracket(bracket, open, at, print);
    }
  }

  #updateBracket(bracket: Bracket, open: number, at: Millis, print: PrintIndex | undefined): void {
    const { place } = bracket;
    const side = bracket.sign === 1 ? -1 : 1;
    const hasOrder = this.#host.hasClosingOrder(place, side);
    if (open % this.#host.cursorNow(place).security.lotSize !== 0) bailOut('exits for an odd lot');
    const missing = hasOrder && this.#host.closingMarketShares(place, side) < open ? open : 0;
    const cause = print !== undefined ? 'print' : this.#host.isAtCancel() ? 'cancel' : 'other';
    this.#missing.record(bracket, missing, at, cause);
    if ((open === 0 || hasOrder) && this.#host.isOpen(bracket.entryNumber))
      bailOut('a position is closed while its entry is still filling');
    if (open === 0) {
      this.#removeBracket(bracket, at);
    } else if (hasOrder) {
      if (bracket.exits.length > 0)
        bailOut('exits are open while an order of the strategy closes the position');
      this.#cancelExitsOf(bracket, at);
    } else if (bracket.quantity === 0) this.#sendFirstExits(bracket, open, at, print);
    else if (bracket.quantity < open) this.#amend(bracket, open, at, print);
    else if (bracket.quantity !== open) bailOut('exits shrink');
  }

  #sendFirstExits(bracket: Bracket, quantity: number, at: Millis, print: PrintIndex | undefined): void {
    const cursor = this.#host.cursorNow(bracket.place);
    const lastPrint = print ?? lastPrintBefore(at, cursor);
    const sentWhen = { at, print: lastPrint, close: cursor.price };
    const plan = planExits(bracket, quantity, sentWhen, cursor);
    if (bracket.spec.breakEven !== undefined && this.#host.isBeforeCloses())
      this.#bailOutIfStopMoves(plan, bracket, sentWhen, cursor);
    if (plan.closesAtOnce) {
      this.#closePosition(bracket, quantity, at, print);
      return;
    }
    bracket.startExits(plan, quantity, at, lastPrint);
    for (const exit of bracket.exits) this.#send(exit, at);
  }

  #amend(bracket: Bracket, quantity: number, at: Millis, print: PrintIndex | undefined): void {
    if (print === undefined) bailOut('exits grow without a fill');
    if (bracket.sign < 0) bailOut('a partial fill of the entry of a short position with exits');
    const cursor = this.#host.cursorNow(bracket.place);
    const plan = planExits(bracket, quantity, { at, print, close: cursor.price }, cursor);
    bracket.amend(plan, quantity, { at, print, isComplete: !this.#host.isOpen(bracket.entryNumber) });
    for (const exit of bracket.exits) this.#host.judgeExit(exit, at);
  }

  /** Bails out if the close at this time, which a later event handles, would move a stop that is sent now. */
  #bailOutIfStopMoves(
    { isAtBreakEven }: ReturnType<typeof planExits>,
    bracket: Bracket,
    sentWhen: Parameters<typeof planExits>[2],
    cursor: SymbolCursor,
  ): void {
    const { closed, closes, columns } = cursor;
    if (closes[closed] !== sentWhen.at) return;
    const close = columns.close[closed - 1];
    if (
      close === undefined ||
      planExits(bracket, 1, { ...sentWhen, close }, cursor).isAtBreakEven !== isAtBreakEven
    )
      bailOut('a stop may move to break-even as it is sent');
  }

  /** Cancels the exits of a bracket and closes its position at the market. */
  #closePosition(bracket: Bracket, quantity: number, at: Millis, print: PrintIndex | undefined): void {
    this.#bailOutIfCancelUnconfirmed(bracket.place, at);
    if (at > this.#until) bailOut('a position is closed by time after the last bar');
    this.#cancelExitsOf(bracket, at);
    const { place, sign } = bracket;
    bracket.closing = this.#host.closeAtMarket({ place, side: sign === 1 ? -1 : 1, quantity }, print);
    this.#host.cancelEntry(bracket.entryNumber, print);
  }

  /**
   * Bails out if the venue has not yet confirmed a cancel, because until then the gate counts its shares as closed.
   */
  #bailOutIfCancelUnconfirmed(place: number, at: number): void {
    if (this.#cancelledAt[place] === at) bailOut('an exit is sent before the cancel of another is confirmed');
  }

  #cancelExitsOf(bracket: Bracket, at: number): void {
    this.#endRows(bracket, at);
    bracket.removeExits();
  }

  #endRows({ exits, closingRow }: Bracket, at: number): void {
    for (const { row } of exits) if (row !== undefined) this.exits.end(row, at);
    if (closingRow !== undefined) this.exits.end(closingRow, at);
  }

  #send(exit: Exit, at: Millis): void {
    const { slot, terms, order } = exit;
    this.#bailOutIfCancelUnconfirmed(order.place, at);
    order.sentAt = at;
    this.#host.sendExit(exit, at);
    const price = slot === 'stop' ? terms.triggerPrice : terms.price;
    exit.row =
      slot === 'trail' || price === undefined
        ? undefined
        : this.exits.begin({ security: order.place, kind: slot, price: doubleOfDecimal(price), from: at });
  }

  /** Sends exits again that expired at the venue. */
  #sendRenewed(bracket: Bracket, at: Millis): void {
    this.#bailOutIfOutOfOrder(bracket, at);
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
  #bailOutIfOutOfOrder({ exits }: Bracket, at: Millis): void {
    const numbers = exits.map(({ order }) => order.number);
    const isLate = at < this.#renewedAt || (at === this.#renewedAt && Math.min(...numbers) < this.#renewed);
    if (isLate) bailOut('exits expire in a different order than they were sent');
    this.#renewed = Math.max(...numbers);
    this.#renewedAt = at;
  }

  #bracketsOf(place: number): Bracket[] {
    return this.#lists[place] as Bracket[];
  }
}

/** Returns whether the timer of a bracket was set when its entry filled. */
function isTimerSetOnce({ sendCount, spec }: Bracket): boolean {
  return sendCount === 1 && spec.breakEven === undefined;
}

/** Returns the last print before a time at which orders end, counted from the first bar of the run. */
function lastPrintBefore(at: Millis, { tape, columns, base }: SymbolCursor): PrintIndex {
  const next = tape.firstFrom(at);
  const last = (next === NO_PRINT ? columns.length * PRINTS_PER_BAR : next) - 1;
  if (last < 0) bailOut('exits are sent across two windows of bars');
  return last + base * PRINTS_PER_BAR;
}
