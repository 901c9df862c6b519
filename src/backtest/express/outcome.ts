import { isOnTick, tickSize } from '../../markets/ticks.ts';
import { Decimal, type Price, ZERO } from '../../model/decimal.ts';
import { marketOf } from '../../model/symbol.ts';
import { type Millis, NEVER } from '../../model/time.ts';
import { metPrice, watchOf } from '../../simulation/conditions.ts';
import { PRINTS_PER_BAR } from '../../simulation/prints.ts';
import { NO_PRINT, type PrintIndex } from '../../simulation/tape.ts';
import { firstFiring, firstReaching, type Level } from '../../simulation/watch.ts';
import type { OrderDay } from './hours.ts';
import type { Lane } from './lane.ts';
import { leave } from './leaves.ts';
import { ENDS, type OpenOrder } from './open-order.ts';

const ANY_PRICE: Level = { direction: 'any', price: ZERO };

/**
 * Fills in what becomes of a day order sent at the close at which its lane stands, by the rules of simulation/: nobody else
 * takes what it waits for, so the prints to come tell. Leaves where a bar runs across the close, as what stands then would
 * count.
 */
export function foretell(order: OpenOrder, lane: Lane): void {
  leftAlone(order, lane);
  const cancelAt = lane.now + lane.cancelAfterMs;
  if (cancelAt < order.at || (cancelAt === order.at && order.ends === ENDS.fills))
    order.willEnd(cancelAt, ENDS.cancelled, Number.NaN);
}

function leftAlone(order: OpenOrder, lane: Lane): void {
  const { columns, hours } = lane;
  const now = lane.now as Millis;
  const bar = lane.closed + 1;
  const stamp = bar < columns.length ? (columns.time[bar] as number) : NEVER;
  if (stamp < now) leave(`a bar of "${columns.symbol}" runs at ${now}`);
  if (order.type === 'MO' && stamp === now && hours.isOpen(now) && lane.tape.trades(bar)) {
    order.willEnd(stamp, ENDS.fills, columns.open[bar] as number);
    return;
  }
  const today = hours.orderDay(now);
  if (order.level !== undefined) demandTick(order.level, lane, today);
  const first = bar < columns.length ? bar * PRINTS_PER_BAR : NO_PRINT;
  order.willEnd(today.expires, ENDS.expires, Number.NaN);
  if (order.type === 'MIT') meetTrigger(order, lane, today, first);
  else meet(order, lane, today, first);
}

function meet(order: OpenOrder, { tape }: Lane, { expires }: OrderDay, first: PrintIndex): void {
  const { side, level } = order;
  const wanted: Level =
    level === undefined ? ANY_PRICE : { direction: side === 1 ? 'down' : 'up', price: level };
  const index = firstReaching(tape, first, expires, wanted);
  if (index === NO_PRINT) return;
  const isAtPrint = level === undefined || tape.isGap(index);
  order.willEnd(tape.time(index), ENDS.fills, isAtPrint ? tape.price(index) : level.toNumber());
}

function meetTrigger(order: OpenOrder, lane: Lane, { day, expires }: OrderDay, first: PrintIndex): void {
  const { tape, columns, security } = lane;
  if (order.level === undefined || first === NO_PRINT) return;
  const terms = {
    symbol: security.symbol,
    side: 'sell',
    type: 'MIT',
    triggerPrice: order.level,
    quantity: ZERO,
    timeInForce: 'day',
  } as const;
  const last = columns.close[first / PRINTS_PER_BAR - 1];
  const firing = firstFiring(tape, first, expires, watchOf(terms, last));
  if (firing === undefined) return;
  const printed = new Decimal(tape.price(firing.index));
  const price = lane.checkTicks ? metPrice(terms, firing.price, printed, security, day) : firing.price;
  order.willEnd(tape.time(firing.index), ENDS.fills, price.toNumber());
}

function demandTick(price: Price, { security, checkTicks }: Lane, { day, sentOn }: OrderDay): void {
  if (!price.gt(0)) leave('a price that is none');
  const facts = { market: marketOf(security.symbol), kind: security.kind };
  const isOn =
    isOnTick(price, tickSize(facts, price, day)) &&
    (sentOn === day || isOnTick(price, tickSize(facts, price, sentOn)));
  if (!isOn || !checkTicks) leave('a price between ticks');
}
