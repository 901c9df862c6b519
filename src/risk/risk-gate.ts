import type { OrderIntent } from '../model/order.ts';
import type { RiskNumber } from '../model/risk-number.ts';
import type { RiskFacts } from './facts.ts';
import type { RiskLimits } from './limits.ts';
import { RULES } from './rules.ts';

declare const approved: unique symbol;

/** Something the gate let through. Only this file can make one, and the executor takes nothing else. */
export type Approved<T> = T & { readonly [approved]: true };

/** What the gate says, with every number it looked at. */
export type Verdict =
  | {
      readonly kind: 'approved';
      readonly intent: Approved<OrderIntent>;
      readonly numbers: readonly RiskNumber[];
    }
  | {
      readonly kind: 'denied';
      readonly intent: OrderIntent;
      readonly rule: string;
      readonly reason: string;
      readonly numbers: readonly RiskNumber[];
    };

/** Judges one intent by facts gathered before: the first rule that denies speaks for all. */
export function judge(intent: OrderIntent, facts: RiskFacts, limits: RiskLimits): Verdict {
  const numbers: RiskNumber[] = [];
  for (const rule of RULES) {
    const result = rule.judge(intent.terms, facts, limits);
    if (result === undefined) continue;
    numbers.push(...result.numbers);
    if (result.denied !== undefined) {
      return { kind: 'denied', intent, rule: rule.name, reason: result.denied, numbers };
    }
  }
  return { kind: 'approved', intent: intent as Approved<OrderIntent>, numbers };
}
