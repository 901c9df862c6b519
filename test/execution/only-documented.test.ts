import { of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { executionInDetail } from '#src/execution/orders/executions-of.ts';
import { decimal } from '#src/model/decimal.ts';
import { type ExecutionId, orderId } from '#src/model/order.ts';
import type { Booked } from '#src/model/order-facets.ts';
import { millis } from '#src/model/time.ts';
import { createExecutionRig, timesOf } from '../fixtures/execution-rig.ts';
import { intentOf, termsOf } from '../fixtures/orders.ts';
import { runTo, seconds } from '../fixtures/time.ts';

const BEYOND = /ordersToday|ordersBefore|executions|cancel|replace/;

describe('an order at a venue without lists and pushes', () => {
  it('is read by its id at once, at 1, 2 and 4 s, and then every 5 s', () => {
    const rig = createExecutionRig({ onlyDocumented: true });
    rig.send(intentOf());
    expect(rig.venue.calls.filter((each) => each.startsWith('orderDetail')).length).toBe(1);
    expect(timesOf(rig, 'orderDetail', 16)).toEqual([1, 2, 4, 5, 10, 15]);
    expect(rig.venue.calls.filter((each) => BEYOND.test(each))).toEqual([]);
  });

  it('is filled by its own figures: each reading books what is new, at the price that the averages imply', () => {
    const rig = createExecutionRig({ onlyDocumented: true });
    rig.send(intentOf());
    rig.venue.list('O-INTENT1', {
      status: 'PartialFilledStatus',
      executedQuantity: decimal('40'),
      executedPrice: decimal('10'),
    });
    runTo(rig.clock, seconds(1));
    rig.venue.list('O-INTENT1', {
      status: 'FilledStatus',
      executedQuantity: decimal('100'),
      executedPrice: decimal('10.3'),
    });
    runTo(rig.clock, seconds(2));
    runTo(rig.clock, seconds(60));
    expect(rig.news).toEqual(['working', 'fill 40 at 10, fee 0', 'fill 60 at 10.5, fee 0', 'filled']);
    expect(rig.concerns).toEqual([]);
    expect(rig.venue.calls.filter((each) => BEYOND.test(each))).toEqual([]);
    // The average may have been rounded to 3 places: half of the last one, times the executed shares.
    expect(rig.state.rounding.get('USD')?.toString()).toBe('0.07');
  });

  it('stays unknown without an answer until the operator enters its id, and is sent once', () => {
    const rig = createExecutionRig({ onlyDocumented: true });
    rig.venue.answers.submit = () => of({ kind: 'unknown', message: 'timed out' });
    rig.venue.hold({ AAPL: '100' }, '9000');
    rig.send(intentOf());
    runTo(rig.clock, seconds(119));
    expect(rig.concerns).toEqual([]);
    runTo(rig.clock, seconds(86_400));
    expect(rig.concerns).toEqual(['unproven']);
    expect(rig.news.at(-1)).toContain('the position is 100 and would be 0 without it');
    expect(rig.news.at(-1)).toContain('sluice settle INTENT1');
    expect(rig.state.live.size).toBe(1);
    expect(rig.venue.calls.filter((each) => each.startsWith('submit'))).toEqual(['submit INTENT1']);
    expect(rig.venue.calls.filter((each) => BEYOND.test(each))).toEqual([]);
  });

  it('reports once that it cannot be cancelled, and sends no request', () => {
    const rig = createExecutionRig({ onlyDocumented: true });
    rig.send(intentOf());
    rig.cancel(intentOf().id);
    rig.cancel(intentOf().id);
    expect(rig.concerns).toEqual(['cancel-not-offered']);
    expect(rig.venue.calls.filter((each) => BEYOND.test(each))).toEqual([]);
  });
});

describe('the execution that the figures of an order imply', () => {
  const detail = {
    orderId: orderId('7'),
    terms: termsOf(),
    executedQuantity: decimal('30'),
    executedPrice: decimal('10.1234'),
    updatedAt: millis(5_000),
  };

  it('is the same at every reading of the same figures', () => {
    expect(executionInDetail(detail, new Map())?.executionId).toBe('7:30');
    expect(executionInDetail(detail, new Map())).toEqual(executionInDetail(detail, new Map()));
  });

  it('is none if everything is booked', () => {
    const booked = new Map([
      ['7:30' as ExecutionId, { quantity: decimal('30'), price: decimal('10') } as Booked],
    ]);
    expect(executionInDetail(detail, booked)).toBeUndefined();
    expect(executionInDetail({ ...detail, executedQuantity: decimal('0') }, new Map())).toBeUndefined();
  });
});
