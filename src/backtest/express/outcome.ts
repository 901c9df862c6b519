import { dayOf, isOpen, regularClose, tradingDayOf } from '../../markets/sessions.ts';
import { isOnTick, tickSize } from '../../markets/ticks.ts';
import { Decimal, type Price, ZERO } from '../../model/decimal.ts';
import type { Security } from '../../model/security.ts';
import { marketOf } from '../../model/symbol.ts';
import type { CalendarDay, Millis } from '../../model/time.ts';
import { metPrice, watchOf } from '../../simulation/conditions.ts';
import { PRINTS_PER_BAR } from '../../simulation/prints.ts';
import { NO_PRINT, type PrintIndex, type Tape } from '../../simulation/tape.ts';
import { firstFiring, firstReaching, type Level } from '../../simulation/watch.ts';
import type { Track } from '../track.ts';
import { leave } from './leaves.ts';
import type { Wish } from './wish.ts';

/** How an order ends, in the order of what happens at one instant: with its day, by our own cancel, or by a fill in full. */
export const ENDS = { expires: 0, cancelled: 1, fills: 2 } as const;

/** What becomes of an order, and when. */
export interface Outcome {
  readonly at: number;
  readonly ends: (typeof ENDS)[keyof typeof ENDS];
  /** What it fills at; NaN when it does not. */
  readonly price: number;
}

/** What is looked at to tell it. */
export interface Lane {
  readonly security: Security;
  readonly track: Track;
  readonly tape: Tape;
  readonly checkTicks: boolean;
  /** Orders are cancelled that are still open after so long; undefined: never. */
  readonly cancelAfterMs: number | undefined;
}

const ANY_PRICE: Level = { direction: 'any', price: ZERO };

/**
 * What becomes of a day order sent at a close, by the rules of simulation/: nobody else takes what it waits for, so the
 * prints to come tell. Leaves where a bar runs across the close, as what stands then would count.
 */
export function outcomeOf(wish: Wish, lane: Lane, now: Millis): Outcome {
  const outcome = leftAlone(wish, lane, now);
  const cancelAt = now + (lane.cancelAfterMs ?? Number.POSITIVE_INFINITY);
  const isCancelled = cancelAt < outcome.at || (cancelAt === outcome.at && outcome.ends === ENDS.fills);
  return isCancelled ? { at: cancelAt, ends: ENDS.cancelled, price: Number.NaN } : outcome;
}

function leftAlone(wish: Wish, lane: Lane, now: Millis): Outcome {
  const { columns } = lane.track;
  const market = marketOf(columns.symbol);
  const bar = lane.track.closedIndex(now) + 1;
  const stamp = columns.time[bar] ?? Number.POSITIVE_INFINITY;
  if (stamp < now) leave(`a bar of "${columns.symbol}" runs at ${now}`);
  if (wish.type === 'MO' && stamp === now && isOpen(market, now))
    return { at: stamp, ends: ENDS.fills, price: columns.open[bar] as number };
  const day = tradingDayOf(market, now);
  const expires = regularClose(market, day) ?? leave('a day without a session');
  if (wish.level !== undefined) demandTick(wish.level, lane, [day, dayOf(market, now)]);
  const first = bar < columns.length ? bar * PRINTS_PER_BAR : NO_PRINT;
  return met(wish, lane, { first, expires, day }) ?? { at: expires, ends: ENDS.expires, price: Number.NaN };
}

interface Wait {
  readonly first: PrintIndex;
  readonly expires: Millis;
  readonly day: CalendarDay;
}

function met({ side, type, level }: Wish, lane: Lane, { first, expires, day }: Wait): Outcome | undefined {
  const { tape, track, security } = lane;
  if (type === 'MIT' && level !== undefined && first !== NO_PRINT) {
    const terms = {
      symbol: security.symbol,
      side: 'sell',
      type,
      triggerPrice: level,
      quantity: ZERO,
      timeInForce: 'day',
    } as const;
    const last = track.columns.close[first / PRINTS_PER_BAR - 1];
    const firing = firstFiring(tape, first, expires, watchOf(terms, last));
    if (firing === undefined) return undefined;
    const printed = new Decimal(tape.price(firing.index));
    const price = lane.checkTicks ? metPrice(terms, firing.price, printed, security, day) : firing.price;
    return { at: tape.time(firing.index), ends: ENDS.fills, price: price.toNumber() };
  }
  const wanted: Level =
    level === undefined ? ANY_PRICE : { direction: side === 1 ? 'down' : 'up', price: level };
  const index = firstReaching(tape, first, expires, wanted);
  if (index === NO_PRINT) return undefined;
  const isAtPrint = level === undefined || tape.isGap(index);
  return { at: tape.time(index), ends: ENDS.fills, price: isAtPrint ? tape.price(index) : level.toNumber() };
}

function demandTick(price: Price, { security, checkTicks }: Lane, days: readonly CalendarDay[]): void {
  if (!price.gt(0)) leave('a price that is none');
  const facts = { market: marketOf(security.symbol), kind: security.kind };
  const isOn = days.every((day) => isOnTick(price, tickSize(facts, price, day)));
  if (!isOn || !checkTicks) leave('a price between ticks');
}
