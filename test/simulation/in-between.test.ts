import { describe, expect, it } from 'vitest';
import { decimal } from '#src/model/decimal.ts';
import { bars, order, refusal, runUntil, settleNow, world } from './world.ts';

const MINUTES = bars('AAPL.US', '1m', [
  ['2024-03-08T10:00:00-05:00', 100, 101, 99, 100],
  ['2024-03-08T10:01:00-05:00', 100, 101, 99, 100],
  ['2024-03-08T10:02:00-05:00', 100, 101, 99, 100],
]);
const start = '2024-03-08T10:00:20-05:00';

/** Every emitted status with its time in milliseconds after the start. */
function reported(events: ReturnType<typeof runUntil>): readonly string[] {
  const from = Date.parse(start);
  return events.flatMap(({ event, time }) =>
    event.kind === 'order' ? [`${time - from} ${event.change.detail.status}`] : [],
  );
}

describe('intermediate statuses', () => {
  it('are only shown on request', () => {
    const { simulation, account } = world({ bars: [MINUTES], start });
    order(account, { price: '90' });
    expect(reported(runUntil(simulation, '2024-03-08T10:00:30-05:00'))).toEqual(['0 NewStatus']);
  });

  it('cover the way from the submit to the exchange, and to the end of a cancel', () => {
    const { simulation, account } = world({ bars: [MINUTES], start, inBetweenMs: 100 });
    const id = order(account, { price: '90' });
    expect(reported(runUntil(simulation, '2024-03-08T10:00:21-05:00'))).toEqual([
      '100 WaitToNew',
      '200 NewStatus',
    ]);
    account.cancel(id);
    expect(reported(runUntil(simulation, '2024-03-08T10:00:22-05:00'))).toEqual([
      '1000 WaitToCancel',
      '1100 PendingCancelStatus',
      '1200 CanceledStatus',
    ]);
    expect(account.history(id).map(({ status }) => status)).toEqual(['CanceledStatus', 'NewStatus']);
  });

  it('cover a replace, during which no other one is accepted', () => {
    const { simulation, account } = world({ bars: [MINUTES], start, inBetweenMs: 100 });
    const id = order(account, { price: '90' });
    runUntil(simulation, '2024-03-08T10:00:21-05:00');
    account.replace(id, { quantity: decimal('50') });
    settleNow(simulation);
    expect(refusal(account.replace(id, { quantity: decimal('40') }))).toMatchObject({ code: 602013 });
    expect(reported(runUntil(simulation, '2024-03-08T10:00:22-05:00'))).toEqual([
      '1100 PendingReplaceStatus',
      '1200 NewStatus',
    ]);
    expect(account.order(id)?.terms.quantity.toString()).toBe('50');
  });

  it('permit a fill first: a pending cancel then ends without effect', () => {
    const { simulation, account } = world({
      bars: [MINUTES],
      start: '2024-03-08T10:00:29.850-05:00',
      inBetweenMs: 100,
    });
    const id = order(account, { price: '99' });
    runUntil(simulation, '2024-03-08T10:00:30-05:00');
    runUntil(simulation, '2024-03-08T10:01:14.950-05:00');
    account.cancel(id);
    runUntil(simulation, '2024-03-08T10:01:20-05:00');
    expect(account.order(id)?.status).toBe('FilledStatus');
    expect(refusal(account.cancel(id))).toMatchObject({ code: 601012 });
  });

  it('show a triggered order in transit to the exchange', () => {
    const { simulation, account } = world({ bars: [MINUTES], start, inBetweenMs: 100 });
    order(account, { type: 'LIT', price: '90', triggerPrice: '101' });
    const statuses = reported(runUntil(simulation, '2024-03-08T10:02:00-05:00')).map(
      (line) => line.split(' ')[1],
    );
    expect(statuses).toEqual(['VarietiesNotReported', 'WaitToNew', 'NewStatus']);
  });
});
