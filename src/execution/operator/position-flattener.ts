import type { FlattenChanged, SluiceEvent } from '../../events/event.ts';
import { flattenedSymbols } from '../../events/records/algorithm-record.ts';
import { isWaiting } from '../../events/records/open-orders.ts';
import { REGULAR_KINDS } from '../../markets/held-sessions.ts';
import { oddLotText, roundToLot } from '../../markets/lots.ts';
import { type Price, ZERO } from '../../model/decimal.ts';
import type { Alarm } from '../../model/notice.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import type { IntentId, OrderIntent, OrderTerms } from '../../model/order.ts';
import { isLive } from '../../model/order-state.ts';
import { isOutOfReach } from '../../model/pending-step.ts';
import type { Security } from '../../model/security.ts';
import { marketOf, type SecuritySymbol } from '../../model/symbol.ts';
import { type Millis, millis } from '../../model/time.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Task, Turn } from '../../ports/task.ts';
import type { Gate } from '../gate/gate.ts';
import { sessionFact } from '../gate/trading-time.ts';
import type { Executor } from '../orders/executor.ts';
import type { OrderNews } from '../orders/order-news.ts';
import type { Recorder } from '../recorder.ts';

/** A symbol whose position is being closed, and what that waits for. */
export interface Flattening {
  readonly symbol: SecuritySymbol;
  readonly waitsFor: 'cancels' | 'closing-order' | 'market-open' | 'next-look';
  /** For `market-open`: the market is closed until then at least; else null. */
  readonly until: Millis | null;
}

/** Closes positions, whatever the gate's state. */
export interface PositionFlattener {
  /** Journals that the positions of some symbols, or of all, are to be closed; a restart continues from there. */
  begin(symbols: readonly SecuritySymbol[] | undefined): void;
  /** Closes what was begun: each position as soon as none of its orders is open any more. Nothing happens where nothing was. */
  look(): Task<OrderNews>;
  /** Looks at once where a position is closed and its last order is over; anything else waits for the next look. */
  handle(event: SluiceEvent): void;
  /** Closes no more, except what a bracket without exits still opens. */
  end(): void;
  /** Positions still being closed. */
  standing(): readonly Flattening[];
}

/** Dependencies of the position flattener. */
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
  /** Cancels orders. */
  readonly cancelAll: (intentIds: readonly IntentId[]) => Task<OrderNews>;
  /** Reads the day's orders where calls are counted, so that cancels are known to be done; absent: pushes tell. */
  readonly confirm?: Turn<OrderNews> | undefined;
  /** Queues a turn before everything else that is queued. */
  readonly runNext: (turn: Turn<OrderNews>) => void;
  /** Makes a turn urgent from now until it is over. */
  readonly urgently: (turn: Turn<OrderNews>) => Turn<OrderNews>;
}

/** Waits between checks of the remaining positions: 1, 2, 4, 8, 15 s, then every 30 s. */
const LOOK_AFTER_MS = [1_000, 1_000, 2_000, 4_000, 7_000] as const;
/** Where each look may cost a call and no push is certain: the first ones follow soon, as cancels take effect within a second. */
const COUNTED_LOOK_AFTER_MS = [250, 500, 1_000, 1_000, 2_000, 4_000, 7_000] as const;
const LOOK_EVERY_MS = 30_000;
/** Checks before an alarm that a position is not closed, or an order not gone; about half an hour. */
const LOOKS_MAX = 64;

