import { describe, expect, it } from 'vitest';
import { decimal } from '#src/model/decimal.ts';
import { HOUR_MS, type Millis, millis } from '#src/model/time.ts';
import { AAPL, at } from '../fixtures/market.ts';
import { acked, filled, fillOf, intentOf, termsOf } from '../fixtures/orders.ts';
import { lostSince, lots, peak, quoted, type World } from './bound-row.ts';
import { type BoundedRig, boundedRig, HK_MORNING, limitsIn } from './bounded.ts';

const MIDNIGHT = at('2024-03-06T00:00:00+08:00');
const NEXT_MORNING = at('2024-03-06T10:00:00+08:00');

/**
 * The verdicts of a bot that continues and of one that crashed before the call: "approved", or the rule that denied.
 */
function verdicts(limit: string, world: World, when: Millis = HK_MORNING): readonly string[] {
  const rigs = [boundedRig({ limits: limitsIn(limit) }), boundedRig({ limits: limitsIn(limit) })];
  return rigs.map((rig, index) => {
    world(rig);
    const asked = index === 0 ? rig : rig.restarted();
    asked.world.now = when;
    quoted({ at: when })(asked);
    const verdict = asked.judge(lots(1));
    return verdict.kind === 'denied' ? verdict.rule : 'approved';
  });
}
const both = (what: string): readonly string[] => [what, what];

const resumed =
  (when: Millis, equity: string): World =>
  (rig) =>
    rig.tell({
      ...{ kind: 'gate-moved', at: when, state: 'active', by: 'operator' },
      ...{ rule: 'resume', reason: 'seen', equity: decimal(equity) },
    });
const inTurn =
  (...worlds: readonly World[]): World =>
  (rig) => {
    for (const world of worlds) world(rig);
  };

describe('the loss of a day, before and after midnight', () => {
  const limit = 'maxDailyLoss: 2%';
  const lost = lostSince('96.05', '9799.375');

  it('counts until the last millisecond of the exchange day, and starts again with the first of the next day (I-15)', () => {
    expect(verdicts(limit, lost, millis(MIDNIGHT - 1))).toEqual(both('daily-loss'));
    expect(verdicts(limit, lost, MIDNIGHT)).toEqual(both('approved'));
  });

  it("counts from an operator's resume of the same day, and not from one of the day before (I-15)", () => {
    const began = at('2024-03-05T00:00:00+08:00');
    expect(verdicts(limit, inTurn(lost, resumed(began, '9799.375')))).toEqual(both('approved'));
    expect(verdicts(limit, inTurn(lost, resumed(millis(began - 1), '9799.375')))).toEqual(both('daily-loss'));
  });

  it("counts the loss of New York's day while Hong Kong has a new one (I-15)", () => {
    const bought =
      (when: Millis): World =>
      (rig) => {
        const intent = intentOf('US', { terms: termsOf({ symbol: AAPL }) });
        for (const event of acked(intent)) rig.tell(event);
        rig.tell(
          filled(fillOf('US', 'buy', '100', '82.01', { intent: intent.id, intentId: intent.id, time: when })),
        );
        rig.venue.answers.equity = '9799';
      };
    const beforeHongKong = at('2024-03-04T10:00:00-05:00');
    expect(verdicts(limit, bought(beforeHongKong))).toEqual(both('daily-loss'));
    expect(verdicts(limit, bought(at('2024-03-01T10:00:00-05:00')))).toEqual(both('approved'));
  });

  it('leaves the gate killed on the next day and after a crash, until an operator resumes (I-14, I-15)', () => {
    const rig = boundedRig({ limits: limitsIn(limit) });
    lost(rig);
    rig.judge(lots(1));
    for (const each of [rig, rig.restarted()]) {
      each.world.now = NEXT_MORNING;
      quoted({ at: NEXT_MORNING })(each);
      expect(each.judge(lots(1))).toMatchObject({
        rule: 'gate-state',
        reason: 'Gate is killed by daily-loss: The day has cost 2.0063% of equity, limit is 2%',
      });
      resumed(NEXT_MORNING, '9799.375')(each);
      expect(each.judge(lots(1))).toMatchObject({ kind: 'approved' });
    }
  });
});

