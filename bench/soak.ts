import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { SluiceEvent } from '../src/events/event.ts';
import { createFold } from '../src/events/fold.ts';
import { decimal } from '../src/model/decimal.ts';
import { executionId, intentId, orderId } from '../src/model/order.ts';
import { securitySymbol } from '../src/model/symbol.ts';
import { millis } from '../src/model/time.ts';
import { type ParsedRows, readOrderList } from '../src/wire/mapper/order.ts';
import { atMost, type Benchmark, type Row } from './benchmark.ts';
import { compare } from './compare.ts';

const ORDERS = { full: 10_000, smoke: 200 } as const;
/** Allowed memory in bytes per finished order: a tenth of what it was when decisions were kept. */
const KEPT_BYTES = 3_000;
const START = 1_767_225_600_000;
const AAPL = securitySymbol('AAPL.US');

/**
 * The cost of finished orders for a bot: the memory that they keep, and reading a day's listing in which nothing
 * changed.
 */
export const soak: Benchmark = {
  name: 'soak',
  run: (scale) => [kept(ORDERS[scale]), listing(ORDERS[scale])],
};

/** Memory of the state per order after so many orders, compared with the allowed memory. */
function kept(count: number): Row {
  const fold = createFold();
  const before = heapUsed();
  for (let at = 0; at < count; at += 1) for (const event of lifeOf(at)) fold.apply(event);
  const each = (heapUsed() - before) / count;
  const { done, live } = fold.state;
  return {
    id: 'soak-memory',
    work: 'What the state keeps of one order that was filled, compared with its limit',
    ours: each,
    yardstick: KEPT_BYTES,
    unit: 'bytes each',
    ratio: each / KEPT_BYTES,
    goal: atMost(1),
    gates: [
      {
        what: 'every order is over',
        holds: done.size === count && live.size === 0,
        saw: `${done.size} of ${count}`,
      },
    ],
    notes: ['A live bot keeps no decisions in addition: a report reads them from the journal'],
  };
}

/** One reading of an unchanged day's listing, relative to the time of parsing its text. */
function listing(count: number): Row {
  const text = JSON.stringify({
    orders: Array.from({ length: count }, (_, at) => wireRow(at)),
    has_more: false,
  });
  let before: ParsedRows = new Map();
  readOrderList(JSON.parse(text), { seen: before });
  let read = 0;
  const { oursMs, yardstickMs, timeRatio } = compare(
    () => {
      const seen: ParsedRows = new Map();
      read = readOrderList(JSON.parse(text), { before, seen }).rows.length;
      before = seen;
    },
    () => void JSON.parse(text),
  );
  return {
    id: 'soak-listing',
    work: "Reading a day's listing in which nothing changed, in time of parsing its JSON",
    ours: (oursMs * 1e3) / count,
    yardstick: (yardstickMs * 1e3) / count,
    unit: 'us a row',
    ratio: timeRatio,
    goal: atMost(4),
    gates: [{ what: 'every row is there', holds: read === count, saw: `${read} of ${count}` }],
    notes: ['Rows that came in the same words before are not read again'],
  };
}

export function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') for (let time = 0; time < 4; time += 1) collect();
  return process.memoryUsage().heapUsed;
}

/** All events of one order that buys and is filled at once. */
export function lifeOf(at: number): readonly SluiceEvent[] {
  const stamp = { at: millis(START + at * 1_000), intentId: intentId(`I${at}`) };
  const quantity = decimal('10');
  const price = decimal('200');
  const terms = { symbol: AAPL, side: at % 2 === 0 ? 'buy' : 'sell', type: 'MO', quantity } as const;
  const cause = { kind: 'signal' as const, name: 'cross', symbol: AAPL, time: stamp.at, inputs: {} };
  const execution = { executionId: executionId(`E${at}`), orderId: orderId(`O${at}`), symbol: AAPL };
  const charges = { currency: 'USD', fee: decimal('1'), charges: [] };
  return [
    { ...stamp, kind: 'intent-drafted', terms: { ...terms, timeInForce: 'day' }, reason: 'cross', cause },
    { ...stamp, kind: 'intent-armed', numbers: [] },
    { ...stamp, kind: 'submit-sending', attempt: 1 },
    { ...stamp, kind: 'submit-acked', orderId: execution.orderId, by: 'answer' },
    {
      ...{ ...stamp, kind: 'order-filled' },
      fill: {
        ...execution,
        side: terms.side,
        quantity,
        price,
        time: stamp.at,
        intentId: stamp.intentId,
        ...charges,
      },
    },
    {
      ...{ ...stamp, kind: 'order-moved', status: 'FilledStatus', rawStatus: 'FilledStatus' },
      ...{ executedQuantity: quantity, message: '' },
    },
  ];
}

/** One filled order as the venue lists it. */
function wireRow(at: number): Readonly<Record<string, unknown>> {
  return {
    ...{
      order_id: String(700_000_000_000_000_000n + BigInt(at)),
      status: 'FilledStatus',
      stock_name: 'Apple',
    },
    ...{ quantity: '10', executed_quantity: '10', price: '', executed_price: '200', currency: 'USD' },
    ...{ submitted_at: String(START / 1_000 + at), updated_at: String(START / 1_000 + at), side: 'Buy' },
    ...{ symbol: 'AAPL.US', order_type: 'MO', last_done: '200', trigger_price: '', msg: '', tag: 'Normal' },
    ...{ time_in_force: 'Day', expire_date: '', trigger_at: '0', trailing_amount: '', trailing_percent: '' },
    ...{ limit_offset: '', trigger_status: 'NOT_USED', outside_rth: 'RTH_ONLY', remark: `K1-TEST-${at}` },
    ...{ limit_depth_level: 0, trigger_count: 0, monitor_price: '' },
  };
}
