import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SluiceEvent } from '#src/events/event.ts';
import { decimal } from '#src/model/decimal.ts';
import { intentId, orderId, type ReadStatus, type Side } from '#src/model/order.ts';
import { type SecuritySymbol, securitySymbol } from '#src/model/symbol.ts';
import { AAPL } from '../fixtures/market.ts';
import { drafted, filled, fillOf, intentOf, termsOf } from '../fixtures/orders.ts';
import { createGateRig, MORNING } from './a-gate.ts';

const TSLA = securitySymbol('TSLA.US');
const SYMBOLS = [AAPL, TSLA] as const;
const LIMITS = { weight: 300, gross: 350, quantity: 200, orders: 4 };

/** Steps in any order: an order is requested, an answer arrives or not, a part is filled, the venue ends an order. */
const someStep = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('ask' as const),
      symbol: fc.constantFrom(...SYMBOLS),
      side: fc.constantFrom<Side>('buy', 'buy', 'sell'),
      quantity: fc.integer({ min: 1, max: 250 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('answer' as const),
      which: fc.nat(20),
      answer: fc.constantFrom('acked', 'acked', 'unknown', 'unknown', 'refused'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('fill' as const),
      which: fc.nat(20),
      part: fc.integer({ min: 1, max: 100 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('cancel' as const), which: fc.nat(20) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('end' as const),
      which: fc.nat(20),
      status: fc.constantFrom<ReadStatus>('CanceledStatus', 'RejectedStatus', 'ExpiredStatus'),
    }),
  },
);
type Step = typeof someStep extends fc.Arbitrary<infer T> ? T : never;

/** An order of a separate account: its possible fills until it is known to be finished. */
interface Noted {
  readonly id: string;
  readonly symbol: SecuritySymbol;
  readonly side: Side;
  readonly quantity: number;
  filled: number;
  answer: 'none' | 'acked' | 'unknown' | 'over';
}

/** Runs steps through the real gate and fold, and computes the possible results separately by simple arithmetic. */
function world() {
  const rig = createGateRig({
    limits: {
      maxPositionWeight: decimal(String(LIMITS.weight)).div(1_000),
      maxGrossExposure: decimal(String(LIMITS.gross)).div(1_000),
      maxOrderQuantity: decimal(String(LIMITS.quantity)),
      maxOpenOrders: LIMITS.orders,
    },
  });
  const noted: Noted[] = [];
  const held = new Map<SecuritySymbol, number>();
  let [asked, approved, fills] = [0, 0, 0];
  const apply = (event: SluiceEvent): void => rig.fold.apply(event);
  const stamp = (id: string) => ({ at: MORNING, intentId: intentId(id) });

  function pick(which: number, fits: (order: Noted) => boolean): Noted | undefined {
    const candidates = noted.filter(fits);
    return candidates[which % Math.max(1, candidates.length)];
  }

  function ask({ symbol, side, quantity }: Extract<Step, { kind: 'ask' }>): void {
    asked += 1;
    const id = `I${asked}`;
    const intent = intentOf(id, { terms: termsOf({ symbol, side, quantity: decimal(String(quantity)) }) });
    apply(drafted(intent));
    const verdict = rig.judge(intent);
    if (verdict.kind === 'denied') {
      const { rule, reason, numbers } = verdict;
      apply({ ...stamp(id), kind: 'intent-denied', rule, reason, numbers });
      return;
    }
    approved += 1;
    apply({ ...stamp(id), kind: 'intent-armed', numbers: [] });
    apply({ ...stamp(id), kind: 'submit-sending', attempt: 1 });
    noted.push({ id, symbol, side, quantity, filled: 0, answer: 'none' });
  }

  function answer(step: Extract<Step, { kind: 'answer' }>): void {
    const order = pick(step.which, (each) => each.answer === 'none' || each.answer === 'unknown');
    if (order === undefined || (order.answer === 'unknown' && step.answer !== 'acked')) return;
    if (step.answer === 'acked') {
      apply({ ...stamp(order.id), kind: 'submit-acked', orderId: orderId(`O-${order.id}`), by: 'answer' });
      order.answer = 'acked';
    } else if (step.answer === 'unknown') {
      apply({ ...stamp(order.id), kind: 'submit-unknown', message: '' });
      order.answer = 'unknown';
    } else {
      apply({ ...stamp(order.id), kind: 'submit-refused', code: 1, message: '' });
      order.answer = 'over';
    }
  }

  function fill(step: Extract<Step, { kind: 'fill' }>): void {
    const order = pick(step.which, (each) => each.answer === 'acked' && each.filled < each.quantity);
    if (order === undefined) return;
    const part = Math.min(step.part, order.quantity - order.filled);
    fills += 1;
    order.filled += part;
    const signed = order.side === 'buy' ? part : -part;
    held.set(order.symbol, (held.get(order.symbol) ?? 0) + signed);
    const { id, side, symbol } = order;
    apply(
      filled(
        fillOf(`e${fills}`, side, String(part), '10', { intentId: intentId(id), symbol, time: MORNING }),
      ),
    );
  }

  function step(each: Step): void {
    if (each.kind === 'ask') {
      ask(each);
      return;
    }
    if (each.kind === 'answer') {
      answer(each);
      return;
    }
    if (each.kind === 'fill') {
      fill(each);
      return;
    }
    const order = pick(each.which, ({ answer: so }) => so === 'acked');
    if (order === undefined) return;
    if (each.kind === 'cancel') {
      apply({ ...stamp(order.id), kind: 'cancel-sending' });
      return;
    }
    const { status } = each;
    const executedQuantity = decimal(String(order.filled));
    apply({
      ...stamp(order.id),
      kind: 'order-moved',
      status,
      rawStatus: status,
      executedQuantity,
      message: '',
    });
    order.answer = 'over';
  }

  const open = (): readonly Noted[] => noted.filter(({ answer: so }) => so !== 'over');
  const mayStill = (symbol: SecuritySymbol, side: Side): number =>
    open()
      .filter((order) => order.symbol === symbol && order.side === side)
      .reduce((sum, order) => sum + order.quantity - order.filled, 0);
  const worst = (symbol: SecuritySymbol): number => {
    const position = held.get(symbol) ?? 0;
    const longest = Math.abs(position + mayStill(symbol, 'buy'));
    return Math.max(longest, Math.abs(position - mayStill(symbol, 'sell')));
  };
  return {
    step,
    worst,
    shortest: (symbol: SecuritySymbol) => (held.get(symbol) ?? 0) - mayStill(symbol, 'sell'),
    counts: () => ({ approved, denied: asked - approved }),
  };
}

describe('worst-case exposure', () => {
  it('never exceeds a limit, for any sequence of requests, fills, unknown results, cancels and ends (I-6)', () => {
    let [approved, denied] = [0, 0];
    fc.assert(
      fc.property(fc.array(someStep, { minLength: 10, maxLength: 60 }), (steps) => {
        const book = world();
        for (const step of steps) {
          book.step(step);
          expect(book.worst(AAPL)).toBeLessThanOrEqual(LIMITS.weight);
          expect(book.worst(TSLA)).toBeLessThanOrEqual(LIMITS.weight);
          expect(book.worst(AAPL) + book.worst(TSLA)).toBeLessThanOrEqual(LIMITS.gross);
          for (const symbol of SYMBOLS) expect(book.shortest(symbol)).toBeGreaterThanOrEqual(0);
        }
        approved += book.counts().approved;
        denied += book.counts().denied;
      }),
      { numRuns: 400 },
    );
    expect(approved).toBeGreaterThan(300);
    expect(denied).toBeGreaterThan(300);
  });
});
