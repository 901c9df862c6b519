import fc from 'fast-check';
import { of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { createInProcessRules } from '#src/hosts/rules/evaluate-rules.ts';
import { decimal } from '#src/model/decimal.ts';
import type { OrderIntent } from '#src/model/order.ts';
import { defineRiskRule } from '#src/plugins/define-risk-rule.ts';
import type { RuleHost } from '#src/ports/rule-host.ts';
import { applyCustomRule, type RuleAnswer, type RuleQuestion } from '#src/risk/custom-rules.ts';
import type { RiskLimits } from '#src/risk/limits.ts';
import type { Verdict } from '#src/risk/risk-gate.ts';
import { acked, drafted, filled, fillOf, intentOf, termsOf } from '../fixtures/orders.ts';
import { createGateRig, type GateRig } from './a-gate.ts';

/** A rule whose author's code answers as the test states. */
function ruleSaying(answer: () => unknown): RuleHost {
  const rule = defineRiskRule({ name: 'own', params: {}, judge: () => answer() as string | undefined });
  return createInProcessRules([{ name: 'own', rule, params: {} }]);
}

/** 100 shares that an earlier order bought. */
function hold({ fold }: GateRig): void {
  const before = intentOf('INTENT1');
  const bought = filled(fillOf('1', 'buy', '100', '10'));
  for (const event of [drafted(before), ...acked(before), bought]) fold.apply(event);
}

/** The rule that denied, or "approved". */
function judged(
  rules: RuleHost | undefined,
  intent: OrderIntent = intentOf(),
  limits: Partial<RiskLimits> = {},
): string {
  const verdict = createGateRig({ limits, ...(rules === undefined ? {} : { rules }) }).judge(intent);
  return verdict.kind === 'denied' ? verdict.rule : 'approved';
}

describe('a custom risk rule', () => {
  it('denies an order that passed all limits, by its name and with its text', () => {
    expect(judged(undefined)).toBe('approved');
    const verdict = createGateRig({ rules: ruleSaying(() => 'too late in the day') }).judge(intentOf());
    expect(verdict).toMatchObject({ kind: 'denied', rule: 'own', reason: 'too late in the day' });
    expect(verdict.numbers.length).toBeGreaterThan(5);
  });

  it('can never widen a limit, whatever it answers: a denied order stays denied, without a call (I-15)', () => {
    const anything = fc.oneof(
      fc.anything({ withBigInt: true, withNullPrototype: true }),
      fc.constantFrom('approved', true, { kind: 'approved' }, { kind: 'pass' }, undefined, Number.NaN),
    );
    fc.assert(
      fc.property(anything, (answer) => {
        let asked = 0;
        const rules = ruleSaying(() => {
          asked += 1;
          return answer;
        });
        const tight = { maxOrderQuantity: decimal('1') };
        expect(judged(rules, intentOf(), tight)).toBe('max-order-quantity');
        expect(asked).toBe(0);
        expect(judged(rules)).toBe(answer === undefined ? 'approved' : 'own');
        expect(asked).toBe(1);
      }),
    );
  });

  it('can never widen a limit, even with a false host: the result is the verdict itself or a denial', () => {
    const kinds = fc.constantFrom('pass', 'deny', 'failed', 'approved', 'toString');
    const answers = fc.record({ kind: kinds, rule: fc.string(), reason: fc.string(), message: fc.string() });
    const verdicts = [
      intentOf('PASSED'),
      intentOf('BIG', { terms: termsOf({ quantity: decimal('1000000000') }) }),
    ];
    fc.assert(
      fc.property(answers, fc.boolean(), fc.constantFrom(...verdicts), (answer, opens, intent) => {
        const verdict: Verdict = createGateRig().judge(intent);
        const after = applyCustomRule(verdict, answer as RuleAnswer, opens);
        if (verdict.kind === 'denied') expect(after).toBe(verdict);
        else expect(after === verdict || after.kind === 'denied').toBe(true);
      }),
    );
  });

  it('that throws opens nothing more, and passes orders that only reduce', () => {
    const rules = ruleSaying(() => {
      throw new Error('planted');
    });
    const rig = createGateRig({ rules });
    hold(rig);
    const sale = intentOf('S', { terms: termsOf({ side: 'sell', quantity: decimal('100') }) });
    expect(rig.judge(intentOf())).toMatchObject({ kind: 'denied', rule: 'own' });
    expect(rig.judge(intentOf('I2')).kind).toBe('denied');
    expect(rig.judge(sale).kind).toBe('approved');
  });

  it('is called for reducing orders on request, but never blocks a close by an operator', () => {
    const asked: RuleQuestion[] = [];
    const rule = defineRiskRule({
      ...{ name: 'own', params: {}, orders: 'every' },
      judge: (question) => {
        asked.push(question);
        return 'no';
      },
    });
    const rig = createGateRig({ rules: createInProcessRules([{ name: 'own', rule, params: {} }]) });
    hold(rig);
    const terms = termsOf({ side: 'sell', quantity: decimal('100') });
    expect(rig.judge(intentOf('S', { terms })).kind).toBe('denied');
    expect(rig.judge(intentOf('F', { terms, purpose: 'flatten' })).kind).toBe('approved');
    expect(asked.map(({ opens, held, equity }) => [opens, String(held), equity])).toEqual([
      [false, '100', undefined],
    ]);
  });

  it('receives copies: its changes to them have no effect (F-G07)', () => {
    const rule = defineRiskRule({
      ...{ name: 'own', params: {} },
      judge: (question) => {
        const { order, held } = question as unknown as Record<string, Record<string, unknown>>;
        expect(() => Object.assign(order ?? {}, { quantity: decimal('1') })).toThrow(TypeError);
        expect(() => Object.assign(held ?? {}, { units: 5 })).toThrow(TypeError);
        return undefined;
      },
    });
    const verdict = createGateRig({ rules: createInProcessRules([{ name: 'own', rule, params: {} }]) }).judge(
      intentOf(),
    );
    expect(verdict.kind).toBe('approved');
    expect(String(verdict.intent.terms.quantity)).toBe(String(intentOf().terms.quantity));
  });

  it('answers in its own time: the verdict still counts from when its facts were gathered (I-5)', () => {
    const waiting: RuleHost = { evaluate: () => of({ kind: 'pass' }) };
    const [asked, unasked] = [createGateRig({ rules: waiting }), createGateRig()].map((rig) =>
      rig.judge(intentOf()),
    );
    expect(asked).toMatchObject({ kind: 'approved', freshUntil: expect.any(Number) });
    expect(asked).toHaveProperty('freshUntil', (unasked as { freshUntil: number }).freshUntil);
  });
});

describe('defineRiskRule', () => {
  it.each([
    [{ name: 'Own Rule', params: {}, judge: () => undefined }, 'want a kebab-case name'],
    [{ name: 'own', params: {} }, 'it has no "judge", so it can never deny'],
  ])('refuses %o', (definition, words) => {
    expect(() => defineRiskRule(definition as never)).toThrow(words);
  });
});
