import { dayOf } from '../../markets/sessions.ts';
import { tickLadder } from '../../markets/ticks.ts';
import { decimalOfDouble, doubleOfDecimal, ONE } from '../../model/amount.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import type { Security } from '../../model/security.ts';
import type { Market } from '../../model/symbol.ts';
import { type CalendarDay, type Millis, NEVER } from '../../model/time.ts';
import { PRINTS_PER_BAR } from '../../simulation/market/prints.ts';
import { barOf, NO_PRINT, type PrintIndex, stepOf, type Tape } from '../../simulation/market/tape.ts';
import { type Bound, firstWithin, isWithinBound } from '../../simulation/market/watch.ts';
import { closeTickOf, isExtreme } from '../../simulation/matching/inside-bars.ts';
import { limitWithinMove } from '../../simulation/matching/resting.ts';
import { takerPrice } from '../../simulation/matching/slippage.ts';
import { expireDateProblems, expiryOf } from '../../simulation/orders/order-rules.ts';
import { bailOut } from './bail-out.ts';
import type { OrderDay } from './hours.ts';
import { ENDS, type OpenOrder } from './open-order.ts';
import type { SymbolCursor } from './symbol-cursor.ts';
import type { TickSteps } from './tick-steps.ts';
import { unitsOf } from './units.ts';

const ANY_PRICE: Bound = { direction: 'any', price: 0, isInclusive: true };

/**
 * Computes the outcome of an order sent at a close, from future prints, because no other order takes its volume.
 * Bails out if a bar is open across the close, because its current print would count.
 */
export function resolveFill(order: OpenOrder, cursor: SymbolCursor, ticks: TickSteps): void {
  order.sentAt = cursor.now;
  order.hadTrigger = order.type === 'MIT';
  resolveAtClose(order, cursor, ticks);
  cancelByAge(order, cursor);
}

/** Continues to search the prints of an order that outlives the window. */
export function continueSearch(order: OpenOrder, cursor: SymbolCursor): void {
  const from = order.searchedTo - cursor.base * PRINTS_PER_BAR;
  if (from >= cursor.columns.length * PRINTS_PER_BAR) return;
  setExpiry(order);
  fillAtFirstMatch(order, cursor, from);
  cancelByAge(order, cursor);
}

/**
 * Computes the outcome of a market or limit order sent at a print that filled another order: it matches that print,
 * or later ones until it expires. At an extreme it waits for the close tick.
 */
export function resolveFillAtPrint(
  print: PrintIndex,
  now: Millis,
  order: OpenOrder,
  cursor: SymbolCursor,
  ticks: TickSteps,
): void {
  const { base, tape } = cursor;
  const index = print - base * PRINTS_PER_BAR;
  order.sentAt = now;
  order.hadTrigger = false;
  computeExpiry(order, cursor, now, ticks);
  const printed = tape.price(index);
  if (isExtreme(index)) {
    order.insideFrom = closeTickOf(print);
    fillAtFirstMatch(order, cursor, closeTickOf(index));
  } else if (isWithinBound(printed, boundFor(order))) fillWithSlippage(order, cursor, index, printed);
  else fillAtFirstMatch(order, cursor, index + 1);
  cancelByAge(order, cursor);
}

/**
 * Computes the outcome of a market or limit order sent between closes. If the latest print of its symbol is in an
 * open bar and not an extreme, the order may match it, before any other print of that time; otherwise it waits for
 * later prints.
 */
export function resolveFillNow(
  latest: PrintIndex,
  order: OpenOrder,
  cursor: SymbolCursor,
  ticks: TickSteps,
): void {
  const { hours, base, tape, closes } = cursor;
  const now = cursor.now as Millis;
  const bar = barOf(latest);
  const isInsideBar = latest >= 0 && now < (closes[bar] as number);
  if (isInsideBar && !hours.isOpen(now)) bailOut('an order during a trading break inside a bar');
  order.sentAt = now;
  order.hadTrigger = false;
  computeExpiry(order, cursor, now, ticks);
  const isMet = isInsideBar && tape.trades(bar) && isWithinBound(tape.price(latest), boundFor(order));
  if (isInsideBar && isExtreme(latest)) {
    order.insideFrom = closeTickOf(latest) + base * PRINTS_PER_BAR;
    fillAtFirstMatch(order, cursor, closeTickOf(latest));
  } else if (isMet) {
    fillWithSlippage(order, cursor, latest, tape.price(latest), now);
    order.fillsAtLatestPrint = true;
  } else fillAtFirstMatch(order, cursor, latest + 1);
  cancelByAge(order, cursor);
}

