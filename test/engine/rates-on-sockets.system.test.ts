import { afterEach, describe, expect, it } from 'vitest';
import { decimal } from '#src/model/decimal.ts';
import { orderDrafts } from '#src/strategy/order-draft.ts';
import { eventually } from '../fixtures/eventually.ts';
import { AAPL_US, createSocketRig, type SocketRig } from '../fixtures/socket-rig.ts';

/** Wednesday, 3 September 2025, 11:00 in New York. */
const IN_SESSION = Date.parse('2025-09-03T15:00:00Z') as never;

let rig: SocketRig | undefined;
afterEach(() => rig?.close());

describe('an account in HKD that trades in USD and whose config has no rate', () => {
  it('reads the account in both currencies, and opens at the venue’s rate (F-D12)', async () => {
    rig = await createSocketRig({ startsAt: IN_SESSION, fx: {} });
    const { engine } = rig;
    expect(engine.rates()).toMatchObject([{ currency: 'USD', source: 'venue' }]);
    expect(engine.rates()[0]?.rate?.toNumber()).toBeCloseTo(7.8, 6);
    // The venue states sums in cents, so a rate computed from two of them is exact to seven digits.
    expect(engine.equityNow()).toBeCloseTo(1_780_000, 0);
    rig.want(orderDrafts.buy(AAPL_US, decimal('10')));
    await eventually(() => engine.state.portfolio.holdings.has(AAPL_US), 'the order to be filled');
  });

  it('opens nothing, and names the missing config key, when the venue has no rate (F-D12, I-6)', async () => {
    rig = await createSocketRig({
      startsAt: IN_SESSION,
      fx: {},
      knobs: [{ knob: 'venue.fx', currency: 'USD' }],
    });
    const { engine, alarms, events } = rig;
    expect(alarms.filter(({ code }) => code === 'rate-missing')).toMatchObject([
      { facts: { currency: 'USD', key: 'account.fx.USDHKD', cash: '100000' } },
    ]);
    expect(engine.equityNow()).toBeNaN();
    rig.want(orderDrafts.buy(AAPL_US, decimal('10')));
    await eventually(() => events.some(({ kind }) => kind === 'intent-denied'), 'the order to be denied');
    expect(events.find(({ kind }) => kind === 'intent-denied')).toMatchObject({
      rule: 'known-facts',
      reason: 'No exchange rate for USD',
    });
  });
});
