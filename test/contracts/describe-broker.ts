import { toArray } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AccountBalance } from '#src/model/account.ts';
import { type Decimal, decimal } from '#src/model/decimal.ts';
import { intentId, type OrderId, type OrderTerms, orderId } from '#src/model/order.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { type Millis, millis } from '#src/model/time.ts';
import type { Answer, Broker, OrderHint, SubmitAnswer } from '#src/ports/broker.ts';
import type { Request } from '#src/ports/task.ts';
import { toObservable } from '#src/ports/to-observable.ts';
import { answerOf } from '../fixtures/tasks.ts';

/** A Broker in the world of `contract-world.ts`, with control over its market. */
export interface BrokerUnderTest {
  readonly broker: Broker;
  /** Subscribes, and lets the venue answer without advancing market time. */
  ask<T>(question: Request<T>): Promise<T>;
  /** Advances the market to an instant and passes on every hint. */
  runUntil(at: Millis): Promise<void>;
  close(): Promise<void>;
}

const TENCENT = securitySymbol('700.HK');
const INTENT = intentId('ABCDEFGHIJKLMNOP');
const OTHER = intentId('ABCDEFGHIJKLMNOQ');

/** The world begins ten minutes before the open; the others are in the first minutes of trading. */
export const CONTRACT_START = instant('09:20');
const OPENED = instant('09:31');
const LATER = instant('09:40');

