import type { FlattenChanged, SluiceEvent } from '../../events/event.ts';
import { flattenedSymbols } from '../../events/records/algorithm-record.ts';
import { isWaiting } from '../../events/records/open-orders.ts';
import { oddLotText, roundToLot } from '../../markets/lots.ts';
import { REGULAR_KINDS } from '../../markets/trading-sessions.ts';
import type { Position } from '../../model/account.ts';
import { Decimal, type Price, type Quantity, ZERO } from '../../model/decimal.ts';
import type { Alarm } from '../../model/notice.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import type { IntentId, OrderIntent, OrderTerms } from '../../model/order.ts';
import { isLive } from '../../model/order-state.ts';
import { isOutOfReach } from '../../model/pending-step.ts';
import type { Security } from '../../model/security.ts';
import { marketOf, type SecuritySymbol } from '../../model/symbol.ts';
import { type Millis, millis } from '../../model/time.ts';
import type { Answer } from '../../ports/broker.ts';
import type { Clock } from '../../ports/clock.ts';
import { awaitAnswer, fromCallback, type Request, type Task, type TaskFactory } from '../../ports/task.ts';
import type { Gate } from '../gate/gate.ts';
import { sessionFact } from '../gate/trading-time.ts';
import type { Executor } from '../orders/executor.ts';
import type { OrderUpdate } from '../orders/order-update.ts';
import type { Recorder } from '../recorder.ts';

/** A symbol whose position is being closed, and what the close waits for. */
export interface Flattening {
  readonly symbol: SecuritySymbol;
  readonly waitsFor: 'cancels' | 'closing-order' | 'market-open' | 'next-look';
  /** For `market-open`: the market is closed at least until then; otherwise null. */
  readonly until: Millis | null;
}

/** Closes positions in every state of the gate. */
export interface PositionFlattener {
  /** Journals that the positions of these symbols, or of all, must be closed; a restart resumes this. */
  begin(symbols: readonly SecuritySymbol[] | undefined): void;
  /** Closes each pending position as soon as none of its orders is open; does nothing if none is pending. */
  closePositions(): Task<OrderUpdate>;
  /** Checks at once when a position is closed and its last order is over; other events wait for the next check. */
  handle(event: SluiceEvent): void;
  /** Ends the flatten, except for symbols whose bracket lost its exits to it. */
  end(): void;
  standing(): readonly Flattening[];
}

export interface PositionFlattenerParts {
  readonly gate: Pick<Gate, 'judge'>;
  readonly executor: Executor;
  readonly recorder: Recorder;
  readonly clock: Clock;
  readonly securities: ReadonlyMap<SecuritySymbol, Security>;
  /** Latest price; undefined before the first. */
  readonly last: (symbol: SecuritySymbol) => Price | undefined;
  readonly mintIntentId: () => IntentId;
  readonly onAlarm: ((alarm: Alarm) => void) | undefined;
  readonly cancelAll: (intentIds: readonly IntentId[]) => Task<OrderUpdate>;
  /** Reads the day's orders to confirm cancels, at a venue that counts calls; absent: pushes confirm them. */
  readonly confirm?: TaskFactory<OrderUpdate> | undefined;
  /** Reads the venue's positions; absent at a venue whose pushes are complete. */
  readonly positions?: (() => Request<Answer<readonly Position[]>>) | undefined;
  /** Requests a comparison of our books with the venue's, which books what they lack. */
  readonly compareBooks: () => void;
  /** Queues a task ahead of all others. */
  readonly runNext: (task: TaskFactory<OrderUpdate>) => void;
  /** Makes a task urgent until it ends. */
  readonly urgently: (task: TaskFactory<OrderUpdate>) => TaskFactory<OrderUpdate>;
  /** No check is scheduled after this time; NEVER for a bot without an end. */
  readonly until: Millis;
}

/** Checks of the remaining positions run after 1, 2, 4, 8 and 15 s, then every 30 s. */
export const CHECK_DELAYS_MS = [1_000, 1_000, 2_000, 4_000, 7_000] as const;
/** At a venue that counts calls and may not push, first checks are sooner: cancels take effect within a second. */
const COUNTED_CHECK_DELAYS_MS = [250, 500, 1_000, 1_000, 2_000, 4_000, 7_000] as const;
const CHECK_EVERY_MS = 30_000;
/** How long a close waits for our books to show the position that the venue shows. */
const DIFFERS_MS = 5_000;
/** How long a check waits for the venue's positions; without them it closes the position of our books. */
const POSITIONS_WITHIN_MS = 1_000;
/** Checks before an alarm that a position or an order remains; about half an hour. */
const CHECKS_MAX = 64;

