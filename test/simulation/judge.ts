import { dayHours } from '#src/markets/day-hours.ts';
import { dayNumber } from '#src/markets/day-number.ts';
import { dayOf, sessionAt } from '#src/markets/sessions.ts';
import { isOnTick, tickSize } from '#src/markets/ticks.ts';
import type { BarColumns } from '#src/model/bar.ts';
import { type Decimal, decimal, ZERO } from '#src/model/decimal.ts';
import type { Execution, OrderDetail, OrderId } from '#src/model/order.ts';
import { marketOf } from '#src/model/symbol.ts';
import { type CalendarDay, MINUTE_MS, type Millis } from '#src/model/time.ts';
import type { SimulationEvent } from '#src/simulation/simulation.ts';
import { NAMES, type Name, type RandomMarket, sessionsAllowed } from './random-market.ts';

const BAR_MS = 30 * MINUTE_MS;
/** Final statuses. */
export const DONE = new Set([
  'FilledStatus',
  'RejectedStatus',
  'CanceledStatus',
  'ExpiredStatus',
  'PartialWithdrawal',
]);

const describeDetail = ({
  orderId,
  terms: { symbol, side, type, quantity, price, ...rest },
  status,
}: OrderDetail) =>
  `${side} ${quantity} ${symbol} ${type} ${price ?? ''} ${rest.timeInForce} ${rest.outsideRth ?? ''} (${orderId}, ${status})`;

/** Checks all reports of a market, and throws at a violation. */
export class Judge {
  readonly #market: RandomMarket;
  readonly #now: () => Millis;
  readonly #sent = new Map<OrderId, Millis>();
  readonly #executed = new Map<OrderId, Decimal>();
  readonly #done = new Set<OrderId>();
  readonly #halted = new Set<string>();
  readonly #taken = new Map<string, Decimal>();
  /** Types that filled. */
  readonly seen = new Set<string>();

  constructor(market: RandomMarket, now: () => Millis) {
    this.#market = market;
    this.#now = now;
  }

  sent(id: OrderId): void {
    this.#sent.set(id, this.#now());
  }

  status(name: Name, halted: boolean): void {
    if (halted) this.#halted.add(name);
    else this.#halted.delete(name);
  }