/** The contract that every Broker implementation must meet. */
export function describeBroker(name: string, make: () => Promise<BrokerUnderTest>): void {
  describe(`the Broker port: ${name}`, () => {
    let world: BrokerUnderTest;
    let hints: OrderHint[];

    beforeEach(async () => {
      world = await make();
      hints = [];
      world.broker.hints$.subscribe((hint) => hints.push(hint));
    });

    afterEach(() => world.close());

    const ask = <T>(question: Request<T>): Promise<T> => world.ask(question);
    const submit = (more: Partial<OrderTerms> = {}, id = INTENT): Promise<SubmitAnswer> =>
      ask(world.broker.submit({ intentId: id, terms: { ...limitOrder('400'), ...more } }));
    const detailOf = async (id: OrderId) => okay(await ask(world.broker.orderDetail(id)));

    async function place(more: Partial<OrderTerms> = {}, id = INTENT): Promise<OrderId> {
      const answer = await submit(more, id);
      if (answer.kind !== 'accepted') throw new Error(`Was not accepted: ${answer.kind}, ${answer.message}`);
      return answer.orderId;
    }

    describe('an order', () => {
      it('is listed with its intent', async () => {
        const id = await place();
        const [listed] = okay(await ask(world.broker.ordersToday()));
        expect(listed).toMatchObject({ orderId: id, intentId: INTENT, terms: limitOrder('400') });
        expect(await detailOf(id)).toMatchObject({ orderId: id, intentId: INTENT, terms: limitOrder('400') });
      });

      it('sent before the open is queued, and works after it', async () => {
        const id = await place();
        expect((await detailOf(id)).status).toBe('NotReported');
        await world.runUntil(OPENED);
        expect((await detailOf(id)).status).toBe('NewStatus');
      });

      it('that is marketable fills, with executions that add up, in position and cash', async () => {
        const before = okay(await ask(world.broker.balance('HKD')));
        const id = await place({ price: decimal('420') });
        await world.runUntil(OPENED);
        const detail = await detailOf(id);
        expect(detail).toMatchObject({ status: 'FilledStatus', executedQuantity: decimal('200') });
        const executions = okay(await ask(world.broker.executionsToday(id)));
        expect(executions.reduce((sum, row) => sum.plus(row.quantity), decimal('0'))).toEqual(decimal('200'));
        expect(new Set(executions.map((row) => row.executionId)).size).toBe(executions.length);
        expect(executions.every((row) => row.orderId === id && row.side === 'buy')).toBe(true);
        const paid = executions.reduce((sum, row) => sum.plus(row.quantity.times(row.price)), decimal('0'));
        const positions = okay(await ask(world.broker.positions()));
        expect(positions).toMatchObject([{ symbol: TENCENT, quantity: decimal('200'), currency: 'HKD' }]);
        const after = okay(await ask(world.broker.balance('HKD')));
        expect(freeCash(before).minus(freeCash(after))).toEqual(paid);
        expect(detail.charges?.reduce((sum, charge) => sum.plus(charge.amount), decimal('0'))).toEqual(
          decimal('0'),
        );
      });

      it('emits one hint for each change, the last one with its final status', async () => {
        const id = await place({ price: decimal('420') });
        await world.runUntil(OPENED);
        const own = hints.filter((hint) => hint.orderId === id);
        expect(own.length).toBeGreaterThanOrEqual(2);
        expect(own.every((hint) => hint.intentId === INTENT)).toBe(true);
        expect(own.at(-1)?.detail.status).toBe('FilledStatus');
      });

      it('that is cancelled does not change any more, and its status shows it', async () => {
        const id = await place();
        await world.runUntil(OPENED);
        expect(await ask(world.broker.cancel(id))).toEqual({ kind: 'accepted' });
        await world.runUntil(LATER);
        expect((await detailOf(id)).status).toBe('CanceledStatus');
        expect(await ask(world.broker.cancel(id))).toMatchObject({ kind: 'refused', code: 601011 });
        expect(hints.at(-1)?.detail.status).toBe('CanceledStatus');
      });

      it('that is filled cannot be cancelled', async () => {
        const id = await place({ price: decimal('420') });
        await world.runUntil(OPENED);
        expect(await ask(world.broker.cancel(id))).toMatchObject({ kind: 'refused', code: 601012 });
      });

      it('of a type that lacks its price is refused, as a value', async () => {
        const { price, ...noPrice } = limitOrder('400');
        expect(price).toBeDefined();
        const answer = await ask(world.broker.submit({ intentId: INTENT, terms: noPrice }));
        expect(answer).toMatchObject({ kind: 'refused', code: 602001 });
        expect(okay(await ask(world.broker.ordersToday()))).toEqual([]);
      });

      it('of a broken lot is refused, as a value', async () => {
        expect(await submit({ quantity: decimal('150') })).toMatchObject({ kind: 'refused', code: 602001 });
      });
    });

    describe('executions', () => {
      it('of two orders are ordered newest last, and can be requested by order', async () => {
        const first = await place({ price: decimal('420') });
        await world.runUntil(OPENED);
        const second = await place({ price: decimal('420'), quantity: decimal('100') }, OTHER);
        await world.runUntil(LATER);
        const all = okay(await ask(world.broker.executionsToday()));
        expect(all.map((row) => row.orderId)).toEqual([first, second]);
        expect(okay(await ask(world.broker.executionsToday(second)))).toMatchObject([{ orderId: second }]);
      });

      it('do not exist before a fill', async () => {
        await place();
        expect(okay(await ask(world.broker.executionsToday()))).toEqual([]);
      });
    });

    describe('a request', () => {
      const nobody = orderId('900100200300400500');

      it('about an unknown order fails with 603001, which is not retryable', async () => {
        expect(await ask(world.broker.orderDetail(nobody))).toMatchObject({
          kind: 'failed',
          code: 603001,
          retryable: false,
        });
        expect(await ask(world.broker.cancel(nobody))).toMatchObject({ kind: 'refused', code: 603001 });
      });

      it('about buy limit, margin and account is answered', async () => {
        const question = { symbol: TENCENT, side: 'buy', type: 'LO', price: decimal('400') } as const;
        expect(okay(await ask(world.broker.buyLimit(question))).cash).toEqual(decimal('2500'));
        const factors = okay(await ask(world.broker.marginFactors(TENCENT)));
        expect(factors.initial.gt(factors.maintenance)).toBe(true);
        expect(okay(await ask(world.broker.balance()))).toMatchObject({ currency: 'HKD' });
        expect(okay(await ask(world.broker.positions()))).toEqual([]);
      });

      it('about an unknown symbol fails', async () => {
        const question = { symbol: securitySymbol('1.HK'), side: 'buy', type: 'MO' } as const;
        expect(await ask(world.broker.buyLimit(question))).toMatchObject({ kind: 'failed', code: 602001 });
        expect(await ask(world.broker.marginFactors(question.symbol))).toMatchObject({ kind: 'failed' });
      });
    });

    describe('every method', () => {
      it('does nothing before it is subscribed to', async () => {
        world.broker.submit({ intentId: INTENT, terms: limitOrder('400') });
        await world.runUntil(OPENED);
        expect(okay(await ask(world.broker.ordersToday()))).toEqual([]);
      });

      it('emits exactly once and completes', async () => {
        const { broker } = world;
        const id = await place();
        const calls: readonly Request<unknown>[] = [
          broker.submit({ intentId: OTHER, terms: limitOrder('390') }),
          broker.orderDetail(id),
          broker.ordersToday(),
          broker.executionsToday(),
          broker.executionsToday(id),
          broker.buyLimit({ symbol: TENCENT, side: 'buy', type: 'LO', price: decimal('400') }),
          broker.marginFactors(TENCENT),
          broker.balance(),
          broker.positions(),
          broker.cancel(id),
        ];
        for (const call of calls)
          expect(await ask(toObservable<unknown>(call).pipe(toArray()))).toHaveLength(1);
      });

      it('never returns the result of an order within the call', () => {
        const { broker } = world;
        let answered = false;
        const submission = toObservable(
          broker.submit({ intentId: INTENT, terms: limitOrder('400') }),
        ).subscribe(() => {
          answered = true;
        });
        expect(answered).toBe(false);
        submission.unsubscribe();
      });
    });
  });
}

function limitOrder(price: string): OrderTerms {
  return {
    symbol: TENCENT,
    side: 'buy',
    type: 'LO',
    quantity: decimal('200'),
    timeInForce: 'day',
    price: decimal(price),
  };
}

/** Cash that can still be spent. A purchase is paid two days later, so the total has not changed yet. */
function freeCash(balance: AccountBalance): Decimal {
  return balance.cash.reduce((sum, each) => sum.plus(each.available), decimal('0'));
}

function okay<T>(answer: Answer<T>): T {
  if (answer.kind === 'ok') return answer.value;
  throw new Error(`Was not answered: ${answer.code}, ${answer.message}`);
}

/** Tuesday, 2 September 2025, in Hong Kong. */
function instant(time: string): Millis {
  return millis(Date.parse(`2025-09-02T${time}:00+08:00`));
}

/** For adapters that answer by themselves. */
export function answered<T>(question: Request<T>): Promise<T> {
  return answerOf(question);
}