function quantityIn(positions: readonly Position[], symbol: SecuritySymbol): Quantity {
  return positions.find((position) => position.symbol === symbol)?.quantity ?? ZERO;
}

/**
 * Closes positions with one market order per symbol; reports quantities below one lot. The venue's positions are read
 * before an order: after a split that is not booked yet, our books have old shares.
 */
export function createPositionFlattener(parts: PositionFlattenerParts): PositionFlattener {
  const { gate, executor, recorder, clock, securities } = parts;
  const { state } = recorder;
  const pending = state.flattening;
  const waits: readonly number[] = parts.confirm === undefined ? CHECK_DELAYS_MS : COUNTED_CHECK_DELAYS_MS;
  /** The venue's positions of the current check, read once for all symbols. */
  let venuePositions: { readonly positions: readonly Position[] | undefined } | undefined;
  /** Since when the venue's position in a symbol is not ours. */
  const differsSince = new Map<SecuritySymbol, Millis>();
  const reported = new Set<SecuritySymbol>();
  let checks = 0;
  let armed = false;

  function begin(symbols: readonly SecuritySymbol[] | undefined): void {
    checks = 0;
    reported.clear();
    differsSince.clear();
    recordSymbols([...pending.keys(), ...(symbols ?? allSymbols())]);
  }

  /** Ends the flatten, except for brackets whose exits it cancelled: fills of their entries are still closed. */
  function end(): void {
    const flattened = flattenedSymbols(state.algorithms);
    recordSymbols([...pending.keys()].filter((symbol) => flattened.includes(symbol)));
  }

  function recordSymbols(to: readonly SecuritySymbol[], offset?: FlattenChanged['offset']): void {
    const symbols = [...new Set(to)];
    if (symbols.length === pending.size && symbols.every((symbol) => pending.has(symbol))) return;
    recorder.record({ kind: 'flatten-changed', at: clock.now(), symbols, ...omitUndefined({ offset }) });
  }

  function drop(symbol: SecuritySymbol, offset?: FlattenChanged['offset']): void {
    recordSymbols(
      [...pending.keys()].filter((each) => each !== symbol),
      offset,
    );
  }

  /** True while strategies hold opposite positions that cancel out in the account. */
  function isOffset(symbol: SecuritySymbol): boolean {
    if (state.portfolio.holdings.has(symbol)) return false;
    return [...state.books.values()].some(({ holdings }) => holdings.has(symbol));
  }

  /**
   * Ends the flatten of a symbol that the account does not hold. Opposite positions of strategies end at the latest
   * price; without a price, the next check retries.
   */
  function dropFlat(symbol: SecuritySymbol): void {
    const currency = securities.get(symbol)?.currency;
    if (!isOffset(symbol) || currency === undefined) {
      drop(symbol);
      return;
    }
    const price = parts.last(symbol);
    if (price !== undefined) drop(symbol, { symbol, price, currency });
  }

  /**
   * Returns every symbol held, by the account or by a strategy, or with a live order: it may fill before its cancel
   * arrives.
   */
  function allSymbols(): readonly SecuritySymbol[] {
    const open = [...state.live.values()].map(({ terms }) => terms.symbol);
    const ofStrategies = [...state.books.values()].flatMap(({ holdings }) => [...holdings.keys()]);
    return [...state.portfolio.holdings.keys(), ...ofStrategies, ...open];
  }

  /** Reads the day's orders if a cancel is unconfirmed, then checks. */
  function* confirmAndClose(): Task<OrderUpdate> {
    const awaitsCancel = [...state.live.values()].some(
      ({ terms, facets }) => pending.has(terms.symbol) && facets.pending.startsWith('cancel-'),
    );
    if (awaitsCancel && parts.confirm !== undefined) yield* parts.confirm();
    yield* closePositions();
  }

  function* closePositions(): Task<OrderUpdate> {
    venuePositions = undefined;
    for (const symbol of [...pending.keys()]) if (pending.has(symbol)) yield* close(symbol);
    scheduleCheck();
  }

  function* close(symbol: SecuritySymbol): Task<OrderUpdate> {
    // An order that waits for its exits to be cancelled would close the position as well.
    const waiting = [...state.live.values()].filter(
      (order) => order.terms.symbol === symbol && isWaiting(order),
    );
    if (waiting.length > 0) yield* parts.cancelAll(waiting.map(({ intentId }) => intentId));
    const held = state.portfolio.holdings.get(symbol)?.quantity ?? ZERO;
    const side = held.gt(0) ? 'sell' : 'buy';
    const open = [...state.live.values()].filter(
      ({ terms, facets }) => terms.symbol === symbol && isLive(facets),
    );
    const isOpen = open.length > 0;
    // An order that can no longer be cancelled and only adds does not delay the close: its fill is closed later.
    const isAwaited = open.some(({ terms, facets }) => terms.side === side || !isOutOfReach(facets));
    // Orders sent since the flatten began: exits of an entry that filled before its cancel, or orders of the
    // strategy.
    if (isOpen) yield* parts.cancelAll(uncancelledOrders(symbol));
    if (held.isZero()) {
      if (!isOpen) dropFlat(symbol);
      return;
    }
    if (isAwaited) return;
    const security = securities.get(symbol);
    if (security === undefined) {
      drop(symbol);
      const message = `${held} of "${symbol}" cannot be closed: the config does not name it. Add it to the symbols of the config and send the flatten again, or close it by hand`;
      parts.onAlarm?.({ code: 'flatten-incomplete', message, at: clock.now(), facts: { symbols: symbol } });
      return;
    }
    const quantity = roundToLot(held.abs(), security.lotSize);
    if (quantity.isZero()) {
      drop(symbol);
      const message = oddLotText({ symbol, quantity: held, lotSize: security.lotSize });
      parts.onAlarm?.({ code: 'odd-lot-kept', message, at: clock.now(), facts: { symbol } });
      return;
    }
    const closable = roundToLot(yield* closableQuantity(symbol, held), security.lotSize);
    if (closable.isZero()) return;
    yield* send({ symbol, side, type: 'MO', quantity: Decimal.min(quantity, closable), timeInForce: 'day' });
  }

  /**
   * Returns how many shares of a position can be closed now. Where the venue shows another position, waits for the
   * comparison of the books, which books an announced split or a trade by hand; then closes what both have.
   */
  function* closableQuantity(symbol: SecuritySymbol, held: Quantity): Task<OrderUpdate, Quantity> {
    venuePositions ??= { positions: yield* positionsInTime() };
    if (venuePositions.positions === undefined) return held.abs();
    const atVenue = quantityIn(venuePositions.positions, symbol);
    if (atVenue.eq(held)) {
      differsSince.delete(symbol);
      return held.abs();
    }
    const since = differsSince.get(symbol);
    if (since === undefined) {
      differsSince.set(symbol, clock.now());
      parts.compareBooks();
      clock.at(millis(clock.now() + DIFFERS_MS), 'timer', queueCheck);
    }
    if (since === undefined || clock.now() - since < DIFFERS_MS) return ZERO;
    const closable =
      atVenue.isNegative() === held.isNegative() ? Decimal.min(held.abs(), atVenue.abs()) : ZERO;
    alarmDiffering(symbol, { held, atVenue, closable });
    return closable;
  }

  /** Reads the venue's positions; undefined if they are not read, or without an answer in time. */
  function* positionsInTime(): Task<never, readonly Position[] | undefined> {
    const request = parts.positions?.();
    if (request === undefined) return undefined;
    return yield* awaitAnswer(
      fromCallback<readonly Position[] | undefined>((answer) => {
        let isOver = false;
        let read: { unsubscribe(): void } | undefined;
        const stop = (): void => {
          isOver = true;
          cancel();
          read?.unsubscribe();
        };
        const end = (positions: readonly Position[] | undefined): void => {
          if (isOver) return;
          stop();
          answer(positions);
        };
        const cancel = clock.at(millis(clock.now() + POSITIONS_WITHIN_MS), 'timer', () => end(undefined));
        read = request.subscribe({
          next: (reply) => end(reply.kind === 'ok' ? reply.value : undefined),
          error: () => end(undefined),
          complete: () => undefined,
        });
        return stop;
      }),
    );
  }

  function alarmDiffering(
    symbol: SecuritySymbol,
    {
      held,
      atVenue,
      closable,
    }: { readonly held: Quantity; readonly atVenue: Quantity; readonly closable: Quantity },
  ): void {
    if (reported.has(symbol)) return;
    reported.add(symbol);
    const message = `The position of "${symbol}" is ${held} here and ${atVenue} at the venue: ${closable} of it are closed. Settle the difference ("sluice settle books"), and send the flatten again, or close the rest by hand`;
    parts.onAlarm?.({ code: 'flatten-incomplete', message, at: clock.now(), facts: { symbols: symbol } });
  }

  /**
   * Returns the orders of a symbol that may still execute and were never cancelled, except the closing order. The
   * order canceller repeats cancels; repeating them here would use up the few cancels of an order.
   */
  function uncancelledOrders(symbol: SecuritySymbol): readonly IntentId[] {
    return [...state.live.values()].flatMap(({ intentId, terms, facets }) => {
      const isCancelled = facets.cancelWanted || facets.cancels > 0;
      const isOther = terms.symbol === symbol && pending.get(symbol) !== intentId;
      return isOther && !isCancelled && isLive(facets) ? [intentId] : [];
    });
  }

  function* send(terms: OrderTerms): Task<OrderUpdate> {
    const at = clock.now();
    const reason = 'flatten';
    const intent: OrderIntent = {
      id: parts.mintIntentId(),
      terms,
      reason,
      decidedAt: at,
      purpose: 'flatten',
    };
    const cause = { kind: 'operator' as const, name: reason, symbol: terms.symbol, time: at, inputs: {} };
    recorder.record({ kind: 'intent-drafted', at, intentId: intent.id, terms, reason, cause });
    yield* executor.execute(yield* gate.judge(intent));
  }

  /** Schedules the next check while a position or an order remains, and reports what remains about twice an hour. */
  function scheduleCheck(): void {
    if (pending.size === 0 || armed) return;
    if (checks >= CHECKS_MAX) {
      alarmRemaining();
      // A fill of an order that is still open must be closed, too.
      recordSymbols([...pending.keys()].filter(hasLiveOrder));
      if (pending.size === 0) return;
      checks = waits.length;
    }
    const at = millis(clock.now() + (waits[checks] ?? CHECK_EVERY_MS));
    if (at > parts.until) return;
    armed = true;
    checks += 1;
    clock.at(at, 'timer', () => {
      armed = false;
      parts.runNext(parts.urgently(confirmAndClose));
    });
  }

  function alarmRemaining(): void {
    const isHeld = (symbol: SecuritySymbol): boolean =>
      state.portfolio.holdings.has(symbol) || isOffset(symbol);
    const held = [...pending.keys()].filter(isHeld).join(', ');
    const open = [...pending.keys()].filter((symbol) => !isHeld(symbol) && hasLiveOrder(symbol)).join(', ');
    const left = [
      ...(held === '' ? [] : [`${held} is still held`]),
      ...(open === '' ? [] : [`${open} still has open orders, which are closed if they are filled`]),
    ];
    if (left.length === 0) return;
    const message = `Not everything could be closed: ${left.join('; ')} after ${CHECKS_MAX} checks`;
    const symbols = [held, open].filter((each) => each !== '').join(', ');
    parts.onAlarm?.({ code: 'flatten-incomplete', message, at: clock.now(), facts: { symbols } });
  }

  function hasLiveOrder(symbol: SecuritySymbol): boolean {
    return [...state.live.values()].some(({ terms, facets }) => terms.symbol === symbol && isLive(facets));
  }

  function flatteningOf(symbol: SecuritySymbol): Flattening {
    const live = [...state.live.values()].filter(({ terms }) => terms.symbol === symbol);
    const isOwn = ({ intentId }: { readonly intentId: IntentId }): boolean =>
      pending.get(symbol) === intentId;
    if (live.some((order) => !isOwn(order))) return { symbol, waitsFor: 'cancels', until: null };
    const { kind, until } = sessionFact(marketOf(symbol), clock.now());
    if (kind === 'closed' || !REGULAR_KINDS.includes(kind)) return { symbol, waitsFor: 'market-open', until };
    return { symbol, waitsFor: live.length > 0 ? 'closing-order' : 'next-look', until: null };
  }

  function queueCheck(): void {
    parts.runNext(parts.urgently(closePositions));
  }

  function handle(event: SluiceEvent): void {
    if (event.kind === 'corporate-action' && pending.has(event.symbol)) queueCheck();
    if (event.kind === 'foreign-filled' && differsSince.has(event.fill.symbol)) queueCheck();
    if (pending.size === 0 || (event.kind !== 'order-filled' && event.kind !== 'order-moved')) return;
    const intentId = event.kind === 'order-filled' ? event.fill.intentId : event.intentId;
    const symbol = state.order(intentId)?.terms.symbol;
    if (symbol === undefined || !pending.has(symbol)) return;
    if (!state.portfolio.holdings.has(symbol) && !hasLiveOrder(symbol)) queueCheck();
  }

  return {
    begin,
    closePositions,
    handle,
    end,
    standing: () => [...pending.keys()].map(flatteningOf),
  };
}
