import { Decimal } from '../model/decimal.ts';
import { atRate } from '../model/fx.ts';
import type { OrderTerms } from '../model/order.ts';
import type { Exposure, RiskFacts } from './facts.ts';
import type { RiskLimits } from './limits.ts';
import {
  deny,
  higherPrice,
  number,
  passes,
  percent,
  projectedRange,
  type RiskRule,
  type RuleResult,
  shares,
} from './rule.ts';

/**
 * The position of one symbol is at most `maxPositionWeight` of equity, with all its open orders counted as filled.
 */
export const positionWeight: RiskRule = {
  name: 'max-position-weight',
  breach: 'counts',
  judge({ terms }, facts, limits) {
    const price = higherPrice(terms, facts);
    const { equity } = facts;
    if (equity === undefined || price === undefined || facts.rate === undefined) return undefined;
    if (!equity.gt(0)) return deny(`Equity is ${equity}`);
    const worth = atRate(projectedRange(terms, facts).worst.times(price), facts.rate);
    const weight = (): string => percent(worth.div(equity));
    return passes(
      worth.lte(equity.times(limits.maxPositionWeight)),
      () => [number('position weight', weight(), percent(limits.maxPositionWeight))],
      () =>
        `"${terms.symbol}" would make up ${weight()} of equity, limit is ${percent(limits.maxPositionWeight)}`,
    );
  },
};

/** One position is at most `maxPositionQuantity` shares, with all its open orders counted as filled. */
export const positionQuantity: RiskRule = {
  name: 'max-position-quantity',
  breach: 'counts',
  judge({ terms }, facts, limits) {
    if (!facts.opens) return undefined;
    const { worst } = projectedRange(terms, facts);
    const { maxPositionQuantity: most } = limits;
    return passes(
      worst.lte(most),
      () => [number('position', shares(worst), shares(most))],
      () => `Position of "${terms.symbol}" could become ${shares(worst)}, limit is ${shares(most)}`,
    );
  },
};

/** All positions together are at most `maxGrossExposure` of equity, long and short added. */
export const grossExposure = exposureRule('max-gross-exposure', 'gross exposure', {
  limit: (limits) => limits.maxGrossExposure,
  of: ({ gross }) => gross,
});

/** Long less short positions are at most `maxNetExposure` of equity, in either direction. */
export const netExposure = exposureRule('max-net-exposure', 'net exposure', {
  limit: (limits) => limits.maxNetExposure,
  of: ({ mostLong, mostShort }) => Decimal.max(mostLong.abs(), mostShort.abs()),
});

function exposureRule(
  name: string,
  what: string,
  { limit, of }: { readonly limit: (limits: RiskLimits) => Decimal; readonly of: (all: Exposure) => Decimal },
): RiskRule {
  function judge({ terms }: { readonly terms: OrderTerms }, facts: RiskFacts, limits: RiskLimits) {
    const { equity } = facts;
    const all = equity === undefined ? undefined : withOrder(terms, facts);
    if (equity === undefined || all === undefined) return undefined;
    const worth = of(all);
    const share = (): string => percent(worth.div(equity));
    return passes(
      worth.lte(equity.times(limit(limits))),
      () => [number(what, share(), percent(limit(limits)))],
      (): string => `${what} could become ${share()} of equity, limit is ${percent(limit(limits))}`,
    ) satisfies RuleResult;
  }
  return { name, breach: 'counts', judge };
}

function withOrder(terms: OrderTerms, facts: RiskFacts): Exposure | undefined {
  const { others, rate } = facts;
  const price = higherPrice(terms, facts);
  if (others === undefined || price === undefined || rate === undefined) return undefined;
  const { longest, shortest, worst } = projectedRange(terms, facts);
  const worth = (quantity: Decimal): Decimal => atRate(quantity.times(price), rate);
  return {
    gross: others.gross.plus(worth(worst)),
    mostLong: others.mostLong.plus(worth(longest)),
    mostShort: others.mostShort.plus(worth(shortest)),
  };
}
