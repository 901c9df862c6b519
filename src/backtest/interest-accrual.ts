import type { EngineParts } from '../engine/engine-parts.ts';
import type { Millis } from '../model/time.ts';
import { applicableInterest, homeMarket } from '../simulation/books/interest.ts';
import { DEFAULT_RULES } from '../simulation/rules.ts';
import type { ReplaySetup } from './setup.ts';

/**
 * Returns the period in which the venue may book interest or write off the debt of a closed account; empty if it
 * never does.
 */
export function interestAccrual(
  { rules, margin, short = false, currency }: Pick<ReplaySetup, 'rules' | 'margin' | 'short' | 'currency'>,
  from: Millis,
  until: Millis,
): Pick<EngineParts, 'interestAccrual'> {
  const interestRules = applicableInterest((rules ?? DEFAULT_RULES).interest, { margin, short });
  return interestRules === undefined && margin.closeOut !== 'equity'
    ? {}
    : { interestAccrual: { home: homeMarket(currency), from, until } };
}
