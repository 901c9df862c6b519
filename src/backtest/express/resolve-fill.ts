import { decimalOfDouble, doubleOfDecimal, ONE } from '../../model/amount.ts';
import { type Millis, NEVER } from '../../model/time.ts';
import { PRINTS_PER_BAR } from '../../simulation/market/prints.ts';
import { barOf, NO_PRINT, type PrintIndex, stepOf } from '../../simulation/market/tape.ts';
import { type Bound, firstWithin, isWithinBound } from '../../simulation/market/watch.ts';
import { closeTickOf, isExtreme } from '../../simulation/matching/inside-bars.ts';
import { metOnTheWay } from '../../simulation/matching/resting.ts';
import { takenPrice } from '../../simulation/matching/slippage.ts';
import { bailOut } from './bail-out.ts';
import type { OrderDay } from './hours.ts';
import { ENDS, type OpenOrder } from './open-order.ts';
import type { SymbolCursor } from './symbol-cursor.ts';
import type { TickSteps } from './tick-steps.ts';
import { unitsOf } from './units.ts';

const ANY_PRICE: Bound = { direction: 'any', price: 0, counts: true };

/**
 * Fills in the outcome of a day order sent at the close at the current bar of its cursor, by the rules of simulation/: no other
 * order takes its volume, so the coming prints decide. Leaves where a bar runs across the close, as the print current then would
 * count.
 */
export function resolveFill(order: OpenOrder, cursor: SymbolCursor, ticks: TickSteps): void {
  order.sentAt = cursor.now;
  order.wasArmed = order.type === 'MIT';
  resolveFillAlone(order, cursor, ticks);
  cancelByAge(order, cursor);
}

/**
 * Fills in what becomes of a market or limit order that is sent upon a print that filled another order: it takes that print, or waits for
 * later ones of its day. At an extreme it waits for the close tick.
 */
export function resolveFillUpon(
  print: PrintIndex,
  now: Millis,
  order: OpenOrder,
  cursor: SymbolCursor,
  ticks: TickSteps,
): void {
  const { hours, base, tape, columns } = cursor;
  const index = print - base * PRINTS_PER_BAR;
  const today = hours.orderDay(now);
  order.sentAt = now;
  order.wasArmed = false;
  order.willEnd(today.expires, ENDS.expires, Number.NaN);
  if (order.type === 'LO') demandTick(order.level, cursor, ticks, today);
  const printed = tape.price(index);
  if (isExtreme(index)) {
    order.insideFrom = closeTickOf(print);
    meet(order, cursor, today, closeTickOf(index));
  } else if (isWithinBound(printed, boundFor(order))) takes(order, cursor, index, printed);
  else meet(order, cursor, today, index + 1 < columns.length * PRINTS_PER_BAR ? index + 1 : NO_PRINT);
  cancelByAge(order, cursor);
}

/**
 * Fills in what becomes of a market or limit order that is sent at any instant, by the latest print of its symbol: where that is of a bar that
 * runs and no extreme of it, the order may take it, before any other print of the instant. Otherwise it waits for later ones of its day.
 */
export function resolveFillNow(
  latest: PrintIndex,
  order: OpenOrder,
  cursor: SymbolCursor,
  ticks: TickSteps,
): void {
  const { hours, base, tape, columns, closes } = cursor;
  const now = cursor.now as Millis;
  const today = hours.orderDay(now);
  const bar = barOf(latest);
  const runs = latest >= 0 && now < (closes[bar] as number);
  if (runs && !hours.isOpen(now)) bailOut('an order in a break of trading while a bar runs');
  order.sentAt = now;
  order.wasArmed = false;
  order.willEnd(today.expires, ENDS.expires, Number.NaN);
  if (order.type === 'LO') demandTick(order.level, cursor, ticks, today);
  const isMet = runs && tape.trades(bar) && isWithinBound(tape.price(latest), boundFor(order));
  if (runs && isExtreme(latest)) {
    order.insideFrom = closeTickOf(latest) + base * PRINTS_PER_BAR;
    meet(order, cursor, today, closeTickOf(latest));
  } else if (isMet) {
    takes(order, cursor, latest, tape.price(latest), now);
    order.isAtOnce = true;
  } else meet(order, cursor, today, latest + 1 < columns.length * PRINTS_PER_BAR ? latest + 1 : NO_PRINT);
  cancelByAge(order, cursor);
}

