import type { AffordableQuantity } from '../model/affordable-quantity.ts';
import type { GateStanding } from '../model/gate.ts';
import { omitUndefined } from '../model/omit-undefined.ts';
import type { OrderIntent } from '../model/order.ts';
import { plural } from '../model/plural.ts';
import type { RiskNumber } from '../model/risk-number.ts';
import type { Millis } from '../model/time.ts';
import { unreachable } from '../model/unreachable.ts';
import { freshUntil } from './fact-rules.ts';
import type { RiskFacts } from './facts.ts';
import { decisionsWith } from './flow-rules.ts';
import type { GateTransition } from './gate-state.ts';
import type { RiskLimits } from './limits.ts';
import { affordableQuantityOf, MONEY_RULES } from './money-rules.ts';
import { lengthOf, type RiskRule, type RuleResult } from './rule.ts';
import { RULES, RULES_BEFORE_FACTS } from './rules.ts';

declare const approved: unique symbol;

/** An order that passed the gate. Only this file can create one, and the executor accepts nothing else. */
export type Approved<T> = T & { readonly [approved]: true };

/** The verdict of the gate, with every compared number. */
export type Verdict =
  | {
      readonly kind: 'approved';
      readonly intent: Approved<OrderIntent>;
      /** Formatted when they are first read. */
      readonly numbers: readonly RiskNumber[];
      /** Market time until which the verdict is valid (I-5); absent if it depends on no fact that ages. */
      readonly freshUntil?: Millis;
    }
  | {
      readonly kind: 'denied';
      readonly intent: OrderIntent;
      readonly rule: string;
      readonly reason: string;
      readonly numbers: readonly RiskNumber[];
      /** How this denial changes the gate, if it does. */
      readonly transition?: GateTransition;
      /** The affordable quantity, if a purchase was denied only for lack of money. */
      readonly payable?: AffordableQuantity;
    };

/** A denial of the gate. */
export type Denial = Extract<Verdict, { kind: 'denied' }>;

/** Judges an intent by facts gathered before; the first denial is the result. */
export function judge(intent: OrderIntent, facts: RiskFacts, limits: RiskLimits): Verdict {
  const checkedNumbers: RuleResult['numbers'][] = [];
  const denied = firstDenial(RULES, { intent, facts, limits, checkedNumbers });
  if (denied !== undefined) return denied;
  const until = freshUntil(facts, limits);
  let numbers: readonly RiskNumber[] | undefined;
  const verdict = {
    kind: 'approved' as const,
    intent: intent as Approved<OrderIntent>,
    get numbers() {
      if (numbers === undefined) {
        numbers = numbersOf(checkedNumbers);
        // Each keeps the facts that it was judged by.
        checkedNumbers.length = 0;
      }
      return numbers;
    },
  };
  return until === undefined ? verdict : Object.assign(verdict, { freshUntil: until });
}

/**
 * Returns a denial that does not depend on the venue's answer; undefined if the venue must be queried. A strategy
 * that floods uses no calls, and is halted (F-G04).
 */
export function preTradeCheck(intent: OrderIntent, facts: RiskFacts, limits: RiskLimits): Denial | undefined {
  return firstDenial(RULES_BEFORE_FACTS, { intent, facts, limits, checkedNumbers: [] });
}

function firstDenial(
  rules: readonly RiskRule[],
  {
    intent,
    facts,
    limits,
    checkedNumbers,
  }: {
    readonly intent: OrderIntent;
    readonly facts: RiskFacts;
    readonly limits: RiskLimits;
    readonly checkedNumbers: RuleResult['numbers'][];
  },
): Denial | undefined {
  const judged = withFillable(intent, facts);
  for (const rule of rules) {
    const result = rule.judge(judged, facts, limits);
    if (result === undefined) continue;
    checkedNumbers.push(result.numbers);
    if (result.denied === undefined) continue;
    const transition = transitionFor(intent, { rule, reason: result.denied }, facts, limits);
    const payable = MONEY_RULES.has(rule.name)
      ? affordableQuantityOf(judged.terms, facts, limits)
      : undefined;
    return {
      kind: 'denied',
      intent,
      rule: rule.name,
      reason: result.denied,
      numbers: numbersOf(checkedNumbers),
      ...omitUndefined({ transition, payable }),
    };
  }
  return undefined;
}

/** The order in its worst case: no more than the venue lets it execute. */
function withFillable(intent: OrderIntent, { maxFillable }: RiskFacts): OrderIntent {
  const { terms } = intent;
  if (maxFillable === undefined || terms.quantity.lte(maxFillable)) return intent;
  return { ...intent, terms: { ...terms, quantity: maxFillable } };
}

/** Formats the compared numbers. */
function numbersOf(checkedNumbers: readonly RuleResult['numbers'][]): readonly RiskNumber[] {
  return checkedNumbers.flatMap((numbers) => numbers());
}

/** True if a verdict is too old at `now`: the order is not sent and must be judged again. */
export function isStale(verdict: { readonly freshUntil?: Millis }, now: Millis): boolean {
  return verdict.freshUntil !== undefined && now > verdict.freshUntil;
}

/** Why the gate's present state would deny an approved order (T-03); undefined if it would pass. */
export function supersededReason(
  verdict: { readonly intent: OrderIntent; readonly freshUntil?: Millis },
  { state, rule, reason }: GateStanding,
): string | undefined {
  if (state === 'active' || verdict.intent.purpose === 'flatten') return undefined;
  if (state === 'halted' && verdict.intent.reducesQuantity === true) return undefined;
  if (state === 'reduce-only' && verdict.freshUntil === undefined) return undefined;
  return `The gate is ${state} by ${rule} since the order was approved: ${reason}`;
}

/** Names of the rules whose denials count towards a halt. */
const COUNTED: ReadonlySet<string> = new Set(
  RULES.filter(({ breach }) => breach === 'counts').map(({ name }) => name),
);

/** True for a rule whose denials count towards a halt. */
export function isCounted(rule: string): boolean {
  return COUNTED.has(rule);
}

/** Returns how a breach changes the gate: a loss or a runaway at once, broken limits when there are too many. */
function transitionFor(
  intent: OrderIntent,
  { rule, reason }: { readonly rule: RiskRule; readonly reason: string },
  facts: RiskFacts,
  limits: RiskLimits,
): GateTransition | undefined {
  switch (rule.breach) {
    case 'nothing':
      return undefined;
    case 'counts':
      return facts.opens ? repeatedBreach(intent.link, facts, limits) : undefined;
    case 'reduce-only':
    case 'killed':
      return { to: rule.breach, by: 'gate', rule: rule.name, reason };
    default:
      return unreachable(rule.breach);
  }
}

function repeatedBreach(
  link: OrderIntent['link'],
  { now, recent }: RiskFacts,
  { breachWindow, maxBreaches }: RiskLimits,
): GateTransition | undefined {
  const before = recent.denials.filter(({ at, rule }) => at > now - breachWindow && COUNTED.has(rule));
  const count = decisionsWith(link, before);
  if (count < maxBreaches) return undefined;
  const reason = `${plural(count, 'order')} denied by limits within ${lengthOf(breachWindow)}, limit is ${maxBreaches}`;
  return { to: 'halted', by: 'gate', rule: 'repeated-breach', reason };
}
