import { dayHours, type SessionKind } from '../../markets/day-hours.ts';
import { type DayNumber, dayNumber } from '../../markets/day-number.ts';
import { lotProblem } from '../../markets/lots.ts';
import { checkTerms } from '../../markets/order-types.ts';
import { isOnTick, tickOf } from '../../markets/ticks.ts';
import { lastCloseOf, REGULAR_KINDS } from '../../markets/trading-sessions.ts';
import { parseOptionSymbol } from '../../model/option-symbol.ts';
import type { OrderTerms } from '../../model/order.ts';
import type { Security } from '../../model/security.ts';
import { type Market, marketOf } from '../../model/symbol.ts';
import { addDays, type CalendarDay, type Millis } from '../../model/time.ts';
import type { FillModel } from '../models.ts';
import type { Replacement } from '../simulation.ts';
import { hasExtras, type OrderExtras } from './order-extras.ts';
import { sessionsFor } from './order-sessions.ts';
import type { VenueOrder } from './venue-order.ts';

/**
 * Returns the problems of an order regardless of the account, each with the value and the rule; empty if there are
 * none. `day` is the order's trading day.
 */
export function problemsOf(
  terms: OrderTerms,
  security: Security,
  day: CalendarDay,
  model: FillModel,
): readonly string[] {
  const market = marketOf(terms.symbol);
  const problems = [...checkTerms(terms, market)];
  problems.push(...optionProblems(terms, security, day));
  if (!security.tradable) problems.push(`"${terms.symbol}" is not tradable`);
  const lot = model.checkLots
    ? lotProblem({ type: terms.type, quantity: terms.quantity, lotSize: security.lotSize })
    : undefined;
  if (lot !== undefined) problems.push(lot);
  if (model.checkTicks) problems.push(...tickProblems(terms, security, day));
  if (terms.expireDate !== undefined) problems.push(...expireDateProblems(terms.expireDate, market, day));
  return problems;
}

function optionProblems(terms: OrderTerms, { kind, symbol }: Security, day: CalendarDay): readonly string[] {
  if (kind !== 'option') return [];
  const problems: string[] = [];
  const expiry = parseOptionSymbol(symbol)?.expiry;
  if (expiry !== undefined && day > expiry) problems.push(`"${symbol}" expired on ${expiry}`);
  if (terms.outsideRth !== undefined && terms.outsideRth !== 'rth-only')
    problems.push(`"outsideRth" is "${terms.outsideRth}", options trade in regular hours only`);
  return problems;
}

export function extraProblems(terms: OrderTerms, extras: OrderExtras, model: FillModel): readonly string[] {
  if (!hasExtras(extras)) return [];
  if (model.matching.kind === 'prints') {
    return ['Exits, brackets, fractions and last bars are kept only where orders meet whole bars'];
  }
  const problems: string[] = [];
  const { stopLoss, takeProfit, closes, fraction, firstStop } = extras;
  if (firstStop !== undefined && terms.trailingAmount === undefined && terms.trailingPercent === undefined)
    problems.push('"firstStop" is where a trailing stop begins, and this order trails by nothing');
  const hasTranches = model.matching.positions !== 'net';
  if ((stopLoss ?? takeProfit ?? closes) !== undefined && !hasTranches) {
    problems.push('Exits need a fill model that keeps tranches, this one nets positions');
  }
  if (fraction !== undefined && !(fraction.gt(0) && fraction.lte(1))) {
    problems.push(`"fraction" is ${fraction}, want more than 0 and at most 1`);
  }
  const [above, below] = terms.side === 'buy' ? [takeProfit, stopLoss] : [stopLoss, takeProfit];
  if (above !== undefined && below !== undefined && above.lte(below)) {
    problems.push(`Exits at ${stopLoss} and ${takeProfit} lie the wrong way round for a ${terms.side}`);
  }
  return problems;
}

/** Why an order of a trading day cannot end on another one; empty where it can. */
export function expireDateProblems(
  expireDate: CalendarDay,
  market: Market,
  day: CalendarDay,
): readonly string[] {
  const latest = addDays(day, GTD_DAYS);
  if (expireDate > latest) return [`"expireDate" is ${expireDate}, want ${latest} or earlier`];
  if (lastCloseWithin(market, day, dayNumber(expireDate)) !== undefined) return [];
  return [`"expireDate" is ${expireDate}, the next trading day of ${market} is ${day}`];
}

function tickProblems(terms: OrderTerms, security: Security, day: CalendarDay): readonly string[] {
  return (['price', 'triggerPrice', 'monitorPrice'] as const).flatMap((field) => {
    const value = terms[field];
    if (value === undefined || !value.gt(0)) return [];
    const tick = tickOf(security, value, day);
    return isOnTick(value, tick) ? [] : [`"${field}" is ${value}, want a multiple of the tick of ${tick}`];
  });
}

/**
 * In calendar days.
 * @see ADR 0019
 */
const GTC_DAYS = 90;

/** In calendar days. */
const GTD_DAYS = 366;

/** Returns when an order expires: at the last close, within its lifetime, of the sessions that it trades in. */
export function expiryOf(
  terms: Pick<OrderTerms, 'symbol' | 'type' | 'timeInForce' | 'expireDate' | 'outsideRth'>,
  day: CalendarDay,
  { sessions }: Pick<FillModel, 'sessions'> = {},
): Millis {
  const market = marketOf(terms.symbol);
  const { traded } = sessionsFor(terms, sessions);
  const last = lastCloseWithin(market, day, lastDayOf(terms, day), traded);
  if (last === undefined) throw new RangeError(`No regular session of ${market} from ${day} on to expire at`);
  return last;
}

/** Returns when an order expires in a market that never closes: at the midnight after its last day. */
export function midnightAfter(terms: OrderTerms, day: CalendarDay): Millis {
  return dayHours(marketOf(terms.symbol), lastDayOf(terms, day)).nextMidnight;
}

function lastDayOf(terms: Pick<OrderTerms, 'timeInForce' | 'expireDate'>, day: CalendarDay): DayNumber {
  switch (terms.timeInForce) {
    case 'day':
      return dayNumber(day);
    case 'gtc':
      return dayNumber(day) + GTC_DAYS;
    case 'gtd':
      return dayNumber(terms.expireDate ?? day);
  }
}

/** Returns the last close of these sessions between two days, inclusive; undefined if there is none. */
function lastCloseWithin(
  market: Market,
  from: CalendarDay,
  to: DayNumber,
  kinds: readonly SessionKind[] = REGULAR_KINDS,
): Millis | undefined {
  for (let day = to; day >= dayNumber(from); day -= 1) {
    const close = lastCloseOf(market, day, kinds);
    if (close !== undefined) return close;
  }
  return undefined;
}

/** Merges a replacement into an order's terms; absent fields keep their values. */
export function replacedTerms(order: VenueOrder, replacement: Replacement): OrderTerms {
  const { remark: _remark, ...changed } = replacement;
  return { ...order.terms, ...changed };
}

/** True if new terms wait for the same condition: equal trigger price and trailing distance. */
export function hasSameCondition(before: OrderTerms, after: OrderTerms): boolean {
  return CONDITION.every((figure) => {
    const [was, is] = [before[figure], after[figure]];
    return was === undefined ? is === undefined : is?.eq(was) === true;
  });
}

const CONDITION = ['triggerPrice', 'trailingAmount', 'trailingPercent'] as const;