/**
 * Computes the outcome of an order's rest after the print at its `position`, which had too little volume.
 * `isTriggered`: that print triggered the order.
 */
export function resolveRest(order: OpenOrder, cursor: SymbolCursor, isTriggered: boolean): void {
  const met = order.position - cursor.base * PRINTS_PER_BAR;
  // The rest of an order that an extreme triggered waits for the close tick.
  const next = isTriggered && isExtreme(met) ? closeTickOf(met) : met + 1;
  if (order.type === 'MIT') order.makeMarket();
  else if (isTriggered && isExtreme(met)) order.insideFrom = closeTickOf(order.position);
  setExpiry(order);
  fillAtFirstMatch(order, cursor, next);
  cancelByAge(order, cursor);
}

/** Ends an order by age, if it does not fill earlier. */
function cancelByAge(order: OpenOrder, cursor: SymbolCursor): void {
  // Exits and slices are not cancelled by age.
  if (order.exit !== undefined || order.sliceOf !== 0) return;
  const cancelAt = order.sentAt + cursor.cancelAfterMs;
  if (cancelAt < order.at || (cancelAt === order.at && order.ends === ENDS.fills)) {
    if (order.ends === ENDS.fills && isBetweenExtremes(cancelAt, order.at, cursor))
      bailOut('a cancel between the extremes of a bar');
    order.setOutcome(cancelAt, ENDS.cancelled, Number.NaN);
  }
}

/** Computes the outcome of a market order that is sent at a print and fills at later prints of its day. */
export function resolveFillAfter(print: PrintIndex, order: OpenOrder, cursor: SymbolCursor): void {
  order.sentAt = cursor.now;
  order.hadTrigger = false;
  computeExpiry(order, cursor, cursor.now as Millis, undefined);
  fillAtFirstMatch(order, cursor, print - cursor.base * PRINTS_PER_BAR);
}

/**
 * Returns whether a time is after the first extreme of a bar whose second one is at `fillAt`; a cancel is too late
 * then.
 */
export function isBetweenExtremes(at: number, fillAt: number, { tape }: SymbolCursor): boolean {
  const index = tape.firstFrom(fillAt);
  return index !== NO_PRINT && stepOf(index) === 2 && at > tape.time(index - 1);
}

function resolveAtClose(order: OpenOrder, cursor: SymbolCursor, ticks: TickSteps): void {
  const { columns, hours } = cursor;
  const now = cursor.now as Millis;
  const bar = cursor.closed + 1;
  const stamp = bar < columns.length ? (columns.time[bar] as number) : NEVER;
  if (stamp < now) bailOut(`a bar of "${columns.symbol}" is open at ${now}`);
  if (order.type === 'MO' && stamp === now && hours.isOpen(now) && cursor.tape.trades(bar)) {
    order.expiresAt = hours.orderDay(now).expires;
    fillWithSlippage(order, cursor, bar * PRINTS_PER_BAR, columns.open[bar] as number);
  } else waitForPrints(order, cursor, ticks, bar);
}

/** Computes the outcome of an order that does not fill at once. */
function waitForPrints(order: OpenOrder, cursor: SymbolCursor, ticks: TickSteps, bar: number): void {
  computeExpiry(order, cursor, cursor.now as Millis, ticks);
  if (order.type === 'MIT') order.trigger = triggerFrom(cursor.columns.close[bar - 1], order.level);
  fillAtFirstMatch(order, cursor, bar * PRINTS_PER_BAR);
}

/** Computes when an order that is sent now expires. Bails out if its price is not on a tick. */
function computeExpiry(
  order: OpenOrder,
  cursor: SymbolCursor,
  now: Millis,
  ticks: TickSteps | undefined,
): void {
  const today = cursor.hours.orderDay(now);
  if (ticks !== undefined && order.type !== 'MO') bailOutIfOffTick(order.level, cursor, ticks, today);
  order.expiresAt = order.timeInForce === 'day' ? today.expires : expiryBeyondDay(order, cursor, today);
  setExpiry(order);
}

