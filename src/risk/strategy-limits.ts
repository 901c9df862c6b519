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

/** The limits of one strategy's part of the account; for an absent one only the account's applies. */
export type StrategyLimits = Partial<Pick<RiskLimits, (typeof STRATEGY_LIMITS)[number]>>;

/** Rules that have no result for an order that they do not concern; the others have one for every opening order whose facts are known. */
const OPTIONAL_RESULT: ReadonlySet<string> = new Set<string>([
  LIMITS.allowShort.rule,
  LIMITS.restricted.rule,
]);

/**
 * Judges an order by its strategy's limits with the account's rules, over facts restricted to the strategy: the first denial, or undefined.
 * Orders that only reduce the strategy's position pass. `rateOf` is account currency per unit of a currency.
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
  /** A strategy may state its order limit in any currency that the account has a rate for. */
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
