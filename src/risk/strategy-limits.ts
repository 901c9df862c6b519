import type { Decimal } from '../model/decimal.ts';
import type { OrderIntent } from '../model/order.ts';
import type { RiskFacts } from './facts.ts';
import { LIMITS, type RiskLimits } from './limits.ts';
import type { Denial } from './risk-gate.ts';
import { deny } from './rule.ts';
import { RULES } from './rules.ts';

/** Limits that one of several strategies may have in addition to those of the account. */
export const STRATEGY_LIMITS = [
  'maxOrderNotional',
  'maxOrderQuantity',
  'maxPositionWeight',
  'maxPositionQuantity',
  'maxGrossExposure',
  'maxNetExposure',
  'maxOpenOrders',
  'maxOrderRate',
  'maxDailyLoss',
  'allowShort',
  'restricted',
] as const satisfies readonly (keyof RiskLimits)[];

/** The limits of one strategy's part of the account; an absent one leaves only the account's. */
export type StrategyLimits = Partial<Pick<RiskLimits, (typeof STRATEGY_LIMITS)[number]>>;

/**
 * Rules without a result for orders that they do not apply to; the others have one for every opening order whose
 * facts are known.
 */
const OPTIONAL_RESULT: ReadonlySet<string> = new Set<string>([
  LIMITS.allowShort.rule,
  LIMITS.restricted.rule,
]);

/**
 * Applies the account's rules with a strategy's limits to an order, on facts restricted to the strategy: returns the
 * first denial, or undefined. Orders that only reduce the strategy's position pass. `rateOf` is account currency per
 * unit of a currency.
 */
export function judgeStrategyLimits(
  intent: OrderIntent,
  facts: RiskFacts,
  { own, account }: { readonly own: StrategyLimits; readonly account: RiskLimits },
  rateOf: (currency: string) => Decimal | undefined,
): Denial | undefined {
  if (!facts.opens || intent.purpose === 'flatten') return undefined;
  const limits: RiskLimits = { ...account, ...own };
  const names = new Set<string>(
    STRATEGY_LIMITS.filter((name) => own[name] !== undefined).map((name) => LIMITS[name].rule),
  );
  /** A strategy may state its order limit in any currency with a known rate. */
  function notionalRate(): Decimal | undefined {
    const ofLimit = rateOf(limits.maxOrderNotional.currency);
    return ofLimit === undefined ? undefined : facts.rate?.div(ofLimit);
  }
  for (const { name, judge } of RULES) {
    if (!names.has(name)) continue;
    const judged = name === LIMITS.maxOrderNotional.rule ? { ...facts, rate: notionalRate() } : facts;
    const result =
      judge(intent, judged, limits) ??
      (OPTIONAL_RESULT.has(name)
        ? undefined
        : deny(`no price or exchange rate is known to judge "${intent.terms.symbol}" by`));
    if (result?.denied === undefined) continue;
    const reason = `Own limit of "${intent.strategy}": ${result.denied}`;
    return { kind: 'denied', intent, rule: `own-${name}`, reason, numbers: result.numbers() };
  }
  return undefined;
}