  hear({ change: { detail, execution } }: Extract<SimulationEvent, { kind: 'order' }>): void {
    const { orderId } = detail;
    this.#want(!this.#done.has(orderId), detail, 'changed after its end');
    if (DONE.has(detail.status)) this.#done.add(orderId);
    if (execution !== undefined) this.#judgeFill(detail, execution);
    const executed = this.#executed.get(orderId) ?? ZERO;
    this.#want(
      executed.eq(detail.executedQuantity),
      detail,
      `tells ${detail.executedQuantity} of ${executed}`,
    );
  }

  #judgeFill(detail: OrderDetail, execution: Execution): void {
    const { symbol, side, type, price: limit } = detail.terms;
    const { price, quantity } = execution;
    const now = this.#now();
    const market = marketOf(symbol);
    this.seen.add(type);
    const executed = (this.#executed.get(detail.orderId) ?? ZERO).plus(quantity);
    this.#executed.set(detail.orderId, executed);
    this.#want(quantity.gt(0) && executed.lte(detail.terms.quantity), detail, `filled ${executed} in all`);
    this.#want(!this.#halted.has(symbol), detail, 'filled in a halt');
    const beyond = limit !== undefined && (side === 'buy' ? price.gt(limit) : price.lt(limit));
    this.#want(!beyond, detail, `filled at ${price}, beyond its limit`);
    const session = sessionAt(market, now)?.kind;
    const isOwn = this.#sent.has(detail.orderId);
    const allowed = isOwn
      ? sessionsAllowed(detail.terms, this.#market.held)
      : ['regular', 'pre', 'post', 'overnight'];
    this.#want(session !== undefined && allowed.includes(session), detail, `filled in ${session}`);
    this.#judgePrice(detail, price);
    this.#judgeVolume(detail, quantity);
    if (isOwn) this.#judgeTime(detail);
    const tick = tickSize({ market, kind: 'stock' }, price, dayOf(market, now));
    this.#want(isOnTick(price, tick), detail, `filled at ${price}, off the tick of ${tick}`);
  }

  /** Not before it can have arrived, and on a day on which it works. */
  #judgeTime(detail: OrderDetail): void {
    const { latency, held } = { latency: this.#market.models.latency, held: this.#market.held };
    const [sent, now] = [this.#sent.get(detail.orderId) as Millis, this.#now()];
    const least = latency.kind === 'none' ? 0 : latency.kind === 'fixed' ? latency.ms : latency.minMs;
    this.#want(now >= sent + least, detail, `filled ${now - sent} ms after it was sent`);
    const { timeInForce, expireDate, symbol } = detail.terms;
    const market = marketOf(symbol);
    const kinds = sessionsAllowed(detail.terms, held);
    const isCarried = market === 'HK' && !['AO', 'ALO'].includes(detail.terms.type);
    const taking = kinds.filter((kind) => !(isCarried && kind === 'closing-auction'));
    const filledOn = tradingDate(market, now);
    if (timeInForce === 'day') {
      const day = firstDayEndingAfter(market, sent, taking);
      this.#want(filledOn === day, detail, `of ${day} filled on ${filledOn}`);
    } else if (expireDate !== undefined)
      this.#want(filledOn <= expireDate, detail, `filled on ${filledOn}, after ${expireDate}`);
  }

  #judgePrice(detail: OrderDetail, price: Decimal): void {
    const { tape, bar } = this.#barNow(detail);
    const { slippage } = this.#market.models.fills;
    const market = marketOf(detail.terms.symbol);
    // Ticks away may lead into the next band.
    const top = decimal(String(tape.high[bar])).times('1.01');
    const tick = tickSize({ market, kind: 'stock' }, top, dayOf(market, this.#now())).times(3);
    const slips = slippage.kind === 'none' ? ZERO : price.times('0.001').plus(tick);
    const [low, high] = [decimal(String(tape.low[bar])), decimal(String(tape.high[bar]))];
    const buys = detail.terms.side === 'buy';
    const within = price.gte(buys ? low : low.minus(slips)) && price.lte(buys ? high.plus(slips) : high);
    this.#want(within, detail, `filled at ${price} outside ${low} to ${high}`);
    const tells = tape.volume.findIndex((volume) => volume > 0);
    this.#want(bar < tells || (tape.volume[bar] as number) > 0, detail, 'filled without a trade');
  }

  #judgeVolume(detail: OrderDetail, quantity: Decimal): void {
    const { participation } = this.#market.models.fills;
    if (participation === undefined) return;
    const { tape, bar } = this.#barNow(detail);
    const key = `${detail.terms.symbol} ${bar}`;
    const sum = (this.#taken.get(key) ?? ZERO).plus(quantity);
    this.#taken.set(key, sum);
    this.#want(
      sum.lte((tape.volume[bar] as number) * participation),
      detail,
      `took ${sum} of ${tape.volume[bar]}`,
    );
  }

  #barNow(detail: OrderDetail): { readonly tape: BarColumns; readonly bar: number } {
    const tape = this.#market.tapes[NAMES.indexOf(detail.terms.symbol as Name)] as BarColumns;
    const bar = tape.time.findLastIndex((time) => time <= this.#now());
    this.#want(
      bar >= 0 && this.#now() < (tape.time[bar] as number) + BAR_MS,
      detail,
      'filled where there is no bar',
    );
    return { tape, bar };
  }

  #want(holds: boolean, detail: OrderDetail, problem: string): void {
    if (!holds)
      throw new Error(`${new Date(this.#now()).toISOString()} ${describeDetail(detail)}: ${problem}`);
  }
}

/** The trading day of an instant: the evening of New York belongs to the day after its night. */
function tradingDate(market: string, at: Millis): CalendarDay {
  const today = dayNumber(dayOf(market, at));
  for (const day of [today, today + 1, today + 2, today + 3, today + 4]) {
    const { sessions, date } = dayHours(market, day);
    if (sessions.some(({ open, close }) => open <= at && at < close)) return date;
  }
  return dayOf(market, at);
}

function firstDayEndingAfter(market: string, at: Millis, kinds: readonly string[]): CalendarDay {
  for (let day = dayNumber(dayOf(market, at)); ; day += 1) {
    const { sessions, date } = dayHours(market, day);
    if (sessions.some(({ kind, close }) => kinds.includes(kind) && close > at)) return date;
  }
}
