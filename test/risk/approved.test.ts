import { describe, expectTypeOf, it } from 'vitest';
import type { Executor } from '#src/execution/orders/executor.ts';
import type { OrderIntent } from '#src/model/order.ts';
import { type Approved, judge, type Verdict } from '#src/risk/risk-gate.ts';
import { intentOf } from '../fixtures/orders.ts';
import { factsOf, limitsOf } from '../fixtures/risk.ts';

describe('Approved<OrderIntent>', () => {
  it('can only be created in the gate (I-4)', () => {
    const intent = intentOf();
    // @ts-expect-error An intent that was not judged is not approved.
    const unjudged: Approved<OrderIntent> = intent;
    // @ts-expect-error The brand has no name that another file could write.
    const marked: Approved<OrderIntent> = { ...intent, approved: true };
    // @ts-expect-error A symbol created elsewhere is not the brand.
    const symbolic: Approved<OrderIntent> = { ...intent, [Symbol('approved')]: true };
    expectTypeOf(unjudged).toExtend<OrderIntent>();
    expectTypeOf(marked).toExtend<OrderIntent>();
    expectTypeOf(symbolic).toExtend<OrderIntent>();
  });

  it('is all that the executor sends: a plain intent is no verdict (I-4)', () => {
    expectTypeOf<OrderIntent>().not.toExtend<Approved<OrderIntent>>();
    expectTypeOf<Parameters<Executor['execute']>[0]>().toEqualTypeOf<Verdict>();
    // @ts-expect-error An object that contains an intent is not a verdict.
    const forged: Verdict = { kind: 'approved', intent: intentOf(), numbers: [] };
    expectTypeOf(forged).toExtend<Verdict>();
  });

  it('is what the gate returns when it approves', () => {
    const verdict = judge(intentOf(), factsOf(), limitsOf());
    if (verdict.kind === 'approved') expectTypeOf(verdict.intent).toEqualTypeOf<Approved<OrderIntent>>();
    else expectTypeOf(verdict.intent).toEqualTypeOf<OrderIntent>();
  });
});
