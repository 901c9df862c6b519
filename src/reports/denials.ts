import type { RunRecord } from '../events/run-record.ts';
import type { Millis } from '../model/time.ts';
import { countText } from './format.ts';

/** All denials of a run by one rule: how many, when first, and the reason given then. */
export interface DenialsByRule {
  readonly rule: string;
  readonly count: number;
  readonly firstAt: Millis;
  readonly reason: string;
}

/** Sums up what the gate denied, by rule, the most frequent first; empty when it denied nothing. */
export function denialsOf(record: Pick<RunRecord, 'flow' | 'decisions'>): readonly DenialsByRule[] {
  if (record.flow.denied === 0) return [];
  const byRule = new Map<string, DenialsByRule>();
  for (const decision of record.decisions) {
    if (decision.kind !== 'intent-denied') continue;
    const { rule, at, reason } = decision;
    const before = byRule.get(rule) ?? { rule, count: 0, firstAt: at, reason };
    byRule.set(rule, { ...before, count: before.count + 1 });
  }
  return [...byRule.values()].sort((one, other) => other.count - one.count);
}

/** One sentence per rule; `firstAt` as an instant or its ISO-8601 text. */
export function denialTexts(
  denials: readonly (Omit<DenialsByRule, 'firstAt'> & { readonly firstAt: Millis | string })[],
): readonly string[] {
  return denials.map(({ rule, count, firstAt, reason }) => {
    const day = new Date(firstAt).toISOString().slice(0, 10);
    return `${countText(count)} by ${rule}; first on ${day}: ${reason}`;
  });
}