describe('counts that do not depend on days', () => {
  const late = millis(MIDNIGHT - 30_000);
  const passed: World = (rig) => rig.passed(late);

  it.each([
    ['order-rate', 'maxOrderRate: 1/min'],
    ['duplicate-order', 'maxRepeats: 1'],
  ])('are not reset at midnight, only after their time: %s (I-15)', (rule, limit) => {
    expect(verdicts(limit, passed, millis(late + 59_999))).toEqual(both(rule));
    expect(verdicts(limit, passed, millis(late + 60_000))).toEqual(both('approved'));
  });

  it('are not reset at midnight, only after their time or when an operator resumes: runaway (I-15)', () => {
    const limit = 'maxUnattendedFills: 1';
    const filledTwice: World = (rig) => {
      rig.fill(late);
      rig.fill(late);
    };
    expect(verdicts(limit, filledTwice, millis(late + 24 * HOUR_MS - 1))).toEqual(both('runaway'));
    expect(verdicts(limit, filledTwice, millis(late + 24 * HOUR_MS))).toEqual(both('approved'));
    expect(verdicts(limit, inTurn(filledTwice, resumed(late, '10000')), NEXT_MORNING)).toEqual(
      both('approved'),
    );
    expect(verdicts(limit, inTurn(filledTwice, resumed(millis(late - 1), '10000')), NEXT_MORNING)).toEqual(
      both('runaway'),
    );
  });

  it('are not reset in weeks, unless an operator resumes: the peak of the drawdown (I-15)', () => {
    const [limit, weeks] = ['maxDrawdown: 20%', at('2024-04-03T10:00:00+08:00')];
    expect(verdicts(limit, peak('12500.01'), weeks)).toEqual(both('drawdown'));
    expect(verdicts(limit, peak('12500'), weeks)).toEqual(both('approved'));
    expect(verdicts(limit, inTurn(peak('12500.01'), resumed(HK_MORNING, '10000')), weeks)).toEqual(
      both('approved'),
    );
  });

  it('are not reset by the starts of a bot: equity at a start raises the peak and never lowers it (I-15)', () => {
    const started =
      (equity: string): World =>
      (rig) =>
        rig.tell({
          ...{ kind: 'run-started', at: HK_MORNING, schema: 1, strategy: 's', config: 'c', currency: 'USD' },
          ...{ cash: {}, positions: [], equity: decimal(equity) },
        });
    const limit = 'maxDrawdown: 20%';
    expect(verdicts(limit, started('12500.01'))).toEqual(both('drawdown'));
    expect(verdicts(limit, inTurn(peak('12500.01'), started('10000')))).toEqual(both('drawdown'));
  });
});

describe('frequent breaches', () => {
  const limits = limitsIn('{ maxBreaches: 3, breachWindow: 1m, maxOrderQuantity: 100 shares }');
  const rigAfter = (...agesMs: readonly number[]): BoundedRig => {
    const rig = boundedRig({ limits });
    for (const age of agesMs) rig.denied(millis(HK_MORNING - age), 'max-order-quantity');
    return rig;
  };

  it('halt the gate with the first one beyond the limit within the window, also after a crash (I-15)', () => {
    for (const rig of [rigAfter(59_999, 1), rigAfter(59_999, 1).restarted()]) {
      expect(rig.judge(lots(2))).toMatchObject({ rule: 'max-order-quantity' });
      expect(rig.state.gate.standing).toMatchObject({
        state: 'halted',
        rule: 'repeated-breach',
        reason: '3 orders denied by limits within 1 min, limit is 3',
      });
    }
  });

  it('halt nothing a millisecond later, with one less, or once an operator resumed (I-15)', () => {
    const seen = rigAfter(59_999, 1);
    resumed(HK_MORNING, '10000')(seen);
    for (const rig of [rigAfter(60_000, 1), rigAfter(1), seen, rigAfter(60_000, 1).restarted()]) {
      expect(rig.judge(lots(2))).toMatchObject({ rule: 'max-order-quantity' });
      expect(rig.state.gate.standing.state).toBe('active');
    }
  });
});