/** Returns the expiry of an order for longer than a day. */
function expiryBeyondDay(
  { type, timeInForce, expireDate }: OpenOrder,
  { security, fills, hours: { market } }: SymbolCursor,
  { day }: OrderDay,
): Millis {
  if (expireDate !== undefined && expireDateProblems(expireDate, market, day).length > 0)
    bailOut('the venue rejects the expire date');
  const terms = { symbol: security.symbol, type, timeInForce, ...omitUndefined({ expireDate }) };
  const expires = expiryOf(terms, day, fills);
  bailOutIfTicksChange(security, market, { from: day, until: expires });
  return expires;
}

/** Bails out if the tick ladder changes while an order is open. */
export function bailOutIfTicksChange(
  { kind }: Security,
  market: Market,
  { from, until }: { readonly from: CalendarDay; readonly until: Millis },
): void {
  const facts = { market, kind };
  if (tickLadder(facts, from) !== tickLadder(facts, dayOf(market, until)))
    bailOut('the tick ladder changes while an order is open');
}

/** Sets an order to end by expiry. */
function setExpiry(order: OpenOrder): void {
  order.searchedTo = Number.NaN;
  order.setOutcome(order.expiresAt, ENDS.expires, Number.NaN);
}

/** Sets the fill of an order at the first matching print before its expiry. */
function fillAtFirstMatch(order: OpenOrder, cursor: SymbolCursor, from: PrintIndex): void {
  const { tape, base, columns } = cursor;
  const end = columns.length * PRINTS_PER_BAR;
  const bound = order.trigger ?? boundFor(order);
  const index = firstWithin(tape, from < end ? from : NO_PRINT, order.expiresAt, bound);
  if (index === NO_PRINT) {
    // The window has the whole day of a day order.
    if (order.timeInForce !== 'day') order.searchedTo = base * PRINTS_PER_BAR + Math.max(from, end);
  } else if (order.type === 'LO') fillAt(order, cursor, index, limitPriceAt(order, cursor, index));
  else fillWithSlippage(order, cursor, index, triggeredPrice(order, bound, tape, index));
}

/** Returns the prices at which a market or limit order matches. */
function boundFor({ side, level, type }: OpenOrder): Bound {
  return type === 'MO'
    ? ANY_PRICE
    : { direction: side === 1 ? 'down' : 'up', price: level, isInclusive: true };
}

/** Equals `restingPrice` for a limit order. */
function limitPriceAt(
  { side, level, insideFrom }: OpenOrder,
  { tape, base }: SymbolCursor,
  index: PrintIndex,
): number {
  const printed = tape.price(index);
  if (tape.isGap(index) || index + base * PRINTS_PER_BAR === insideFrom) return printed;
  const met = { limit: level, before: tape.price(index - 1), printed };
  return limitWithinMove(side === 1 ? 'buy' : 'sell', met, Math);
}

/** Returns the prices that match a trigger, given the last price; equals `watchOf`. */
function triggerFrom(last: number | undefined, level: number): Bound {
  if (last === undefined || last === level) return ANY_PRICE;
  return { direction: level > last ? 'up' : 'down', price: level, isInclusive: true };
}

/**
 * Returns the fill price of a market order or trigger at a print, like `firstTrigger`. `metPrice` would change neither
 * a level on a tick nor the print.
 */
function triggeredPrice({ level, trigger }: OpenOrder, bound: Bound, tape: Tape, index: PrintIndex): number {
  const isCrossed =
    trigger !== undefined && stepOf(index) > 0 && !isWithinBound(tape.price(index - 1), bound);
  return isCrossed ? level : tape.price(index);
}

/** Fills at a print whose price the slippage model worsens. */
function fillWithSlippage(
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
  fillAt(order, cursor, index, doubleOfDecimal(takerPrice(taking, met, fills)), at);
}

function fillAt(
  order: OpenOrder,
  { tape, base }: SymbolCursor,
  index: PrintIndex,
  price: number,
  at: Millis = tape.time(index),
): void {
  order.setOutcome(at, ENDS.fills, price);
  order.position = base * PRINTS_PER_BAR + index;
}

function bailOutIfOffTick(
  price: number,
  { fills: { checkTicks } }: SymbolCursor,
  ticks: TickSteps,
  { day, sentOn }: OrderDay,
): void {
  const units = unitsOf(price);
  const isOn = ticks.isOn(units, day) && (sentOn === day || ticks.isOn(units, sentOn));
  if (!isOn || !checkTicks) bailOut('a price off the tick grid, or unchecked ticks');
}