/** Fills in what becomes of the rest of an order after the print at its `position`, which had too few shares for all of it. */
export function resolveRest(order: OpenOrder, cursor: SymbolCursor): void {
  const { columns, hours, base } = cursor;
  const met = order.position - base * PRINTS_PER_BAR;
  const today = hours.orderDay(order.sentAt as Millis);
  // What is left of an order whose condition an extreme has met waits for the close tick.
  const next = order.type === 'MIT' && isExtreme(met) ? closeTickOf(met) : met + 1;
  if (order.type === 'MIT') order.atMarket();
  order.willEnd(today.expires, ENDS.expires, Number.NaN);
  meet(order, cursor, today, next < columns.length * PRINTS_PER_BAR ? next : NO_PRINT);
  cancelByAge(order, cursor);
}

/** Has an order end by its age, where it is too old before it is filled. */
function cancelByAge(order: OpenOrder, cursor: SymbolCursor): void {
  // Exits and parts of orders are not cancelled by their age.
  if (order.exit !== undefined || order.sliced !== 0) return;
  const cancelAt = order.sentAt + cursor.cancelAfterMs;
  if (cancelAt < order.at || (cancelAt === order.at && order.ends === ENDS.fills)) {
    if (order.ends === ENDS.fills && isBetweenExtremes(cancelAt, order.at, cursor))
      bailOut('a cancel that comes between the extremes of a bar');
    order.willEnd(cancelAt, ENDS.cancelled, Number.NaN);
  }
}

/** Fills in what becomes of a market order that is sent upon a print, and that later prints of its day fill. */
export function resolveFillAfter(print: PrintIndex, order: OpenOrder, cursor: SymbolCursor): void {
  const { hours, columns, base } = cursor;
  const first = print - base * PRINTS_PER_BAR;
  const today = hours.orderDay(cursor.now as Millis);
  order.sentAt = cursor.now;
  order.wasArmed = false;
  order.willEnd(today.expires, ENDS.expires, Number.NaN);
  meet(order, cursor, today, first < columns.length * PRINTS_PER_BAR ? first : NO_PRINT);
}

/** Whether an instant is after the first extreme of a bar whose second one is at `fillAt`: a cancel then comes too late. */
function isBetweenExtremes(at: number, fillAt: number, { tape }: SymbolCursor): boolean {
  const index = tape.firstFrom(fillAt);
  return index !== NO_PRINT && stepOf(index) === 2 && at > tape.time(index - 1);
}

function resolveFillAlone(order: OpenOrder, cursor: SymbolCursor, ticks: TickSteps): void {
  const { columns, hours } = cursor;
  const now = cursor.now as Millis;
  const bar = cursor.closed + 1;
  const stamp = bar < columns.length ? (columns.time[bar] as number) : NEVER;
  if (stamp < now) bailOut(`a bar of "${columns.symbol}" runs at ${now}`);
  if (order.type === 'MO' && stamp === now && hours.isOpen(now) && cursor.tape.trades(bar)) {
    takes(order, cursor, bar * PRINTS_PER_BAR, columns.open[bar] as number);
  } else waitForPrints(order, cursor, ticks, bar);
}

/** What a day order does that does not fill at once. */
function waitForPrints(order: OpenOrder, cursor: SymbolCursor, ticks: TickSteps, bar: number): void {
  const { columns, hours } = cursor;
  const now = cursor.now as Millis;
  const today = hours.orderDay(now);
  if (order.type !== 'MO') demandTick(order.level, cursor, ticks, today);
  const first = bar < columns.length ? bar * PRINTS_PER_BAR : NO_PRINT;
  order.willEnd(today.expires, ENDS.expires, Number.NaN);
  if (order.type === 'MIT') meetTrigger(order, cursor, today, first);
  else meet(order, cursor, today, first);
}

