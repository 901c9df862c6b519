import { afterEach, describe, expect, it } from 'vitest';
import { SECOND_MS } from '#src/model/time.ts';
import { orderDrafts } from '#src/strategy/order-draft.ts';
import { eventually } from '../fixtures/eventually.ts';
import { at } from '../fixtures/market.ts';
import { AAPL_US, createSocketRig, type SocketRig } from '../fixtures/socket-rig.ts';
import { watching } from '../fixtures/watching.ts';

let rig: SocketRig;
let endStarving: () => void = () => undefined;
afterEach(async () => {
  endStarving();
  await rig.faults();
  await rig.close();
});

const { kindsOf, happened, judged, settled } = watching(() => rig);

/** Blocks the thread for this time before each turn of its event loop, like a quota of a hundredth of a processor. */
function starve(forMs: number): () => void {
  const nobody = new Int32Array(new SharedArrayBuffer(4));
  let turn = setImmediate(stand);
  function stand(): void {
    Atomics.wait(nobody, 0, 0, forMs);
    turn = setImmediate(stand);
  }
  return () => clearImmediate(turn);
}

describe('a bot with hardly any processor time', () => {
  it('denies orders that would be sent late, drops no connection that it only read too slowly, and continues afterwards (F-P08, I-5)', async () => {
    const limits = { maxQuoteAge: SECOND_MS, maxEstimateAge: SECOND_MS, maxBalanceAge: SECOND_MS };
    rig = await createSocketRig({ startsAt: at('2025-09-03T10:30:00-04:00'), speed: 1, limits });
    endStarving = starve(400);
    rig.want(orderDrafts.buy(AAPL_US, 10));
    await happened('intent-denied');
    // The facts are stale, or the requests for them timed out.
    expect(kindsOf('intent-denied')[0]?.rule).toMatch(/^(?:stale-|known-facts$)/);
    expect(kindsOf('submit-sending')).toEqual([]);
    endStarving();
    await eventually(() => {
      if (judged() === kindsOf('intent-drafted').length) rig.want(orderDrafts.buy(AAPL_US, 10));
      return kindsOf('order-filled').length > 0;
    }, 'an order to be filled');
    expect(rig.alarms.filter(({ code }) => code === 'socket-lost')).toEqual([]);
    await settled();
  });
});
