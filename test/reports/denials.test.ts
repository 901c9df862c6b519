import { describe, expect, it } from 'vitest';
import type { Decision } from '../../src/events/run-record.ts';
import { intentId } from '../../src/model/order.ts';
import { millis } from '../../src/model/time.ts';
import { denialsOf, denialTexts, nonePassedText } from '../../src/reports/denials.ts';
import { excessOver, leftOf, usedShare } from '../../src/reports/limit-use.ts';
import { LIMITS } from '../../src/risk/limits.ts';

const denied = (at: string, rule: string, reason: string): Decision => ({
  kind: 'intent-denied',
  at: millis(Date.parse(at)),
  intentId: intentId('i-1'),
  rule,
  reason,
  numbers: [],
});

describe('the use of a limit', () => {
  it('is by how much a value is above it, and what is left of it, in its unit', () => {
    expect(excessOver('188100.00 HKD', '188000.00 HKD')).toBe('100 HKD');
    expect(excessOver('1,234,567.5 HKD', '188000.00 HKD')).toBe('1,046,567.5 HKD');
    expect(excessOver('0.5264%', '0.5%')).toBe('0.0264%');
    expect(excessOver('187000.00 HKD', '188000.00 HKD')).toBeUndefined();
    expect(leftOf('0.354%', '0.5%')).toBe('0.146%');
    expect(leftOf('12', '10')).toBe('0');
    expect(usedShare('4', '200')).toBe(0.02);
    // Ages and quantities of different units are not compared.
    expect([excessOver('3.7 min', '5 s'), leftOf('regular', 'any'), usedShare('1 s', '5 min')]).toEqual([
      ...[undefined, undefined, undefined],
    ]);
  });
});

describe('denialsOf', () => {
  const decisions = [
    denied('2000-01-06T21:00:00Z', 'lot-size', 'Wants 7, the lot is 100'),
    denied('2000-01-07T21:00:00Z', 'gate-state', 'Gate is killed by daily-loss: the day has cost 3 %'),
    denied('2000-01-08T21:00:00Z', 'gate-state', 'Gate is killed by daily-loss: the day has cost 4 %'),
  ];

  const flow = { quotes: 0, bars: 3, signals: 3, intents: 3, denied: 3, orders: 0, fills: 0 };
  const record = { flow, decisions };

  it('counts by rule, the most frequent first, with the first reason given', () => {
    expect(denialsOf(record).map(({ rule, count, reason }) => [rule, count, reason])).toEqual([
      ['gate-state', 2, 'Gate is killed by daily-loss: the day has cost 3 %'],
      ['lot-size', 1, 'Wants 7, the lot is 100'],
    ]);
  });

  it('gives the first reason of each in one sentence', () => {
    expect(denialTexts(denialsOf(record))).toEqual([
      '2 by gate-state; first on 2000-01-07: Gate is killed by daily-loss: the day has cost 3 %',
      '1 by lot-size; first on 2000-01-06: Wants 7, the lot is 100',
    ]);
  });

  it('names the limit of the config behind a rule, and shows it above the figures if no order passed', () => {
    const decided = [denied('2000-01-06T21:00:00Z', 'max-order-notional', 'Order is worth 94955 USD')];
    expect(denialTexts(denialsOf({ flow, decisions: decided }))).toEqual([
      '1 by max-order-notional; first on 2000-01-06: Order is worth 94955 USD ("maxOrderNotional" under "risk:" sets it)',
    ]);
    expect(nonePassedText(flow)).toMatch(/^No order was sent: all 3 were denied by the risk gate/);
    expect([nonePassedText({ ...flow, orders: 1 }), nonePassedText({ ...flow, denied: 0 })]).toEqual([
      undefined,
      undefined,
    ]);
    expect(nonePassedText({ ...flow, bars: 5597, signals: 0, intents: 0, denied: 0 })).toBe(
      'No order was sent: in 5,597 bars and 0 signals the strategy returned none, or none with anything to do (such as to close what is not held)',
    );
  });

  it('names bars that are missing in front of a run without an order', () => {
    const assumptions = ['No latency', 'SHORT WARM-UP: the signals need 9 bars: it never trades'];
    expect(nonePassedText({ ...flow, intents: 0, denied: 0 }, { assumptions })).toBe(
      'No order was sent. SHORT WARM-UP: the signals need 9 bars: it never trades',
    );
    expect(nonePassedText(flow, { assumptions })).toMatch(/^No order was sent: all 3 were denied/);
  });

  it('names only existing limits', () => {
    const rules = ['max-order-notional', 'max-position-weight', 'order-rate', 'duplicate-order', 'no-short'];
    for (const rule of rules) {
      const [text = ''] = denialTexts([{ rule, count: 1, firstAt: millis(0), reason: 'x' }]);
      expect(LIMITS).toHaveProperty(/\("(\w+)" under/.exec(text)?.[1] ?? 'none');
    }
  });
});