/** Sells what is long and buys back what is short, at the market, one order a symbol; shares below a lot are reported. */
export function createPositionFlattener(parts: PositionFlattenerParts): PositionFlattener {
  const { gate, executor, recorder, clock, securities } = parts;
  const { state } = recorder;
  const wanted = state.flattening;
  const waits: readonly number[] = parts.confirm === undefined ? LOOK_AFTER_MS : COUNTED_LOOK_AFTER_MS;
  let looks = 0;
  let armed = false;

  function begin(symbols: readonly SecuritySymbol[] | undefined): void {
    looks = 0;
    change([...wanted.keys(), ...(symbols ?? everySymbol())]);
  }

  /** A bracket whose exits a flatten took has none: what its entry still opens is closed in any case. */
  function end(): void {
    const flattened = flattenedSymbols(state.algorithms);
    change([...wanted.keys()].filter((symbol) => flattened.includes(symbol)));
  }

  function change(to: readonly SecuritySymbol[], offset?: FlattenChanged['offset']): void {
    const symbols = [...new Set(to)];
    if (symbols.length === wanted.size && symbols.every((symbol) => wanted.has(symbol))) return;
    recorder.record({ kind: 'flatten-changed', at: clock.now(), symbols, ...omitUndefined({ offset }) });
  }

  function drop(symbol: SecuritySymbol, offset?: FlattenChanged['offset']): void {
    change(
      [...wanted.keys()].filter((each) => each !== symbol),
      offset,
    );
  }

  /** True while strategies hold opposite positions that cancel out in the account. */
  function isOffset(symbol: SecuritySymbol): boolean {
    if (state.portfolio.holdings.has(symbol)) return false;
    return [...state.books.values()].some(({ holdings }) => holdings.has(symbol));
  }

  /** The account holds nothing: what its strategies hold against each other ends at the latest price; without one, it is looked at again. */
  function dropFlat(symbol: SecuritySymbol): void {
    const currency = securities.get(symbol)?.currency;
    if (!isOffset(symbol) || currency === undefined) {
      drop(symbol);
      return;
    }
    const price = parts.last(symbol);
    if (price !== undefined) drop(symbol, { symbol, price, currency });
  }

  /** What is held, also by strategies against each other, and what an order that is still open may yet open: it may be filled before its cancel arrives. */
  function everySymbol(): readonly SecuritySymbol[] {
    const open = [...state.live.values()].map(({ terms }) => terms.symbol);
    const ofStrategies = [...state.books.values()].flatMap(({ holdings }) => [...holdings.keys()]);
    return [...state.portfolio.holdings.keys(), ...ofStrategies, ...open];
  }

  /** Looks again once cancels that are not known to be done were read. */
  function* lookAgain(): Task<OrderNews> {
    const awaitsCancel = [...state.live.values()].some(
      ({ terms, facets }) => wanted.has(terms.symbol) && facets.pending.startsWith('cancel-'),
    );
    if (awaitsCancel && parts.confirm !== undefined) yield* parts.confirm();
    yield* look();
  }

  function* look(): Task<OrderNews> {
    for (const symbol of [...wanted.keys()]) if (wanted.has(symbol)) yield* close(symbol);
    rearm();
  }

  function* close(symbol: SecuritySymbol): Task<OrderNews> {
    // An order that waits for the exits to be gone would close the position as well.
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
    // An order out of reach that only adds does not keep what is held: what it opens is closed later.
    const isAwaited = open.some(({ terms, facets }) => terms.side === side || !isOutOfReach(facets));
    // Orders sent since the flatten began: exits of an entry that was filled before its cancel arrived, or orders of the strategy.
    if (isOpen) yield* parts.cancelAll(othersIn(symbol));
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
    yield* send({ symbol, side, type: 'MO', quantity, timeInForce: 'day' });
  }

  /**
   * Orders of a symbol that may still execute and were never cancelled, without the one that closes it. A cancel without effect is
   * repeated by the order canceller: one more from every look would use up the few cancels that an order has.
   */
  function othersIn(symbol: SecuritySymbol): readonly IntentId[] {
    return [...state.live.values()].flatMap(({ intentId, terms, facets }) => {
      const isLeaving = facets.cancelWanted || facets.cancels > 0;
      const isOther = terms.symbol === symbol && wanted.get(symbol) !== intentId;
      return isOther && !isLeaving && isLive(facets) ? [intentId] : [];
    });
  }

  function* send(terms: OrderTerms): Task<OrderNews> {
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

  /** While a position or an order is left, both are checked again; what stays is reported twice an hour. */
  function rearm(): void {
    if (wanted.size === 0 || armed) return;
    if (looks >= LOOKS_MAX) {
      reportLeft();
      // What an open order may still open has to be closed, too.
      change([...wanted.keys()].filter(hasLive));
      if (wanted.size === 0) return;
      looks = waits.length;
    }
    armed = true;
    const wait = waits[looks] ?? LOOK_EVERY_MS;
    looks += 1;
    clock.at(millis(clock.now() + wait), 'timer', () => {
      armed = false;
      parts.runNext(parts.urgently(lookAgain));
    });
  }

  function reportLeft(): void {
    const isHeld = (symbol: SecuritySymbol): boolean =>
      state.portfolio.holdings.has(symbol) || isOffset(symbol);
    const held = [...wanted.keys()].filter(isHeld).join(', ');
    const open = [...wanted.keys()].filter((symbol) => !isHeld(symbol) && hasLive(symbol)).join(', ');
    const left = [
      ...(held === '' ? [] : [`${held} is still held`]),
      ...(open === '' ? [] : [`${open} still has open orders, which are closed if they are filled`]),
    ];
    if (left.length === 0) return;
    const message = `Not everything could be given up: ${left.join('; ')} after ${LOOKS_MAX} looks`;
    const symbols = [held, open].filter((each) => each !== '').join(', ');
    parts.onAlarm?.({ code: 'flatten-incomplete', message, at: clock.now(), facts: { symbols } });
  }

  function hasLive(symbol: SecuritySymbol): boolean {
    return [...state.live.values()].some(({ terms, facets }) => terms.symbol === symbol && isLive(facets));
  }

  function flatteningOf(symbol: SecuritySymbol): Flattening {
    const live = [...state.live.values()].filter(({ terms }) => terms.symbol === symbol);
    const isOwn = ({ intentId }: { readonly intentId: IntentId }): boolean => wanted.get(symbol) === intentId;
    if (live.some((order) => !isOwn(order))) return { symbol, waitsFor: 'cancels', until: null };
    const { kind, until } = sessionFact(marketOf(symbol), clock.now());
    if (kind === 'closed' || !REGULAR_KINDS.includes(kind)) return { symbol, waitsFor: 'market-open', until };
    return { symbol, waitsFor: live.length > 0 ? 'closing-order' : 'next-look', until: null };
  }

  function handle(event: SluiceEvent): void {
    if (wanted.size === 0 || (event.kind !== 'order-filled' && event.kind !== 'order-moved')) return;
    const intentId = event.kind === 'order-filled' ? event.fill.intentId : event.intentId;
    const symbol = state.order(intentId)?.terms.symbol;
    if (symbol === undefined || !wanted.has(symbol)) return;
    if (!state.portfolio.holdings.has(symbol) && !hasLive(symbol)) parts.runNext(parts.urgently(look));
  }

  return {
    begin,
    look,
    handle,
    end,
    standing: () => [...wanted.keys()].map(flatteningOf),
  };
}
