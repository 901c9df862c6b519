import { describe, expect, it } from 'vitest';
import { createFold } from '#src/events/fold.ts';
import { exposureExcept } from '#src/execution/gate/exposure.ts';
import { decimal } from '#src/model/decimal.ts';
import type { Alarm } from '#src/model/notice.ts';
import { type OrderTerms, orderId } from '#src/model/order.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { millis } from '#src/model/time.ts';
import type { RiskLimits } from '#src/risk/limits.ts';
import { buying, submits } from '../execution/a-buying-bot.ts';
import type { EngineRig } from '../fixtures/engine-rig.ts';
import { factSourcesOf } from '../fixtures/fact-sources.ts';
import { termsOf } from '../fixtures/orders.ts';

const XOM = securitySymbol('XOM.US');

/**
 * A bot that buys AAPL.US, on an account where another party has an order in XOM.US, which the bot neither trades nor
 * holds.
 */
function botBeside(
  terms: Partial<OrderTerms>,
  { currency = 'USD', ...options }: { currency?: string; limits?: Partial<RiskLimits> } = {},
): { readonly rig: EngineRig; readonly alarms: readonly Alarm[] } {
  const alarms: Alarm[] = [];
  const rig = buying({ ...options, onAlarm: (alarm) => alarms.push(alarm) });
  rig.venue.list('THEIRS', { terms: termsOf({ symbol: XOM, ...terms }), currency });
  rig.venue.push('THEIRS');
  return { rig, alarms };
}

describe('an open order of another party in a symbol that the bot neither trades nor holds', () => {
  it('denies no opening order: it counts at its own price (T-52, I-6)', () => {
    const { rig, alarms } = botBeside({ type: 'LO', price: decimal('20'), quantity: decimal('10') });
    expect(rig.engine.state.foreign.orders.size).toBe(1);
    rig.quote(10);
    expect([submits(rig), alarms]).toEqual([1, []]);
  });

  it('counts towards the limits on exposure (I-6)', () => {
    const limits = { maxGrossExposure: decimal('0.5') };
    const { rig } = botBeside({ type: 'LO', price: decimal('20'), quantity: decimal('300') }, { limits });
    rig.quote(10);
    const denied = [...rig.journal.replay()].find(({ kind }) => kind === 'intent-denied');
    expect(denied).toMatchObject({ rule: 'max-gross-exposure' });
  });

  it('is left out, with an alarm, if no price or no exchange rate is known', () => {
    const market = botBeside({ type: 'MO', quantity: decimal('10') });
    market.rig.quote(10);
    expect(submits(market.rig)).toBe(1);
    expect(market.alarms).toMatchObject([
      { code: 'foreign-unpriced', message: expect.stringContaining('names no price') },
    ]);
    const abroad = botBeside(
      { type: 'LO', price: decimal('20'), quantity: decimal('10') },
      { currency: 'SGD' },
    );
    abroad.rig.quote(10);
    expect(submits(abroad.rig)).toBe(1);
    expect(abroad.alarms).toMatchObject([{ code: 'foreign-unpriced' }]);
  });

  it('is valued at its quote if there is one, otherwise at its trigger or limit', () => {
    const fold = createFold();
    fold.apply({
      ...{ kind: 'foreign-moved', at: millis(0), orderId: orderId('X'), remark: '', currency: 'USD' },
      ...{ status: 'NewStatus', rawStatus: 'NewStatus', executedQuantity: decimal('0') },
      terms: termsOf({
        symbol: XOM,
        side: 'sell',
        type: 'MIT',
        quantity: decimal('10'),
        triggerPrice: decimal('30'),
      }),
    });
    const gross = (quote?: string) =>
      exposureExcept(
        undefined,
        factSourcesOf(fold.state, {
          now: () => millis(0),
          security: () => undefined,
          reference: () => (quote === undefined ? undefined : { value: decimal(quote), at: millis(0) }),
        }),
      )?.gross.toString();
    expect([gross(), gross('40')]).toEqual(['300', '400']);
  });
});
