import { Decimal, type Price } from '../model/decimal.ts';
import type { OrderIntent, OrderTerms } from '../model/order.ts';
import { plural } from '../model/plural.ts';
import type { RiskNumber } from '../model/risk-number.ts';
import type { RiskFacts } from './facts.ts';
import type { RiskLimits } from './limits.ts';

/** Result of one rule: the numbers it compared, formatted when they are read, and the reason if it denies. */
export interface RuleResult {
  readonly numbers: () => readonly RiskNumber[];
  /** Undefined if the rule passes. */
  readonly denied?: string;
}

/**
 * Consequence of a denial: none (`nothing`: a fact is missing, or the order must wait), it counts towards a halt
 * (`counts`: a limit was broken), or it changes the gate.
 */
type Breach = 'nothing' | 'counts' | 'reduce-only' | 'killed';

/** A pure check of one aspect of an order; `undefined` if it does not apply to the order. */
export interface RiskRule {
  readonly name: string;
  readonly breach: Breach;
  judge(intent: OrderIntent, facts: RiskFacts, limits: RiskLimits): RuleResult | undefined;
}

const NO_NUMBERS = (): readonly RiskNumber[] => [];

/** A denial without a number. */
export function deny(reason: string): RuleResult {
  return { numbers: NO_NUMBERS, denied: reason };
}

/** Passes, or denies with the reason; the verdict contains the numbers in both cases. */
export function passes(holds: boolean, numbers: RuleResult['numbers'], reason: () => string): RuleResult {
  return holds ? { numbers } : { numbers, denied: reason() };
}

export function number(name: string, value: string, limit: string): RiskNumber {
  return { name, value, limit };
}

export function percent(share: Decimal): string {
  return `${share.times(100).toDecimalPlaces(4)}%`;
}

export function money(amount: Decimal, currency: string): string {
  return `${amount.toFixed(2)} ${currency}`;
}

export function shares(quantity: Decimal | number): string {
  return plural(quantity, 'share');
}

/** A duration in its largest fitting unit, to a tenth: `3 s`, `1.5 min`. */
export function lengthOf(ms: number): string {
  if (!Number.isFinite(ms)) return 'forever';
  const units = [
    [86_400_000, 'd'],
    [3_600_000, 'h'],
    [60_000, 'min'],
    [1_000, 's'],
  ] as const;
  const [size, name] = units.find(([unit]) => ms >= unit) ?? [1, 'ms'];
  return `${Math.round((ms / size) * 10) / 10} ${name}`;
}

/** Price for the worst-case value of an order: its own, or the quote if that is higher. */
export function higherPrice(
  terms: OrderTerms,
  { reference }: Pick<RiskFacts, 'reference'>,
): Price | undefined {
  const quoted = reference?.value;
  if (quoted === undefined) return undefined;
  return terms.price === undefined ? quoted : Decimal.max(terms.price, quoted);
}

/** The range of positions that this order and all open ones of its symbol can lead to. */
interface ProjectedRange {
  /** Signed. */
  readonly longest: Decimal;
  readonly shortest: Decimal;
  /** The larger of both as an absolute value. */
  readonly worst: Decimal;
}

/** Several rules use the range of the same order. */
const RANGES = new WeakMap<object, { readonly terms: OrderTerms; readonly range: ProjectedRange }>();

export function projectedRange(
  terms: OrderTerms,
  facts: Pick<RiskFacts, 'held' | 'openBuys' | 'openSells'>,
): ProjectedRange {
  const known = RANGES.get(facts);
  if (known?.terms === terms) return known.range;
  const { held, openBuys, openSells } = facts;
  const isBuy = terms.side === 'buy';
  const longest = held.plus(isBuy ? openBuys.plus(terms.quantity) : openBuys);
  const shortest = held.minus(isBuy ? openSells : openSells.plus(terms.quantity));
  const range = { longest, shortest, worst: Decimal.max(longest.abs(), shortest.abs()) };
  RANGES.set(facts, { terms, range });
  return range;
}
