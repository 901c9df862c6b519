import { describe, expect, it } from 'vitest';
import type { OrderIntent } from '#src/model/order.ts';
import { millis } from '#src/model/time.ts';
import { TENCENT } from '../fixtures/market.ts';
import { limited, selling } from './bound-row.ts';
import { type BoundedRig, boundedRig, HK_MORNING, limitsIn } from './bounded.ts';

const rigWith = (limits: string): BoundedRig => boundedRig({ limits: limitsIn(limits) });

/** The rule that denied with its reason, or "approved". */
function said(rig: BoundedRig, ...asked: Parameters<BoundedRig['judge']>): string {
  const verdict = rig.judge(...asked);
  return verdict.kind === 'denied' ? `${verdict.rule}: ${verdict.reason}` : 'approved';
}

describe('new terms of an open order of 100 at 80 HKD', () => {
  /** A rig, and an order that replaces the open one. */
  function replacing(limits: string): readonly [BoundedRig, Partial<OrderIntent>] {
    const rig = rigWith(limits);
    const [id] = rig.open(TENCENT, 'acked');
    if (id === undefined) throw new Error('No order is open');
    return [rig, { id, replaces: true }];
  }

  it('need of the buy limit only what the venue does not reserve for the order already (T-40)', () => {
    const [rig, instead] = replacing('useMargin: false');
    expect(said(rig, limited('80', 3), instead)).toBe('approved');
    expect(said(rig, limited('80', 4), instead)).toContain(
      'buy-limit: Wants 300 of "700.HK", buy limit is 200',
    );
    expect(said(rig, limited('100', 3), instead)).toContain('buy-limit: Wants 220 of "700.HK"');
    expect(said(rig, limited('80', 3))).toContain('buy-limit: Wants 300');
  });

  it('need of the buying power only what the venue does not reserve for the order already (T-40)', () => {
    const [rig, instead] = replacing('{ useMargin: true, marginHeadroom: 80% }');
    expect(said(rig, limited('80', 3), instead)).toBe('approved');
    expect(said(rig, limited('80.05', 3), instead)).toContain(
      'margin-headroom: Order needs 2001.88 USD of margin',
    );
    expect(said(rig, limited('80', 3))).toContain('margin-headroom: Order needs 3000.00 USD');
  });

  it('do not count it twice, neither as an order nor by its shares (T-40, I-6)', () => {
    const [rig, instead] = replacing('{ maxOpenOrders: 1, maxPositionQuantity: 200 shares }');
    expect(said(rig, limited('80', 2), instead)).toBe('approved');
    expect(said(rig, limited('80', 3), instead)).toContain(
      'max-position-quantity: Position of "700.HK" could become 300',
    );
    expect(said(rig, limited('80', 2))).toContain('max-position-quantity');
    expect(said(rig, limited('80', 1))).toContain(
      'max-open-orders: Would be open order number 2, limit is 1',
    );
  });
});

describe('an order at a venue that reduces it to what the account can pay', () => {
  const cutting = (limits: string): BoundedRig => {
    const rig = rigWith(limits);
    rig.world.cuts = true;
    rig.world.estimate = { cash: '1000', margin: '1000' };
    return rig;
  };

  it('is judged by its largest possible fill, and uses up the buying power', () => {
    const rig = cutting('{ maxPositionQuantity: 1000 shares, marginHeadroom: 5% }');
    expect(said(rig, limited('80', 20))).toBe('approved');
    rig.world.cuts = false;
    expect(said(rig, limited('80', 20))).toContain(
      'max-position-quantity: Position of "700.HK" could become 2000',
    );
    expect(said(rig, limited('80', 10))).toContain('margin-headroom');
  });

  it('is denied if even that is too much', () => {
    expect(said(cutting('maxPositionQuantity: 900 shares'), limited('80', 20))).toContain(
      'max-position-quantity: Position of "700.HK" could become 1000 shares, limit is 900 shares',
    );
  });
});

describe('a position that an operator closes', () => {
  const flatten = { purpose: 'flatten' } as const;
  const sold = (rig: BoundedRig, times: number): BoundedRig => {
    rig.hold(TENCENT, 300);
    for (let count = 0; count < times; count += 1) rig.passed(millis(HK_MORNING - 1), selling(1));
    return rig;
  };

  it('is limited neither by the rate of closes nor by equal orders (I-14)', () => {
    const rate = sold(rigWith('maxOrderRate: 1/min'), 1);
    expect(said(rate, selling(1))).toContain('close-rate');
    expect(said(rate, selling(1), flatten)).toBe('approved');
    const repeats = sold(rigWith('maxRepeats: 1'), 1);
    expect(said(repeats, selling(1))).toContain('duplicate-order');
    expect(said(repeats, selling(1), flatten)).toBe('approved');
  });

  it('is not limited by a limit of the strategy (I-14)', () => {
    const rig = boundedRig({ own: limitsIn('allowShort: false'), limits: limitsIn('allowShort: true') });
    expect(said(rig, selling(1))).toContain('own-no-short');
    expect(said(rig, selling(1), flatten)).toBe('gate-state: A flatten of "700.HK" would add exposure');
  });
});