function meet(order: OpenOrder, cursor: SymbolCursor, { expires }: OrderDay, first: PrintIndex): void {
  const { tape } = cursor;
  const index = firstWithin(tape, first, expires, boundFor(order));
  if (index === NO_PRINT) return;
  if (order.type === 'MO') takes(order, cursor, index, tape.price(index));
  // There is no current print when it is sent: it meets the next one.
  else fillAt(order, cursor, index, limitPriceAt(order, cursor, index));
}

/** The prices at which a market or a limit order trades. */
function boundFor({ side, level, type }: OpenOrder): Bound {
  return type === 'MO' ? ANY_PRICE : { direction: side === 1 ? 'down' : 'up', price: level, counts: true };
}

/** The same as `restingPrice`, of a limit order. */
function limitPriceAt(
  { side, level, insideFrom }: OpenOrder,
  { tape, base }: SymbolCursor,
  index: PrintIndex,
): number {
  const printed = tape.price(index);
  if (tape.isGap(index) || index + base * PRINTS_PER_BAR === insideFrom) return printed;
  const met = { limit: level, before: tape.price(index - 1), printed };
  return metOnTheWay(side === 1 ? 'buy' : 'sell', met, Math);
}

/**
 * A trigger to sell, as `watchOf` and `firstFiring` have it. `metPrice` would leave both as they are: a level on a tick, and a
 * print that sells.
 */
function meetTrigger(order: OpenOrder, cursor: SymbolCursor, { expires }: OrderDay, first: PrintIndex): void {
  if (first === NO_PRINT) return;
  const { tape, columns } = cursor;
  const { level } = order;
  const last = columns.close[first / PRINTS_PER_BAR - 1];
  const isAnywhere = last === undefined || last === level;
  const wanted: Bound = isAnywhere
    ? ANY_PRICE
    : { direction: level > last ? 'up' : 'down', price: level, counts: true };
  const index = firstWithin(tape, first, expires, wanted);
  if (index === NO_PRINT) return;
  const isTravelledTo = stepOf(index) > 0 && !isWithinBound(tape.price(index - 1), wanted);
  takes(order, cursor, index, isTravelledTo ? level : tape.price(index));
}

/** Fills at a print what is worse than its price by the slippage model. */
function takes(
  order: OpenOrder,
  cursor: SymbolCursor,
  index: PrintIndex,
  price: number,
  at = cursor.tape.time(index),
): void {
  const { tape, fills, security } = cursor;
  if (fills.slippage.kind === 'none') {
    fillAt(order, cursor, index, price, at);
    return;
  }
  const { side, type, quantity, level } = order;
  const taking = {
    security,
    terms: { symbol: security.symbol, side: side === 1 ? ('buy' as const) : ('sell' as const), type },
    rest: quantity * ONE,
    limit: type === 'LO' ? decimalOfDouble(level) : undefined,
  };
  const met = { price: decimalOfDouble(price), bar: tape.figures(barOf(index)), at };
  fillAt(order, cursor, index, doubleOfDecimal(takenPrice(taking, met, fills)), at);
}

function fillAt(
  order: OpenOrder,
  { tape, base }: SymbolCursor,
  index: PrintIndex,
  price: number,
  at: Millis = tape.time(index),
): void {
  order.willEnd(at, ENDS.fills, price);
  order.position = base * PRINTS_PER_BAR + index;
}

function demandTick(
  price: number,
  { fills: { checkTicks } }: SymbolCursor,
  ticks: TickSteps,
  { day, sentOn }: OrderDay,
): void {
  const units = unitsOf(price);
  const isOn = ticks.isOn(units, day) && (sentOn === day || ticks.isOn(units, sentOn));
  if (!isOn || !checkTicks) bailOut('a price between ticks');
}
